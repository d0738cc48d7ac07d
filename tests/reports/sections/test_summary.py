"""The summary: every conclusion follows from a table, long lists are cut, and what limits the report is said."""

import itertools

import pytest

from kept_reports import keep_sections
from making_cells import cell
from rating_rows import overall_row
from venire.domain.completeness import Completeness, JudgeCompleteness
from venire.domain.label import Label
from venire.reports.evidence import ReportEvidence
from venire.reports.report import Choices, Column, ReportSection, Row, Table
from venire.reports.sections.summary import missing_note, summary
from venire.stats.ratings.table import RatingsTable

NOTHING = ReportSection("none")


def evidence(models=("m",), questions=12, judges=("a", "b"), **fields):
    rows = [
        overall_row(f"{model}-{question}", judge, 5.0, question_id=f"q{question}", target_model=model)
        for model in models for question in range(questions) for judge in judges
    ]  # fmt: skip
    table = RatingsTable.from_rows(rows)
    return ReportEvidence(**{"table": table, "primary": table.primary(), "choices": Choices()} | fields)


def notes(found=None, scores=NOTHING, agreed=NOTHING, people=NOTHING):
    return {note.key: note for note in summary(found or evidence(), scores, agreed, people).notes}


def board(*names, scale=(0.0, 10.0), comparisons=(), power=()):
    tables = [
        Table("leaderboard", ("target_model",), (Column("mean", "mean"),),
              tuple(Row((name,), (cell(5.0, scale=scale),)) for name in names)),
        Table("comparisons", ("first", "second"),
              tuple(Column(c, c) for c in ("difference", "p", "p_adjusted", "pairs")),
              tuple(Row((one, two), (cell(value), cell(None), cell(p, reason="few"), cell(1.0)))
                    for one, two, value, p in comparisons)),
        Table("power", ("first", "second"),
              tuple(Column(c, c) for c in ("detectable", "difference", "questions", "questions_needed")),
              tuple(Row((one, two), tuple(cell(value) for value in values)) for one, two, *values in power)),
    ]  # fmt: skip
    return ReportSection("leaderboard", (), tuple(tables))


@pytest.mark.parametrize(("count", "listed"), [(10, 10), (11, 11)])
def test_ten_missing_combinations_are_named_and_more_are_hinted_at(count, listed):
    note = missing_note([(f"q{number}", "", "m") for number in range(count)])
    assert note.arguments["count"] == count
    assert len(note.arguments["named"]) == listed
    assert note.arguments["named"][0] == "q0 · m"
    assert (note.arguments["named"][-1] == "…") is (count > 10)
    assert note.warning


def test_who_was_compared_and_who_judged_is_said_first():
    found = notes(evidence(models=("m1", "m2")))
    assert found["summary.compared_unvaried"].arguments == {
        "samples": 24, "models": ("m1", "m2"), "model_count": 2, "questions": 12, "variants": 0,
    }  # fmt: skip
    assert found["summary.judged"].arguments == {"count": 2, "judges": ("a", "b"), "protocol": ""}
    assert found["summary.compared_unvaried"].begins
    assert not found["summary.judged"].begins
    empty = RatingsTable.from_rows([])
    assert notes(evidence(table=empty, primary=empty.primary()))["summary.empty"].warning


def test_a_difference_is_told_below_five_in_a_hundred_and_neighbours_are_not_told_apart():
    told = notes(scores=board("m1", "m2", "m3", comparisons=[
        ("m1", "m2", -0.5, 0.0499), ("m2", "m3", 0.25, 0.05), ("m1", "m3", 0.75, 0.5),
    ]))  # fmt: skip
    [worse] = told["summary.higher"].arguments["others"]
    assert told["summary.higher"].arguments["first"] == "m2"
    assert worse.arguments == {"first": "m1", "second": "m2", "difference": "0.50", "p": "= 0.050", "name": "m1"}
    [pair] = told["summary.not_told"].arguments["pairs"]
    assert pair.arguments == {"first": "m2", "second": "m3", "difference": "0.25", "p": "= 0.050"}
    assert told["summary.scale.same"].arguments == {"count": 3, "low": "0", "high": "10"}


@pytest.mark.parametrize(("p", "said"), [(0.0009, "< 0.001"), (0.001, "= 0.001"), (0.0123, "= 0.012")])
def test_small_p_values_are_bounded(p, said):
    told = notes(scores=board("m1", "m2", scale=(1.0, 5.0), comparisons=[("m1", "m2", 0.5, p)]))
    assert told["summary.higher"].arguments["others"][0].arguments["p"] == said
    assert told["summary.scale.own"].arguments == {"count": 1, "low": "1", "high": "5"}
    unscaled = notes(scores=board("m1", "m2", scale=None, comparisons=[("m1", "m2", 0.5, p)]))
    assert unscaled["summary.scale.unknown"].arguments == {"count": 1}


def test_what_was_not_tested_is_named_by_its_reason_and_not_adjusted_for():
    told = notes(scores=board("m1", "m2", "m3", comparisons=[
        ("m1", "m2", 0.5, 0.2), ("m1", "m3", 0.5, None), ("m2", "m3", None, 0.2),
    ]))  # fmt: skip
    assert told["summary.untested"].arguments["reason"] == "few"
    assert len(told["summary.untested"].arguments["pairs"]) == 2
    assert told["summary.scale.same"].arguments["count"] == 1


