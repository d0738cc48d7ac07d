"""What was judged: samples, the report, and every judgement with the reply, the text and the entries behind it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec

from venire.domain.judgement import EvidenceLevel, Judgement
from venire.domain.judgement_key import JudgementKey
from venire.domain.sample import Bundle, Sample
from venire.errors import UsageError, VenireError
from venire.judges.panel import Judge
from venire.ledger.entry import Entry, Kind
from venire.ledger.subjects import subject_of
from venire.reports.report import Choices, Report
from venire.runner.records import JudgementRecord, ReplyRecord, derive_judgement, read_judgement
from venire.runner.request import RequestBuilder
from venire.server.court.entry_views import EntryLink, TrailLink
from venire.server.court.ledger_index import IndexedSample
from venire.server.court.state import CourtState
from venire.server.court.tally_item import ItemName
from venire.server.court.views import JudgementView, Page, SampleRow, SampleView, page_of
from venire.workflows.analyse import analyse_ledger
from venire.workflows.trace import Trace, trace


class Judged:
    """Judgements and the report over them; the report is made again in the background when there are new ones."""

    def __init__(self, state: CourtState) -> None:
        self._state = state
        self._report: Report | None = None
        self._made_at = 0
        self._making: asyncio.Task[Report] | None = None

    async def report(self) -> Report | None:
        """Return the report; waits for the first one only. None while nothing was judged."""
        last = self._state.index.last_judged
        if not self._state.index.judgements:
            return None
        if self._made_at != last and self._making is None:
            self._making = asyncio.create_task(self._make(last))
        if self._report is None and self._making is not None:
            return await asyncio.shield(self._making)
        return self._report

    async def trace_cell(self, cell_id: str, limit: int) -> Trace:
        """Walk from a number of the report to the judgements behind it; raises `UsageError` for no such cell."""
        report = await self.report()
        if report is None:
            raise UsageError("error.court.nothing_judged")
        return await self._state.in_thread(lambda: trace(report, cell_id, self._state.options.ledger, limit=limit))

    def view(self, name: JudgementKey) -> JudgementView | None:
        """Return a judgement or one entry of a bundle's; None if there is none."""
        ledger = self._state.ledger
        entry = ledger.find(Kind.JUDGEMENT, name.key)
        if entry is None:
            return None
        record = read_judgement(entry)
        reply = ledger.find(Kind.REPLY, record.task.id)
        said = msgspec.convert(reply.content, ReplyRecord) if reply else None
        judgement = record.with_words(said.text) if said else record.judgement
        if name.place is not None:
            if name.place >= len(judgement.entries):
                return None
            judgement = judgement.entries[name.place]
        sample = ledger.find(Kind.SAMPLE, record.task.sample_digest)
        protocol = ledger.find(Kind.PROTOCOL, record.task.protocol_digest)
        builder, subject = self._builder(record), subject_of(sample, ledger) if sample else None
        if builder is not None and subject is not None and said is not None:
            if said.masked:
                subject = builder.as_seen(subject)[0]
            judgement = say_again(judgement, _derived(builder, said, subject), name.place)
        shown, text = _text_for(subject, judgement)
        rubric = self._state.protocols.get(record.task.protocol_digest)
        return JudgementView(
            judge=record.task.judge,
            repeat=record.task.repeat,
            judgement=judgement,
            reply=said.text if said else "",
            text=text,
            task=shown.task if shown else "",
            materials=shown.materials_of(rubric.shown_kinds) if shown and rubric else (),
            identity=_identity(shown) if shown else {},
            names={each.id: dict(each.name) for each in rubric.dimensions} if rubric else {},
            trail=_trail(sample, protocol, reply, entry),
        )

    def samples(self, after: int, limit: int) -> Page[SampleRow]:
        """Return some of the samples."""
        return page_of(self._state.index.samples, after, limit, self._sample_row)

    def sample_named(self, output_id: str) -> Page[SampleRow]:
        """Return the sample of a name, or none."""
        place = self._state.index.by_output.get(output_id)
        return page_of([] if place is None else [self._state.index.samples[place]], 0, 1, self._sample_row)

    def sample_view(self, digest: str) -> SampleView | None:
        """Return a sample with its text; None if there is none of this digest."""
        state = self._state
        number = state.index.by_digest.get(digest)
        known = state.index.samples[number] if number is not None else None
        entry = state.ledger.find(Kind.SAMPLE, known.key) if known else None
        if known is None or entry is None or known.digest != digest:
            return None
        full = state.sample(known)
        link = EntryLink(entry.sequence, entry.hash, entry.kind.value, entry.recorded_at)
        return SampleView(self._sample_row(known), full.text, full.task, full.source, link)

    def _sample_row(self, known: IndexedSample) -> SampleRow:
        item = self._state.tally.items.get(ItemName(known.output_id, self._state.prompt_id))
        return SampleRow(
            output_id=known.output_id,
            digest=known.digest,
            question_id=known.question_id,
            prompt_variant=known.prompt_variant,
            target_model=known.target_model,
            factors=known.factors,
            characters=known.characters,
            judgements=self._state.index.judged.get(known.output_id, 0),
            votes=item.numbers.votes if item else 0,
            score=item.numbers.score if item else None,
            ambiguous=bool(item and item.numbers.ambiguous),
        )

    async def _make(self, last: int) -> Report:
        state = self._state
        name = Path(state.options.ledger).name if "://" not in state.options.ledger else "ledger"
        try:
            report = await state.in_thread(
                # Votes have pages of their own, which are up to date with every vote.
                lambda: analyse_ledger(state.ledger, Choices(), name=name, with_votes=False)
            )
            self._report, self._made_at = report, last
            return report
        finally:
            self._making = None

    def _builder(self, record: JudgementRecord) -> RequestBuilder | None:
        """Return what asked for a judgement and checks it; None if no run says so."""
        rubric = self._state.protocols.get(record.task.protocol_digest)
        for opened in reversed(self._state.index.opened):
            for judge in opened["judges"]:
                if judge["digest"] == record.task.judge_digest and rubric is not None:
                    return RequestBuilder(
                        msgspec.convert(judge, Judge),
                        rubric,
                        seed=0,
                        profile=opened["profile"],
                        evidence=EvidenceLevel(opened["evidence"]),
                    )
        return None


