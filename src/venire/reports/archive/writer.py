"""Writes an archive: the untouched replies, a record beside each, prompts, a run log, and a page in every folder."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from venire.domain.canonical import canonical_json, sha256_hex
from venire.domain.judge import fold_name
from venire.domain.judgement import Judgement
from venire.domain.protocol import EvalProtocol
from venire.errors import UsageError
from venire.reports.archive.manifest import (
    FORMAT,
    MANIFEST,
    PROMPTS,
    PROTOCOL,
    README,
    RUN_LOG,
    ArchiveCounts,
    ArchiveEntry,
    Manifest,
)
from venire.reports.formats.check_record import Identity, evaluation_record
from venire.version import __version__
from venire.words.language import Words


class Evaluation(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of one evaluation beside its reply and its judgement."""

    name: str
    """Where the reply was found."""
    judge: str = ""
    """The judge, as far as it is known."""
    target: str = ""
    """The judged model, as far as it is known."""
    identity: Identity = Identity()
    """Which output was judged, by which model and when."""
    handle: str = ""
    """The opaque name under which a blind judge knew the sample."""
    masked: bool = False
    """Whether the judge saw the text with names of models masked."""
    category: str = ""
    """The category that the sample was given."""
    finish_reason: str = ""
    """Why the model stopped, in its server's word."""
    output_tokens: int | None = None
    """How many tokens the reply has."""
    request_sha256: str = ""
    """The digest of what the judge was sent; empty if it is not known."""
    about: Mapping[str, Any] = {}
    """What else its record says of the judge and the sample, for reports."""
    prompt: bytes | None = None
    """What the judge was sent; None if it is not known or not to be kept."""


