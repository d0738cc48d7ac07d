"""Addresses of lists: what is written is read again, and a number of the report leads to its outputs."""

from urllib.parse import parse_qsl, urlsplit

from litestar.datastructures import MultiDict

from venire.reports.outputs.asked import AskedList, Only, Order, OutputFilter, outputs_behind, read_asked
from venire.reports.report import Rows


def read(address: str) -> AskedList:
    return read_asked(MultiDict(parse_qsl(urlsplit(address).query)))


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
        ),
        order=Order.DISPUTED,
        first=50,
    )
    assert read(asked.query()) == asked


def test_a_number_of_the_report_leads_to_its_outputs():
    rows = Rows(where={"target_model": ("alder-1",), "rater": ("oak",), "trigger": ("implicit",)})
    wanted = OutputFilter(model=("alder-1",), judge=("oak",), factors={"trigger": ("implicit",)}, counted=True)
    assert read(outputs_behind(rows)).wanted == wanted


def test_where_no_list_says_it_there_is_no_link():
    assert outputs_behind(Rows(among="attempts")) == ""
    assert outputs_behind(Rows(where={"repeat": ("retest-1",)})) == ""
    assert outputs_behind(Rows(sequences=tuple(range(1000)))) == ""
