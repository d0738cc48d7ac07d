"""The ratings table: the one door through which scores come into statistics."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from venire.domain.judgement import Method, Status
from venire.domain.judgement_key import ENTRIES
from venire.errors import UsageError
from venire.stats.ratings.columns import column_of, frame_of, in_order_of_names
from venire.stats.ratings.frame import read_frame
from venire.stats.ratings.grouping import first_of_each, number_groups
from venire.stats.ratings.matrix import RatingMatrix, rating_matrix
from venire.stats.ratings.pooling import require_one_version
from venire.stats.ratings.rating import Rating
from venire.stats.ratings.repeats import ONE_TASK, is_counted_repeat
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import polars as pl

_REASONS = (
    "superseded",
    "unqualified",
    "selected",
    "invalid",
    "recovered",
    "self-judged",
    "asked again",
    "without a score",
)


UNQUALIFIED = "unqualified"
"""The column that says of each row whether its judge had no qualification that was asked for; absent if none was."""

SELECTED = "selected"
"""The column that says of each row whether its judge was asked about some outputs only, which a jury chose."""

ALL_JUDGES = "*"
"""What stands for every judge where a version is chosen."""


class RatingsTable(msgspec.Struct, frozen=True, eq=False):
    """Ratings in long form, column by column: a row for each unit, rater and dimension."""

    frame: pl.DataFrame
    """The columns; see `Rating` for what each holds. Further factors stand in columns that begin with `factor.`,
    notes with few levels in columns that begin with `note.`."""

    @classmethod
    def from_rows(
        cls, rows: Iterable[Rating], *, factors: Collection[str] = (), sliced_by: Collection[str] = ()
    ) -> RatingsTable:
        """Make a table from rows, in the order of the ledger; the rows are read in chunks and may be an iterator.

        `factors` names notes of the samples that are to be factors, `sliced_by` notes that slices will be made of.
        """
        return cls(frame_of(rows, factors, sliced_by))

    @classmethod
    def from_frame(
        cls,
        frame: object,
        *,
        columns: Mapping[str, str] | None = None,
        factors: Sequence[str] = (),
        notes: Sequence[str] = (),
        sliced_by: Sequence[str] = (),
        minimum: float | None = None,
        maximum: float | None = None,
        overall: str = "",
    ) -> RatingsTable:
        """Make a table from any data frame (pandas, Polars, Arrow…) with columns `unit`, `rater` and `score`.

        Columns called like a field of `Rating` are taken as it; `columns` says which column holds a field that is
        called otherwise, `factors` which further columns are factors, and `notes` which of them a report may be sliced
        by if they have few levels or are in `sliced_by`. Without a dimension, a score is the overall score; with
        dimensions only, it is derived by the rule `overall` (see `with_overall`), by default as their mean. A table may
        have a `verdict` in place of scores. `minimum` and `maximum` are the scale, unless columns say it; a judgement
        with a score outside of its scale is invalid. Raises `InputError` for a column that is missing or not numeric,
        and for a unit that a rater rated twice on one dimension in one repeat.
        """
        return cls(read_frame(frame, columns or {}, factors, notes, (minimum, maximum), overall, sliced_by))

    def __len__(self) -> int:
        return self.frame.height

    def in_order(self, raters: Sequence[str] = ()) -> RatingsTable:
        """Return the rows in an order that does not depend on when they came, so that no number does either.

        Raters come in the given order, questions, variants, models and units by their names, with numbers in names
        as numbers. Rows of the same repeat keep their order: of these the last one stands.
        """
        return RatingsTable(in_order_of_names(self.frame, raters))

    @property
    def judgement_count(self) -> int:
        """How many judgements the rows belong to."""
        return self.frame["judgement"].n_unique()

    @property
    def holds_entries(self) -> bool:
        """Whether a judgement is of one file among those that a reply scores, and not a reply of its own."""
        return bool(self.frame["judgement"].cast(str).str.contains(ENTRIES, literal=True).any())

    def only(
        self,
        *,
        protocol: str | None = None,
        profile: str | None = None,
        judge_versions: Mapping[str, str] | None = None,
        where: Mapping[str, str] | None = None,
    ) -> RatingsTable:
        """Return the rows of one protocol, profile, version of each named judge, or slice.

        A version is a judge's digest or prompt version; judges that are not named keep all of theirs, and `*` stands
        for all judges that have the version. `where` is a conjunction of factors, such as
        `{"prompt_variant": "long", "trigger": "implicit"}`. Raises `UsageError` for a version that no judge has.
        """
        import polars as pl

        tests = [pl.col(name) == value for name, value in (("protocol", protocol), ("profile", profile)) if value]
        for judge, version in (judge_versions or {}).items():
            is_version = (pl.col("rater_version") == version) | (pl.col("prompt_version") == version)
            named = {judge} if judge != ALL_JUDGES else set(self.frame.filter(is_version)["rater"].cast(pl.String))
            if not named:
                found = sorted({*self.frame["rater_version"].cast(str), *self.frame["prompt_version"].cast(str)} - {""})
                raise UsageError("error.stats.version", found=version, known=found or say("error.stats.none"))
            tests.append(~pl.col("rater").cast(pl.String).is_in(sorted(named)) | is_version)
        tests.extend(
            pl.col(column_of(self.frame, name)).cast(pl.String) == value for name, value in (where or {}).items()
        )
        return RatingsTable(self.frame.filter(*tests)) if tests else self

    def primary(self, *, count_recovered: bool = False, include_self: bool = False) -> PrimarySet:
        """Return what primary statistics count: valid, cross-judged, asked once, one version of each instrument.

        What is left out is counted by reason, in judgements. If a task was validated more than once, the last
        judgement stands. If a judge was asked again after an invalid reply, its first valid one counts; a consistency
        check never does. Raises `PoolingError` if ratings of several protocols, profiles or versions of a judge would
        be mixed.
        """
        import polars as pl

        require_one_version(self.frame)
        last = pl.col("judgement").last().over([*ONE_TASK, "repeat"])
        unusable = (
            pl.when(pl.col("judgement") != last)
            .then(pl.lit("superseded"))
            .when(pl.col(UNQUALIFIED) if UNQUALIFIED in self.frame.columns else pl.lit(value=False))
            .then(pl.lit("unqualified"))
            .when(pl.col(SELECTED) if SELECTED in self.frame.columns else pl.lit(value=False))
            .then(pl.lit("selected"))
            .when(pl.col("status") == Status.INVALID.value)
            .then(pl.lit("invalid"))
            .when((pl.col("status") == Status.RECOVERED.value) & (not count_recovered))
            .then(pl.lit("recovered"))
            .when((pl.col("method") == Method.SELF_JUDGE.value) & (not include_self))
            .then(pl.lit("self-judged"))
        )
        marked = self.frame.with_columns(unusable.alias("__reason"))
        reason = (
            pl.when(pl.col("__reason").is_not_null())
            .then(pl.col("__reason"))
            .when(~is_counted_repeat(marked, pl.col("__reason").is_null()))
            .then(pl.lit("asked again"))
            .when(pl.all_horizontal(pl.col("score", "overall", "verdict").is_null()))
            .then(pl.lit("without a score"))
        )
        marked = marked.with_columns(reason.alias("__reason"))
        counts = dict(
            marked.filter(pl.col("__reason").is_not_null())
            .group_by("__reason")
            .agg(pl.col("judgement").n_unique())
            .iter_rows()
        )
        kept = marked.filter(pl.col("__reason").is_null()).drop("__reason")
        return PrimarySet(
            table=RatingsTable(kept),
            excluded={name: counts[name] for name in _REASONS if name in counts},
            method_unknown=kept.filter(pl.col("method").is_null())["judgement"].n_unique(),
            weights=_weights(self._weighed()),
            count_recovered=count_recovered,
            include_self=include_self,
        )

    def without_qualification(self, judgements: Collection[str]) -> RatingsTable:
        """Return the table with those judgements marked whose judges lack a qualification that was asked for."""
        import polars as pl

        marked = pl.col("judgement").is_in(sorted(judgements)).alias(UNQUALIFIED)
        return RatingsTable(self.frame.with_columns(marked))

    def without_selected(self, raters: Collection[str]) -> RatingsTable:
        """Return the table with the judgements of those judges marked whom a jury asked about some outputs only.

        Which outputs they saw depends on what others said of them, so that their plain means would be off.
        """
        import polars as pl

        marked = pl.col("rater").cast(pl.String).is_in(sorted(raters)).alias(SELECTED)
        return RatingsTable(self.frame.with_columns(marked))

    def _weighed(self) -> pl.DataFrame:
        """Return the rows whose judges' weights count."""
        left_out = [name for name in (UNQUALIFIED, SELECTED) if name in self.frame.columns]
        frame = self.frame
        for name in left_out:
            frame = frame.filter(~frame[name])
        return frame


