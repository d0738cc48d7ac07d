"""Addresses of lists: what is written is read again, and a number of the report leads to its outputs."""

from urllib.parse import parse_qsl, urlsplit

from litestar.datastructures import MultiDict

from venire.reports.outputs.asked import AskedList, Only, Order, OutputFilter, outputs_behind, read_asked
from venire.reports.report import ReportCell, Rows


def read(address: str) -> AskedList:
    return read_asked(MultiDict(parse_qsl(urlsplit(address).query, keep_blank_values=True)))


def cell(rows: Rows) -> ReportCell:
    return ReportCell(id="table.row.column", unit="count", value=1.0, rows=rows)


def test_what_is_written_into_an_address_is_read_again():
    asked = AskedList(
        wanted=OutputFilter(
            model=("a & b", "c"),
            factors={"trigger": ("implicit",)},
            judge=("oak",),
            only=Only.INVALID,
            text="100 % sûr?",
            counted=True,
            sequences=(7, 8),
            repeat=("retest-1",),
            method=("self_judge",),
            judgement=("k/1",),
            voted=True,
            voter=("person",),
            prompt=("", "clear"),
            item=("a | b",),
            votes=(9,),
        ),
        order=Order.DISPUTED,
        first=50,
    )
    assert read(asked.query()) == asked


def test_a_number_of_the_report_leads_to_its_outputs():
    rows = Rows(where={"target_model": ("alder-1",), "rater": ("oak",), "trigger": ("implicit",)})
    wanted = OutputFilter(model=("alder-1",), judge=("oak",), factors={"trigger": ("implicit",)}, counted=True)
    assert read(outputs_behind(cell(rows))).wanted == wanted


def test_where_no_list_says_it_there_is_no_link():
    assert outputs_behind(cell(Rows(among="replies", sequences=(7,)))) == ""


def test_entries_that_are_too_many_for_an_address_are_named_by_their_number():
    asked = read(outputs_behind(cell(Rows(where={"target_model": ("alder-1",)}, sequences=tuple(range(1000))))))
    assert asked.wanted == OutputFilter(model=("alder-1",), counted=True, cell="table.row.column")
    found = AskedList(wanted=OutputFilter(cell="table.row.column", sequences=tuple(range(1000))))
    assert found.query() == "?cell=table.row.column"
    assert found.without("sequences") == ""


def test_conditions_on_votes_are_dropped_together():
    asked = AskedList(wanted=OutputFilter(model=("a",), voted=True, voter=("person",), prompt=("clear",), votes=(3,)))
    assert asked.without("votes") == "?model=a"


def test_up_to_a_hundred_entries_stand_in_the_address_and_more_are_found_by_the_number():
    hundred = read(outputs_behind(cell(Rows(sequences=tuple(range(1, 101)))))).wanted
    assert (hundred.sequences, hundred.cell) == (tuple(range(1, 101)), "")
    more = read(outputs_behind(cell(Rows(sequences=tuple(range(1, 102)))))).wanted
    assert (more.sequences, more.cell) == ((), "table.row.column")
