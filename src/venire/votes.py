"""The grand jury: votes that age, and the analysis of who voted what and when.

>>> from venire.votes import GrandJuryClient
>>> result = GrandJuryClient().evaluate_model(0.72, "2025-01-01T00:00:00Z", [0.9, 0.8, 0.6],
...     timestamp="2025-01-04T00:00:00Z")
>>> round(result["score"], 4), result["ambiguous"]
(0.7321, False)
"""

from venire.distributed.shards import Engine
from venire.domain.vote import Vote, VoterKind, VoterPrompt
from venire.inputs.vote_duplicates import Duplicates
from venire.inputs.votes import VoteOptions, VoteTable, read_votes
from venire.stats.decay_stream import ItemState
from venire.stats.decay_terms import Batching, Decay, decay_rate, half_life_rate
from venire.workflows.agreement_shards import agreement_over_shards
from venire.workflows.dawid_skene_shards import dawid_skene_over_shards
from venire.workflows.grand_jury_client import GrandJuryClient
from venire.workflows.reduce_votes import reduce_votes
from venire.workflows.score_shards import score_shards
from venire.workflows.shard_reading import ShardWork
from venire.workflows.vote_analysis import (
    crowd_truth,
    duplicate_ballots,
    majority_good_votes,
    population_confidence,
    score_votes,
    vote_bursts,
    vote_completeness,
    vote_histogram,
    voter_agreement,
    voter_reliability,
    votes_distribution,
)

__all__ = [
    "Batching",
    "Decay",
    "Duplicates",
    "Engine",
    "GrandJuryClient",
    "ItemState",
    "ShardWork",
    "Vote",
    "VoteOptions",
    "VoteTable",
    "VoterKind",
    "VoterPrompt",
    "agreement_over_shards",
    "crowd_truth",
    "dawid_skene_over_shards",
    "decay_rate",
    "duplicate_ballots",
    "half_life_rate",
    "majority_good_votes",
    "population_confidence",
    "read_votes",
    "reduce_votes",
    "score_shards",
    "score_votes",
    "vote_bursts",
    "vote_completeness",
    "vote_histogram",
    "voter_agreement",
    "voter_reliability",
    "votes_distribution",
]
