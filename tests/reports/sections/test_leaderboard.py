"""Ranks on the leaderboard agree with who is told apart, and are not given where models were not compared."""

import csv
import itertools

import numpy as np
import pytest

from venire.reports.report import Choices
from venire.workflows.analyse import analyse


def reported(folder, rows):
    """Return the report of a table of scores from 1 to 5."""
    path = folder / "scores.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        names = ("output_id", "question_id", "target_model", "judge", "score")
        csv.writer(file).writerows([names, *rows])
    return analyse(path, Choices(scale=(1.0, 5.0)))


def drawn(means, questions, seed):
    """Rows of models on the same questions by one judge, with noise."""
    generator = np.random.default_rng(seed)
    for question, (place, mean) in itertools.product(range(questions), enumerate(means)):
        score = float(np.clip(generator.normal(mean, 0.7), 1, 5))
        yield f"m{place}-{question}", f"q{question}", f"m{place}", "oak", f"{score:.3f}"


def ranks(report):
    return {row.names[0]: row.cells[1].text for row in report.table("leaderboard").rows}


@pytest.mark.parametrize("seed", [1, 13, 18, 23])
def test_ranks_follow_from_who_is_told_apart(tmp_path, seed):
    report = reported(tmp_path, drawn([2.6, 3.2, 3.8], 8, seed))
    better, worse = {}, {}
    for row in report.table("comparisons").rows:
        difference, _, p_value, _ = row.cells
        if p_value.value < 0.05:
            first, second = row.names if difference.value > 0 else row.names[::-1]
            better.setdefault(second, set()).add(first)
            worse.setdefault(first, set()).add(second)
    for model, found in ranks(report).items():
        best, worst = 1 + len(better.get(model, ())), 3 - len(worse.get(model, ()))
        assert found == (str(best) if best == worst else f"{best}–{worst}")


def test_models_that_share_no_judge_have_no_ranks(tmp_path):
    rows = [(f"{model}-{n}", f"q{n}", model, judge, 2 + n % 2) for n in range(6) for model, judge in ("ax", "by")]
    report = reported(tmp_path, rows)
    cell = report.table("leaderboard").rows[0].cells[1]
    assert cell.text == ""
    assert "not all compared by the same judges" in str(cell.reason)
    assert not [note for note in report.section("leaderboard").notes if note.key.startswith("ranks")]


def test_of_many_models_ranks_rest_on_all_differences_and_the_page_says_so(tmp_path):
    report = reported(tmp_path, drawn([1.5, *[2.5 + 0.05 * each for each in range(11)], 4.5], 20, seed=1))
    assert len(ranks(report)) == 13
    assert ranks(report)["m12"] == "1"
    assert ranks(report)["m0"] == "13"
    assert [note.key for note in report.section("leaderboard").notes if note.key.startswith("ranks")] == [
        "ranks.read_many"
    ]
