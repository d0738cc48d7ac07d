"""A ledger as a folder of Parquet files that DuckDB, Spark and pandas read, with what it takes to verify it.

The folder holds `entries-00001.parquet` and so on, in order, one row for each entry with all of its fields (payloads as
JSON text); `manifest.json` with the digest of each file, the head and the Merkle root; and, if it was signed,
`checkpoint.json`. The manifest is written last: a folder without one is not whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from hashlib import file_digest
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from venire.errors import InputError, LedgerError, TamperedError, UsageError, os_reason
from venire.ledger.audit import AuditReport, audit_chain
from venire.ledger.checkpoint import (
    Checkpoint,
    decode_checkpoint,
    encode_checkpoint,
    sign_checkpoint,
    verify_checkpoint,
)
from venire.ledger.entry import Entry, Head, Kind, format_time, utc_now
from venire.ledger.hashing import find_damage
from venire.ledger.merkle import MerkleTree
from venire.ledger.store import Ledger
from venire.version import __version__
from venire.words.said import say
from venire.workflows.copy_ledger import LedgerCopy, copy_ledger

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_MANIFEST, _CHECKPOINT = "manifest.json", "checkpoint.json"
_PART_ENTRIES, _PART_BYTES = 50_000, 128_000_000
_TEXT = ("kind", "key", "payload", "recorded_at", "previous_hash", "hash")
_KINDS = {kind.value: kind for kind in Kind}


class PartFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of the Parquet files."""

    name: str
    """Its name in the folder."""
    sha256: str
    """The SHA-256 of its bytes, in hexadecimal."""
    entries: int
    """How many entries it holds."""


class RunManifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a folder holds."""

    format: int = 1
    """The version of this layout."""
    venire: str
    """The version of Venire that wrote it."""
    exported_at: str
    """When it was written, in UTC, as ISO 8601."""
    head: Head
    """The end of the ledger, which stands for everything before it."""
    merkle_root: str
    """The root over the hashes of all entries, in hexadecimal."""
    counts: dict[str, int]
    """How many entries of each kind there are."""
    files: tuple[PartFile, ...]
    """The Parquet files, in the order of their entries."""


class ParquetRun:
    """The entries of a folder, read in order. Raises `InputError` if there is no manifest that can be read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            self.manifest = msgspec.json.decode((folder / _MANIFEST).read_bytes(), type=RunManifest)
        except OSError as error:
            raise InputError("error.export.no_manifest", where=str(folder), reason=os_reason(error)) from error
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise InputError("error.export.bad_manifest", where=str(folder / _MANIFEST), error=error) from error
        if self.manifest.format != 1:
            raise InputError("error.export.format", where=str(folder / _MANIFEST), found=self.manifest.format)

    def head(self) -> Head:
        """Return the end that the manifest names."""
        return self.manifest.head

    def read(self, after: int = 0) -> Iterator[Entry]:
        """Yield the entries behind the given sequence; raises `TamperedError` for a file that holds something else."""
        passed = 0
        for part in self.manifest.files:
            passed += part.entries
            if passed > after:
                yield from (entry for entry in _read_part(self._path(part)) if entry.sequence > after)

    def verify(self, public_key: str | None = None) -> Checkpoint | None:
        """Check digests, links, head, root and checkpoint; raises `LedgerError` at the first that does not hold.

        Returns the checkpoint; with a public key (in hexadecimal) there must be one that this key has signed.
        """
        for part in self.manifest.files:
            _check_digest(self._path(part), part)
        head, root = Head(), MerkleTree()
        for entry in self.read():
            broken = find_damage(entry, head)
            if broken is not None:
                raise TamperedError(str(broken), where=str(self.folder))
            head = Head(entry.sequence, entry.hash)
            root.add(entry.hash)
        _check_same(say("problem.export.head"), self.manifest.head, head, self.folder)
        _check_same(say("problem.export.root"), self.manifest.merkle_root, root.root, self.folder)
        return self._verify_checkpoint(public_key)

    def _verify_checkpoint(self, public_key: str | None) -> Checkpoint | None:
        path = self.folder / _CHECKPOINT
        if not path.is_file():
            if public_key is not None:
                raise LedgerError("error.export.no_checkpoint", where=str(path))
            return None
        checkpoint = decode_checkpoint(path.read_bytes(), str(path))
        verify_checkpoint(checkpoint, public_key or checkpoint.public_key)
        _check_same(say("problem.export.signed_head"), checkpoint.head, self.manifest.head, path)
        _check_same(say("problem.export.signed_root"), checkpoint.merkle_root, self.manifest.merkle_root, path)
        return checkpoint

    def _path(self, part: PartFile) -> Path:
        if Path(part.name).name != part.name:
            raise TamperedError("error.export.not_name", where=str(self.folder / _MANIFEST), found=part.name)
        return self.folder / part.name


