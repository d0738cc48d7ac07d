"""The report warns of judges that a panel should not rely on."""

from __future__ import annotations

import html
import json

import pytest

from experiment import make_judge
from kept_reports import keep_sections
from report_ledger import design, rating, scoring, ten_categories, write_ledger
from venire.judges.provider import Reply
from venire.reports.page.html_page import html_page
from venire.reports.report import Choices
from venire.reports.words import ReportWords
from venire.workflows.analyse import analyse


def warnings(report):
    return {(note.key, note.arguments["judge"]) for note in report.section("judges").notes if "judge" in note.arguments}


def test_a_judge_that_gives_one_score_to_everything_is_named(tmp_path):
    answers = {"oak": scoring(), "elm": scoring(), "fir": scoring(severity=-8)}
    report = analyse(write_ledger(tmp_path / "l.sqlite", design(), answers), Choices())
    assert ("judges.constant", "fir") in warnings(report)
    assert ("judges.lenient", "fir") in warnings(report)
    assert not {judge for _, judge in warnings(report)} & {"oak", "elm"}


def test_a_judge_far_more_severe_than_the_rest_is_named(tmp_path):
    answers = {"oak": scoring(), "elm": scoring(), "fir": scoring(severity=4)}
    report = analyse(write_ledger(tmp_path / "l.sqlite", design(), answers), Choices())
    assert ("judges.severe", "fir") in warnings(report)
    assert {judge for _, judge in warnings(report)} == {"fir"}


def test_an_even_panel_is_not_warned_of(tmp_path):
    report = analyse(write_ledger(tmp_path / "l.sqlite", design(), {"oak": scoring(), "elm": scoring(1)}), Choices())
    assert warnings(report) == set()


def test_a_judge_that_contradicts_itself_is_named(tmp_path):
    asked = []

    def fickle(request):
        asked.append(request.user)
        return scoring(severity=len(asked) * 7 % 5)(request)

    path = write_ledger(tmp_path / "l.sqlite", design(), {"oak": scoring(), "elm": fickle}, reask_share=1.0)
    assert ("retests.low", "elm") in warnings(analyse(path, Choices()))


def categories_ledger(tmp_path, **of_worth):
    answers = {name: rating(function) for name, function in of_worth.items()}
    return write_ledger(tmp_path / "l.sqlite", ten_categories(), answers, protocol="quality")


def just(worth):
    return worth


def test_a_severe_judge_is_named_over_categories_that_share_no_criterion(tmp_path):
    path = categories_ledger(tmp_path, oak=just, elm=just, fir=lambda worth: 1 + (worth - 1) / 4)
    report = analyse(path, Choices())
    assert warnings(report) == {("judges.severe", "fir")}
    cells = {cell.id: cell for cell in report.cells()}
    assert cells["severity.fir.leniency"].value == pytest.approx(-2.5, abs=0.5)
    assert cells["severity.fir.scatter"].value is not None
    assert cells["leave_one_out.fir.weight_learnt"].value < 0.3


def test_a_judge_that_scores_against_the_rest_is_named_and_the_others_are_not(tmp_path):
    path = categories_ledger(tmp_path, oak=just, elm=lambda worth: worth - worth % 1, fir=lambda worth: 6 - worth)
    assert warnings(analyse(path, Choices())) == {("judges.against", "fir")}


def test_a_judge_whose_scores_go_with_nobody_elses_is_named(tmp_path):
    path = categories_ledger(tmp_path, oak=just, elm=just, fir=lambda worth: 2 + worth * 8 % 3)
    assert warnings(analyse(path, Choices())) == {("judges.apart", "fir")}


def test_two_judges_that_do_not_go_together_are_named_once(tmp_path):
    report = analyse(categories_ledger(tmp_path, oak=just, elm=lambda worth: 6 - worth), Choices())
    assert warnings(report) == {("judges.two_apart", "oak")}


def test_a_judge_that_gives_overall_scores_alone_is_compared_on_these(tmp_path):
    def overall_alone(request):
        whole = json.loads(rating(lambda worth: 1 + (worth - 1) / 2)(request).text)
        text = json.dumps({"overall_score": whole["overall_score"], "reasoning": "So."})
        return Reply(text, text.encode(), 200, finish_reason="stop", model=request.model)

    judges = [make_judge("oak", weight=0.5, scale="1-5"), make_judge("elm", weight=0.5, scale="0-10")]
    answers = {"oak": rating(), "elm": overall_alone}
    path = write_ledger(tmp_path / "l.sqlite", ten_categories(), answers, judges, protocol="quality")
    cells = {cell.id: cell for cell in analyse(path, Choices()).cells()}
    assert cells["severity.elm.leniency"].value == pytest.approx(-cells["severity.oak.leniency"].value)
    assert cells["severity.elm.scatter"].value > 0


def test_too_few_tasks_asked_twice_are_said_instead_of_passed_over(tmp_path):
    answers = {"oak": scoring(), "elm": scoring(1)}
    few = analyse(write_ledger(tmp_path / "f.sqlite", design(questions=1), answers, reask_share=1.0), Choices())
    assert warnings(few) == {("retests.few", "oak"), ("retests.few", "elm")}
    said = [ReportWords("en").sentence(note) for note in few.section("judges").notes if note.key == "retests.few"]
    assert said[0] == "oak: too few outputs were asked about twice to know its consistency (8; 10 are needed)."
    enough = analyse(write_ledger(tmp_path / "e.sqlite", design(questions=2), answers, reask_share=1.0), Choices())
    assert warnings(enough) == set()


def test_a_judge_whose_overall_does_not_follow_from_its_criteria_is_counted_and_named(tmp_path):
    answers = {"oak": rating(overstated=0.05), "elm": rating(lambda worth: worth / 2, overstated=1.0)}
    report = analyse(write_ledger(tmp_path / "l.sqlite", ten_categories(), answers, protocol="quality"), Choices())
    (note,) = [note for note in report.section("judges").notes if note.key == "judges.misstated"]
    assert note.warning
    assert note.arguments == {"judge": "elm", "count": 40, "compared": 40, "points": 1.0}
    cells = {cell.id: cell for cell in report.cells()}
    assert cells["judges.oak.misstated"].value == 0
    misstated = cells["judges.elm.misstated"]
    assert misstated.value == 40 == sum(misstated.rows.holds(line) for line in report.lines)
    for language in ("en", "zh"):
        assert ReportWords(language).sentence(note) in html.unescape(html_page(report, language))


def test_protocols_that_reject_a_wrong_overall_have_no_column_for_it(tmp_path):
    report = analyse(write_ledger(tmp_path / "l.sqlite", design()), Choices())
    assert "judges.oak.misstated" not in {cell.id for cell in report.cells()}


def test_what_is_said_of_an_uneven_panel_stays(tmp_path, tmp_path_factory):
    answers = {"oak": scoring(), "elm": scoring(1), "fir": scoring(severity=-8), "ash": scoring(severity=4)}
    path = write_ledger(tmp_path / "l.sqlite", design(), answers, reask_share=0.5)
    keep_sections("uneven_panel", {"judges": analyse(path, Choices()).section("judges")})
    contrary = categories_ledger(tmp_path_factory.mktemp("contrary"), oak=just, elm=lambda worth: 6 - worth)
    keep_sections("contrary_judges", {"judges": analyse(contrary, Choices()).section("judges")})