def test_long_lists_of_pairs_are_cut_after_ten():
    names = [f"m{number}" for number in range(13)]
    pairs = [(one, two, 0.1, 0.9) for one, two in itertools.pairwise(names)]
    listed = notes(scores=board(*names, comparisons=pairs))["summary.not_told"].arguments["pairs"]
    assert len(listed) == 11
    assert listed[-1].arguments == {"count": 2}


def test_what_could_have_been_found_is_the_widest_and_the_smallest_open_difference_is_settled():
    told = notes(scores=board("m1", "m2", "m3", comparisons=[
        ("m1", "m2", 0.3, 0.05), ("m1", "m3", -0.2, 0.5), ("m2", "m3", 0.1, 0.01),
    ], power=[("m1", "m2", 1.0, 0.3, 9, 40), ("m1", "m3", 2.499, -0.2, 12, 90), ("m2", "m3", 0.5, 0.1, 9, 20),
              ("m3", "m4", None, 0.1, 9, 20)]))  # fmt: skip
    assert told["summary.detectable"].arguments == {"points": 2.5, "questions": 12}
    assert told["summary.needed"].arguments == {
        "first": "m1", "second": "m3", "difference": 0.2, "needed": 90, "range": "not known",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("value", "units", "band", "key", "warns"),
    [
        (0.8, 10, "reliability.high", "summary.alpha", False),
        (0.2, 10, "reliability.low", "summary.alpha", True),
        (0.1, 10, "reliability.very-low", "summary.alpha", True),
        (0.8, 9, "reliability.high", "summary.alpha_unknown", False),
        (None, 10, "", "summary.alpha_unknown", False),
    ],
)
def test_agreement_is_said_of_ten_outputs_and_a_low_one_warns(value, units, band, key, warns):
    row = Row(("overall",), (cell(value, n={"units": units}, reason="" if value else "alike"), cell(None, word=band)))
    agreed = ReportSection("agreement", (), (Table("alpha", ("d",), (Column("a", "a"), Column("b", "b")), (row,)),))
    note = notes(agreed=agreed)[key]
    assert note.warning is warns
    if key == "summary.alpha":
        assert note.arguments["alpha"] == f"{value:.2f}"
    elif value is None:
        assert note.arguments["reason"] == "alike"
    else:
        assert note.arguments["reason"].values == {"found": 9, "least": 10}


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ({"questions": 9}, "limits.few_questions"),
        ({"judges": ("a",)}, "limits.one_judge"),
        ({}, "limits.no_people"),
        ({"labels": (Label(output_id="m-0", score=1.0),)}, "limits.people"),
        ({"unqualified": {}}, "summary.all_qualified"),
        ({"unqualified": {"a": "struck"}}, "summary.unqualified"),
        ({"quotes_not_compared": 2}, "summary.quotes_not_compared"),
        ({"missing_files": {"m": ("x", "y")}}, "summary.missing_files"),
    ],
)
def test_limits_are_said_where_they_are_so(fields, key):
    assert key in notes(evidence(**fields))
    if key != "limits.no_people":
        assert key not in notes()


def test_completeness_is_said_as_it_is_known():
    def judged(answered):
        return Completeness(judges=(JudgeCompleteness(judge="a", planned=12, answered=answered),))

    whole, part = (notes(evidence(completeness=judged(count))) for count in (12, 10))
    assert whole["summary.complete"].arguments == {"planned": 12}
    assert part["summary.incomplete"].arguments == {"answered": 10, "planned": 12, "missing": "a 2"}
    assert part["summary.incomplete"].warning


def test_outputs_without_a_question_are_not_said_to_answer_none():
    rows = [overall_row(f"u{n}", "a", 5.0, question_id="", target_model="m") for n in range(3)]
    table = RatingsTable.from_rows(rows)
    found = notes(evidence(table=table, primary=table.primary()))
    assert found["summary.compared_unasked"].arguments["samples"] == 3
    assert "summary.compared_unvaried" not in found


def test_what_the_summary_says_stays():
    compared = board("m1", "m2", "m3", comparisons=[
        ("m1", "m2", 0.3, 0.05), ("m1", "m3", 1.2, 0.001), ("m2", "m3", 0.1, None),
    ], power=[("m1", "m2", 1.0, 0.3, 9, 40), ("m2", "m3", 0.5, 0.1, 9, 20)])  # fmt: skip
    part = Completeness(judges=(JudgeCompleteness(judge="a", planned=12, answered=10),))
    found = {
        "nothing but scores": summary(evidence(), NOTHING, NOTHING, NOTHING),
        "three models": summary(evidence(models=("m1", "m2", "m3")), compared, NOTHING, NOTHING),
        "few questions and one judge": summary(evidence(questions=9, judges=("a",)), NOTHING, NOTHING, NOTHING),
    }
    fields = {
        "incomplete": {"completeness": part},
        "people": {"labels": (Label(output_id="m-0", score=1.0),)},
        "all passed their voir dire": {"unqualified": {}},
        "some did not": {"unqualified": {"a": "struck", "c": "not_examined"}},
        "quotes that were not compared": {"quotes_not_compared": 2},
        "missing files": {"missing_files": {"m": ("x", "y"), "n": ("z",)}},
        "from a table": {"is_table": True},
    }
    found |= {name: summary(evidence(**each), NOTHING, NOTHING, NOTHING) for name, each in fields.items()}
    keep_sections("summary", found)
