"""The report: sections of tables whose every number says how it was made and which rows are behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from venire.reports.judgement_line import JudgementLine
from venire.stats.ratings.rollup import RollupPlan
from venire.votes.decay.terms import Decay

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Unit = Literal[
    "score", "share", "count", "coefficient", "difference", "share_difference", "p", "seconds", "money", "word"
]
"""What a number is, which decides how it is written."""


class Rows(msgspec.Struct, frozen=True, kw_only=True):
    """The rows behind a number: a filter that can be evaluated again over the same ledger or table."""

    among: Literal["counted", "recorded", "attempts", "replies", "votes"] = "counted"
    """Judgements that count, all judgements that were recorded, requests to judges, judges' replies, or votes."""
    where: dict[str, tuple[str, ...]] = {}
    """For each named column the values that are meant; all conditions must hold."""
    dimension: str = ""
    """The dimension whose scores are meant; empty for overall scores."""
    sequences: tuple[int, ...] | None = None
    """The numbers of the ledger's entries, where a filter cannot say it; None if it can."""

    def holds(self, line: JudgementLine) -> bool:
        """Tell whether a judgement is among these rows."""
        if self.among == "counted" and not line.counted:
            return False
        if self.sequences is not None and line.sequence not in self.sequences:
            return False
        return all(line.value_of(name) in values for name, values in self.where.items())


class ReportCell(msgspec.Struct, frozen=True, kw_only=True):
    """One number of the report, or the reason why it is not known."""

    id: str
    """The stable name of the cell, such as `leaderboard.alder-1.score`."""
    unit: Unit
    """What the number is."""
    value: float | None = None
    """The number; None means "not known" unless the cell holds words."""
    word: str = ""
    """For cells that hold a word of ours, such as a grade, its key in the wording."""
    text: str = ""
    """For cells that hold words of the data, such as a model's name, the words themselves."""
    low: float | None = None
    """The lower end of the interval; None without one."""
    high: float | None = None
    """The upper end of the interval; None without one."""
    level: float | None = None
    """The coverage that the interval was made for."""
    scale: tuple[float, float] | None = None
    """The lowest and the highest value that the number can have; None if it is not known."""
    n: dict[str, int] = {}
    """What the number rests on, counted by name."""
    method: str = ""
    """How it was made."""
    reason: str = ""
    """Why the number or its interval is not known; empty if nothing is missing."""
    note: str = ""
    """What to keep in mind about the interval, such as that it is rough for so few questions; empty if nothing."""
    rows: Rows = Rows()
    """The rows behind it."""

    @property
    def is_known(self) -> bool:
        """Whether there is a number or a word."""
        return bool(self.text or self.word) if self.unit == "word" else self.value is not None


class Column(msgspec.Struct, frozen=True):
    """A column of a table."""

    id: str
    """The column's name in the wording and in files."""
    name: str = ""
    """For columns that stand for something in the data, such as a dimension, what that is called there."""


class Row(msgspec.Struct, frozen=True):
    """A row of a table."""

    names: tuple[str, ...]
    """What the row is about, one name for each head of the table."""
    cells: tuple[ReportCell, ...]
    """The cells, one for each column."""


MOST_NOTES = 9
"""How many different notes on cells are said once below a table; more of them stand in the cells."""


class Table(msgspec.Struct, frozen=True):
    """A table of cells."""

    id: str
    """The table's name, with which the ids of its cells begin."""
    heads: tuple[str, ...]
    """What the names of rows are: `target_model`, `rater`, a factor…"""
    columns: tuple[Column, ...]
    """The columns."""
    rows: tuple[Row, ...]
    """The rows, in the order in which they are shown."""

    def column(self, column_id: str) -> tuple[ReportCell, ...]:
        """Return the cells of a column; none if the table does not have it."""
        places = [place for place, column in enumerate(self.columns) if column.id == column_id]
        return tuple(row.cells[places[0]] for row in self.rows) if places else ()

    def without_unknown_columns(self) -> Table:
        """Return the table without the columns in which nothing is known."""
        kept = [place for place in range(len(self.columns)) if any(row.cells[place].is_known for row in self.rows)]
        return self.only_columns(kept)

    def only_columns(self, kept: Sequence[int]) -> Table:
        """Return the table with some of its columns."""
        rows = tuple(Row(row.names, tuple(row.cells[place] for place in kept)) for row in self.rows)
        return Table(self.id, self.heads, tuple(self.columns[place] for place in kept), rows)

    def notes(self) -> tuple[str, ...]:
        """Return what is to be kept in mind about cells, each once, to be said below; none if they are too various."""
        found = dict.fromkeys(cell.note for row in self.rows for cell in row.cells if cell.note)
        return tuple(found) if len(found) <= MOST_NOTES else ()

    def numeric_columns(self) -> list[bool]:
        """Tell of each column whether it has numbers."""
        cells = zip(*(row.cells for row in self.rows), strict=True)
        return [any(cell.unit != "word" for cell in column) for column in cells]


