"""What comparisons could have found, in the leaderboard and in plain words."""

from __future__ import annotations

import math

import pytest

from venire.reports.report import Choices
from venire.reports.sections.power import POWER
from venire.stats.uncertainty.power import paired_power
from venire.workflows.analyse import analyse


def write(path, differences):
    """Write a table in which two models differ by so much on each question, judged by one judge."""
    lines = ["unit,rater,score,target_model,question_id"]
    for number, difference in enumerate(differences):
        lines += [f"a{number},oak,{5 + difference},alder,q{number}", f"b{number},oak,5,birch,q{number}"]
    path.write_text("\n".join(lines))
    return analyse(path, Choices(scale=(0, 10)))


def power_rows(report):
    return next(table for table in report.tables() if table.id == "power").rows


def power_row(report):
    return power_rows(report)[0]


def summary(report):
    return {note.key: note.arguments for note in report.section("summary").notes}


def test_the_detectable_difference_is_found_in_four_of_five_comparisons(tmp_path):
    differences = [1, -1, 2, 0, -2, 1, 0, 1]
    report = write(tmp_path / "scores.csv", differences)
    detectable, seen, questions, needed = power_row(report).cells
    mean = sum(differences) / 8
    spread = math.sqrt(sum((each - mean) ** 2 for each in differences) / 7)
    assert paired_power(detectable.value, spread, 8) == pytest.approx(POWER)
    assert (seen.value, questions.value) == (pytest.approx(mean), 8)
    assert paired_power(mean, spread, needed.value) >= POWER > paired_power(mean, spread, needed.value - 1)


def test_the_summary_says_what_would_settle_an_open_difference(tmp_path):
    report = write(tmp_path / "scores.csv", [1, -1, 2, 0, -2, 1, 0, 1])
    found = summary(report)
    assert found["summary.detectable"]["questions"] == 8
    assert found["summary.needed"]["needed"] == power_row(report).cells[3].value > 8
    assert found["summary.needed"]["range"] == "at least 10; the difference may be 0, which no number settles"


def test_the_range_of_what_would_settle_has_two_ends_if_the_interval_leaves_out_zero(tmp_path):
    # Alder differs from birch by an interval without 0, but not after Holm's adjustment for three comparisons.
    lines = ["unit,rater,score,target_model,question_id"]
    for number, more in enumerate([1, -1, 2, 0, 1, 1, 0, 1, 2, 0, -0.5, 1]):
        scores = {"alder": 5 + more, "birch": 5, "cedar": 4 + 3 * (-1) ** number}
        lines += [f"{name}{number},oak,{score},{name},q{number}" for name, score in scores.items()]
    (tmp_path / "scores.csv").write_text("\n".join(lines))
    report = analyse(tmp_path / "scores.csv", Choices(scale=(0, 10)))
    needed = {row.names: row.cells[3] for row in power_rows(report)}["alder", "birch"]
    assert needed.low < needed.value < needed.high
    assert summary(report)["summary.needed"]["range"] == f"{needed.low:.0f} to {needed.high:.0f}"


def test_a_difference_that_is_settled_needs_no_further_questions(tmp_path):
    found = summary(write(tmp_path / "scores.csv", [3, 4, 3, 4, 3, 4]))
    assert "summary.detectable" in found
    assert "summary.needed" not in found


def test_without_spread_nothing_is_said_of_power(tmp_path):
    report = write(tmp_path / "scores.csv", [1, 1, 1])
    assert {cell.value for cell in power_row(report).cells[::3]} == {None}
    assert all(cell.reason for cell in power_row(report).cells[::3])
    assert "summary.detectable" not in summary(report)


def test_a_difference_of_nothing_needs_an_unknown_number_of_questions(tmp_path):
    report = write(tmp_path / "scores.csv", [1, -1, 1, -1])
    assert power_row(report).cells[3].reason == "the difference is 0, which no number of samples can detect"
    assert "summary.needed" not in summary(report)
