"""Archives of valid and invalid evaluations: the untouched reply, a record beside it, and a manifest of digests."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

import msgspec

from venire.domain.canonical import canonical_json, sha256_hex
from venire.domain.judgement import EvidenceLevel, Judgement
from venire.domain.protocol import EvalProtocol
from venire.errors import InputError, UsageError
from venire.reports.check_record import judgement_record
from venire.version import __version__

FORMAT: Literal["venire-archive/1"] = "venire-archive/1"
"""The format that the manifest declares."""
_ANY_FORMAT = FORMAT.partition("/")[0].encode() + b"/"
MANIFEST = "manifest.json"
"""The name of the manifest in an archive's folder."""
PROTOCOL = "protocol.json"
"""The name of the protocol's own copy in an archive's folder."""

FOLDERS: dict[str, tuple[str, str]] = {
    "en": ("valid_evaluations", "invalid_evaluations"),
    "zh": ("有效评测", "无效评测"),
}
"""The folders of valid and of invalid evaluations, by language."""
VALID_FOLDERS = (FOLDERS["en"][0], FOLDERS["zh"][0], "valid_results")
"""The folders in which archives in the wild keep valid evaluations."""
INVALID_FOLDERS = (FOLDERS["en"][1], FOLDERS["zh"][1], "invalid_results")
"""The folders in which archives in the wild keep invalid evaluations."""


class ArchiveEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One evaluation in an archive."""

    path: str
    """The reply's file inside the archive."""
    sha256: str
    """The digest of the reply's bytes."""
    record: str
    """The file of its record."""
    record_sha256: str
    """The digest of the record's bytes."""
    name: str
    """Where the reply was found."""
    valid: bool
    """Whether the judgement is valid."""
    judge: str = ""
    """The judge, as far as it was known."""
    target: str = ""
    """The judged model, as far as it was known."""
    sample: str = ""
    """The judged sample, or the bundle."""
    scale: str = ""
    """The scale that the judge scored on."""
    handle: str = ""
    """The opaque name under which a blind judge knew the sample; empty for one that was not."""
    masked: bool = False
    """Whether the judge saw the text with names of models masked."""
    category: str = ""
    """The category that the sample was given, unless it says one itself; empty if none was."""


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an archive holds and how it was checked."""

    format: Literal["venire-archive/1"]
    """The format's name and version."""
    software: str
    """The software that wrote it."""
    protocol_id: str
    """The id of the protocol."""
    protocol_digest: str
    """The digest of the protocol."""
    protocol_sha256: str
    """The digest of the protocol's copy in the archive."""
    profile: Literal["contract", "seed"]
    """The profile that replies were checked under."""
    evidence: EvidenceLevel
    """The most lenient level at which quotes counted."""
    entries: list[ArchiveEntry]
    """All evaluations, in the order in which they were checked."""


