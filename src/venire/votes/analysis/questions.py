"""Everything that can be asked of votes, from any table, with answers in the caller's own data frames.

Each function takes votes as a file (CSV, TSV, Parquet, JSON, JSON Lines), a pandas, Polars or Arrow table, or a list of
records, and returns a frozen record that says how it was made. The data frames in it are of the library that votes came
in, Polars for files and lists. Rows that cannot be read are left out; `read_votes` says which and why. What asks only
who voted what needs no time of votes, and what asks how far voters agree takes classes of any name too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Literal

import polars as pl

from venire.stats.ratings.matrix import Metric
from venire.stats.result import Estimate
from venire.votes.analysis import crowd_truth as crowd_truth_method
from venire.votes.analysis import duplicate_ballots as duplicates_method
from venire.votes.analysis import majority_good_votes as majority_method
from venire.votes.analysis import population_confidence as confidence_method
from venire.votes.analysis import vote_bursts as bursts_method
from venire.votes.analysis import vote_completeness as completeness_method
from venire.votes.analysis import vote_histogram as histogram_method
from venire.votes.analysis import voter_distances, voter_ratings
from venire.votes.analysis import votes_distribution as distribution_method
from venire.votes.analysis.caller_frame import in_kind
from venire.votes.analysis.crowd_truth import CrowdTruth
from venire.votes.analysis.duplicate_ballots import DuplicateBallots
from venire.votes.analysis.majority_good_votes import MajorityGoodVotes
from venire.votes.analysis.population_confidence import PopulationConfidence
from venire.votes.analysis.vote_bursts import VoteBursts
from venire.votes.analysis.vote_completeness import VoteCompleteness
from venire.votes.analysis.vote_histogram import VoteHistogram
from venire.votes.analysis.voter_distances import VoterReliability
from venire.votes.analysis.votes_distribution import VotesDistribution
from venire.votes.decay.consensus import Consensus
from venire.votes.decay.consensus import score_votes as score_frame
from venire.votes.decay.items import ITEM
from venire.votes.decay.terms import Decay
from venire.votes.reading.table import VoteOptions, read_votes

_TIMELESS = VoteOptions(times_needed=False)
_ANY_CLASSES = VoteOptions(times_needed=False, labels=None)


def score_votes(
    data: object,
    decay: Decay | None = None,
    *,
    as_of: datetime | None = None,
    mix: Sequence[Literal["voter_prompt_id", "voter_kind"]] = (),
    options: VoteOptions | None = None,
) -> Consensus:
    """Return the time-decayed consensus on every item; see `venire.votes.decay.consensus.score_votes`.

    Votes under different prompts, and of people and judges, are items of their own unless `mix` names them.
    """
    by = [name for name in ITEM if name not in mix]
    return in_kind(score_frame(_read(data, options), decay, as_of=as_of, by=by), data)


def vote_histogram(
    data: object,
    *,
    bucket: str = "60 minutes",
    zone: str = "UTC",
    by: Sequence[str] = (),
    options: VoteOptions | None = None,
) -> VoteHistogram:
    """Count votes in buckets of time; see `venire.votes.analysis.vote_histogram`."""
    return in_kind(histogram_method.vote_histogram(_read(data, options), bucket=bucket, zone=zone, by=by), data)


def vote_completeness(
    data: object,
    voters: Iterable[object] | None = None,
    inferences: Iterable[object] | None = None,
    *,
    options: VoteOptions | None = None,
) -> VoteCompleteness:
    """Tell how complete the voting is; see `venire.votes.analysis.vote_completeness`."""
    return in_kind(completeness_method.vote_completeness(_read(data, options or _TIMELESS), voters, inferences), data)


def population_confidence(
    data: object,
    voters: Iterable[object],
    inferences: Iterable[object] | None = None,
    *,
    options: VoteOptions | None = None,
) -> PopulationConfidence:
    """Tell how sure the majority of all voters is; see `venire.votes.analysis.population_confidence`."""
    return in_kind(confidence_method.population_confidence(_read(data, options or _TIMELESS), voters, inferences), data)


def majority_good_votes(
    data: object, *, good_vote: bool | float = True, threshold: float = 0.5, options: VoteOptions | None = None
) -> MajorityGoodVotes:
    """Tell on which inferences good votes are the majority; see `venire.votes.analysis.majority_good_votes`."""
    votes = _read(data, options or _TIMELESS)
    return in_kind(majority_method.majority_good_votes(votes, good_vote=good_vote, threshold=threshold), data)


def votes_distribution(
    data: object, inferences: Iterable[object] | None = None, *, options: VoteOptions | None = None
) -> VotesDistribution:
    """Count the votes on each inference and how they are spread; see `venire.votes.analysis.votes_distribution`."""
    return in_kind(distribution_method.votes_distribution(_read(data, options or _TIMELESS), inferences), data)


def vote_bursts(
    data: object,
    *,
    of: Literal["voter_id", "inference_id"] = "voter_id",
    window_seconds: float = 60.0,
    level: float = 0.01,
    options: VoteOptions | None = None,
) -> VoteBursts:
    """Find sudden bursts of votes; see `venire.votes.analysis.vote_bursts`."""
    found = bursts_method.vote_bursts(_read(data, options), of=of, window_seconds=window_seconds, level=level)
    return in_kind(found, data)


def duplicate_ballots(data: object, *, least_ballots: int = 5, options: VoteOptions | None = None) -> DuplicateBallots:
    """Find repeated votes and voters who all vote alike; see `venire.votes.analysis.duplicate_ballots`."""
    return in_kind(duplicates_method.duplicate_ballots(_read(data, options), least_ballots=least_ballots), data)


def crowd_truth(data: object, *, options: VoteOptions | None = None) -> CrowdTruth:
    """Score units, voters and prompts by how votes agree; see `venire.votes.analysis.crowd_truth`."""
    votes, labels = _read_classes(data, options)
    return in_kind(crowd_truth_method.crowd_truth(votes, labels=labels), data)


def voter_agreement(
    data: object,
    metric: Metric | None = None,
    *,
    replicates: int = 1000,
    seed: int = 0,
    options: VoteOptions | None = None,
) -> Estimate:
    """Return Krippendorff's alpha of people's votes under one prompt, with its interval.

    The metric is `interval` unless said otherwise, and `nominal` for classes.
    """
    votes, labels = _read_classes(data, options)
    chosen = voter_ratings.metric_for(metric, labels=labels)
    return voter_ratings.voter_agreement(votes, chosen, replicates=replicates, seed=seed)


def voter_reliability(data: object, *, options: VoteOptions | None = None) -> VoterReliability:
    """Compare each voter with the others; see `venire.votes.analysis.voter_distances.voter_reliability`."""
    votes, labels = _read_classes(data, options)
    return in_kind(voter_distances.voter_reliability(votes, labels=labels), data)


def _read(data: object, options: VoteOptions | None) -> pl.DataFrame:
    return read_votes(str(data) if isinstance(data, Path) else data, options).frame


def _read_classes(data: object, options: VoteOptions | None) -> tuple[pl.DataFrame, bool]:
    """Read votes that may be classes, and tell whether they are."""
    table = read_votes(str(data) if isinstance(data, Path) else data, options or _ANY_CLASSES)
    return table.frame, table.classes is not None