class PrimarySet(msgspec.Struct, frozen=True, eq=False, kw_only=True, dict=True):
    """The ratings that primary statistics count, and what was left out."""

    table: RatingsTable
    """The ratings: at most one of each unit by each rater on each dimension."""
    excluded: dict[str, int]
    """How many judgements were left out, by reason; the reasons exclude one another."""
    method_unknown: int
    """How many judgements count although it is not known whether the judge judged itself."""
    weights: dict[str, tuple[float, ...]]
    """The panel weights of all judges of the whole table, also of those without a rating that counts."""
    count_recovered: bool
    """Whether recovered judgements count."""
    include_self: bool
    """Whether judgements of a judge's own outputs count; a report has to say so in words."""

    @cached_property
    def raters(self) -> tuple[str, ...]:
        """The judges, in the order of their first ratings."""
        return tuple(self.table.frame["rater"].unique(maintain_order=True).cast(str))

    @cached_property
    def dimensions(self) -> tuple[str, ...]:
        """The dimensions that have scores, in the order of their first ratings."""
        scored = self.table.frame.filter(self.table.frame["score"].is_not_null())
        return tuple(name for name in scored["dimension"].unique(maintain_order=True).cast(str) if name)

    def scores(self, dimension: str | None = None) -> pl.DataFrame:
        """Return one row for each unit and rater, with `score`, `minimum` and `maximum` of a dimension.

        Without a dimension they are those of the overall score. Units without the score have no row.
        """
        import polars as pl

        frame = self.table.frame
        if dimension is None:
            return self._overall
        if dimension not in self.dimensions and len(frame):
            raise UsageError("error.stats.dimension", known=self.dimensions, found=dimension)
        return frame.filter(pl.col("dimension") == dimension, pl.col("score").is_not_null())

    @cached_property
    def _overall(self) -> pl.DataFrame:
        import polars as pl

        frame = self.table.frame
        overall = first_of_each(frame.filter(frame["overall"].is_not_null()), ["unit", "rater"])
        return overall.with_columns(
            score=pl.col("overall"), minimum=pl.col("overall_minimum"), maximum=pl.col("overall_maximum")
        )

    def matrix(self, dimension: str | None = None) -> RatingMatrix:
        """Return the scores of a dimension, or the overall scores, as units × raters for the agreement measures."""
        return self._overall_matrix if dimension is None else self._matrix_of(self.scores(dimension))

    @cached_property
    def _overall_matrix(self) -> RatingMatrix:
        return self._matrix_of(self._overall)

    def _matrix_of(self, frame: pl.DataFrame) -> RatingMatrix:
        units, unit_codes = number_groups(frame, ["unit"])
        raters = self.raters
        place = {rater: column for column, rater in enumerate(raters)}
        found, rater_codes = number_groups(frame, ["rater"])
        present = [place[name] for name in found["rater"].cast(str)]
        table = np.full((units.height, len(raters)), np.nan)
        if frame.height:
            table[unit_codes, np.asarray(present)[rater_codes]] = frame["score"].to_numpy()
        names = tuple(units["unit"].cast(str).to_list())
        return msgspec.structs.replace(rating_matrix(table, raters=raters), units=names)

    def rows_behind(self, where: Mapping[str, str]) -> tuple[str, ...]:
        """Return the keys of the judgements in a slice, by which every number is walked back to its replies."""
        return tuple(self.table.only(where=where).frame["judgement"].unique(maintain_order=True))


def _weights(frame: pl.DataFrame) -> dict[str, tuple[float, ...]]:
    import polars as pl

    pairs = frame.select(pl.col("rater").cast(pl.String), "weight").unique(maintain_order=True)
    weights: dict[str, tuple[float, ...]] = {}
    for rater, weight in pairs.iter_rows():
        weights[rater] = weights.get(rater, ()) + (() if weight is None else (weight,))
    return weights
