"""Odd tables of scores: whatever the report says of them is so, and is said in words."""

from __future__ import annotations

import html
import io
import itertools
import json
import re
from collections import Counter

import pytest
from rich.console import Console

import odd_tables
from venire.reports.page.html_page import html_page
from venire.reports.report import Choices
from venire.reports.terminal.report import print_report
from venire.reports.words import ReportWords
from venire.words.language import FOLDER
from venire.workflows.analyse import analyse
from venire.workflows.compare import compare_levels

KEYS = {key for key in json.loads((FOLDER / "en.json").read_text("utf-8")) if "." in key and " " not in key}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("odd")
    chosen = {
        "bare": Choices(),
        "factor_with_many_levels": Choices(scale=(1, 5), factors=("retrieved_context",)),
    }
    return {
        name: analyse(write(folder / f"{name}.csv"), chosen.get(name, Choices(scale=(1, 5))))
        for name, write in odd_tables.ALL.items()
    }


def in_terminal(report, language, *, full=True):
    console = Console(file=io.StringIO(), width=200)
    print_report(console, report, language, full=full)
    return console.file.getvalue()


def on_page(report, language):
    """Return what a reader of the page sees, without the ids of cells."""
    page = re.sub(r"<style>.*?</style>|<code>.*?</code>", "", html_page(report, language), flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]*>", " ", page))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", odd_tables.ALL)
def test_no_key_of_the_wording_reaches_a_reader(made, name, language):
    given = {word for row in made[name].lines for word in (row.target_model, row.rater)}
    shown = in_terminal(made[name], language) + on_page(made[name], language)
    ours = re.sub("|".join(map(re.escape, given)), "", shown)
    assert not set(re.findall(r"[\w-]+(?:\.[\w-]+)+", ours)) & KEYS
    assert not re.search(r"[@#{]\w", ours)


@pytest.mark.parametrize("name", odd_tables.ALL)
def test_whatever_is_not_known_has_a_reason_in_both_languages(made, name):
    words = ReportWords("zh", {})
    for cell in made[name].cells():
        if cell.unit != "word" and cell.value is None:
            assert cell.reason, cell.id
        if cell.reason:
            assert words.of(cell.reason) != cell.reason, cell.reason


@pytest.mark.parametrize("language", ["en", "zh"])
def test_names_that_look_like_keys_are_shown_as_they_are(made, language):
    shown = in_terminal(made["strange_names"], language)
    for name in ("@head.rater", "#A_structure", "[red]rich[/red]", "xoverall", "{first}", "<b>bold</b>"):
        assert name in shown
    assert "\x1b" not in shown


def test_a_factor_called_like_one_of_our_heads_keeps_its_levels(made):
    assert "won" in in_terminal(made["factors_called_like_ours"], "zh")


def test_a_factor_that_has_no_name_of_ours_is_called_as_in_the_data(made):
    shown = in_terminal(made["factor_with_many_levels"], "en")
    assert "There are 50 levels of retrieved_context" in shown


def cells_of(report):
    return {cell.id: cell for cell in report.cells()}


def said(report, section_id):
    return {note.key: note.arguments for note in report.section(section_id).notes}


def test_overall_scores_that_the_table_lacks_are_derived_and_the_report_says_so(made):
    report = made["dimensions_only"]
    assert said(report, "summary")["derived.mean"]["dimensions"] == ("A_structure", "clarity", "depth")
    assert all(cell.value is not None for cell in next(report.tables()).column("score"))
    assert cells_of(report)["alpha.overall.alpha"].value is not None
    assert not {"summary.untested", "summary.alpha_unknown"} & {*said(report, "summary")}


