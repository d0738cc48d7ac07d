"""Few questions: Bayesian intervals where they are asked for, and ranges of ranks, from the command to the page."""

from __future__ import annotations

import csv
import json

import pytest

from venire.cli.main import main


def run(*arguments):
    """Run a command and return its exit code."""
    with pytest.raises(SystemExit) as ended:
        main(list(map(str, arguments)))
    return ended.value.code


MODELS = ("alder", "birch", "cedar")


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    """Three models on twelve questions; alder has the highest score throughout."""
    path = tmp_path_factory.mktemp("few") / "scores.csv"
    rows = [
        (f"{model}-{number}", judge, 5 if model == "alder" else 2 + (number // step + place) % 3, model, f"q{number}")
        for number in range(12)
        for step, model in enumerate(MODELS, 1)
        for place, judge in enumerate(("oak", "elm"))
    ]
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("output_id", "judge", "score", "target_model", "question_id"), *rows])
    return path


def cells(path, *options):
    """Return all cells of a report by id, and the report."""
    written = path.with_suffix(".json")
    assert run("report", path, "--scale", 1, 5, "--json", written, *options) == 0
    report = json.loads(written.read_bytes())
    tables = [table for section in report["sections"] for table in section["tables"]]
    return {cell["id"]: cell for table in tables for row in table["rows"] for cell in row["cells"]}, report


def test_a_report_has_bayesian_intervals_only_where_it_is_asked_to(scores):
    usual, _ = cells(scores)
    asked, report = cells(scores, "--bayesian")
    assert report["choices"]["bayesian"] is True
    for name in ("leaderboard.birch.score", "leaderboard.birch.mean", "comparisons.alder.birch.difference"):
        assert "Bayesian" in asked[name]["method"]
        assert "Bayesian" not in usual[name]["method"]
        assert asked[name]["value"] == usual[name]["value"]
        assert asked[name]["low"] < asked[name]["value"] < asked[name]["high"]
    assert asked["comparisons.alder.birch.p"] == usual["comparisons.alder.birch.p"]


def test_a_model_whose_scores_do_not_vary_has_an_interval_then(scores):
    usual, _ = cells(scores)
    asked, _ = cells(scores, "--bayesian")
    assert usual["leaderboard.alder.score"]["low"] is None
    assert asked["leaderboard.alder.score"]["high"] == 10
    assert 6 < asked["leaderboard.alder.score"]["low"] < 10


@pytest.mark.parametrize(
    ("language", "said"), [("en", "have Bayesian intervals where they rest"), ("zh", "给出贝叶斯可信区间")]
)
def test_the_page_says_that_intervals_are_bayesian(scores, tmp_path, language, said):
    page = tmp_path / "report.html"
    assert run("report", scores, "--scale", 1, 5, "--bayesian", "--html", page, "--lang", language) == 0
    assert said in page.read_text(encoding="utf-8")


def test_a_comparison_says_so_too_and_refuses_where_it_has_no_meaning(scores, tmp_path, capsys):
    written = tmp_path / "compared.json"
    compare = ("compare", scores, "--scale", 1, 5, "--bayesian")
    assert run(*compare, "--models", "alder", "birch", "--json", written) == 0
    assert "The interval of the difference is Bayesian" in capsys.readouterr().out
    difference = json.loads(written.read_bytes())["scores"][0]["difference"]["test"]["difference"]
    assert difference["method"].startswith("Bayesian")
    assert run(*compare, "--pairwise") == 2
    assert "--bayesian" in capsys.readouterr().err


def test_passes_and_fails_without_scores_have_jeffreys_intervals(tmp_path):
    path = tmp_path / "verdicts.csv"
    rows = [(f"a-{number}", "oak", "PASS" if number else "FAIL", "alder", f"q{number}") for number in range(9)]
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("output_id", "judge", "verdict", "target_model", "question_id"), *rows])
    written = path.with_suffix(".json")
    assert run("report", path, "--bayesian", "--json", written) == 0
    tables = [table for section in json.loads(written.read_bytes())["sections"] for table in section["tables"]]
    shares = next(table for table in tables if table["id"] == "verdict_shares_target_model")
    passed = next(cell for cell in shares["rows"][0]["cells"] if cell["id"].endswith(".PASS"))
    assert passed["value"] == pytest.approx(8 / 9)
    assert "Jeffreys" in passed["method"]


def test_ranges_of_ranks_stand_in_the_leaderboard(scores):
    found, _ = cells(scores)
    assert found["leaderboard.alder.ranks"]["text"] == "1"
    assert {found[f"leaderboard.{model}.ranks"]["text"] for model in MODELS[1:]} <= {"2", "3", "2–3"}
    assert "question" in found["leaderboard.alder.ranks"]["method"]