class Term(msgspec.Struct, frozen=True):
    """Words inside a sentence that each language has its own for; plain text is shown as it is."""

    kind: Literal["text", "head", "dimension"]
    """What is looked up: a text of the wording, or the name of a factor or of a dimension."""
    key: str
    """Under which key; a factor or dimension that has no name of ours is called as in the data."""
    arguments: dict[str, str | int | float] = {}
    """What is filled into a text."""


Arguments = dict[str, str | int | float | Term | tuple[str | Term, ...]]
"""What is filled into a sentence; several values are listed."""


class Note(msgspec.Struct, frozen=True):
    """A sentence, by its key in the wording and what is filled in."""

    key: str
    """The sentence's key."""
    arguments: Arguments = {}
    """What is filled in."""
    warning: bool = False
    """Whether a reader must not overlook it."""
    begins: bool = False
    """Whether a new paragraph begins here."""


class ReportSection(msgspec.Struct, frozen=True):
    """A part of the report."""

    id: str
    """The section's name."""
    notes: tuple[Note, ...] = ()
    """What is said before the tables; a section without tables says why."""
    tables: tuple[Table, ...] = ()
    """The tables."""

    def table(self, table_id: str) -> Table | None:
        """Return a table, or None."""
        return next((table for table in self.tables if table.id == table_id), None)


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """What the report was made from."""

    kind: Literal["ledger", "table", "check"]
    """Whether it was a ledger, a table of scores or the results of a check."""
    name: str
    """Its name for a reader, without folders."""
    sequence: int = 0
    """For a ledger, the number of the last entry that was read."""
    digest: str
    """For a ledger, the hash of that entry; for others, the SHA-256 of the file, or of an archive's manifest."""


class Choices(msgspec.Struct, frozen=True, kw_only=True):
    """What the person who made the report decided; the same choices give the same report."""

    seed: int = 0
    """The seed of resampling."""
    level: float = 0.95
    """The coverage of intervals."""
    count_recovered: bool = False
    """Whether recovered judgements count."""
    include_self: bool = False
    """Whether judgements of a judge's own outputs count."""
    factors: tuple[str, ...] = ()
    """Further factors to slice by and to compare like with like; those that the data has if empty."""
    sliced_by: tuple[str, ...] = ()
    """Notes of the samples that slices are asked of by name, whatever they hold."""
    protocol: str = ""
    """The digest of the chosen protocol, or its beginning, where there are several."""
    profile: str = ""
    """The chosen profile, where there are several."""
    judge_versions: dict[str, str] = {}
    """The chosen version of each judge that has several."""
    structure_dimension: str = ""
    """The dimension whose lowest score is a hard break; found in the protocol if empty."""
    columns: dict[str, str] = {}
    """For tables, which column holds which field."""
    scale: tuple[float, float] | None = None
    """For tables, the lowest and highest score, where no column says it."""
    overall: str = ""
    """For tables with dimensions only, how the overall score is made of them; their mean if empty."""
    bayesian: bool = False
    """Whether scores, differences and shares of verdicts from few questions have Bayesian intervals."""
    all_pairs: bool = False
    """Whether every two models are compared, however many there are."""
    decay: Decay = Decay()
    """How votes age."""
    rollup: RollupPlan | None = None
    """How tests make dimensions and these the overall score; the last run's if it is not given."""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """All sections, what they were made from, and how."""

    software: str
    """The version of Venire."""
    origin: Origin
    """The ledger or table."""
    choices: Choices
    """What was decided."""
    sections: tuple[ReportSection, ...]
    """The sections, in the order in which they are shown."""
    names: dict[str, dict[str, str]] = {}
    """The names of dimensions for a reader, by language."""
    lines: tuple[JudgementLine, ...] = ()
    """All judgements, if they are few enough to be listed."""

    def section(self, section_id: str) -> ReportSection | None:
        """Return a section, or None."""
        return next((section for section in self.sections if section.id == section_id), None)

    def tables(self) -> Iterator[Table]:
        """Yield all tables."""
        for section in self.sections:
            yield from section.tables

    def table(self, table_id: str) -> Table | None:
        """Return a table that has rows, or None."""
        return next((table for table in self.tables() if table.id == table_id and table.rows), None)

    def cells(self) -> Iterator[ReportCell]:
        """Yield all cells."""
        for table in self.tables():
            for row in table.rows:
                yield from row.cells


class ListedLines:
    """The listed judgements of a report, to be asked about many cells: each column is read once."""

    def __init__(self, lines: Sequence[JudgementLine]) -> None:
        """Take the lines."""
        self._lines = lines
        self._columns: dict[str, list[str | None]] = {}

    def places_behind(self, rows: Rows) -> list[int] | None:
        """Return which of the lines are behind a number; None where no judgement is listed or meant."""
        if rows.among not in ("counted", "recorded") or not self._lines:
            return None
        places = [place for place, line in enumerate(self._lines) if line.counted or rows.among == "recorded"]
        if rows.sequences is not None:
            wanted = frozenset(rows.sequences)
            places = [place for place in places if self._lines[place].sequence in wanted]
        for name, values in rows.where.items():
            column = self._column(name)
            places = [place for place in places if column[place] in values]
        return places

    def _column(self, name: str) -> list[str | None]:
        if name not in self._columns:
            self._columns[name] = [line.value_of(name) for line in self._lines]
        return self._columns[name]
