"""What pages of outputs ask: lists, one output, marks. It never holds up the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

import msgspec
from litestar.datastructures import MultiDict

from venire.domain.reader_mark import ReaderMark, Remark
from venire.errors import NotFoundError, ReadOnlyError
from venire.ledger.entry import Draft
from venire.reports.outputs.asked import AskedList, Order, OutputFilter, read_asked
from venire.reports.outputs.one_output import OneOutput
from venire.reports.outputs.rows import Facets, OutputPage, OutputRow
from venire.workflows.outputs.listing import find_row, list_outputs, neighbours, read_facets
from venire.workflows.outputs.run_changes import RunChanges, compare_runs, side_of
from venire.workflows.outputs.same_question import answers_to_same
from venire.workflows.outputs.source import OutputSource

PATIENCE_SECONDS = 0.3
"""How long a page waits for what was recorded meanwhile; the rest comes in behind it."""
T = TypeVar("T")


class OutputsRoom:
    """The outputs of one source, kept up to date while pages are asked for. `close` it at the end."""

    def __init__(
        self,
        open_source: Callable[[], OutputSource],
        name: str,
        write: Callable[[Draft], Awaitable[None]] | None = None,
        entries_behind: Callable[[str], Awaitable[tuple[int, ...]]] | None = None,
    ) -> None:
        """Nothing is opened before it is asked for; without `write` no marks are taken.

        `entries_behind` returns the entries behind a number of the report, where there is one.
        """
        self.name = name
        self.takes_marks = write is not None
        self._open_source = open_source
        self._source: OutputSource | None = None
        self._write = write
        self._entries_behind = entries_behind
        self._reading: asyncio.Task[None] | None = None
        self._asking = 0
        self._nobody_asks = asyncio.Event()
        self._facets: tuple[int, Facets] | None = None

    @property
    def source(self) -> OutputSource:
        """What is looked at."""
        if self._source is None:
            self._source = self._open_source()
        return self._source

    async def close(self) -> None:
        """Stop reading, and let go of the source."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait([self._reading])
        if self._source is not None:
            await asyncio.to_thread(self._source.close)

    async def catch_up(self) -> None:
        """Take in what was recorded meanwhile, for a moment at most; what is left is read in the background."""
        reading = self._reading
        if reading is None or reading.done():
            if reading is not None and not reading.cancelled():
                reading.result()  # What went wrong while nobody waited is told now.
            reading = self._reading = asyncio.create_task(self._read())
        await asyncio.wait([reading], timeout=PATIENCE_SECONDS)
        if not reading.done():
            return
        if self._reading is reading:  # Others may have waited for it too.
            self._reading = None
        reading.result()

    async def _read(self) -> None:
        while await asyncio.to_thread(self.source.catch_up):
            while self._asking:
                await self._nobody_asks.wait()

    async def _ask(self, work: Callable[..., T], *values: Any) -> T:
        """Ask the source without holding up the event loop; until there is an answer nothing more is read."""
        self._asking += 1
        self._nobody_asks.clear()
        try:
            return await asyncio.to_thread(work, *values)
        finally:
            self._asking -= 1
            if not self._asking:
                self._nobody_asks.set()

    async def progress(self) -> tuple[int, int]:
        """Return how much of the source was taken in, and how much there is."""
        return await self._ask(self.source.progress)

    async def facets(self) -> Facets:
        """Return what one can filter by."""
        position = (await self.progress())[0]
        if self._facets is None or self._facets[0] != position:
            self._facets = (position, await self._ask(self._named_facets))
        return self._facets[1]

    def _named_facets(self) -> Facets:
        """Return what one can filter by, with names for protocols."""
        facets = read_facets(self.source.index)
        if "protocol" not in facets.fields:
            return facets
        levels = facets.fields["protocol"]
        names = self.source.protocol_names(level.value for level in levels)
        named = tuple(msgspec.structs.replace(level, name=names.get(level.value, "")) for level in levels)
        return msgspec.structs.replace(facets, fields={**facets.fields, "protocol": named})

    async def protocols(self) -> dict[str, str]:
        """Return the names of the protocols, by digest, where outputs were judged under several."""
        levels = (await self.facets()).fields.get("protocol", ())
        return {level.value: level.name or level.value[:8] for level in levels}

    async def wanted(self, asked: AskedList) -> AskedList:
        """Return what is asked for with the entries that it names by a number of the report."""
        if not asked.wanted.cell:
            return asked
        entries = await self._entries_behind(asked.wanted.cell) if self._entries_behind else ()
        found = msgspec.structs.replace(asked.wanted, sequences=entries, cell=asked.wanted.cell if entries else "")
        return msgspec.structs.replace(asked, wanted=found)

    async def count(self, address: str) -> int:
        """Return how many outputs the list of an address has by now."""
        await self.catch_up()
        asked = await self.wanted(read_asked(MultiDict(parse_qsl(urlsplit(address).query, keep_blank_values=True))))
        return (await self.page(asked.wanted, Order.RECORDED, 0)).total

    async def page(self, wanted: OutputFilter, order: Order, first: int) -> OutputPage:
        """Return a page of a list."""
        return await self._ask(list_outputs, self.source.index, wanted, order, first)

    async def around(
        self, wanted: OutputFilter, order: Order, row: OutputRow, first: int
    ) -> tuple[OutputPage, str, str]:
        """Return the page that an output stands on, and the keys of its neighbours."""
        return await self._ask(neighbours, self.source.index, wanted, order, row, first)

    async def row(self, key: str) -> OutputRow:
        """Return an output in short; raises `NotFoundError`."""
        found = await self._ask(find_row, self.source.index, key)
        if found is None:
            raise NotFoundError("error.view.no_output", output=key)
        return found

    async def show(self, row: OutputRow) -> OneOutput:
        """Return everything that is known of an output."""
        return await self._ask(self.source.show, row)

    async def answers_to_same(self, row: OutputRow) -> tuple[OutputRow, ...]:
        """Return the other outputs that answer the same question."""
        return await self._ask(answers_to_same, self.source.index, row)

    async def runs(self) -> tuple[Mapping[str, Any], ...]:
        """Return the runs, the latest first."""
        return await self._ask(self.source.runs)

    async def changes(self, before: str, after: str) -> RunChanges:
        """Compare two runs that there are."""
        return await self._ask(self._compare, before, after)

    def _compare(self, before: str, after: str) -> RunChanges:
        runs = {str(run["id"]): run for run in self.source.runs()}
        planned = {name: self.source.planned(runs[name]) for name in (before, after)}
        return compare_runs(self.source.index, side_of(runs[before]), side_of(runs[after]), planned)

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Do something slow without holding up the event loop."""
        return await asyncio.to_thread(work)

    async def mark(self, row: OutputRow, remark: Remark, *, author: str, judgement: str, text: str) -> None:
        """Record a mark of a reader, and return once it is durable; raises `ReadOnlyError` where none are taken."""
        if self._write is None:
            raise ReadOnlyError("error.view.no_marks")
        mark = ReaderMark(
            output_id=row.output_id,
            output=row.digest,
            remark=remark,
            author=author,
            marked_at=datetime.now(UTC),
            judgement=judgement,
            text=text,
        )
        await self._write(await self._ask(self.source.check_mark, mark))
        await self.catch_up()
