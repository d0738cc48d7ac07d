"""Reads what `venire check` has written (its JSON, JSON Lines or archive) into the evidence of a report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from venire.domain.canonical import sha256_hex
from venire.domain.completeness import Completeness
from venire.domain.flag import Severity
from venire.domain.judgement import Judgement, Quotes, Status
from venire.domain.protocol import EvalProtocol
from venire.domain.sample import Sample
from venire.errors import InputError, UsageError
from venire.inputs.tables.jsonl import read_lines
from venire.inputs.tables.rows import JSON_LINES_ENDINGS
from venire.protocols.catalogue import bundled_ids, find_protocol
from venire.reports.archive.manifest import MANIFEST, is_archive, open_archive
from venire.reports.evidence import ReportEvidence
from venire.reports.recorded.claims_read import ClaimsRead
from venire.reports.recorded.judge_work import BrokenRule
from venire.reports.report import Choices, Origin
from venire.shapes.registry import shape_of
from venire.stats.ratings.rating import FIRST_TIME, Asked, Rating, ratings_of
from venire.stats.ratings.repeats import REASK
from venire.stats.ratings.table import RatingsTable
from venire.words.said import say
from venire.workflows.evidence.primary_ratings import choose_primary

_UNREAD = "unread"
_NO_REPLY = "not a reply"
_NOT_NAMED = "judge not named"
_HEAD_BYTES = 65_536
_MARK = b'"rules_broken"'


def is_check(source: str | Path) -> bool:
    """Tell whether a path is what `venire check` has written, by its beginning."""
    path = Path(source)
    if path.is_dir():
        return is_archive(path)
    if not path.is_file() or path.suffix.lower() not in (".json", *JSON_LINES_ENDINGS):
        return False
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES).lstrip()
    return head.startswith((b'{"results": {', b'{"sha256": ')) and (_MARK in head or len(head) >= _HEAD_BYTES)


def read_check(path: Path, choices: Choices) -> tuple[ReportEvidence, Origin]:
    """Read the results of a check; raises `UsageError` if they were checked under several protocols."""
    reading = _CheckReader(*check_records(path), choices.protocol, str(path))
    table = RatingsTable.from_rows(reading.ratings(), factors=choices.factors, sliced_by=choices.sliced_by)
    table = table.in_order()
    chosen, primary, rescaled = choose_primary(table, choices)
    evidence = ReportEvidence(
        table=chosen,
        primary=primary,
        choices=choices,
        is_check=True,
        protocol=reading.protocol,
        broken=reading.broken,
        outputs=reading.outputs,
        rescaled=rescaled,
        completeness=Completeness(unknown=say("problem.plan.of_check")),
        quotes_not_compared=reading.quotes_not_compared,
        claims=reading.claims if reading.claims.counts else None,
    )
    return evidence, Origin(kind="check", name=path.name, digest=check_digest(path))


def check_digest(path: Path) -> str:
    """Return the SHA-256 of the results, or of the manifest of an archive, which names all of its digests."""
    return sha256_hex((path / MANIFEST if path.is_dir() else path).read_bytes())


def check_records(path: Path) -> tuple[list[dict[str, Any]], EvalProtocol | None]:
    """Return the records of all replies, and the protocol if the results hold it."""
    decode = msgspec.json.Decoder(dict[str, Any]).decode
    try:
        if path.is_dir():
            archive = open_archive(path)
            found = [decode(archive.read(entry.record) or b"") for entry in archive.manifest.entries]
            return found, archive.protocol
        if path.suffix.lower() in JSON_LINES_ENDINGS:
            return [decode(line.data or b"") for line in read_lines(path)], None
        return list(decode(path.read_bytes())["results"].values()), None
    except (KeyError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError("error.evidence.not_check", where=str(path), error=error) from None


class _CheckReader:
    """One pass over the records of a check."""

    def __init__(self, records: list[dict[str, Any]], held: EvalProtocol | None, wanted: str, where: str) -> None:
        self._records = records
        self._where = where
        self._valid: dict[tuple[str, ...], str] = {}
        self._askings: dict[tuple[str, ...], int] = {}
        self.protocol = held or _find_protocol(records, wanted, where)
        self.broken: dict[str, BrokenRule] = {}
        self.outputs: dict[str, str] = {}
        self.quotes_not_compared = 0
        self.claims = ClaimsRead()

    def ratings(self) -> Iterator[Rating]:
        """Yield the ratings of all replies; one that could not be read is an invalid judgement without scores."""
        for place, record in enumerate(self._records, start=1):
            if record["status"] == _NO_REPLY:
                continue
            if record["status"] == _UNREAD:
                yield self._unread(record, place)
                continue
            judgement = msgspec.convert(record, Judgement)
            if judgement.protocol == self.protocol.digest:
                asked_for = self.protocol.asks_for_quotes
                self.quotes_not_compared += asked_for and judgement.quotes is Quotes.NOT_COMPARED
                yield from self._judgement(record, judgement, place)

    def _judgement(self, record: Mapping[str, Any], judgement: Judgement, place: int) -> Iterator[Rating]:
        if judgement.status is not Status.VALID:
            self._count_rules(judgement, place)
        subject: dict[str, Any] = dict(record.get("subject") or {})
        stated_judge = subject.pop("judge_model", "")
        target = record.get("target") or subject.get("target_model", "")
        asked = Asked(
            rater=record.get("judge") or stated_judge or _NOT_NAMED,
            key=f"{place} {record['name']}",
            rater_version=record.get("judge_version", ""),
            prompt_version=record.get("prompt_version", ""),
            sequence=place,
            target_model=target,
        )
        repeat = record.get("repeat") or self._repeat(asked, judgement, record["name"])
        asked = msgspec.structs.replace(asked, repeat=repeat)
        if judgement.valid and judgement.claims is not msgspec.UNSET:
            named = msgspec.structs.replace(judgement, sample=judgement.sample or record["name"])
            self.claims.take(named, asked.key, asked.rater, place)
        sample = msgspec.convert({"output_id": judgement.sample, "text": "", **subject}, Sample) if subject else None
        samples = {judgement.sample: sample} if sample else {}
        for rating in ratings_of(judgement, self.protocol, samples, asked):
            self.outputs[rating.unit] = rating.unit if judgement.entries else judgement.sample
            yield msgspec.structs.replace(rating, length=None)  # the texts are not among the results

    def _repeat(self, asked: Asked, judgement: Judgement, name: str) -> str:
        """Return which reply of a judge on one output it is; raise `InputError` if two of them are valid."""
        is_on_bundle = shape_of(self.protocol).needs_design and bool(asked.target_model)
        key = (asked.rater, asked.rater_version, asked.target_model, judgement.sample or ("" if is_on_bundle else name))
        earlier = self._valid.get(key)
        if judgement.valid and earlier is not None:
            judged = judgement.sample or asked.target_model
            raise InputError(
                "error.evidence.two_replies",
                where=self._where,
                judge=asked.rater,
                sample=judged,
                first=earlier,
                second=name,
            )
        if judgement.valid:
            self._valid[key] = name
        count = self._askings[key] = self._askings.get(key, -1) + 1
        return f"{REASK}{count}" if count else FIRST_TIME

    def _unread(self, record: Mapping[str, Any], place: int) -> Rating:
        return Rating(
            unit=record["name"],
            rater=record.get("judge") or _NOT_NAMED,
            rater_version=record.get("judge_version", ""),
            protocol=self.protocol.digest,
            profile=next((each["profile"] for each in self._records if "profile" in each), ""),
            status=Status.INVALID,
            target_model=record.get("target", ""),
            judgement=f"{place} {record['name']}",
            sequence=place,
        )

    def _count_rules(self, judgement: Judgement, place: int) -> None:
        for finding in judgement.all_findings:
            if finding.severity is Severity.VIOLATION:
                rule = self.broken.setdefault(finding.rule, BrokenRule())
                rule.findings += 1
                if place not in rule.sequences[-1:]:
                    rule.sequences.append(place)


def _find_protocol(records: list[dict[str, Any]], wanted: str, where: str) -> EvalProtocol:
    """Return the protocol that the replies were checked under: a bundled one, or the file that `--protocol` names."""
    digests = list(dict.fromkeys(record["protocol"] for record in records if "protocol" in record))
    known = {each.digest: each for each in map(find_protocol, bundled_ids())}
    if wanted.endswith((".yaml", ".yml")):
        given = find_protocol(wanted)
        known, wanted = {given.digest: given}, given.digest
    named = {digest: known[digest].id if digest in known else "" for digest in digests}
    matching = [digest for digest in digests if digest.startswith(wanted) or named[digest] == wanted]
    if len(matching) != 1:
        listed = [f"{named[digest]} {digest[:12]}".strip() for digest in digests]
        raise UsageError(
            "error.evidence.several_checked",
            where=where,
            count=len(matching),
            known=tuple(listed) or say("problem.none"),
        )
    if matching[0] not in known:
        raise UsageError("error.evidence.protocol_not_held", where=where, digest=matching[0][:12])
    return known[matching[0]]