class ArchiveWriter:
    """Writes an archive into a new folder; the manifest comes last, so that a broken-off archive has none."""

    def __init__(
        self,
        folder: Path,
        protocol: EvalProtocol,
        *,
        language: str = "en",
        sources_given: bool = True,
        aliases: tuple[tuple[str, str], ...] = (),
        run_log: Mapping[str, Any] | None = None,
        profile: str,
        evidence: str,
    ) -> None:
        if folder.exists() and not folder.is_dir():
            raise UsageError("error.archive.is_file", where=str(folder))
        if folder.exists() and any(folder.iterdir()):
            raise UsageError("error.archive.not_empty", where=str(folder))
        self._folder = folder
        self._protocol = protocol
        self._words = Words(language)
        self._terms = {"profile": profile, "evidence": evidence}
        self._run_log = dict(run_log or {})
        self._valid, self._invalid = (self._words(f"archive.folder.{state}") for state in ("valid", "invalid"))
        self._shared = {"sources_given": sources_given, "aliases": list(aliases)}
        self._entries: list[ArchiveEntry] = []
        self._files: dict[str, str] = {}
        self._tally = ArchiveCounts()
        for name in (self._valid, self._invalid):
            (folder / name).mkdir(parents=True, exist_ok=True)

    def __enter__(self) -> ArchiveWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()

    def add(self, raw: bytes, judgement: Judgement, known: Evaluation) -> None:
        """Put one evaluation into the archive."""
        path = self._reply_path(judgement, known)
        record: dict[str, Any] = {"name": known.name, "judge": known.judge, "target": known.target}
        record |= {"finish_reason": known.finish_reason, "output_tokens": known.output_tokens}
        record |= {"request_sha256": known.request_sha256, "prompt": ""}
        if known.prompt is not None:
            record["prompt"] = f"{PROMPTS}/{known.request_sha256[:24]}.txt"
            self._write(record["prompt"], known.prompt)
        record |= known.about
        record |= evaluation_record(judgement, known.identity, self._protocol)
        self._tally.add(record)
        encoded = _pretty(record)
        (self._folder / path).parent.mkdir(exist_ok=True)
        (self._folder / path).write_bytes(raw)
        (self._folder / f"{path}.record.json").write_bytes(encoded)
        self._entries.append(
            ArchiveEntry(
                path=path,
                sha256=judgement.reply_sha256,
                record=f"{path}.record.json",
                record_sha256=sha256_hex(encoded),
                name=known.name,
                valid=judgement.valid,
                judge=known.judge,
                target=known.target,
                sample=judgement.sample,
                scale=judgement.scale,
                handle=known.handle,
                masked=known.masked,
                category=known.category,
            )
        )

    def add_template(self, digest: str, text: str) -> None:
        """Keep a template that prompts were made from."""
        path = f"{PROMPTS}/template-{digest[:12]}.txt"
        self._write(path, text.encode())
        self._run_log.setdefault("templates", {})[digest] = path

    def close(self) -> None:
        """Write the protocol's copy, the run log, the pages of the folders, and the manifest."""
        protocol = canonical_json(self._protocol)
        (self._folder / PROTOCOL).write_bytes(protocol)
        counts = self._tally.stated()
        named = {"id": self._protocol.id, "version": self._protocol.version, "digest": self._protocol.digest}
        log = {"software": f"venire {__version__}", "protocol": named, **self._terms, "counts": counts}
        self._write(RUN_LOG, _pretty({**log, **self._run_log}))
        folders = {"": "archive", self._valid: "valid", self._invalid: "invalid", PROMPTS: "prompts"}
        for folder, page in folders.items():
            if (self._folder / folder).is_dir():
                self._write(f"{folder}/{README}".lstrip("/"), self._page(page, counts).encode())
        manifest = Manifest(
            format=FORMAT,
            software=f"venire {__version__}",
            protocol_id=self._protocol.id,
            protocol_digest=self._protocol.digest,
            protocol_sha256=sha256_hex(protocol),
            entries=self._entries,
            files=self._files,
            **self._shared,  # type: ignore[arg-type]
            **self._terms,  # type: ignore[arg-type]
        )
        (self._folder / MANIFEST).write_bytes(_pretty(msgspec.to_builtins(manifest)))

    def _page(self, page: str, counts: Mapping[str, Any]) -> str:
        """Say what a folder holds, for a reader who has nothing else."""
        valid, quotes = counts["by_status"].get("valid", 0), counts["quotes"]
        state = next((state for state in ("not compared", "compared") if quotes.get(state)), "none")
        return self._words(
            f"archive.page.{page}",
            protocol=f"{self._protocol.id} {self._protocol.digest[:12]}",
            evaluations=counts["evaluations"],
            valid=valid,
            others=counts["evaluations"] - valid,
            quotes=self._words(f"archive.quotes.{state.replace(' ', '_')}", count=quotes.get(state, 0)),
            valid_folder=self._valid,
            invalid_folder=self._invalid,
        )

    def _write(self, path: str, data: bytes) -> None:
        (self._folder / path).parent.mkdir(exist_ok=True)
        (self._folder / path).write_bytes(data)
        self._files[path] = sha256_hex(data)

    def _reply_path(self, judgement: Judgement, known: Evaluation) -> str:
        """Return where a reply goes: a bundle's under the name that says who judged whom, as it is read again."""
        folder = self._valid if judgement.valid else self._invalid
        number = len(self._entries) + 1
        if not (self._protocol.design and known.judge and known.target):
            return f"{folder}/{_safe_name(known.name)}-{judgement.reply_sha256[:12]}-{number}.reply"
        is_self = fold_name(known.judge) == fold_name(known.target)
        judge, target = _safe_part(known.judge), _safe_part(known.target)
        file = f"self_judge_{judge}.json" if is_self else f"judge_{judge}_bundle_{target}.json"
        path = f"{folder}/{file}"
        return f"{folder}/{number}/{file}" if (self._folder / path).exists() else path


def _safe_name(name: str) -> str:
    """Reduce the name of a reply to letters, digits, hyphens and dots, so that it can only ever be a file's name."""
    return _safe_part(name.rsplit("/", 1)[-1])


def _safe_part(name: str) -> str:
    plain = unicodedata.normalize("NFKC", name)
    return re.sub(r"[^\w.-]+", "_", plain).strip("._-")[:60] or "reply"


def _pretty(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")