def _derived(builder: RequestBuilder, said: ReplyRecord, seen: Sample | Bundle) -> Judgement | None:
    """Derive a judgement again from its reply; None if that cannot be done, which an audit would tell of."""
    try:
        return derive_judgement(said, builder.checker, builder.prepared(seen), builder.judge.identity)
    except (VenireError, ValueError, TypeError, KeyError, RecursionError):
        return None


def say_again(kept: Judgement, derived: Judgement | None, place: int | None) -> Judgement:
    """Return a judgement with those of its findings that were derived alike: these can be said in any language."""
    if derived is not None and place is not None:
        derived = derived.entries[place] if place < len(derived.entries) else None
    if derived is None:
        return kept
    again = {each: each for each in derived.findings}
    others = [*derived.entries, *[None] * len(kept.entries)]
    return msgspec.structs.replace(
        kept,
        findings=tuple(again.get(each, each) for each in kept.findings),
        entries=tuple(say_again(each, others[number], None) for number, each in enumerate(kept.entries)),
    )


def _text_for(subject: Sample | Bundle | None, judgement: Judgement) -> tuple[Sample | None, str]:
    if subject is None:
        return None, ""
    if found := subject.find(judgement.sample):
        return found, found.text
    return None, "\n\n".join(sample.text for sample in subject.samples)


def _identity(sample: Sample) -> dict[str, str]:
    names = ("output_id", "question_id", "prompt_variant", "target_model")
    known = {name: getattr(sample, name) for name in names}
    return {name: value for name, value in {**known, **sample.factors}.items() if value}


def _trail(*entries: Entry | None) -> tuple[TrailLink, ...]:
    found = sorted((entry for entry in entries if entry is not None), key=lambda entry: entry.sequence)
    return tuple(
        TrailLink(
            kind=entry.kind.value,
            sequence=entry.sequence,
            hash=entry.hash,
            previous_hash=entry.previous_hash,
            recorded_at=entry.recorded_at,
        )
        for entry in found
    )
