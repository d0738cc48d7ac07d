"""The first sentence of a report: it names a leader only where one is told apart from the rest."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from reports.sections.judges.test_jury import DECIDE, ESTIMATE
from venire.reports.cells import make_table, number_cell
from venire.reports.report import Note, Rows
from venire.reports.sections.overview import _headline, _jury, standing
from venire.reports.words import ReportWords


def board(**scores):
    drafts = [((name,), [number_cell(score, Rows(), "score")]) for name, score in scores.items()]
    return make_table("leaderboard", ("target_model",), ("score",), drafts)


def comparisons(*rows):
    drafts = [
        ((first, second), [number_cell(each, Rows(), "p") for each in (difference, p_value, p_value)])
        for first, second, difference, p_value in rows
    ]
    return make_table("comparisons", ("first", "second"), ("difference", "p", "p_adjusted"), drafts)


def said(scores, *rows, paired=None):
    return ReportWords("en").sentence(_headline(standing(board(**scores), comparisons(*rows)), paired))


def test_a_leader_is_named_with_how_far_the_others_are_behind():
    shown = said({"oak": 8.4, "elm": 7.3, "fir": 4.7}, ("oak", "elm", 1.0, 0.049), ("fir", "oak", -3.0, 0.001))
    assert shown == "oak leads. elm is 1.1 points behind, fir 3.7."


def test_where_models_had_other_judges_the_lead_is_measured_on_the_same_ones():
    rows = [("oak", "elm", 1.0, 0.04), ("fir", "oak", -3.0, 0.001)]
    assert said({"oak": 8.4, "elm": 4.1, "fir": 2.0}, *rows, paired=1.25) == (
        "oak leads. elm is 1.2 points behind, fir 3.8."
    )


def test_the_border_of_significance_is_not_a_lead():
    assert said({"oak": 8.4, "elm": 7.4}, ("oak", "elm", 1.0, 0.05)) == "No leader: oak, elm are too close to call."


def test_those_beside_the_leader_come_before_those_behind():
    shown = said({"oak": 8, "elm": 7, "fir": 4}, ("oak", "elm", 1.0, 0.3), ("oak", "fir", 4.0, 0.01))
    assert shown == "oak, elm are too close to call. fir is 4.0 points behind."


def test_of_many_that_are_too_close_to_call_only_the_number_is_said():
    scores = {name: 8.0 - place / 10 for place, name in enumerate("abcdefg")}
    tested = [("a", name, place / 10, 0.5) for place, name in enumerate("bcdef", 1)]
    shown = said(scores, *tested, ("a", "g", 4.0, 0.01))
    assert shown == "No leader: 6 of 7 models are too close to call."


def test_a_difference_against_the_order_is_no_lead():
    assert said({"oak": 8.4, "elm": 7.4}, ("oak", "elm", -1.0, 0.001)).startswith("No leader")


def test_without_a_test_nothing_is_said_of_chance():
    shown = said({"oak": 8.4, "elm": 7.4})
    assert shown == "oak scores highest, 8.4 of 10; whether by more than chance was not tested."


def test_equal_scores_have_no_highest():
    assert said({"oak": 10, "elm": 10, "fir": 2}) == "oak, elm score the same, 10.0 of 10: no difference was seen."


def test_one_model_and_none():
    assert said({"oak": 8.44}) == "oak scores 8.4 of 10."
    assert said({"oak": None}) == "No judgement counts yet, so there is no answer."


def test_outputs_without_a_model_have_no_dash_for_a_name():
    assert said({"": 5.0}) == "The outputs score 5.0 of 10; the data does not say which model wrote them."


def test_of_many_models_three_are_named_and_the_rest_counted():
    names = [f"m{place}" for place in range(7)]
    rows = [("m0", name, 1.0, 0.001) for name in names[1:]]
    shown = said({name: 9.0 - place for place, name in enumerate(names)}, *rows)
    assert shown == "m0 leads. m1 is 1.0 points behind, m2 2.0, m3 3.0, and 3 more."


def test_only_outputs_on_which_judges_part_are_disputed(compared):
    disputed = compared.table("disputed")
    assert disputed is not None
    assert [row.names for row in disputed.rows] == [("elm-q5",)]
    spread, *given = disputed.rows[0].cells
    assert spread.value == pytest.approx(7.5)
    assert [cell.value for cell in given] == pytest.approx([8.875, 1.375])


def test_what_is_too_small_to_be_found_is_told_on_the_leaderboards_scale(compared):
    widest = max(cell.value for cell in compared.table("power").column("detectable"))
    note = next(note for note in compared.section("overview").notes if note.key.startswith("overview.detectable"))
    assert note.arguments["points"] == f"{widest * 10 / 8:.1f}"


def test_whose_scores_these_are_is_said_of_a_jury_that_some_judges_joined_for_some_outputs_only():
    judges = {"start": ("oak",), "then": ("elm", "fir")}
    read = (ESTIMATE, DECIDE, replace(ESTIMATE, selected=()), None)
    assert [list(_jury(SimpleNamespace(jury=each))) for each in read] == [
        [Note("overview.jury.estimate", judges, warning=True)],
        [Note("overview.jury.decide", judges, warning=True)],
        [],
        [],
    ]
