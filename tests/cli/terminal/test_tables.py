"""Tables of numbers by judge, at the width of a terminal."""

from __future__ import annotations

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from venire.cli.terminal.tables import column_table
from venire.reports.words import ReportWords

JUDGED = ("judged", "valid", "invalid", "failed", "primary", "retests", "self", "calls", "cost")
PLANNED = ("weight", "tasks", "done", "open", "retests", "self", "leaks", "tokens_in", "tokens_out", "cost")


def lines_of(columns: dict[str, list[str | int]], language: str) -> list[str]:
    text = io.StringIO()
    table = column_table("title", ["a_judge_of_names", "elm"], columns, ReportWords(language))
    Console(file=text, width=80).print(table)
    return [line.rstrip() for line in text.getvalue().splitlines()]


@pytest.mark.parametrize("columns", [JUDGED, PLANNED])
def test_chinese_headings_are_whole_at_eighty_columns(columns: tuple[str, ...]) -> None:
    shown = lines_of({name: [100, 0] for name in columns}, "zh")
    assert len(shown) == 4
    assert all(ReportWords("zh")(f"run.{name}") in shown[1] for name in columns)


def test_numbers_end_where_their_chinese_headings_end() -> None:
    _, heading, row, _ = lines_of({"judged": [100, 7], "retests": [15, 3]}, "zh")
    ends = [cell_len(heading[: heading.index(name) + len(name)]) for name in ("已评", "重测")]
    assert ends == [row.index("100") + 3, row.index("15") + 2]


def test_columns_in_which_all_is_zero_are_left_out() -> None:
    shown = lines_of({"judged": [100, 7], "failed": [0, 0], "reasks": ["≤0", "≤0"]}, "zh")
    assert shown[1].split() == ["评审", "已评"]
