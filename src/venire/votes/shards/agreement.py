"""How people vote as a whole and how far they agree, from votes in many Parquet files: sums that merge.

Votes of judges are left aside, and votes under several prompts are refused: those are answers to different questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import msgspec
import polars as pl

from venire.domain.vote import VOTE_COLUMNS
from venire.errors import UsageError
from venire.stats.agreement.alpha_sums import AlphaSums, alpha_sums
from venire.stats.agreement.disagreement import alpha_method
from venire.stats.ratings.matrix import Metric
from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import NO_OBSERVATIONS
from venire.stats.uncertainty.mean_sums import MeanSums, mean_sums
from venire.votes.analysis.ballots import cast_ballots
from venire.votes.analysis.people_votes import people_of, prompts_of, require_one_prompt
from venire.votes.reading.account import VoteAccount
from venire.votes.reading.table import VoteOptions
from venire.votes.shards.reading import OnProgress, ShardWork
from venire.votes.shards.reduction import reduce_votes


class AgreementSums(msgspec.Struct, frozen=True, eq=False):
    """The sums of people's votes on some whole inferences."""

    mean: MeanSums
    """Those of the mean vote."""
    alpha: AlphaSums
    """Those of alpha."""
    prompts: frozenset[str]
    """The prompts that people voted under."""

    def plus(self, other: AgreementSums) -> AgreementSums:
        """Return the sums of both."""
        return AgreementSums(self.mean.plus(other.mean), self.alpha.plus(other.alpha), self.prompts | other.prompts)


class ShardAgreement(msgspec.Struct, frozen=True):
    """What people's votes say as a whole."""

    mean: Estimate
    """The mean of all votes."""
    alpha: Estimate
    """Krippendorff's alpha of the last vote of each voter on an inference."""
    account: VoteAccount
    """What became of all rows."""


def agreement_over_shards(
    patterns: str | Path | Sequence[str | Path],
    metric: Metric = "interval",
    *,
    clusters: str = "voter_id",
    seed: int = 0,
    replicates: int = 1000,
    level: float = 0.95,
    work: ShardWork | None = None,
    options: VoteOptions | None = None,
    prompt: str | None = None,
    on_progress: OnProgress = lambda *_: None,
) -> ShardAgreement:
    """Return the mean of people's votes under one prompt and their agreement, both with Poisson-bootstrap intervals.

    For the mean whole voters are drawn, or `clusters`, any other column of votes; for alpha inferences. Raises
    `PoolingError` for votes under several prompts.
    """
    check_draws(clusters, replicates)
    found = reduce_votes(
        patterns,
        partial(agreement_sums, metric, clusters, seed, replicates),
        AgreementSums.plus,
        work=work,
        options=options,
        prompt=prompt,
        on_progress=on_progress,
    )
    sums = found.summary
    require_one_prompt(sums.prompts)
    alpha = Estimate.unknown(alpha_method(metric), NO_OBSERVATIONS, n={"ratings": 0})
    if len(sums.alpha.units):
        alpha = sums.alpha.estimate(level=level)
    return ShardAgreement(sums.mean.estimate(level=level), alpha, found.account)


def mean_of_people(votes: pl.DataFrame, clusters: str, seed: int, replicates: int) -> MeanSums:
    """Return the sums of the mean of people's votes, with clusters drawn."""
    cast = people_of(votes).filter(pl.col("vote").is_not_null())
    names = cast[clusters].cast(pl.String).to_numpy()
    return mean_sums(cast["vote"].to_numpy(), names, seed=seed, replicates=replicates)


def agreement_sums(metric: Metric, clusters: str, seed: int, replicates: int, votes: pl.DataFrame) -> AgreementSums:
    """Return the sums of people's votes on some whole inferences."""
    people = people_of(votes)
    ballots = cast_ballots(people)
    units, voters = ballots["inference_id"].to_list(), ballots["voter_id"].to_list()
    return AgreementSums(
        mean_of_people(people, clusters, seed, replicates),
        alpha_sums(units, voters, ballots["vote"], metric, seed=seed, replicates=replicates),
        prompts_of(people),
    )


def check_draws(clusters: str, replicates: int) -> None:
    """Raise `UsageError` for clusters that votes do not have, or fewer than no replicates."""
    if clusters not in VOTE_COLUMNS:
        raise UsageError("error.shards.clusters", columns=VOTE_COLUMNS, found=clusters)
    if replicates < 0:
        raise UsageError("error.shards.replicates", found=replicates)