def test_scores_off_the_scale_are_invalid_listed_and_kept_out(made):
    report, cells = made["off_the_scale"], cells_of(made["off_the_scale"])
    assert said(report, "summary")["summary.off_scale"] == {"count": 8}
    assert cells["excluded.invalid.judgements"].value == 8
    [listed] = [table for table in report.tables() if table.id == "off_scale"]
    assert {cell.value for cell in listed.column("given")} == {9}
    assert listed.rows[0].names == ("alder-q1", "oak", "overall")
    assert cells["judges.oak.valid"].value == pytest.approx(32 / 36)
    assert max(line.overall for line in report.lines if line.counted) <= 5


def test_a_table_without_scores_has_no_valid_ones(made):
    assert cells_of(made["all_null"])["judges.oak.valid"].value == 0
    assert cells_of(made["judge_without_scores"])["judges.elm.valid"].value == 0
    assert cells_of(made["judge_without_scores"])["judges.oak.valid"].value == 1


@pytest.mark.parametrize("name", odd_tables.ALL)
def test_every_interval_holds_its_number(made, name):
    for cell in made[name].cells():
        if cell.value is not None and cell.low is not None and cell.high is not None:
            assert cell.low - 1e-9 <= cell.value <= cell.high + 1e-9, cell.id


@pytest.mark.parametrize("name", odd_tables.ALL)
def test_no_share_lies_beyond_nothing_or_all(made, name):
    for cell in made[name].cells():
        ends = [end for end in (cell.value, cell.low, cell.high) if end is not None]
        assert cell.unit != "share" or all(0 <= end <= 1 for end in ends), cell.id


def test_many_models_are_compared_with_neighbours_and_the_best(made):
    report = made["thirty_models"]
    [board, comparisons, *_] = report.section("leaderboard").tables
    order = [row.names[0] for row in board.rows]
    tested = {row.names for row in comparisons.rows}
    assert tested == {*itertools.pairwise(order), *((order[0], model) for model in order[1:])}
    told = said(report, "leaderboard")["comparisons.many"]
    assert told == {"models": 30, "count": 57, "left": 435 - 57, "best": order[0]}
    for full in (True, False):
        assert "--all-pairs" in in_terminal(report, "en", full=full)
    assert "summary.untested" not in said(report, "summary")


def test_pairs_that_the_scores_have_chosen_are_adjusted_for_all_pairs(made):
    comparisons = made["thirty_models"].section("leaderboard").tables[1]
    p_value, adjusted = (min(cell.value for cell in comparisons.column(name)) for name in ("p", "p_adjusted"))
    assert adjusted == pytest.approx(435 * p_value)
    assert said(made["thirty_models"], "summary")["summary.scale.own"]["count"] == 435


def test_all_pairs_of_many_models_can_be_asked_for(tmp_path):
    table = odd_tables.thirty_models(tmp_path / "scores.csv")
    report = analyse(table, Choices(scale=(1, 5), all_pairs=True))
    assert len(report.section("leaderboard").tables[1].rows) == 435
    assert "comparisons.many" not in said(report, "leaderboard")


@pytest.mark.parametrize("name", ["dimensions_only", "thirty_models", "one_judge", "strange_names"])
def test_every_significant_difference_is_in_the_summary(made, name):
    comparisons = next(table for table in made[name].tables() if table.id == "comparisons")
    significant = set()
    for row in comparisons.rows:
        difference, _, p_value, _ = row.cells
        if p_value.value < 0.05:
            significant.add(row.names if difference.value > 0 else row.names[::-1])
    notes = [note for note in made[name].section("summary").notes if note.key.startswith("summary.higher")]
    named, counted = set(), Counter()
    for each in notes:
        for term in each.arguments.get("others", ()):
            first, other = each.arguments["first"], term.arguments.get("name")
            named |= {(first, other)} if other else set()
            counted[first] += 1 if other else term.arguments["count"]
    better = Counter(first for first, _ in significant)
    not_named = sum(each.arguments["count"] for each in notes if each.key == "summary.higher_more")
    assert significant
    assert named <= significant
    assert counted == {first: better[first] for first in counted}
    assert len(counted) + not_named == len(better)


