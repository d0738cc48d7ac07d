"""Archives of valid and invalid evaluations: the untouched reply, a record beside it, and a manifest of digests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from venire.domain.canonical import sha256_hex
from venire.domain.judgement import EvidenceLevel
from venire.domain.protocol import EvalProtocol
from venire.errors import InputError, os_reason

FORMAT: Literal["venire-archive/1"] = "venire-archive/1"
"""The format that the manifest declares."""
_ANY_FORMAT = FORMAT.partition("/")[0].encode() + b"/"
MANIFEST = "manifest.json"
"""The name of the manifest in an archive's folder."""
PROTOCOL = "protocol.json"
"""The name of the protocol's own copy in an archive's folder."""
RUN_LOG = "run.json"
"""The name of the run log in an archive's folder."""
README = "README.md"
"""The name of the page in each of an archive's folders that says what it holds."""
PROMPTS = "prompts"
"""The folder of the prompts that judges were sent."""

VALID_FOLDERS = ("valid_evaluations", "有效评测", "valid_results")
"""The folders in which archives in the wild keep valid evaluations."""
INVALID_FOLDERS = ("invalid_evaluations", "无效评测", "invalid_results")
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
    sources_given: bool | None = None
    """Whether the judged texts were given, so that quotes were compared; None in archives of earlier versions."""
    aliases: list[tuple[str, str]] = []
    """Pairs of names that were taken for the same model."""
    files: dict[str, str] = {}
    """The digest of every further file: the run log, the prompts, and the pages that say what a folder holds."""


class ArchiveCounts:
    """Counts over the records of an archive; the run log states them, and whoever verifies it counts again."""

    def __init__(self) -> None:
        self._by_judge: dict[str, Counter[str]] = {}
        self._quotes: Counter[str] = Counter()
        self._times: list[str] = []

    def add(self, record: Mapping[str, Any]) -> None:
        """Count one record."""
        self._by_judge.setdefault(record["judge"], Counter())[record["status"]] += 1
        self._quotes[record.get("quotes", "")] += 1
        if record.get("known_from") == "ledger":
            self._times = [min([*self._times[:1], record["time"]]), max([*self._times[1:], record["time"]])]

    def stated(self) -> dict[str, Any]:
        """Return the counts as the run log states them."""
        statuses = sum(self._by_judge.values(), Counter())
        return {
            "evaluations": statuses.total(),
            "by_status": dict(sorted(statuses.items())),
            "by_judge": {judge: dict(sorted(counts.items())) for judge, counts in sorted(self._by_judge.items())},
            "quotes": dict(sorted(self._quotes.items())),
            "time_range": self._times or None,
        }


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
        listed.update(self.manifest.files)
        found = (
            file.relative_to(self.folder).as_posix()
            for name in (*VALID_FOLDERS, *INVALID_FOLDERS, PROMPTS)
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
        raise InputError(
            "error.archive.manifest_unreadable", where=str(path), file=MANIFEST, problem=os_reason(error)
        ) from None


def open_archive(folder: Path) -> OpenArchive:
    """Read the manifest and the protocol of an archive."""
    try:
        manifest = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Manifest)
        encoded = (folder / PROTOCOL).read_bytes()
        protocol = msgspec.json.decode(encoded, type=EvalProtocol)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError("error.archive.unreadable", where=str(folder), problem=str(error)) from None
    named = (manifest.protocol_sha256, manifest.protocol_digest, manifest.protocol_id)
    if (sha256_hex(encoded), protocol.digest, protocol.id) != named:
        raise InputError("error.archive.other_protocol", where=str(folder), file=PROTOCOL)
    return OpenArchive(folder, manifest, protocol)
