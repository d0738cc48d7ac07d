"""The outputs of a court: a number of its report leads to the entries behind it."""

import asyncio
from types import SimpleNamespace

import pytest
from litestar.datastructures import MultiDict

from making_cells import cell
from venire.reports.outputs.asked import read_asked
from venire.reports.report import Rows
from venire.server.viewer.court_outputs import court_outputs

CELLS = (cell(1.0, id="a.one", rows=Rows(sequences=(3, 5, 8))), cell(2.0, id="a.two"))


def entries_behind(name, cells):
    async def report():
        return None if cells is None else SimpleNamespace(cells=lambda: iter(cells))

    options = SimpleNamespace(ledger="memory:", read_only=True)
    court = SimpleNamespace(options=options, judged=SimpleNamespace(report=report))
    asked = asyncio.run(court_outputs(court).wanted(read_asked(MultiDict([("cell", name)]))))
    return asked.wanted.sequences, asked.wanted.cell


@pytest.mark.parametrize(
    ("name", "cells", "expected"),
    [
        ("a.one", CELLS, ((3, 5, 8), "a.one")),
        ("a.two", CELLS, ((), "")),
        ("a.three", CELLS, ((), "")),
        ("a.one", None, ((), "")),
    ],
)
def test_a_number_of_the_report_leads_to_its_entries_where_it_has_some(name, cells, expected):
    assert entries_behind(name, cells) == expected
