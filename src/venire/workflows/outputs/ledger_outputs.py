"""The outputs of a ledger: lists from the index, and each output from the entries themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from venire.domain.judgement import Evidence, EvidenceLevel, Judgement
from venire.domain.judgement_key import JudgementKey
from venire.domain.protocol import EvalProtocol
from venire.domain.reader_mark import ReaderMark
from venire.domain.sample import Sample
from venire.errors import UsageError
from venire.judges.panel import Price
from venire.ledger.entry import Draft, Entry, Kind
from venire.ledger.store import Ledger
from venire.ledger.subjects import subject_of
from venire.reports.outputs.one_output import OneOutput, ShownJudgement, ShownVote, failed_attempt, told_reasons
from venire.reports.outputs.rows import OutputRow
from venire.runner.plan import PlannedTasks, ids_of
from venire.runner.records import ReplyRecord, read_judgement
from venire.stats.ratings.rating import overall_range
from venire.votes.entries import decode_vote
from venire.workflows.outputs.from_ledger import LedgerReader
from venire.workflows.outputs.index import OutputIndex
from venire.workflows.outputs.marks import mark_draft, read_mark


class _Known(NamedTuple):
    """What the index says of a judgement."""

    key: str
    status: str
    counted: int
    score: float | None
    verdict: str
    rival: str


class LedgerOutputs:
    """The outputs of an open ledger; whoever opened the ledger closes it."""

    keeps_marks = True
    """Marks become entries."""

    def __init__(self, ledger: Ledger, location: str) -> None:
        self._ledger = ledger
        self._reader = LedgerReader(ledger, location)

    @property
    def index(self) -> OutputIndex:
        """What lists are answered from."""
        return self._reader.index

    def catch_up(self) -> bool:
        """Take in the next entries; return whether there may be more."""
        return self._reader.catch_up()

    def progress(self) -> tuple[int, int]:
        """Return up to which entry the outputs are known, and how many entries there are."""
        return self._reader.progress()

    def close(self) -> None:
        """Let go of the index."""
        self._reader.close()

    def check_mark(self, mark: ReaderMark) -> Draft:
        """Return what records a mark; raises `UsageError` if the judgement that it names is not there."""
        name = JudgementKey.parse(mark.judgement)
        if mark.judgement and self._ledger.find(Kind.JUDGEMENT, name.key) is None:
            raise UsageError("error.view.no_judgement", key=mark.judgement)
        return mark_draft(mark)

    def show(self, row: OutputRow) -> OneOutput:
        """Return everything that is known of an output."""
        entry = self._ledger.find(Kind.SAMPLE, row.subject)
        subject = subject_of(entry, self._ledger) if entry else None
        found = subject.find(row.output_id) if subject else None
        protocol = self._protocol(row.protocol)
        query = (
            "SELECT key, status, counted, score, verdict, rival FROM judgement WHERE output = ?"
            " ORDER BY counted DESC, sequence"
        )
        judgements = [
            shown
            for known in self.index.rows(query, (row.number,))
            if (shown := self._judgement(_Known(*known), protocol, found))
        ]
        notes = self.index.rows("SELECT content FROM note WHERE output = ? ORDER BY sequence DESC", (row.digest,))
        return OneOutput(
            text=found.text if found else None,
            task=found.task if found else "",
            materials=found.materials if found else (),
            factors=found.factors if found else {},
            judgements=tuple(judgements),
            votes=self._votes(row.output_id),
            marks=tuple(read_mark(content) for (content,) in notes),
            names={each.id: dict(each.name) for each in protocol.dimensions} if protocol else {},
            sequence=entry.sequence if entry else None,
            recorded_at=entry.recorded_at if entry else "",
        )

    def _judgement(self, known: _Known, protocol: EvalProtocol | None, sample: Sample | None) -> ShownJudgement | None:
        name = JudgementKey.parse(known.key)
        entry = self._ledger.find(Kind.JUDGEMENT, name.key)
        if entry is None:
            return None
        record = read_judgement(entry)
        reply = self._ledger.find(Kind.REPLY, record.task.id)
        said = msgspec.convert(reply.content, ReplyRecord) if reply else None
        whole = record.with_words(said.text) if said else record.judgement
        judged = whole if name.place is None else whole.entries[name.place]
        place, _, rival = known.rival.partition(":")
        against = self._name_of(rival)
        evidence = _unmasked(judged.evidence, sample) if said and said.masked else judged.evidence
        tries = self.index.rows("SELECT content FROM attempt WHERE task = ? ORDER BY sequence", (record.task.id,))
        return ShownJudgement(
            key=known.key,
            judge=record.task.judge,
            repeat=record.task.repeat,
            status=known.status,
            counted=bool(known.counted),
            run=record.run,
            method=judged.method or "",
            score=known.score,
            overall=judged.overall,
            overall_maximum=_highest(protocol, judged),
            verdict=known.verdict,
            against=against,
            strength=judged.preference.strength if judged.preference else None,
            reasons=told_reasons(said.text) if said and judged.preference else {},
            scores=judged.scores,
            evidence=_seen_from(place, against, evidence) if place else evidence,
            quotes_compared=judged.evidence_level is not EvidenceLevel.OFF,
            claims=judged.claims or (),
            findings=judged.all_findings if name.place is None else (*whole.findings, *judged.findings),
            failed=tuple(failed_attempt(msgspec.json.decode(content)) for (content,) in tries),
            sequence=entry.sequence,
            recorded_at=entry.recorded_at,
            **self._asked(said, record.task.judge, record.run),
        )

    def _name_of(self, digest: str) -> str:
        return str(self.index.one("SELECT output_id FROM output WHERE digest = ?", (digest,)) or "") if digest else ""

    def _asked(self, said: ReplyRecord | None, judge: str, run: str) -> dict[str, Any]:
        """Return what asking for a judgement took, as far as the reply's record says it."""
        if said is None:
            return {}
        price = self._price(judge, said.run or run)
        known = said.input_tokens is not None or said.output_tokens is not None
        cost = price.cost(said.input_tokens or 0, said.output_tokens or 0) if price and known else None
        return {
            "reply": said.text,
            "model": said.model or said.asked_model,
            "input_tokens": said.input_tokens,
            "output_tokens": said.output_tokens,
            "latency_seconds": said.latency_seconds,
            "attempt": said.attempt,
            "masked": said.masked,
            "cost": cost,
        }

    def _price(self, judge: str, run: str) -> Price | None:
        """Return a judge's price in a run, or in the last run if none is named; None if it has no price."""
        query = "SELECT content FROM run WHERE id = ? OR ? = '' ORDER BY sequence DESC LIMIT 1"
        content = self.index.one(query, (run, run))
        judges = msgspec.json.decode(content)["judges"] if content else []
        found = next((msgspec.convert(each["price"], Price) for each in judges if each["name"] == judge), Price())
        return found if found != Price() else None

    def _votes(self, output_id: str) -> tuple[ShownVote, ...]:
        query = "SELECT given, item, sequence, content FROM vote WHERE output_id = ? ORDER BY sequence DESC"
        return tuple(
            ShownVote(
                voter=cast.vote.voter_id,
                kind=cast.vote.voter_kind.value,
                vote=given,
                time=cast.vote.vote_time.isoformat(),
                prompt=cast.vote.voter_prompt_id,
                reason=cast.reason,
                item=item,
                against=self._rival(output_id, item) if item != output_id else "",
                sequence=sequence,
            )
            for given, item, sequence, content in self.index.rows(query, (output_id,))
            for cast in [decode_vote(content)]
        )

    def _rival(self, output_id: str, pair: str) -> str:
        """Return the other output of a pair."""
        query = "SELECT o.output_id FROM pair p, output o WHERE p.name = ? AND o.digest IN (p.first, p.second)"
        return str(self.index.one(f"{query} AND o.output_id <> ? LIMIT 1", (pair, output_id)) or "")

    def _protocol(self, digest: str) -> EvalProtocol | None:
        entry: Entry | None = self._ledger.find(Kind.PROTOCOL, digest) if digest else None
        return msgspec.convert(entry.content, EvalProtocol) if entry else None

    def protocol_names(self, digests: Iterable[str]) -> dict[str, str]:
        """Return the ids of protocols; where several versions have one id, with the beginning of the digest."""
        ids = {digest: found.id for digest in digests if (found := self._protocol(digest))}
        times = Counter(ids.values())
        return {digest: name if times[name] == 1 else f"{name} {digest[:8]}" for digest, name in ids.items()}

    def runs(self) -> tuple[Mapping[str, Any], ...]:
        """Return what was recorded when runs were opened, the latest first."""
        rows = self.index.rows("SELECT id, recorded_at, content FROM run ORDER BY sequence DESC")
        return tuple({**msgspec.json.decode(content), "id": name, "recorded_at": time} for name, time, content in rows)

    def planned(self, run: Mapping[str, Any]) -> frozenset[bytes]:
        """Return the ids of the tasks that a run planned, those that were answered before it included."""
        plans = [msgspec.convert(plan, PlannedTasks) for plan in (run.get("plan") or {}).values()]
        parts = [self._ledger.find(Kind.PLAN, key) for plan in plans for key in plan.parts]
        return frozenset(task for part in parts if part for task in ids_of(part.blob))


def _highest(protocol: EvalProtocol | None, judged: Judgement) -> float | None:
    return overall_range(protocol, protocol.scale(judged.scale or None))[1] if protocol else None


def _seen_from(place: str, rival: str, evidence: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """Return the quotes of a judged pair as one of its outputs has them: its own, and those of its rival by name."""
    return tuple(msgspec.structs.replace(each, source="" if each.source == place else rival) for each in evidence)


def _unmasked(evidence: tuple[Evidence, ...], sample: Sample | None) -> tuple[Evidence, ...]:
    """Return quotes with their places in the text as it was brought: the judge saw it with names masked."""
    texts = {"": sample.text, **{each.id: each.text for each in sample.materials}} if sample else {}
    placed = []
    for each in evidence:
        start = texts.get(each.source, "").find(each.quote) if each.quote else -1
        span = (start, start + len(each.quote)) if start >= 0 else (None, None)
        placed.append(msgspec.structs.replace(each, start=span[0], end=span[1]))
    return tuple(placed)
