"""Samples and their texts."""

from __future__ import annotations

from litestar import get
from litestar.params import FromPath

from venire.errors import NotFoundError
from venire.ledger.entry import Kind
from venire.server.api.parameters import After, InCourt, Limit, Text
from venire.server.court.court import Court
from venire.server.court.entry_views import EntryLink
from venire.server.court.ledger_index import IndexedSample
from venire.server.court.tally_item import ItemName
from venire.server.court.views import Page, SampleRow, SampleView
from venire.server.people.person import readers_only


@get("/api/v1/samples", opt=readers_only(), tags=["samples"])
async def samples(court: InCourt, after: After = 0, limit: Limit = 100, output_id: Text = "") -> Page[SampleRow]:
    """List samples, or the one of a name."""
    listed = court.state.index.samples
    if output_id:
        found = court.state.index.by_output.get(output_id)
        named = (sample_row(court, listed[found]),) if found is not None else ()
        return Page(named, len(named))
    rows = tuple(sample_row(court, sample) for sample in listed[after : after + limit])
    return Page(rows, len(listed), after + limit if after + limit < len(listed) else None)


@get("/api/v1/samples/{digest:str}", opt=readers_only(), tags=["samples"])
async def sample(court: InCourt, digest: FromPath[str]) -> SampleView:
    """Return a sample with its text, by its digest."""
    number = court.state.index.by_digest.get(digest)
    known = court.state.index.samples[number] if number is not None else None
    state = court.state
    entry = await state.fetch(lambda: state.ledger.find(Kind.SAMPLE, known.key)) if known else None
    if known is None or entry is None or known.digest != digest:
        raise NotFoundError(f"there is no sample {digest[:80]!r}")
    full = await state.fetch(lambda: state.sample(known))
    link = EntryLink(entry.sequence, entry.hash, entry.kind.value, entry.recorded_at)
    return SampleView(sample_row(court, known), full.text, full.task, full.source, link)


def sample_row(court: Court, known: IndexedSample) -> SampleRow:
    """Return a sample as lists show it."""
    item = court.state.tally.items.get(ItemName(known.output_id, court.state.prompt_id))
    return SampleRow(
        output_id=known.output_id,
        digest=known.digest,
        question_id=known.question_id,
        prompt_variant=known.prompt_variant,
        target_model=known.target_model,
        factors=known.factors,
        characters=known.characters,
        judgements=court.state.index.judged.get(known.output_id, 0),
        votes=item.numbers.votes if item else 0,
        score=item.numbers.score if item else None,
        ambiguous=bool(item and item.numbers.ambiguous),
    )


HANDLERS = (samples, sample)
"""The calls of this group."""
