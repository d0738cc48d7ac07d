"""`venire rank` prints the order first, then what it rests on."""

import json

import pytest
from click.testing import CliRunner

from venire.cli.main import cli


@pytest.fixture
def pairs(tmp_path):
    lines = [f"q{n},alder,birch,{'first' if n % 10 < 9 else 'second'},oak" for n in range(60)]
    lines += [f"q{n},birch,alder,{'second' if n % 10 < 9 else 'tie'},oak" for n in range(60)]
    path = tmp_path / "pairs.csv"
    path.write_text("question,first,second,winner,judge\n" + "\n".join(lines) + "\nq0,alder,birch,?,oak\n", "utf-8")
    return path


def run(*arguments):
    return CliRunner().invoke(cli, ["rank", *map(str, arguments)], standalone_mode=False)


def test_the_answer_comes_first(pairs):
    result = run(pairs)
    assert result.return_value == 0, result.output
    lines = result.output.splitlines()
    assert lines[0] == "alder is first of 2 models in 120 comparisons, at 95% confidence."
    assert lines[2].split()[:3] == ["alder", "1", "1"]
    assert "Errors are clustered by 60 questions." in lines
    assert "Left out: 1 row without a winner or a tie: '?' ×1" in lines
    assert "share won by" in result.output


def test_all_numbers_are_written_where_asked(pairs, tmp_path):
    run(pairs, "--json", tmp_path / "ranking.json", "--elo")
    record = json.loads((tmp_path / "ranking.json").read_text("utf-8"))
    assert [each["model"] for each in record["models"]] == ["alder", "birch"]
    assert record["models"][0]["strength"]["low"] > 0
    assert record["elo"]["alder"] > record["elo"]["birch"]
    assert (record["undecided"], record["clusters"]) == (1, 60)


def test_it_speaks_chinese(pairs):
    output = run(pairs, "--lang", "zh").output
    assert output.startswith("在 2 个模型、120 次对比中，alder 排第一")
    assert "误差按 60 道题目聚类。" in output


def test_models_without_an_order_are_a_finding(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("first,second,winner\na,b,first\n", "utf-8")
    result = run(path)
    assert result.return_value == 1
    assert result.output.startswith("There is no order:")


def test_models_that_may_be_first_too_are_named(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("first,second,winner\n" + "a,b,first\n" * 6 + "a,b,second\n" * 5, "utf-8")
    assert run(path).output.startswith("a leads 2 models in 11 comparisons, but at 95% confidence b may be first too.")


def test_a_large_matrix_is_left_to_the_file(tmp_path):
    path = tmp_path / "pairs.csv"
    rows = [f"m{i},m{j},{w}" for i in range(13) for j in range(13) if i != j for w in ("first", "second")]
    path.write_text("first,second,winner\n" + "\n".join(rows), "utf-8")
    output = run(path).output
    assert "up to 12 models" in output
    assert "share won by" not in output


def test_without_questions_errors_are_clustered_by_pair_and_that_is_said(tmp_path):
    path = tmp_path / "pairs.csv"
    rows = [f"p{n},a,b,{'first' if n % 3 else 'second'}\np{n},b,a,{'second' if n % 3 else 'tie'}" for n in range(12)]
    path.write_text("pair_id,first,second,winner\n" + "\n".join(rows), "utf-8")
    output = " ".join(run(path).output.split())
    assert "The table names no questions: errors are clustered by 12 pairs" in output
    assert "clustered by 12 questions" not in output
