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
