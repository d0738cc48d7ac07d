"""Every number of a report opens exactly the outputs behind it, in the lists of a ledger."""

from __future__ import annotations

from collections import Counter
from urllib.parse import parse_qsl, urlsplit

import msgspec
import pytest
from litestar.datastructures import MultiDict

from numbered_ledger import names_behind, read_votes, write_numbered_ledger
from venire.ledger.location import open_ledger
from venire.reports.outputs.asked import MOST_ENTRIES, outputs_behind, read_asked
from venire.reports.report import Choices
from venire.workflows.analyse import report_of_ledger
from venire.workflows.outputs.ledger_outputs import LedgerOutputs
from venire.workflows.outputs.listing import list_outputs


@pytest.fixture(scope="module")
def listed(tmp_path_factory):
    """The ledger's report and votes, and its outputs."""
    path = write_numbered_ledger(tmp_path_factory.mktemp("numbered") / "ledger.sqlite")
    ledger = open_ledger(str(path), read_only=True)
    outputs = LedgerOutputs(ledger, "memory:")
    while outputs.catch_up():
        pass
    _, report = report_of_ledger(ledger, Choices(), name="ledger")
    yield report, read_votes(path, report), outputs
    outputs.close()
    ledger.close()


def found_by(address, outputs, cell):
    wanted = read_asked(MultiDict(parse_qsl(urlsplit(address).query, keep_blank_values=True))).wanted
    if wanted.cell:
        assert wanted.cell == cell.id
        wanted = msgspec.structs.replace(wanted, sequences=cell.rows.sequences)
    return {row.output_id for row in list_outputs(outputs.index, wanted, limit=1000).rows}


def test_what_opens_is_exactly_what_stands_behind_each_number(listed):
    report, votes, outputs = listed
    opened = Counter()
    for cell in report.cells():
        if address := outputs_behind(cell):
            assert found_by(address, outputs, cell) == names_behind(cell, report, votes), cell.id
            opened[cell.rows.among] += 1
            opened["many entries"] += len(cell.rows.sequences or ()) > MOST_ENTRIES
    assert all(opened[kind] for kind in ("counted", "recorded", "attempts", "replies", "votes", "many entries"))


def test_a_number_on_votes_opens_only_outputs_with_a_vote_of_that_kind_under_that_question(listed):
    report, _, outputs = listed
    cells = [row for row in report.table("votes_model").rows if "judge" in row.names]
    assert {row.names[0] for row in cells} == {"alder-1", "birch-2"}
    for row in cells:
        found = found_by(outputs_behind(row.cells[0]), outputs, row.cells[0])
        assert len(found) == 2
