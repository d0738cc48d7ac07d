from .analysis.questions import (
    crowd_truth as crowd_truth,
)
from .analysis.questions import (
    duplicate_ballots as duplicate_ballots,
)
from .analysis.questions import (
    majority_good_votes as majority_good_votes,
)
from .analysis.questions import (
    population_confidence as population_confidence,
)
from .analysis.questions import (
    score_votes as score_votes,
)
from .analysis.questions import (
    vote_bursts as vote_bursts,
)
from .analysis.questions import (
    vote_completeness as vote_completeness,
)
from .analysis.questions import (
    vote_histogram as vote_histogram,
)
from .analysis.questions import (
    voter_agreement as voter_agreement,
)
from .analysis.questions import (
    voter_reliability as voter_reliability,
)
from .analysis.questions import (
    votes_distribution as votes_distribution,
)
from .client import GrandJuryClient as GrandJuryClient
from .decay.stream import ItemState as ItemState
from .decay.terms import (
    Batching as Batching,
)
from .decay.terms import (
    Decay as Decay,
)
from .decay.terms import (
    decay_rate as decay_rate,
)
from .decay.terms import (
    half_life_rate as half_life_rate,
)
from .entries import Vote as Vote
from .entries import VoterKind as VoterKind
from .entries import VoterPrompt as VoterPrompt
from .reading.duplicates import Duplicates as Duplicates
from .reading.table import VoteOptions as VoteOptions
from .reading.table import VoteTable as VoteTable
from .reading.table import read_votes as read_votes
from .shards.agreement import agreement_over_shards as agreement_over_shards
from .shards.dawid_skene import dawid_skene_over_shards as dawid_skene_over_shards
from .shards.reading import Engine as Engine
from .shards.reading import ShardWork as ShardWork
from .shards.reduction import reduce_votes as reduce_votes
from .shards.scores import score_shards as score_shards
