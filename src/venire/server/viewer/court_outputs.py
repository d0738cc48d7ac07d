"""The outputs of a court's ledger; marks go the way of votes, through the court's one writer."""

from __future__ import annotations

from venire.ledger.entry import Draft
from venire.server.court.commits import Change
from venire.server.court.court import Court
from venire.server.viewer.room import OutputsRoom
from venire.workflows.ledgers import shown_location
from venire.workflows.outputs.ledger_outputs import LedgerOutputs


def court_outputs(court: Court) -> OutputsRoom:
    """Return the outputs of a court; nothing is read before they are asked for."""
    location = court.options.ledger

    async def write(draft: Draft) -> None:
        await court.writer.enter([Change((draft,))])

    async def entries_behind(cell_id: str) -> tuple[int, ...]:
        report = await court.judged.report()
        found = (cell for cell in report.cells() if cell.id == cell_id) if report else ()
        return next((tuple(cell.rows.sequences or ()) for cell in found), ())

    return OutputsRoom(
        lambda: LedgerOutputs(court.state.ledger, location),
        shown_location(location),
        None if court.options.read_only else write,
        entries_behind,
    )
