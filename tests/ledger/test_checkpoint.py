from __future__ import annotations

import stat
from datetime import UTC, datetime

import msgspec
import pytest

from venire.errors import LedgerError
from venire.ledger.audit import audit_chain
from venire.ledger.checkpoint import (
    create_key,
    decode_checkpoint,
    encode_checkpoint,
    load_key,
    sign_checkpoint,
    verify_checkpoint,
)
from venire.ledger.entry import Draft, Kind
from venire.ledger.memory import MemoryLedger
from venire.ledger.merkle import inclusion_proof, verify_inclusion

MOMENT = datetime(2025, 1, 2, tzinfo=UTC)


@pytest.fixture
def key_path(tmp_path):
    return tmp_path / "key.pem"


@pytest.fixture
def ledger():
    opened = MemoryLedger()
    opened.append([Draft(Kind.VOTE, number) for number in range(5)])
    return opened


def sign(ledger, key_path):
    report = audit_chain(ledger)
    return sign_checkpoint(report.head, report.merkle_root, load_key(key_path), MOMENT)


def test_a_checkpoint_is_good_for_the_key_that_signed_it(ledger, key_path):
    public_key = create_key(key_path)
    checkpoint = sign(ledger, key_path)
    verify_checkpoint(checkpoint, public_key)
    assert (checkpoint.head, checkpoint.signed_at) == (ledger.head(), "2025-01-02T00:00:00.000000Z")


def test_a_checkpoint_survives_its_file(ledger, key_path):
    create_key(key_path)
    checkpoint = sign(ledger, key_path)
    data = encode_checkpoint(checkpoint)
    assert decode_checkpoint(data) == checkpoint
    assert data.count(b"\n") == 1


@pytest.mark.parametrize("field", ["sequence", "hash", "merkle_root", "signed_at", "signature", "format"])
def test_a_checkpoint_that_was_changed_is_refused(ledger, key_path, field):
    public_key = create_key(key_path)
    checkpoint = sign(ledger, key_path)
    value = getattr(checkpoint, field)
    changed = value + 1 if isinstance(value, int) else ("1" if value[0] == "0" else "0") + value[1:]
    with pytest.raises(LedgerError, match="signature does not belong"):
        verify_checkpoint(msgspec.structs.replace(checkpoint, **{field: changed}), public_key)


def test_a_signature_that_is_not_hexadecimal_is_refused(ledger, key_path):
    public_key = create_key(key_path)
    with pytest.raises(LedgerError, match="signature does not belong"):
        verify_checkpoint(msgspec.structs.replace(sign(ledger, key_path), signature="none"), public_key)


def test_a_checkpoint_of_another_signer_is_refused(ledger, key_path, tmp_path):
    create_key(key_path)
    with pytest.raises(LedgerError, match="expected a checkpoint signed by"):
        verify_checkpoint(sign(ledger, key_path), create_key(tmp_path / "other.pem"))


def test_putting_another_key_into_a_checkpoint_does_not_help(ledger, key_path, tmp_path):
    create_key(key_path)
    other = create_key(tmp_path / "other.pem")
    with pytest.raises(LedgerError, match="signature does not belong"):
        verify_checkpoint(msgspec.structs.replace(sign(ledger, key_path), public_key=other), other)


def test_only_the_owner_can_read_a_key(key_path):
    create_key(key_path)
    assert stat.S_IMODE(key_path.stat().st_mode) == 0o600


def test_a_key_is_never_overwritten(key_path):
    create_key(key_path)
    before = key_path.read_bytes()
    with pytest.raises(LedgerError, match="new file"):
        create_key(key_path)
    assert key_path.read_bytes() == before


def test_a_file_that_holds_no_key_is_refused(key_path):
    with pytest.raises(LedgerError, match="cannot be read"):
        load_key(key_path)
    key_path.write_text("no key")
    with pytest.raises(LedgerError, match="PEM"):
        load_key(key_path)


def test_a_key_of_another_kind_is_refused(key_path):
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

    key_path.write_bytes(
        X25519PrivateKey.generate().private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    with pytest.raises(LedgerError, match="expected an Ed25519 key"):
        load_key(key_path)


@pytest.mark.parametrize("data", [b"", b"{}", b"\xff", b'{"format":1,"extra":1}'])
def test_a_file_that_holds_no_checkpoint_is_refused_by_name(data):
    with pytest.raises(LedgerError, match=r"kept\.json: expected a checkpoint"):
        decode_checkpoint(data, "kept.json")


def test_a_checkpoint_of_a_newer_format_is_refused(ledger, key_path):
    create_key(key_path)
    newer = msgspec.structs.replace(sign(ledger, key_path), format=2)
    with pytest.raises(LedgerError, match="found format 2"):
        decode_checkpoint(encode_checkpoint(newer))


def test_a_ledger_that_only_grew_keeps_all_its_checkpoints(ledger, key_path):
    create_key(key_path)
    kept = [sign(MemoryLedger(), key_path), sign(ledger, key_path)]
    ledger.append([Draft(Kind.VOTE, number) for number in range(5)])
    kept.append(sign(ledger, key_path))
    ledger.append([Draft(Kind.VOTE, "more")])
    report = audit_chain(ledger, kept)
    assert report.intact
    assert [result.checkpoint for result in report.checkpoints] == kept


def test_an_entry_can_be_proved_against_a_checkpoint_alone(ledger, key_path):
    create_key(key_path)
    checkpoint = sign(ledger, key_path)
    hashes = [entry.hash for entry in ledger.read()]
    assert verify_inclusion(hashes[2], inclusion_proof(hashes, 3), checkpoint.merkle_root)
