"""Rubrics that were written for people: a Markdown page or a CSV table becomes a rubric in plain words.

One row is a dimension; one column is the question, and one column each is what a level means. The scale follows from
the heads of these columns: their numbers, or their names where words tell which end is the better one.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from venire.errors import InputError, ProtocolError, os_reason
from venire.protocols.plain import KEYS
from venire.protocols.plain_scale import is_upright, is_upside_down
from venire.yaml_source import LARGEST_BYTES, Place, YamlSource, read_yaml

ANY_DIMENSION = "*"
"""The name of the row that says what levels mean for every dimension that does not say it itself."""

SETTINGS = ("scale", "evidence", "verdict", "materials", "id", "version")
"""What a line such as `- scale: 1-5` of a Markdown page may set."""

_QUESTION_HEADS = frozenset({
    "question", "ask", "asks", "description", "definition", "meaning", "what to look at", "guideline", "explanation",
    "问题", "说明", "描述", "含义", "定义", "解释",
})  # fmt: skip
_WEIGHT_HEADS = frozenset({"weight", "weights", "权重", "占比"})
_SETTING = re.compile(rf"[-*+]\s+({'|'.join(SETTINGS)})\s*[:：]\s*(.+)")
_ITEM = re.compile(r"[-*+]\s+(?:\*\*|__|`)?([^:：*`]+?)(?:\*\*|__|`)?\s*(?:[:：]|\s[–—-]\s)(?:\*\*|__)?\s*(\S.*)")
_HEADING = re.compile(r"(#+)\s+(.*?)\s*#*")
_RULE = re.compile(r"\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?")
_NAME_AND_ID = re.compile(r"(.+?)\s*\(`([^`]+)`\)")


class _Row(NamedTuple):
    line: int
    cells: list[str]


def read_rubric(path: Path) -> YamlSource:
    """Return the rubric that a Markdown or CSV file holds, with its lines; raises all that is wrong with it."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_BYTES + 1)
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise ProtocolError("error.rubric.unreadable", where=str(path), reason=os_reason(error)) from None
    except UnicodeDecodeError:
        raise ProtocolError("error.rubric.encoding", where=str(path)) from None
    if len(data) > LARGEST_BYTES:
        raise ProtocolError("error.yaml.too_long", where=str(path), most=LARGEST_BYTES // 1024)
    kind = path.suffix.lower()
    if kind in (".md", ".markdown", ".txt"):
        reading = _Page(str(path), text)
    elif kind in (".csv", ".tsv"):
        reading = _PageOfTable(str(path), text, "\t" if kind == ".tsv" else "")
    else:
        raise ProtocolError("error.rubric.kind", where=str(path), found=kind)
    return reading.rubric()


class _Page:
    """A Markdown page: a table, or sections, or a list of dimensions; its other text is what judges are told."""

    def __init__(self, name: str, text: str) -> None:
        self._name = name
        self._problems: list[ProtocolError] = []
        self._value: dict[str, Any] = {}
        self._score: dict[str, Any] = {}
        self._lines: dict[Place, int] = {(): 1}
        self._read(text)

    def rubric(self) -> YamlSource:
        """Return what was read."""
        if not self._score and not self._problems:
            self._refuse(1, "error.rubric.nothing")
        if self._problems:
            raise ProtocolError.all_of(self._problems)
        said = {**self._value, "score": self._score}
        return YamlSource(self._name, {key: said[key] for key in KEYS if said.get(key) is not None}, self._lines)

    def _read(self, text: str) -> None:
        lines = text.splitlines()
        tables = list(_tables(lines))
        for table in tables[1:]:
            self._refuse(table[0].line, "error.rubric.second_table", first=tables[0][0].line)
        within = {row.line for table in tables for row in table} | {table[0].line + 1 for table in tables}
        rest = [(number, line) for number, line in enumerate(lines, 1) if number not in within]
        ask = self._read_text(rest, has_table=bool(tables))
        if told := "\n".join(ask).strip():
            self._value["ask"] = told
        if tables:
            self._read_table(tables[0])

    def _read_text(self, lines: Sequence[tuple[int, str]], *, has_table: bool) -> list[str]:
        """Read everything but tables; return what judges are told."""
        ask: list[str] = []
        section = ""
        for number, line in lines:
            heading, item = _HEADING.fullmatch(line.strip()), _ITEM.fullmatch(line.strip())
            if heading and len(heading[1]) == 1 and "title" not in self._value:
                self._value["title"] = heading[2]
            elif heading and not has_table:
                section = _bare(heading[2])
                self._add(number, section, {"ask": "", "levels": {}})
            elif setting := _SETTING.fullmatch(line.strip()):
                self._set(number, setting[1], setting[2])
            elif item and section:
                self._score[section]["levels"][_level_name(item[1])] = item[2].strip()
            elif item and not has_table:
                self._add(number, _bare(item[1]), item[2].strip())
            elif section:
                self._score[section]["ask"] = f"{self._score[section]['ask']}\n{line}".strip()
            else:
                ask.append(line.removeprefix("\\"))
        self._score = {key: _shortest(item) for key, item in self._score.items()}
        if section and "scale" not in self._value:
            self._value["scale"] = self._scale_of_levels()
        return ask

    def _scale_of_levels(self) -> str | None:
        """Return the range of the scores that sections word."""
        named = [level for item in self._score.values() if isinstance(item, dict) for level in item.get("levels", {})]
        scores = [int(level) for level in named if level.isdecimal()]
        return f"{min(scores)}-{max(scores)}" if scores and len(scores) == len(named) else None

    def _set(self, line: int, key: str, given: str) -> None:
        try:
            self._value[key] = read_yaml(given, self._name).value
        except InputError as error:
            self._refuse(line, "error.rubric.setting", key=key, reason=error.message)
        self._lines[key,] = line

    def _add(self, line: int, name: str, item: Any) -> None:
        named = _NAME_AND_ID.fullmatch(name)
        key = named[2] if named else _bare(name)
        if named:
            item = {"name": _bare(named[1]), **(item if isinstance(item, dict) else {"ask": item})}
        if key in self._score:
            self._refuse(line, "error.rubric.twice", name=key, first=self._lines["score", key])
        self._score[key] = item
        self._lines["score", key] = line

    # ---- tables

    def _read_table(self, table: Sequence[_Row]) -> None:
        head, rows = table[0], [row for row in table[1:] if any(row.cells)]
        question, levels = self._columns(head)
        if self._problems:
            return
        names = self._level_names(head, levels)
        for row in rows:
            if len(row.cells) > len(head.cells):
                self._refuse(row.line, "error.rubric.cells", found=len(row.cells), expected=len(head.cells))
                continue
            cells = [*row.cells, *[""] * (len(head.cells) - len(row.cells))]
            said = {names[column]: cells[column] for column in levels if cells[column]}
            if _bare(cells[0]) == ANY_DIMENSION:
                self._word_scale(row.line, names, said)
            elif not _bare(cells[0]):
                self._refuse(row.line, "error.rubric.unnamed")
            else:
                name, ask = (cells[0], cells[question]) if question is not None else _name_and_question(cells[0])
                self._add(row.line, name, _shortest({"ask": ask, "levels": said}))

    def _columns(self, head: _Row) -> tuple[int | None, list[int]]:
        """Return the column of the question, if there is one, and those of the levels."""
        others = []
        for column, text in enumerate(head.cells[1:], 1):
            if _bare(text).casefold() in _WEIGHT_HEADS:
                self._refuse(head.line, "error.rubric.weight", head=text)
                continue
            others.append(column)
            if len(re.findall(r"\d+", text)) > 1:
                self._refuse(head.line, "error.rubric.band", head=text)
        asked = [column for column in others if _bare(head.cells[column]).casefold() in _QUESTION_HEADS]
        levels = [column for column in others if column not in asked]
        numbered = [column for column in levels if re.search(r"\d", head.cells[column])]
        if not asked and (len(levels) == 1 or len(levels) - len(numbered) == 1):  # A column beside numbers is no level.
            asked, levels = [column for column in levels if column not in numbered][:1], numbered
        if len(asked) > 1 or (numbered and len(numbered) < len(levels)) or len(levels) == 1:
            strange = tuple(head.cells[column] for column in levels if column not in numbered) or tuple(head.cells)
            self._refuse(head.line, "error.rubric.columns", found=strange)
        return (asked[0] if asked else None), levels

    def _level_names(self, head: _Row, levels: Sequence[int]) -> dict[int, str]:
        """Return what a level is called in a rubric, by column, and set the scale."""
        self._lines["scale",] = head.line
        heads = {column: _bare(head.cells[column]) for column in levels}
        scores = {column: match[0] for column, text in heads.items() if (match := re.search(r"\d+", text))}
        if scores:
            words = {score: _beside(heads[column]) for column, score in scores.items()}
            ends = f"{min(map(int, words))}-{max(map(int, words))}"
            self._value.setdefault("scale", words if any(words.values()) else ends)
            return scores
        names = list(heads.values())
        if names and not (is_upright(names) or is_upside_down(names)):
            self._refuse(head.line, "error.rubric.direction", first=names[0], last=names[-1])
        elif names:
            self._value.setdefault("scale", names[::-1] if is_upside_down(names) else names)
        return heads

    def _word_scale(self, line: int, names: dict[int, str], said: dict[str, str]) -> None:
        scale = self._value.get("scale")
        known = scale if isinstance(scale, list) else sorted(names.values(), key=lambda name: (len(name), name))
        self._value["scale"] = {name: said.get(name, "") for name in known}
        self._lines["scale",] = line

    def _refuse(self, line: int, code: str, **values: Any) -> None:
        self._problems.append(ProtocolError(code, where=f"{self._name}:{line}", **values))


class _PageOfTable(_Page):
    """A table alone, as spreadsheets write it."""

    def __init__(self, name: str, text: str, delimiter: str) -> None:
        self._delimiter = delimiter
        super().__init__(name, text)

    def _read(self, text: str) -> None:
        first = text.partition("\n")[0]
        delimiter = self._delimiter or (";" if ";" in first and "," not in first else ",")
        reader = csv.reader(text.splitlines(keepends=True), delimiter=delimiter, strict=True)
        try:
            rows = [_Row(reader.line_num, [cell.strip() for cell in row]) for row in reader if any(row)]
        except csv.Error as error:
            self._refuse(reader.line_num, "error.rubric.csv", reason=str(error))
            return
        if rows:
            self._read_table(rows)


def _tables(lines: Sequence[str]) -> Iterator[list[_Row]]:
    """Yield the tables of a page without their rules, each row with its line."""
    number = 0
    while number + 1 < len(lines):
        if "|" in lines[number] and "-" in lines[number + 1] and _RULE.fullmatch(lines[number + 1].strip()):
            table = [_Row(number + 1, _cells(lines[number]))]
            number += 2
            while number < len(lines) and "|" in lines[number]:
                table.append(_Row(number + 1, _cells(lines[number])))
                number += 1
            yield table
        number += 1


def _cells(line: str) -> list[str]:
    """Return the cells of a row; an escaped bar is one in a cell, and `<br>` a new line."""
    cells, cell, is_escaped = [], "", False
    for letter in line.strip().removeprefix("|"):
        if letter == "|" and not is_escaped:
            cells.append(cell)
            cell = ""
        else:
            cell += letter
        is_escaped = letter == "\\" and not is_escaped
    return [_unescaped(each.strip()) for each in (cells if not cell.strip() else [*cells, cell])]


def _unescaped(cell: str) -> str:
    return re.sub(r"\\([\\|<])|<br\s*/?>", lambda found: found[1] or "\n", cell)


def _bare(text: str) -> str:
    """Return a name without the marks that make it bold or code."""
    return text.strip().strip("*_`").strip() or (ANY_DIMENSION if text.strip() == ANY_DIMENSION else "")


def _level_name(text: str) -> str:
    """Return the score that a level is named by, or else its name."""
    score = re.search(r"\d+", text)
    return score[0] if score else _bare(text)


def _beside(head: str) -> str:
    """Return the words that stand beside the number in the head of a column."""
    words = re.sub(r"\d+\s*(?:points?|pts?|分)?", "", head)
    words = re.sub(r"\b(?:score|level|points?|分数|档)\b", "", words, flags=re.IGNORECASE)
    return words.strip(" \t()（）[]:：=–—-")


def _name_and_question(cell: str) -> tuple[str, str]:
    """Part what stands in one cell, as in `Helpful: does it answer?`."""
    name, _, ask = cell.replace("：", ":", 1).partition(":")
    return (name, ask.strip()) if _bare(name) and ask.strip() else (cell, "")


def _shortest(item: Any) -> Any:
    """Return a dimension as its question alone where it says nothing else."""
    if not isinstance(item, dict):
        return item
    said = {key: value for key, value in item.items() if value}
    return said["ask"] if set(said) == {"ask"} else said
