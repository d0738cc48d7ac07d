"""The section on questions: difficulty and discrimination where enough models or judges make them estimable."""

from __future__ import annotations

import pytest

from venire.reports.report import Choices
from venire.reports.sections.questions import difficulty
from venire.workflows.analyse import analyse

HARD = {"q0": 5, "q1": 4, "q2": 3, "q3": 3, "q4": 2, "q5": 1, "q6": 6, "q7": 0}
"""How many of six models fail each question: the weakest first, but for the last two."""


@pytest.fixture
def made(tmp_path):
    def make(models=6, judges=2, verdicts=False):
        lines = [f"output_id,judge,{'verdict' if verdicts else 'score'},target_model,question_id"]
        for question, failing in HARD.items():
            for model in range(models):
                for judge in range(judges):
                    fails = (judge if models == 1 else model) < failing
                    given = ("FAIL" if fails else "PASS") if verdicts else (2 if fails else 4)
                    lines.append(f"{question}-{model},j{judge},{given},m{model},{question}")
        path = tmp_path / "scores.csv"
        path.write_text("\n".join(lines))
        choices = Choices() if verdicts else Choices(scale=(1.0, 5.0))
        return analyse(path, choices).section("questions")

    return make


def test_the_hardest_questions_come_first_with_who_passed_them(made):
    section = made()
    table = section.table("questions")
    assert [row.names[0] for row in table.rows] == ["q6", "q0", "q1", "q2", "q3", "q4", "q5", "q7"]
    difficulty = {row.names[0]: row.cells[0] for row in table.rows}
    assert difficulty["q0"].value > difficulty["q2"].value > difficulty["q5"].value
    assert "everybody" in difficulty["q6"].reason
    assert "rough: 6 models" in difficulty["q0"].note
    assert [cell.value for cell in table.column("passed_share")][:2] == [0, pytest.approx(1 / 6)]
    assert [note.key for note in section.notes] == ["questions.read_target_model"]


def test_judges_stand_in_where_models_are_too_few_and_the_section_says_so(made):
    section = made(models=1, judges=6)
    assert [note.key for note in section.notes] == ["questions.read_rater"]
    assert section.table("questions").rows[1].names == ("q0",)


def test_with_too_few_of_both_nothing_is_known_with_the_reason(made):
    (note,) = made(models=3, judges=4).notes
    assert note.key == "questions.unknown"
    assert "only 4 models or judges; 5 are needed" in note.arguments["reason"]


def test_passes_and_fails_without_scores_are_taken_too(made):
    section = made(verdicts=True)
    assert [note.key for note in section.notes] == ["questions.read_verdicts"]
    assert section.table("questions").rows[1].cells[0].value == pytest.approx(
        made().table("questions").rows[1].cells[0].value
    )


def test_more_questions_than_are_listed_are_counted(made, monkeypatch):
    monkeypatch.setattr(difficulty, "LISTED", 3)
    section = made()
    assert len(section.table("questions").rows) == 3
    assert section.notes[1].arguments == {"count": 8, "shown": 3}
    monkeypatch.setattr(difficulty, "MOST_QUESTIONS", 7)
    assert [note.key for note in made().notes] == ["questions.too_many"]
