"""Disagreement as a signal: quality scores of units, voters and prompts that depend on one another.

In the manner of CrowdTruth 2.0 (Dumitrache, Inel, Aroyo, Timmermans & Welty 2018, arXiv:1808.06080), for votes instead
of annotations: a vote v is the vector (v, 1 − v) of accepting and rejecting, or with classes the unit vector of its
class, and two votes agree by the cosine of their vectors. Unit quality (UQS) is the agreement of all pairs of voters on
the unit, weighted by the voters' quality. Voter quality (WQS) is the product of the agreement with the others' sum
(WUA) and with the others one by one (WWA), weighted by units' and voters' quality. A prompt's quality is the mean
quality of its units, weighted by their pairs of voters. All begin at 1 and are computed in turns until nothing changes.
Sums over pairs are taken from sums of vectors, so that a round costs time in proportion to votes, not to pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import polars as pl

from venire.errors import UsageError
from venire.votes.analysis.ballots import cast_ballots

if TYPE_CHECKING:
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]

_TOLERANCE = 1e-9
_MOST_CLASSES = 1000


class CrowdTruth(msgspec.Struct, frozen=True, eq=False):
    """How clear each unit, how reliable each voter and how understandable each prompt is, from 0 to 1."""

    units: pl.DataFrame
    """One row for each inference under a prompt: `inference_id`, `voter_prompt_id`, `voter_kind`, `voters`, `quality`;
    the quality of a unit with one voter is null."""
    voters: pl.DataFrame
    """One row for each voter: `voter_id`, `voter_kind`, `votes`, `with_units`, `with_voters`, `quality`; null for those
    who never voted on what another voted on."""
    prompts: pl.DataFrame
    """One row for each prompt: `voter_prompt_id`, `voter_kind`, `units`, `quality`."""
    rounds: int
    """After how many rounds nothing changed any more, or the limit was reached."""
    converged: bool
    """Whether nothing changed any more."""


def crowd_truth(votes: pl.DataFrame, *, labels: bool = False, most_rounds: int = 200) -> CrowdTruth:
    """Score units, voters and prompts by how votes agree; the last vote of each voter on a unit counts.

    With `labels` votes are classes, which agree or do not; raises `UsageError` for more than a thousand. Votes of
    people and of judges are never weighed against one another: each kind has units and scores of its own.
    """
    ballots = cast_ballots(votes, prompts_apart=True)
    unit_key, voter_key = ["inference_id", "voter_prompt_id", "voter_kind"], ["voter_id", "voter_kind"]
    units = ballots.select(unit_key).unique(maintain_order=True).with_row_index("unit")
    voters = ballots.select(voter_key).unique(maintain_order=True).with_row_index("voter")
    coded = ballots.join(units, on=unit_key, maintain_order="left").join(voters, on=voter_key, maintain_order="left")
    rounds = _Rounds(
        coded["unit"].to_numpy().astype(np.intp), coded["voter"].to_numpy().astype(np.intp),
        (_class_vectors if labels else _vote_vectors)(coded["vote"].to_numpy()), units.height, voters.height,
    )  # fmt: skip
    count, converged = rounds.run(most_rounds)
    return CrowdTruth(
        units=units.drop("unit").with_columns(
            pl.Series("voters", rounds.unit_sizes.astype(np.int64)), _known("quality", rounds.unit_quality)
        ),
        voters=voters.drop("voter").with_columns(
            pl.Series("votes", np.bincount(rounds.voter, minlength=voters.height)),
            _known("with_units", rounds.with_units),
            _known("with_voters", rounds.with_voters),
            _known("quality", rounds.voter_quality),
        ),
        prompts=_prompts(units, rounds),
        rounds=count,
        converged=converged,
    )


class _Rounds:
    """The scores, and one round of computing them from one another."""

    def __init__(
        self, unit: NDArray[np.intp], voter: NDArray[np.intp], vectors: FloatArray, units: int, voters: int
    ) -> None:
        self.unit, self.voter, self.vectors = unit, voter, vectors
        self.unit_sizes = np.bincount(unit, minlength=units)
        self.unit_quality, self.voter_quality = np.ones(units), np.ones(voters)
        self.unit_quality[self.unit_sizes < 2] = np.nan
        self.with_units, self.with_voters = np.full(voters, np.nan), np.full(voters, np.nan)

    def run(self, most: int) -> tuple[int, bool]:
        for number in range(1, most + 1):
            before = np.concatenate([self.unit_quality, self.voter_quality])
            self._round()
            after = np.concatenate([self.unit_quality, self.voter_quality])
            if np.nanmax(np.abs(after - before), initial=0.0) < _TOLERANCE:
                return number, True
        return most, False

    def _round(self) -> None:
        units, voters = len(self.unit_quality), len(self.voter_quality)
        weight = np.nan_to_num(self.voter_quality)[self.voter]
        quality = np.nan_to_num(self.unit_quality)[self.unit]
        own = self.vectors * weight[:, None]
        sums = np.stack([_sums(self.unit, side, units) for side in own.T], axis=1)
        totals = _sums(self.unit, weight, units)
        others = sums[self.unit] - own
        other_weight = totals[self.unit] - weight
        agreement = np.einsum("ij,ij->i", self.vectors, others)
        length = np.linalg.norm(others, axis=1)
        cosine = np.divide(agreement, length, out=np.zeros_like(agreement), where=length > 1e-15)
        shared = self.unit_sizes[self.unit] > 1
        squares = _sums(self.unit, weight**2, units)
        new_units = _ratio((sums**2).sum(axis=1) - squares, totals**2 - squares)
        new_units[self.unit_sizes < 2] = np.nan

        def of_voters(values: FloatArray) -> FloatArray:
            return _sums(self.voter, np.where(shared, values, 0.0), voters)

        self.with_units = _ratio(of_voters(cosine * quality), of_voters(quality))
        self.with_voters = _ratio(of_voters(agreement * quality), of_voters(other_weight * quality))
        self.voter_quality = self.with_units * self.with_voters
        self.unit_quality = new_units


def _vote_vectors(votes: FloatArray) -> FloatArray:
    vectors = np.stack([votes, 1.0 - votes], axis=1)
    unit: FloatArray = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def _class_vectors(votes: FloatArray) -> FloatArray:
    classes, numbers = np.unique(votes, return_inverse=True)
    if len(classes) > _MOST_CLASSES:
        raise UsageError("error.votes.classes", limit=_MOST_CLASSES, found=len(classes))
    vectors: FloatArray = np.zeros((len(votes), max(len(classes), 1)))
    vectors[np.arange(len(votes)), numbers] = 1.0
    return vectors


def _sums(where: NDArray[np.intp], values: FloatArray, length: int) -> FloatArray:
    return np.bincount(where, values, minlength=length).astype(np.float64, copy=False)


def _ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    result = np.full(len(part), np.nan)
    np.divide(part, whole, out=result, where=whole > 1e-15)
    clipped: FloatArray = np.clip(result, 0.0, 1.0)
    return clipped


def _known(name: str, values: FloatArray) -> pl.Series:
    return pl.Series(name, values, dtype=pl.Float64).fill_nan(None)


def _prompts(units: pl.DataFrame, rounds: _Rounds) -> pl.DataFrame:
    pairs = pl.col("voters") * (pl.col("voters") - 1)
    scored = units.with_columns(pl.Series("voters", rounds.unit_sizes), _known("quality", rounds.unit_quality))
    weighted = (pl.col("quality") * pairs).sum() / pairs.filter(pl.col("quality").is_not_null()).sum()
    return scored.group_by("voter_prompt_id", "voter_kind", maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("units"), weighted.fill_nan(None).alias("quality")
    )
