"""One judgement as reports and traces list it: who judged what, with which result, and where it is recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from venire.stats.ratings.columns import FACTOR_PREFIX, NOTE_PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterator

    from venire.stats.ratings.table import PrimarySet, RatingsTable

_ONCE = (
    "unit", "rater", "question_id", "prompt_variant", "target_model", "repeat", "status", "method", "verdict",
    "overall", "overall_minimum", "overall_maximum", "sequence", "judgement",
)  # fmt: skip


class Quote(msgspec.Struct, frozen=True):
    """A quote that a judge gave."""

    dimension: str
    """The dimension that it supports."""
    text: str
    """The quoted words."""
    found: bool
    """Whether they stand in the judged text, or in the material that the judge named."""
    source: str = ""
    """The id of the material that they are said to stand in; empty for the judged text itself."""


class JudgementLine(msgspec.Struct, frozen=True, kw_only=True):
    """One judgement."""

    judgement: str
    """The key of the judgement; an entry of a bundle has its place behind it."""
    counted: bool
    """Whether primary statistics count it."""
    unit: str
    """The digest or name of what was judged."""
    rater: str
    """The judge."""
    question_id: str = ""
    """The question that was answered."""
    prompt_variant: str = ""
    """The version of the prompt."""
    target_model: str = ""
    """The model that produced the output."""
    repeat: str = ""
    """Which asking it was."""
    status: str = ""
    """Whether the judgement is valid."""
    method: str | None = None
    """Whether the judge judged itself."""
    verdict: str | None = None
    """The verdict."""
    overall: float | None = None
    """The overall score on the judge's own scale."""
    overall_minimum: float | None = None
    """The lowest overall score that the scale allows."""
    overall_maximum: float | None = None
    """The highest overall score that the scale allows."""
    scores: dict[str, float] = {}
    """The scores of the dimensions on the judge's own scale."""
    factors: dict[str, str] = {}
    """Further factors of the sample, and notes with few levels."""
    sequence: int | None = None
    """The number of the judgement's entry in the ledger."""
    entry_hash: str = ""
    """The hash of that entry."""
    output_id: str = ""
    """The name of the judged output."""
    quotes: tuple[Quote, ...] = ()
    """The judge's quotes."""

    @property
    def about(self) -> str:
        """What was judged: the output, and its place in the experiment."""
        place = (self.target_model, self.question_id, self.prompt_variant, *self.factors.values())
        return " · ".join(filter(None, (self.output_id or self.unit, *place)))

    def value_of(self, column: str) -> str | None:
        """Return what stands in a column, as text; None if nothing does."""
        if column in self.factors:
            return self.factors[column]
        value = getattr(self, column, None)
        return None if value is None else str(value)


def judgement_lines(table: RatingsTable, primary: PrimarySet) -> Iterator[JudgementLine]:
    """Yield the judgements of a table in its order, each with whether it counts."""
    import polars as pl

    counted = set(primary.table.frame["judgement"])
    frame = table.frame
    names = [column for column in frame.columns if column.startswith((FACTOR_PREFIX, NOTE_PREFIX))]
    grouped = frame.group_by("judgement", maintain_order=True).agg(
        *(pl.col(name).first() for name in (*_ONCE[:-1], *names)), pl.col("dimension"), pl.col("score")
    )
    for row in grouped.iter_rows(named=True):
        scored = zip(row["dimension"], row["score"], strict=True)
        fields: dict[str, Any] = {name: row[name] for name in _ONCE}
        yield JudgementLine(
            **fields,
            counted=row["judgement"] in counted,
            scores={name: score for name, score in scored if name and score is not None},
            factors={name.partition(".")[2]: row[name] for name in names if row[name] is not None},
        )
