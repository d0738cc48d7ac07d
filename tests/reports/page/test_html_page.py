"""Pages of many models, judges and slices: everything is there, and the first screen stays one screen."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from venire.reports.page.first_screen import SHOWN_MODELS, breaks, chart_note, ranked_chart
from venire.reports.page.html_page import html_page
from venire.reports.report import Choices, Report
from venire.reports.words import ReportWords
from venire.workflows.analyse import analyse

WORDS = ReportWords("en")


def report_of(path: Path, models: int, judges: int, slices: int, questions: int) -> Report:
    """Make the report of a table in which later models are better, each question within one slice."""
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["output_id", "question", "target_model", "topic", "judge", "score"])
        for model in range(models):
            for question in range(questions):
                for judge in range(judges):
                    worth = 1 + 4 * model / max(1, models - 1) * 0.8 + (question * 7 + judge * 3 + model) % 5 / 10
                    place = (f"m{model}-q{question}", f"q{question}", f"model-{model}", f"t{question % slices}")
                    rows.writerow([*place, f"judge-{judge}", f"{worth:.2f}"])
    return analyse(path, Choices(scale=(1, 5), factors=("topic",)))


def test_of_sixty_models_the_first_are_on_the_first_screen_and_only_differences_are_marked(tmp_path):
    report = report_of(tmp_path / "models.csv", models=60, judges=2, slices=2, questions=6)
    drawn = ranked_chart(report, WORDS)
    assert drawn.count('class="dot"') == SHOWN_MODELS
    assert set(re.findall(r'class="told (\w+)"', drawn)) <= {"differs"}
    assert chart_note(report, WORDS).startswith("The first 12 of 60 models;")
    page = html_page(report, "en")
    assert page.count('aria-label="model-59: ') == 2  # on the first screen and in the section on models
    assert page.count('aria-label="model-0: ') == 1


def test_few_models_need_no_note(tmp_path):
    report = report_of(tmp_path / "one.csv", models=1, judges=1, slices=2, questions=4)
    assert chart_note(report, WORDS) == ""
    shown = html_page(report, "en").partition('<section id="leaderboard"')[2].partition("</section>")[0]
    assert "z-score says" not in shown.partition('<details class="read">')[0]
    assert ranked_chart(report, WORDS).count('class="dot"') == 1


def test_forty_judges_stand_in_one_matrix(tmp_path):
    report = report_of(tmp_path / "judges.csv", models=3, judges=40, slices=2, questions=5)
    matrix = report.table("pairs")
    assert matrix is not None
    assert len(matrix.rows) == len(matrix.columns) == 40
    assert 'class="heat standing bare"' in html_page(report, "zh")


def test_the_worst_of_two_hundred_slices_are_named(tmp_path):
    report = report_of(tmp_path / "slices.csv", models=2, judges=2, slices=200, questions=600)
    assert len(breaks(report, WORDS)) == 4
    assert all(each.name.startswith("model-0 · t") for each in breaks(report, WORDS))