def export_run(
    ledger: Ledger, folder: Path, key: Ed25519PrivateKey | None = None, now: Callable[[], datetime] = utc_now
) -> RunManifest:
    """Write a ledger into a new or empty folder, and sign it if there is a key. A damaged ledger is not exported."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError("error.export.not_empty", where=str(folder))
    audited = audit_chain(ledger)
    if audited.first_broken is not None:
        raise TamperedError("error.export.damaged", problem=audited.first_broken)
    folder.mkdir(parents=True, exist_ok=True)
    counts: dict[str, int] = {}
    files = tuple(
        _write_part(folder / f"entries-{number:05}.parquet", part, counts)
        for number, part in enumerate(_parts(ledger.read(), audited.head.sequence), 1)
    )
    if key is not None:
        signed = sign_checkpoint(audited.head, audited.merkle_root, key, now())
        (folder / _CHECKPOINT).write_bytes(encode_checkpoint(signed))
    manifest = _manifest(audited, counts, files, now())
    (folder / _MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(manifest)) + b"\n")
    return manifest


def import_run(
    folder: Path,
    target: Ledger,
    public_key: str | None = None,
    on_progress: Callable[[int, int], None] = lambda *_: None,
) -> LedgerCopy:
    """Verify a folder whole, then copy it into a ledger that is empty or holds an earlier part of it."""
    run = ParquetRun(folder)
    run.verify(public_key)
    return copy_ledger(run, target, on_progress)


def _manifest(
    audited: AuditReport, counts: dict[str, int], files: tuple[PartFile, ...], moment: datetime
) -> RunManifest:
    return RunManifest(
        venire=__version__,
        exported_at=format_time(moment),
        head=audited.head,
        merkle_root=audited.merkle_root,
        counts=counts,
        files=files,
    )


def _parts(entries: Iterable[Entry], last: int) -> Iterator[list[Entry]]:
    part: list[Entry] = []
    size = 0
    for entry in entries:
        if entry.sequence > last:
            break  # Appended since the audit.
        part.append(entry)
        size += len(entry.payload) + len(entry.blob)
        if len(part) == _PART_ENTRIES or size >= _PART_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part


def _write_part(path: Path, entries: list[Entry], counts: dict[str, int]) -> PartFile:
    import polars as pl

    for entry in entries:
        counts[entry.kind.value] = counts.get(entry.kind.value, 0) + 1
    columns = {
        "sequence": pl.Series([entry.sequence for entry in entries], dtype=pl.Int64),
        "kind": [entry.kind.value for entry in entries],
        "key": [entry.key for entry in entries],
        "payload": [entry.payload.decode() for entry in entries],
        "blob": pl.Series([entry.blob for entry in entries], dtype=pl.Binary),
        "recorded_at": [entry.recorded_at for entry in entries],
        "previous_hash": [entry.previous_hash for entry in entries],
        "hash": [entry.hash for entry in entries],
    }
    pl.DataFrame(columns).write_parquet(path)
    return PartFile(path.name, _sha256(path), len(entries))


def _read_part(path: Path) -> Iterator[Entry]:
    import polars as pl

    try:
        frame = pl.read_parquet(path, glob=False)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise TamperedError("error.export.not_parquet", where=str(path), error=error) from error
    expected = {"sequence": pl.Int64, **dict.fromkeys(_TEXT, pl.String), "blob": pl.Binary}
    if dict(frame.schema) != expected or frame.null_count().sum_horizontal().item() > 0:
        raise TamperedError("error.export.bad_columns", where=str(path), found=frame.schema)
    for sequence, kind, key, payload, *rest in frame.iter_rows():
        if kind not in _KINDS:
            raise TamperedError("error.export.unknown_kind", where=str(path), entry=sequence, kind=kind)
        yield Entry(sequence, _KINDS[kind], key, payload.encode(), *rest)


def _check_digest(path: Path, part: PartFile) -> None:
    if not path.is_file():
        raise TamperedError("error.export.file_missing", where=str(path))
    _check_same(say("problem.export.digest"), part.sha256, _sha256(path), path)


def _check_same(what: str, expected: object, found: object, where: Path) -> None:
    if expected != found:
        raise TamperedError("error.export.differs", where=str(where), what=what, expected=expected, found=found)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
