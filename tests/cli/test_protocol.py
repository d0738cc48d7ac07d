"""`venire protocol` with files of a user's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from venire.cli.protocol import protocol
from venire.errors import VenireError

MINE = "# mine\nextends: drift-sample\nid: mine\n"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(protocol, [str(argument) for argument in arguments], standalone_mode=False)


@pytest.mark.parametrize("name", ["mine.yaml", "mine.yml", "mine.txt"])
def test_a_file_is_checked_whatever_it_is_called(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(MINE)
    assert f"{path}: fine. mine, 4 dimensions" in run("check", path).stdout


def test_a_file_that_is_not_there_is_named_as_it_was_given(tmp_path: Path) -> None:
    result = run("check", tmp_path / "mine")
    assert isinstance(result.exception, VenireError)
    assert result.exception.where == str(tmp_path / "mine")


def test_a_file_to_be_printed_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    result = run("show", tmp_path / "mine.yaml", "--yaml")
    assert isinstance(result.exception, VenireError)
    assert result.exception.where == str(tmp_path / "mine.yaml")


def test_a_file_of_ones_own_is_printed_as_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(MINE)
    assert run("show", path, "--yaml").stdout == MINE


PLAIN = "score:\n  helpful: Does it help?\nscale: 1-5\n"


def test_a_rubric_is_printed_in_full_and_is_the_same_protocol(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(PLAIN)
    (tmp_path / "full.yaml").write_text(run("show", tmp_path / "mine.yaml", "--yaml").stdout)
    assert "required: every_dimension" in (tmp_path / "full.yaml").read_text()
    digests = [run("show", tmp_path / name).stdout.splitlines()[1] for name in ("mine.yaml", "full.yaml")]
    assert digests[0] == digests[1]


def test_what_a_rubric_leaves_open_is_told_and_is_not_wrong(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(PLAIN)
    result = run("check", tmp_path / "mine.yaml")
    assert result.return_value == 0
    assert f"open: {tmp_path}/mine.yaml:3: only general words say what 1 to 5 mean for helpful" in result.stdout
    assert "mine.yaml: fine. mine, 1 dimension, shape sample" in result.stdout


def test_everything_wrong_with_a_file_is_listed_at_once(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(
        "extends: drift-sample\nid: mine\nverdict: {fail_at_most: 9}\ngates: [{dimension: STYLE}]\n"
    )
    result = run("check", tmp_path / "mine.yaml")
    assert result.return_value == 1
    assert "mine.yaml:3: fail_at_most must be below pass_at_least" in result.stdout
    assert "mine.yaml:4: a gate names the unknown dimension 'STYLE'" in result.stdout
    assert result.stdout.endswith("2 problems\n")


def test_a_rubric_is_written_from_a_page_and_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("support.md").write_text("| dimension | question | 1 | 5 |\n|---|---|---|---|\n| a | Is it? | No. | Yes. |\n")
    assert "Wrote support.yaml: a, scored 1-5." in run("new", "--from", "support.md").stdout
    Path("page.md").write_text(run("show", "support.yaml", "--markdown").stdout)
    run("new", "again.yaml", "--from", "page.md")
    digests = {run("show", name).stdout.splitlines()[1] for name in ("support.yaml", "again.yaml")}
    assert len(digests) == 1
    assert isinstance(run("new", "support.yaml").exception, VenireError)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_starter_is_a_rubric_with_nothing_wrong(tmp_path: Path, language: str) -> None:
    run("new", tmp_path / "rubric.yaml", "--lang", language)
    assert run("check", tmp_path / "rubric.yaml").return_value == 0


def test_a_protocol_that_a_page_cannot_hold_says_what_is_missing() -> None:
    result = run("show", "quality", "--markdown")
    assert "Not on the page: scales, shape, overall, categories, salvage." in result.stderr
