"""Signed heads: a small file that an outsider keeps, and that the ledger must agree with ever after.

A checkpoint is signed with Ed25519 over the text `venire:checkpoint`, a line feed, and the canonical JSON of all of its
fields but the signature. It is kept as one line of canonical JSON.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from venire.domain.canonical import canonical_json
from venire.errors import LedgerError, os_reason
from venire.ledger.entry import Head, format_time

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_DOMAIN = b"venire:checkpoint\n"


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A signed statement that a ledger had this head at this time."""

    format: int = 1
    """The version of this file's format."""
    sequence: int
    """The number of the ledger's last entry."""
    hash: str
    """The hash of the ledger's last entry, in hexadecimal."""
    merkle_root: str
    """The root of the tree over the hashes of all entries, in hexadecimal; inclusion proofs lead to it."""
    signed_at: str
    """The signer's clock in UTC, as ISO 8601 with microseconds."""
    public_key: str
    """The signer's public key in hexadecimal. It says who claims to have signed; compare it with one you trust."""
    signature: str = ""
    """The signature over all of the above, in hexadecimal."""

    @property
    def head(self) -> Head:
        """The head that was signed."""
        return Head(self.sequence, self.hash)

    def signed_bytes(self) -> bytes:
        """Return the bytes that the signature covers."""
        fields = msgspec.structs.asdict(self)
        del fields["signature"]
        return _DOMAIN + canonical_json(fields)


def create_key(path: Path) -> str:
    """Make a signing key in a new file that only its owner can read, and return the public key in hexadecimal.

    Raises `LedgerError` if the file exists: a key that has signed something is never overwritten.
    """
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    text = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise LedgerError("error.ledger.key_write", where=str(path), reason=os_reason(error)) from error
    with os.fdopen(descriptor, "wb") as file:
        file.write(text)
        file.flush()
        os.fsync(descriptor)
    return key.public_key().public_bytes_raw().hex()


def load_key(path: Path) -> Ed25519PrivateKey:
    """Read a signing key. Raises `LedgerError` if the file holds none."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    try:
        key = serialization.load_pem_private_key(path.read_bytes(), password=None)
    except OSError as error:
        raise LedgerError("error.ledger.key_read", where=str(path), reason=os_reason(error)) from error
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise LedgerError("error.ledger.key_form", where=str(path)) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise LedgerError("error.ledger.key_kind", where=str(path), found=type(key).__name__)
    return key


def sign_checkpoint(head: Head, merkle_root: str, key: Ed25519PrivateKey, moment: datetime) -> Checkpoint:
    """Sign a head. Take head and root from an audit of the ledger, so that nothing broken is ever signed."""
    unsigned = Checkpoint(
        sequence=head.sequence,
        hash=head.hash,
        merkle_root=merkle_root,
        signed_at=format_time(moment),
        public_key=key.public_key().public_bytes_raw().hex(),
    )
    return msgspec.structs.replace(unsigned, signature=key.sign(unsigned.signed_bytes()).hex())


def verify_checkpoint(checkpoint: Checkpoint, public_key: str, where: str = "") -> None:
    """Check that the holder of this public key (in hexadecimal) signed the checkpoint; raises `LedgerError` if not."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    if checkpoint.public_key != public_key.strip().lower():
        raise LedgerError(
            "error.ledger.checkpoint_signer", where=where, expected=public_key, found=checkpoint.public_key
        )
    try:
        verifier = Ed25519PublicKey.from_public_bytes(bytes.fromhex(checkpoint.public_key))
        verifier.verify(bytes.fromhex(checkpoint.signature), checkpoint.signed_bytes())
    except (InvalidSignature, ValueError) as error:
        raise LedgerError(
            "error.ledger.checkpoint_signature",
            where=where,
            sequence=checkpoint.sequence,
            signed_at=checkpoint.signed_at,
        ) from error


def encode_checkpoint(checkpoint: Checkpoint) -> bytes:
    """Write a checkpoint as it is kept in a file."""
    return canonical_json(checkpoint) + b"\n"


def decode_checkpoint(data: bytes, where: str = "") -> Checkpoint:
    """Read a checkpoint from a file's bytes. Raises `LedgerError` if it is none."""
    try:
        checkpoint = msgspec.json.decode(data, type=Checkpoint)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise LedgerError("error.ledger.not_a_checkpoint", where=where, reason=str(error)) from error
    if checkpoint.format != 1:
        raise LedgerError("error.ledger.checkpoint_format", where=where, found=checkpoint.format)
    return checkpoint
