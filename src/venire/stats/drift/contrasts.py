"""Contrasts between prompt variants or triggers on the same questions and models, and cliffs between neighbours."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec
import numpy as np

from venire.errors import UsageError
from venire.stats.comparison.paired import PairedTest, difference_with_prior, mcnemar_exact, paired_t
from venire.stats.comparison.score_difference import FEWEST_PAIRS, t_of_means
from venire.stats.drift.slices import by_output
from venire.stats.observations import as_floats, require_count
from venire.stats.ratings.columns import column_of
from venire.stats.ratings.grouping import cluster_codes, number_groups, partition
from venire.stats.result import Estimate
from venire.stats.uncertainty.clustered_share import clustered_share, share_difference
from venire.stats.uncertainty.multiplicity import holm

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from venire.stats.observations import FloatArray, IntArray
    from venire.stats.ratings.table import PrimarySet

SAME = ("question_id", "target_model")
"""What two outputs have in common if they are compared in pairs."""


class Contrast(msgspec.Struct, frozen=True, kw_only=True):
    """Two levels of a factor, compared on the same questions, models and judges, or by their means."""

    factor: str
    """The factor that differs."""
    first: str
    """The level that is subtracted from."""
    second: str
    """The level that is subtracted."""
    clustered_by: Literal["question", "output"]
    """What errors are clustered by: questions, or outputs if there is a single question or none is known."""
    paired: bool = True
    """Whether outputs were compared in pairs; if not, the means of all outputs were."""
    total: PairedTest
    """First minus second of the overall score."""
    total_adjusted_p: float | None = None
    """Its p value after Holm's adjustment for all contrasts of the call."""
    hard_break: PairedTest | None = None
    """First minus second of the hard-break rate; None if no structure dimension was named."""
    hard_break_adjusted_p: float | None = None
    """Its p value after Holm's adjustment for all contrasts of the call."""
    unmatched: int
    """How many cells have only one of the two levels and were left out."""
    where: tuple[dict[str, str], dict[str, str]]
    """The two slices; `PrimarySet.rows_behind` gives the judgements behind each."""


class Cliff(msgspec.Struct, frozen=True, kw_only=True):
    """A jump of the hard-break rate between two neighbouring levels."""

    factor: str
    """The factor whose levels are neighbours."""
    first: str
    """The level before."""
    second: str
    """The level after."""
    where: dict[str, str]
    """Where it happens; add the factor's level to find the judgements behind either rate."""
    before: Estimate
    """The hard-break rate at the level before."""
    after: Estimate
    """The hard-break rate at the level after."""
    jump: Estimate
    """After minus before, with its interval."""


def paired_contrasts(
    primary: PrimarySet,
    factor: str = "prompt_variant",
    *,
    baseline: str | None = None,
    pairs: Sequence[tuple[str, str]] | None = None,
    match: Sequence[str] = SAME,
    structure_dimension: str | None = None,
    level: float = 0.95,
    scale: tuple[float, float] | None = None,
) -> tuple[Contrast, ...]:
    """Compare all pairs of levels of a factor, each with a baseline, or the given pairs, on cells that have both.

    A cell is a judge and a combination of `match`; several outputs in a cell are averaged. Name further factors in
    `match` (the trigger, say) to hold them fixed too. Errors are clustered by question, and the test is the clustered
    t; only where each question gives one pair of hard breaks are these compared by McNemar's exact test. Two levels
    with fewer than two cells in common are compared by the means of all their outputs, by the judges that scored both.
    Given pairs may have been chosen by the scores themselves: their p values are adjusted for all pairs there could
    have been.
    Given the `scale` of the overall score, its differences on few questions have the intervals of `bayesian_mean`.
    """
    total = _Cells(primary.scores(), factor, match)
    broken = _Cells(_hard_breaks(primary, structure_dimension), factor, match) if structure_dimension else None
    if baseline is not None and baseline not in total.levels:
        raise UsageError("error.stats.baseline", known=total.levels, found=baseline)
    every = list(itertools.combinations(total.levels, 2))
    chosen = every if baseline is None else [(name, baseline) for name in total.levels if name != baseline]
    chosen = chosen if pairs is None else list(pairs)
    untested = [1.0] * (len(every) - len(chosen)) if pairs is not None else []
    drafts = [
        _contrast(factor, names, total, broken.pair(*names) if broken else None, level, scale) for names in chosen
    ]
    totals = [draft.total.p_value for draft in drafts]
    breaks = [draft.hard_break.p_value if draft.hard_break else None for draft in drafts]
    adjusted, adjusted_breaks = (
        holm(as_floats([*found, *untested])).adjusted[: len(drafts)]  # type: ignore[arg-type]
        for found in (totals, breaks)
    )
    return tuple(
        msgspec.structs.replace(draft, total_adjusted_p=p_value, hard_break_adjusted_p=break_p_value)
        for draft, p_value, break_p_value in zip(drafts, adjusted, adjusted_breaks, strict=True)
    )


