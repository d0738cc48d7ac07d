"""Reports of the quality protocol: judges on different scales, categories, and scores that were recovered."""

from __future__ import annotations

import json

import pytest

from experiment import make_judge
from report_ledger import write_ledger
from valid_replies import quality_reply
from venire.domain.sample import Sample
from venire.judges.provider import Reply
from venire.reports.page.html_page import html_page
from venire.reports.report import Choices
from venire.reports.words import ReportWords
from venire.workflows.analyse import analyse
from venire.workflows.gate import hold_against_rules
from venire.workflows.gates.rules import load_rules


def scores(top, *, fenced_at="nothing"):
    """Return a judge that gives all criteria one score, in a fence where the text says so."""

    def answer(request):
        text = json.dumps(quality_reply(top, top, top))
        if fenced_at in request.user:
            text = f"My verdict:\n```json\n{text}\n```"
        return Reply(text, text.encode(), 200, finish_reason="stop", model=request.model)

    return answer


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    samples = [
        Sample(
            f"s{n}",
            f"Output {n} of colour {'red' if n % 2 else 'blue'}.",
            f"q{n}",
            "",
            f"m{n % 2}",
            factors={"category": "qa_simple"},
        )
        for n in range(8)
    ]
    judges = [make_judge("oak", weight=0.5, scale="1-5"), make_judge("elm", weight=0.5, scale="0-10")]
    answers = {"oak": scores(5, fenced_at="colour red"), "elm": scores(5)}
    file = tmp_path_factory.mktemp("quality") / "ledger.sqlite"
    return write_ledger(file, samples, answers, judges, protocol="quality")


def values(report):
    return {cell.id: cell.value for cell in report.cells()}


def test_judges_on_different_scales_are_brought_to_one(path):
    report = analyse(path, Choices())
    found = values(report)
    assert "scales.mixed" in [note.key for note in report.section("leaderboard").notes]
    # 5 of 1–5 is 10, 5 of 0–10 is 5
    assert found["leaderboard.m0.score"] == pytest.approx(7.5)
    assert found["leaderboard.m0.mean"] == pytest.approx(7.5)
    assert found["severity.oak.leniency"] == pytest.approx(2.5)


def test_scores_are_shown_with_and_without_recovered_judgements(path):
    left_out, counted = analyse(path, Choices()), analyse(path, Choices(count_recovered=True))
    assert values(left_out)["leaderboard.m1.score"] == pytest.approx(5)
    assert values(left_out)["leaderboard_counted.m1.score"] == pytest.approx(7.5)
    assert values(counted)["leaderboard.m1.score"] == pytest.approx(7.5)
    assert values(counted)["leaderboard_left_out.m1.score"] == pytest.approx(5)
    for report in (left_out, counted):
        for table in report.tables():
            if table.id.startswith("leaderboard_"):
                for cell in table.column("judgements"):
                    assert cell.value == sum(cell.rows.holds(line) for line in report.lines)


def test_counting_recovered_judgements_is_said_on_the_page(path):
    for language in ("en", "zh"):
        report = analyse(path, Choices(count_recovered=True))
        words = ReportWords(language, report.names)
        assert words("summary.recovered_included").split("'")[0] in html_page(report, language)
        assert words.table("leaderboard_left_out") in html_page(report, language)


def test_criteria_are_named_in_the_language_of_the_page(path):
    report = analyse(path, Choices())
    assert "准确性" in html_page(report, "zh")


def test_a_gate_counts_recovered_replies_as_lost_unless_they_count(path, tmp_path):
    rules = tmp_path / "gate.yaml"
    rules.write_text("rules: [{check: invalid_share, at_most: 0.1}]", encoding="utf-8")
    shares = [
        hold_against_rules(load_rules(rules), path, choices=Choices(count_recovered=counts)).results[0].found.value
        for counts in (False, True)
    ]
    assert shares == [0.25, 0]  # one judge of two, on every second output