def test_the_summary_names_the_scale_of_its_points_beside_that_of_the_leaderboard(made):
    assert said(made["one_judge"], "summary")["summary.scale.own"] == {"count": 3, "low": "1", "high": "5"}
    shown = in_terminal(made["one_judge"], "en")
    assert "on its own scale of 1–5; the leaderboard's panel score is brought to 0–10" in shown


def test_groups_without_scores_are_named_and_not_dropped(made):
    report = made["model_without_scores"]
    assert said(report, "summary")["summary.without_scores.target_model"] == {"names": ("cedar",)}
    assert cells_of(report)["leaderboard.cedar.score"].reason == "no judgement counts here"
    assert cells_of(report)["leaderboard.cedar.judgements"].value == 0
    assert said(made["judge_without_scores"], "summary")["summary.without_scores.rater"] == {"names": ("elm",)}


def test_one_model_with_scores_is_not_said_to_be_the_only_one(made):
    assert said(made["one_model_with_scores"], "pairwise") == {"pairwise.one_scored": {"model": "alder"}}
    assert [*said(made["one_model"], "pairwise")] == ["pairwise.one_model"]
    assert [*said(made["bare"], "pairwise")] == ["pairwise.no_model"]


def test_one_judge_with_scores_is_not_said_to_be_the_only_one(made):
    assert said(made["judge_without_scores"], "agreement") == {"agreement.one_scored": {"judge": "oak"}}
    assert [*said(made["one_judge"], "agreement")] == ["agreement.one_judge"]


def test_agreement_that_is_not_known_says_the_real_cause(made):
    assert said(made["no_variation"], "summary")["summary.alpha_unknown"] == {"reason": "no variation"}
    few = "only 3 outputs scored by two judges, fewer than the 10 needed"
    assert said(made["one_question"], "summary")["summary.alpha_unknown"] == {"reason": few}


def test_without_a_structure_dimension_there_is_no_column_of_hard_breaks(made):
    assert "hard_break" not in {column.id for table in made["one_judge"].tables() for column in table.columns}
    assert "hard_break" in {column.id for table in made["dimensions_only"].tables() for column in table.columns}


def test_models_whose_questions_are_not_known_are_compared_by_their_means_as_compare_does(tmp_path):
    lines = [[line[0], *line[1:3], line[4]] for line in odd_tables.rows(odd_tables.drawn())]
    table = odd_tables.write(tmp_path / "scores.csv", ("output_id", "judge", "model", "score"), lines)
    report = analyse(table, Choices(scale=(0, 10)))
    row = report.table("comparisons").rows[0]
    second, first = row.names
    test = compare_levels(table, "target_model", first, second, Choices(scale=(0, 10))).scores[0].difference.test
    difference, p_value, _, pairs = row.cells
    assert (difference.value, difference.low, difference.high) == pytest.approx(
        (test.difference.value, test.difference.low, test.difference.high)
    )
    assert (p_value.value, pairs.value) == (pytest.approx(test.p_value), 0)
    assert "comparisons.means" in said(report, "leaderboard")
    assert "comparisons.read" not in said(report, "leaderboard")


def test_strengths_without_a_scale_say_that_it_is_the_scale(tmp_path):
    report = analyse(odd_tables.one_judge(tmp_path / "scores.csv"), Choices())
    assert said(report, "pairwise") == {"pairwise.no_fit": {"reason": "the scale is not known"}}


def test_a_judgement_that_lacks_a_dimension_has_no_overall_score_and_the_summary_says_how_many(made):
    told = said(made["incomplete_dimensions"], "summary")
    assert told["derived.without.present"] == {"count": 24}


def test_without_a_scale_a_score_that_is_not_zero_is_no_hard_break(tmp_path):
    report = analyse(odd_tables.dimensions_only(tmp_path / "scores.csv"), Choices())
    assert "hard_break" not in {column.id for table in report.tables() for column in table.columns}