def cliffs(
    primary: PrimarySet,
    structure_dimension: str,
    factor: str = "prompt_variant",
    *,
    order: Sequence[str] | None = None,
    within: Sequence[str] = (),
    k: int = 10,
    level: float = 0.95,
) -> tuple[Cliff, ...]:
    """Return the k largest jumps of the hard-break rate between neighbouring levels, largest first, up or down.

    `order` says which levels are neighbours; without it they stand as they first appear. `within` looks for cliffs
    inside each combination of further factors. Rates are clustered by question, or by sample where all outputs of a
    level are to one question.
    """
    require_count("k", k)
    frame = _hard_breaks(primary, structure_dimension)
    column = column_of(frame, factor)
    levels = tuple(order) if order is not None else _levels(frame, column)
    keys, codes = number_groups(frame, [*(column_of(frame, name) for name in within), column])
    rows, bounds = partition(codes, keys.height)
    breaks, questions = frame["score"].to_numpy()[rows], cluster_codes(frame)[rows]
    units = number_groups(frame, ["unit"])[1][rows]
    rates = {
        tuple(map(str, key)): _rate(breaks[start:stop], questions[start:stop], units[start:stop], level)
        for key, (start, stop) in zip(keys.iter_rows(), bounds, strict=True)
    }
    found = []
    for group, (first, second) in itertools.product(
        dict.fromkeys(key[:-1] for key in rates), itertools.pairwise(levels)
    ):
        before, after = rates.get((*group, first)), rates.get((*group, second))
        if before is None or after is None:
            continue
        found.append(
            Cliff(
                factor=factor, first=first, second=second, where=dict(zip(within, group, strict=True)), before=before,
                after=after, jump=share_difference(before, after),
            )
        )  # fmt: skip
    return tuple(sorted(found, key=lambda each: -abs(each.jump.value or 0.0))[:k])


def _rate(breaks: FloatArray, questions: IntArray, units: IntArray, level: float) -> Estimate:
    if len(np.unique(questions)) > 1:
        return clustered_share(breaks, questions, level=level)
    return by_output(clustered_share(breaks, units, level=level))


class _Matched(NamedTuple):
    """The scores of two levels in the cells that have both."""

    first: FloatArray
    second: FloatArray
    questions: IntArray
    outputs: IntArray
    unmatched: int