class ArchiveWriter:
    """Writes an archive into a new folder; the manifest comes last, so that a broken-off archive has none."""

    def __init__(self, folder: Path, protocol: EvalProtocol, *, language: str = "en", **terms: str) -> None:
        hint = "Name a new or empty folder: an archive is never written over another."
        if folder.exists() and not folder.is_dir():
            raise UsageError("expected a new or empty folder, found a file", where=str(folder), hint=hint)
        if folder.exists() and any(folder.iterdir()):
            raise UsageError("the archive's folder is not empty", where=str(folder), hint=hint)
        self._folder = folder
        self._protocol = protocol
        self._terms = terms
        self._valid, self._invalid = FOLDERS[language]
        self._entries: list[ArchiveEntry] = []
        for name in (self._valid, self._invalid):
            (folder / name).mkdir(parents=True, exist_ok=True)

    def __enter__(self) -> ArchiveWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()

    def add(
        self,
        name: str,
        raw: bytes,
        judgement: Judgement,
        *,
        judge: str = "",
        target: str = "",
        handle: str = "",
        masked: bool = False,
        category: str = "",
        about: Mapping[str, Any] | None = None,
    ) -> None:
        """Put one evaluation into the archive; `about` is what else its record says of the judge and the sample."""
        folder = self._valid if judgement.valid else self._invalid
        file = f"{folder}/{_safe_name(name)}-{judgement.reply_sha256[:12]}-{len(self._entries) + 1}.reply"
        record = {"name": name, "judge": judge, "target": target, **(about or {}), **judgement_record(judgement)}
        encoded = _pretty(record)
        (self._folder / file).write_bytes(raw)
        (self._folder / f"{file}.record.json").write_bytes(encoded)
        self._entries.append(
            ArchiveEntry(
                path=file,
                sha256=judgement.reply_sha256,
                record=f"{file}.record.json",
                record_sha256=sha256_hex(encoded),
                name=name,
                valid=judgement.valid,
                judge=judge,
                target=target,
                sample=judgement.sample,
                scale=judgement.scale,
                handle=handle,
                masked=masked,
                category=category,
            )
        )

    def close(self) -> None:
        """Write the protocol's copy and the manifest."""
        protocol = canonical_json(self._protocol)
        (self._folder / PROTOCOL).write_bytes(protocol)
        manifest = Manifest(
            format=FORMAT,
            software=f"venire {__version__}",
            protocol_id=self._protocol.id,
            protocol_digest=self._protocol.digest,
            protocol_sha256=sha256_hex(protocol),
            entries=self._entries,
            **self._terms,  # type: ignore[arg-type]
        )
        (self._folder / MANIFEST).write_bytes(_pretty(msgspec.to_builtins(manifest)))


class OpenArchive(msgspec.Struct, frozen=True):
    """An archive whose manifest has been read."""

    folder: Path
    """Where it is."""
    manifest: Manifest
    """What it says it holds."""
    protocol: EvalProtocol
    """The protocol that its evaluations were checked under."""

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a file of the archive; None if it is not there, lies outside or cannot be read."""
        try:
            file = (self.folder / path).resolve()
            return file.read_bytes() if file.is_relative_to(self.folder.resolve()) else None
        except (OSError, ValueError, RuntimeError):  # no such file, a name that no file can have, a circle of links
            return None

    def unlisted_files(self) -> list[str]:
        """Return files in the archive's folders that the manifest does not name."""
        listed = {path for entry in self.manifest.entries for path in (entry.path, entry.record)}
        found = (
            file.relative_to(self.folder).as_posix()
            for name in (*VALID_FOLDERS, *INVALID_FOLDERS)
            for file in sorted((self.folder / name).rglob("*"))
            if file.is_file()
        )
        return [path for path in found if path not in listed]


def is_archive(path: Path) -> bool:
    """Tell whether a folder is an archive that Venire has written, in whatever version of the format."""
    try:
        with (path / MANIFEST).open("rb") as file:
            return _ANY_FORMAT in file.read(4096)
    except (FileNotFoundError, IsADirectoryError):
        return False
    except OSError as error:
        hint = "Change its permissions, or move it elsewhere if the folder is no archive."
        raise InputError(f"{MANIFEST} cannot be read: {error.strerror}", where=str(path), hint=hint) from None


def open_archive(folder: Path) -> OpenArchive:
    """Read the manifest and the protocol of an archive."""
    try:
        manifest = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Manifest)
        encoded = (folder / PROTOCOL).read_bytes()
        protocol = msgspec.json.decode(encoded, type=EvalProtocol)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        hint = "Its manifest or protocol was changed or lost, or a newer Venire has written it."
        raise InputError(f"the archive cannot be read: {error}", where=str(folder), hint=hint) from None
    named = (manifest.protocol_sha256, manifest.protocol_digest, manifest.protocol_id)
    if (sha256_hex(encoded), protocol.digest, protocol.id) != named:
        hint = "The protocol's copy or the manifest was changed after the archive was written."
        raise InputError(f"{PROTOCOL} is not the one that the manifest names", where=str(folder), hint=hint)
    return OpenArchive(folder, manifest, protocol)


def _safe_name(name: str) -> str:
    """Reduce the name of a reply to letters, digits, hyphens and dots, so that it can only ever be a file's name."""
    plain = unicodedata.normalize("NFKC", name.rsplit("/", 1)[-1])
    return re.sub(r"[^\w.-]+", "_", plain).strip("._-")[:60] or "reply"


def _pretty(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")
