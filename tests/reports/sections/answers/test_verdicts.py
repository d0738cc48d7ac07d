"""The first screen of verdicts alone: who gets the good verdict most often, and how far to trust that."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from venire.reports.page.html_page import html_page
from venire.reports.report import Choices
from venire.reports.words import ReportWords
from venire.workflows.analyse import analyse

COLUMNS = {"unit": "item", "question_id": "question", "target_model": "model", "rater": "judge"}


def write_verdicts(path: Path, given: dict[str, str], *, judges: int = 2, questions: int = 24) -> Path:
    """Write a row for each question, model and judge; a model's letters are its verdicts in turn."""
    names = {"+": "good", "-": "bad", "?": "odd"}
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["item", "question", "model", "judge", "verdict"])
        for question in range(questions):
            for model, letters in given.items():
                for judge in range(judges):
                    verdict = names[letters[(question + (judge if "?" in letters else 0)) % len(letters)]]
                    writer.writerow([f"{model}-{question}", f"q{question}", model, f"j{judge}", verdict])
    return path


def first_screen(path: Path, **choices: object) -> tuple[str, str, object]:
    report = analyse(path, Choices(columns=COLUMNS, **choices))
    section = report.section("overview")
    return section.notes[0].key, ReportWords("en", report.names).sentence(section.notes[0]), report


def test_the_model_that_gets_the_good_verdict_most_often_leads(tmp_path):
    key, said, report = first_screen(write_verdicts(tmp_path / "t.csv", {"low": "--+-", "high": "+++-"}))
    assert key == "overview.verdict.leads"
    assert said == "high gets “good” most often, in 75 % of its verdicts; low 25 %."
    compared = report.table("verdict_comparisons").rows[0]
    assert compared.names == ("low", "high")
    assert compared.cells[0].value == pytest.approx(-0.5)


def test_models_that_are_about_as_good_have_no_leader(tmp_path):
    key, said, _ = first_screen(write_verdicts(tmp_path / "t.csv", {"one": "+-+-", "two": "-++-", "six": "--++"}))
    assert key == "overview.verdict.all_tied"
    assert said.startswith("No leader: ")


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ({"one": "+-"}, "overview.verdict.alone"),
        ({"": "+-"}, "overview.verdict.unnamed"),
        ({"one": "+", "two": "+"}, "overview.verdict.equal"),
    ],
)
def test_what_cannot_be_compared_is_not_called_a_lead(tmp_path, given, key):
    assert first_screen(write_verdicts(tmp_path / "t.csv", given))[0] == key


def test_a_verdict_that_is_known_to_be_good_goes_before_a_more_frequent_one(tmp_path):
    _, said, _ = first_screen(write_verdicts(tmp_path / "t.csv", {"one": "---+"}))
    assert said == "one gets “good” in 25 % of its verdicts."


def test_among_unknown_verdicts_the_most_frequent_one_is_named(tmp_path):
    path = tmp_path / "t.csv"
    rows = "".join(f"i{n},q{n},m,j{judge},{'A' if n % 3 else 'B'}\n" for n in range(12) for judge in range(2))
    path.write_text("item,question,model,judge,verdict\n" + rows)
    assert "“A”" in first_screen(path)[1]


def test_the_page_begins_with_the_answer_a_chart_and_the_lights(tmp_path):
    _, said, report = first_screen(write_verdicts(tmp_path / "t.csv", {"low": "--+-", "high": "+?+-"}))
    page = html_page(report, "en")
    assert f"<h1>{said}</h1>" in page
    first = page[page.index("<h1>") : page.index('id="summary"')]
    assert first.index(">high<") < first.index(">low<")
    assert "100 %</text>" in first
    lights = {row.names[0]: row.cells[0].word for row in report.table("trust").rows}
    assert lights["agree"] != "state.unknown"
    assert 'href="#verdicts"' in first


def test_outputs_that_got_different_verdicts_are_listed_with_each(tmp_path):
    report = first_screen(write_verdicts(tmp_path / "t.csv", {"one": "+?"}))[2]
    disputed = report.table("disputed_verdicts")
    assert len(disputed.rows) == 5
    assert [cell.value for cell in disputed.rows[0].cells] == [1, 1]
    same = first_screen(write_verdicts(tmp_path / "u.csv", {"one": "+"}))[2]
    assert same.table("disputed_verdicts") is None
    assert "No output got different verdicts." in html_page(same, "en")


def test_verdicts_that_were_asked_for_again_are_not_said_to_be_asked_once(tmp_path):
    path = tmp_path / "t.csv"
    rows = "".join(f"i{n},q{n},m,j,{repeat},good\n" for n in range(3) for repeat in range(2))
    path.write_text("item,question,model,judge,repeat,verdict\n" + rows)
    report = first_screen(path)[2]
    says = {row.names[0]: row.cells[1].text for row in report.table("trust").rows}
    assert says["repeats"] == "Judges were asked again; how far they repeat their verdicts was not measured"