class _Cells:
    """The mean score of each cell and level, ready to be paired."""

    def __init__(self, frame: pl.DataFrame, factor: str, match: Sequence[str]) -> None:
        column = column_of(frame, factor)
        if factor in match:
            raise UsageError("error.stats.match_on", factor=factor)
        self.levels = _levels(frame, column)
        frame = frame.filter(frame[column].cast(str).is_in(self.levels))  # some samples may not have the factor
        cells, cell = number_groups(frame, ["rater", *(column_of(frame, name) for name in match)])
        keys, codes = number_groups(frame, [column])
        places = np.array([self.levels.index(str(name)) for name in keys[column]], dtype=np.intp)
        shape = (cells.height, len(self.levels))
        flat = cell * shape[1] + (places[codes] if len(places) else codes)
        counts = np.bincount(flat, minlength=shape[0] * shape[1])
        sums = np.bincount(flat, weights=frame["score"].to_numpy(), minlength=len(counts))
        means = np.full(len(counts), np.nan)
        np.divide(sums, counts, out=means, where=counts > 0)
        self._means: FloatArray = means.reshape(shape)
        self._questions: IntArray = np.zeros(shape[0], dtype=np.intp)
        self._questions[cell] = cluster_codes(frame)
        self._outputs: IntArray = number_groups(cells, [name for name in cells.columns if name != "rater"])[1]
        self._frame, self._places = frame, places[codes] if len(places) else codes

    def pair(self, first: str, second: str) -> _Matched:
        """Return the cells that have both levels."""
        one, two = (self._level(name) for name in (first, second))
        both = ~(np.isnan(one) | np.isnan(two))
        unmatched = int((np.isnan(one) != np.isnan(two)).sum())
        return _Matched(one[both], two[both], self._questions[both], self._outputs[both], unmatched)

    def means(self, first: str, second: str, level: float) -> tuple[PairedTest, bool] | None:
        """Compare the means of two levels by the judges that scored both; None if no judge did.

        The second value tells whether errors are clustered by question.
        """
        one, two = (self._places == self.levels.index(name) for name in (first, second))
        raters = number_groups(self._frame, ["rater"])[1]
        used = (one | two) & np.isin(raters, np.intersect1d(raters[one], raters[two]))
        if not used.any():
            return None
        units, first_rows, of_rows = np.unique(
            number_groups(self._frame, ["unit"])[1][used], return_index=True, return_inverse=True
        )
        scores = np.bincount(of_rows, weights=self._frame["score"].to_numpy()[used]) / np.bincount(of_rows)
        questions = cluster_codes(self._frame)[used][first_rows]
        by_question = any(self._frame["question_id"].unique()) and len(np.unique(questions)) > 1
        test = t_of_means(scores, one[used][first_rows], questions if by_question else units, level=level)
        return test, by_question

    def _level(self, name: str) -> FloatArray:
        if name not in self.levels:
            return np.full(len(self._means), np.nan)
        column: FloatArray = self._means[:, self.levels.index(name)]
        return column


def _hard_breaks(primary: PrimarySet, structure_dimension: str) -> pl.DataFrame:
    """Return the structure scores with 1 for a hard break (the lowest score) and 0 for none."""
    import polars as pl

    broken = pl.col("score") <= pl.col("minimum").fill_null(0.0)
    return primary.scores(structure_dimension).with_columns(score=broken.cast(pl.Float64))


def _contrast(
    factor: str,
    names: tuple[str, str],
    cells: _Cells,
    breaks: _Matched | None,
    level: float,
    scale: tuple[float, float] | None,
) -> Contrast:
    totals = cells.pair(*names)
    by_means = cells.means(*names, level) if len(totals.first) < FEWEST_PAIRS and {*names} <= {*cells.levels} else None
    by_question = len(np.unique(totals.questions)) > 1
    clusters = totals.questions if by_question else totals.outputs
    total = paired_t(totals.first, totals.second, clusters=clusters, level=level)
    if scale is not None:
        total = difference_with_prior(total, totals.first, totals.second, clusters, scale, level=level)
    paired = by_means is None or by_means[0].p_value is None
    if by_means is not None and not paired:
        total, by_question = by_means
    return Contrast(
        factor=factor, first=names[0], second=names[1], clustered_by="question" if by_question else "output",
        paired=paired, total=total,
        hard_break=None if breaks is None else _compare_breaks(breaks, level),
        unmatched=totals.unmatched, where=({factor: names[0]}, {factor: names[1]}),
    )  # fmt: skip


def _compare_breaks(pairs: _Matched, level: float) -> PairedTest:
    groups = len(np.unique(pairs.questions))
    clusters = pairs.questions if groups > 1 else pairs.outputs
    single = len(np.unique(clusters)) == len(clusters)
    if single and np.isin(pairs.first, (0.0, 1.0)).all() and np.isin(pairs.second, (0.0, 1.0)).all():
        return mcnemar_exact(pairs.first, pairs.second, level=level)
    return paired_t(pairs.first, pairs.second, clusters=clusters, level=level)


def _levels(frame: pl.DataFrame, column: str) -> tuple[str, ...]:
    return tuple(str(name) for name in frame[column].unique(maintain_order=True) if name is not None)
