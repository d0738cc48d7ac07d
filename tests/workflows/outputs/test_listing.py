"""Lists of outputs: what filters hold for, in which order, and page by page."""

from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest

from report_ledger import design, write_ledger
from venire.ledger.location import open_ledger
from venire.reports.outputs.asked import Only, Order, OutputFilter, outputs_behind
from venire.reports.report import Choices
from venire.stats.ratings.panel_scores import panel_scores
from venire.workflows.analyse import report_of_ledger
from venire.workflows.evidence.from_ledger import read_ledger
from venire.workflows.outputs.ledger_outputs import LedgerOutputs
from venire.workflows.outputs.listing import PAGE, find_row, list_outputs, neighbours, read_facets


def names(outputs: LedgerOutputs, **wanted: object) -> list[str]:
    return [row.output_id for row in list_outputs(outputs.index, OutputFilter(**wanted)).rows]


def test_scores_of_lists_are_those_of_the_report(outputs, ledger):
    evidence, _ = read_ledger(ledger, Choices(), "ledger")
    expected = dict(panel_scores(evidence.primary).frame.select("unit", "score").iter_rows())
    found = {row.digest: row.score for row in list_outputs(outputs.index, OutputFilter()).rows}
    assert {unit: score for unit, score in found.items() if score is not None} == pytest.approx(expected)


def test_the_worst_come_first_and_those_without_a_score_last(outputs):
    scores = [row.score for row in list_outputs(outputs.index, OutputFilter()).rows]
    known = [score for score in scores if score is not None]
    assert known == sorted(known)
    assert scores[len(known) :] == [None] * (len(scores) - len(known))


def test_the_best_come_first_if_asked(outputs):
    known = [row.score for row in list_outputs(outputs.index, OutputFilter(), Order.BEST).rows if row.score is not None]
    assert known == sorted(known, reverse=True)


def test_the_most_disputed_come_first_if_asked(outputs):
    rows = list_outputs(outputs.index, OutputFilter(), Order.DISPUTED).rows
    assert [row.verdicts > 1 for row in rows] == sorted((row.verdicts > 1 for row in rows), reverse=True)
    assert rows[0].verdicts > 1


def test_all_conditions_of_a_filter_must_hold(outputs):
    found = names(outputs, model=("birch-2",), variant=("conflict",), factors={"trigger": ("implicit",)})
    assert sorted(found) == ["q0-conflict-implicit-birch-2", "q1-conflict-implicit-birch-2"]


def test_a_verdict_is_that_of_the_judge_who_is_named(outputs):
    by_anybody, by_oak = names(outputs, verdict=("PARTIAL",)), names(outputs, verdict=("PARTIAL",), judge=("oak",))
    assert set(by_oak) < set(by_anybody)


def test_words_are_found_whatever_their_case_and_in_names_too(outputs):
    assert names(outputs, text="AN ANSWER OF WORTH 1") == ["q1-conflict-implicit-birch-2"]
    assert names(outputs, text="Hostile-SVG") == ["hostile-svg"]
    assert names(outputs, text="no such words") == []


@pytest.mark.parametrize("kind", list(Only))
def test_each_kind_has_as_many_outputs_as_its_list(outputs, kind):
    assert read_facets(outputs.index).kinds[kind] == list_outputs(outputs.index, OutputFilter(only=kind)).total


def test_replies_that_no_one_can_read_are_found_as_invalid(outputs):
    rows = list_outputs(outputs.index, OutputFilter(only=Only.INVALID)).rows
    assert {row.output_id for row in rows} >= {"q0-conflict-explicit-alder-1"}
    assert all(row.invalid for row in rows)


def test_one_can_filter_by_what_there_are_several_of(outputs):
    facets = read_facets(outputs.index)
    assert {level.value: level.outputs for level in facets.fields["model"]} == {"alder-1": 8, "birch-2": 8, "yew-9": 6}
    assert set(facets.factors) == {"language", "trigger"}
    assert [level.value for level in facets.judges] == ["elm", "oak"]


def test_an_output_has_neighbours_in_its_list(outputs):
    first, second, third = list_outputs(outputs.index, OutputFilter()).rows[:3]
    page, before, after = neighbours(outputs.index, OutputFilter(), Order.WORST, second, 0)
    assert (before, after, page.first, len(page.rows)) == (first.key, third.key, 0, min(PAGE, page.total))


def test_neighbours_may_stand_on_another_page(outputs):
    rows = list_outputs(outputs.index, OutputFilter()).rows
    page, before, after = neighbours(outputs.index, OutputFilter(), Order.WORST, rows[5], 5)
    assert (page.rows[0].key, before, after) == (rows[5].key, rows[4].key, rows[6].key)


def test_an_output_is_found_by_its_key_and_nothing_by_another(outputs):
    row = list_outputs(outputs.index, OutputFilter()).rows[0]
    assert find_row(outputs.index, row.key) == row
    assert find_row(outputs.index, "nobody") is None


def noted(each, number):
    return msgspec.structs.replace(each, notes={"region": ("north", "south")[number % 2], "latency_ms": str(number)})


def test_numbers_that_rest_on_notes_open_the_outputs_behind_them(tmp_path):
    samples = [noted(each, number) for number, each in enumerate(design(questions=2))]
    path = write_ledger(tmp_path / "ledger.sqlite", samples)
    ledger = open_ledger(str(path), read_only=True)
    outputs = LedgerOutputs(ledger, "memory:")
    while outputs.catch_up():
        pass
    _, report = report_of_ledger(ledger, Choices(), name="ledger")
    slices = [row for row in report.table("slices").rows if row.names[0] == "region"]
    assert [row.names[1] for row in slices] == ["north", "south"]
    for row in slices:
        asked = parse_qs(urlsplit(outputs_behind(row.cells[0])).query)
        found = names(outputs, factors={"region": tuple(asked["f.region"])})
        assert sorted(found) == sorted(each.output_id for each in samples if each.notes["region"] == row.names[1])
    facets = read_facets(outputs.index).factors
    assert list(facets)[-1] == "region"
    assert "latency_ms" not in facets
    outputs.close()
    ledger.close()
