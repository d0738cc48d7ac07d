"""What the server shows of votes."""

from __future__ import annotations

from datetime import datetime

import msgspec

from venire.domain.material import Material
from venire.domain.protocol import EvalProtocol
from venire.domain.vote import VoterPrompt
from venire.server.court.views import Problem
from venire.server.options import VoteScale


class VoteReceipt(msgspec.Struct, frozen=True):
    """What a voter gets for a vote that is in the ledger."""

    key: str
    """What the vote is found by in the ledger; for jurors a code of the court, which tells nothing of the output."""
    item: str
    """The item, as the voter named it."""
    vote: float | None
    """The vote; None for an item that was left out or a vote that was taken back."""
    round: int
    """The voting round."""
    cast_at: datetime
    """When it was cast."""
    head: int | None
    """An entry of the ledger at or behind the vote's own, at which it was durable; None for jurors."""
    undo_until: datetime | None = None
    """Until when it can be taken back; None if it cannot."""
    replaces: str = ""
    """The key of the vote that it takes the place of; empty if there is none."""


class BatchOutcome(msgspec.Struct, frozen=True):
    """What became of one vote of a batch."""

    receipt: VoteReceipt | None = None
    """The receipt of a vote that was cast."""
    problem: Problem | None = None
    """Why it was not."""


class BatchResult(msgspec.Struct, frozen=True):
    """What became of a batch."""

    accepted: int
    """How many votes were cast."""
    refused: int
    """How many were not."""
    outcomes: tuple[BatchOutcome, ...]
    """One for each vote, in order."""


class ItemScore(msgspec.Struct, frozen=True):
    """The consensus on an item."""

    inference_id: str
    """The output."""
    voter_prompt_id: str
    """The prompt that was asked."""
    voter_kind: str
    """Whether people or judges voted."""
    score: float | None
    """The time-decayed consensus."""
    freshness: float
    """The share of the score that the last batch contributes."""
    batch_variance: float
    """The variance of the votes of the last batch."""
    variance: float
    """The variance of all votes."""
    ambiguous: bool
    """Whether votes disagree more than the terms allow."""
    votes: int
    """How many votes count."""
    batches: int
    """How many batches there are."""
    effective_votes: float
    """How many equal votes would be as many."""
    last_update: datetime | None
    """When the last vote was cast."""


class WeighedVote(msgspec.Struct, frozen=True):
    """A vote with all that decides its weight."""

    voter_id: str
    """The pseudonym of the voter."""
    vote: float
    """The vote."""
    vote_time: datetime
    """When it was cast."""
    reputation: float
    """The weight of the voter within the batch."""
    batch: int
    """The batch, from 1."""
    alpha: float
    """The factor by which the batch shrank its past."""
    weight: float
    """The weight in the score; those of all votes sum to 1."""


class Ballot(msgspec.Struct, frozen=True, kw_only=True):
    """One blinded output that a juror is asked about, or two of which the better one is to be chosen."""

    item: str
    """The opaque name of the output; a vote names it. It tells neither the model nor the output's own id."""
    prompt: VoterPrompt
    """What is asked."""
    text: str
    """The output, with the names of its model masked; of two, the one on the first side."""
    second: str | None = None
    """The other of two outputs that are compared; None where there is one."""
    ties: bool = True
    """Whether the juror may say that neither of two is better."""
    task: str = ""
    """What the output answers; empty where it is not known."""
    materials: tuple[Material, ...] = ()
    """What the protocol shows beside the output, with the names of its model masked."""
    scale: VoteScale = "yes_no"
    """How the juror answers."""
    protocol: EvalProtocol | None = None
    """The protocol, for ballots that are answered by its dimensions."""
    category: str = ""
    """The category of the sample, which chooses the dimensions of protocols that have categories."""
    round: int = 1
    """Which round of voting it is, counted from 1."""


class CastVote(msgspec.Struct, frozen=True, kw_only=True):
    """A vote that a juror can still take back."""

    item: str
    """The opaque name of the output."""
    vote: float | None
    """The vote; None for a judgement by dimensions that gives none."""
    undo_until: datetime
    """Up to when it can be taken back."""


class Docket(msgspec.Struct, frozen=True, kw_only=True):
    """What lies before a juror."""

    ballot: Ballot | None
    """The output that is next in the juror's own order; None if all are done."""
    done: int
    """How many of the outputs the juror has voted on."""
    total: int
    """How many there are."""
    last: CastVote | None = None
    """The juror's last vote while it can be taken back; None otherwise."""


class VotedItem(msgspec.Struct, frozen=True, kw_only=True):
    """The score of one item."""

    inference_id: str
    """The output."""
    voter_prompt_id: str
    """The prompt."""
    target_model: str
    """The model that produced it; empty where it is not known."""
    score: float
    """The score now."""
    freshness: float
    """The share of the score that its last batch contributes."""
    variance: float
    """The population variance of all votes on it."""
    ambiguous: bool
    """Whether votes disagree more than is allowed."""
    votes: int
    """How many votes count."""
    last_update: datetime
    """When the last vote was cast."""


class ResultPoint(msgspec.Struct, frozen=True):
    """What votes said of a model at some time."""

    time: datetime
    """The time; votes after it do not count."""
    score: float
    """The consensus then."""
    low: float | None
    """The lower end of its interval; None where it is not known."""
    high: float | None
    """The upper end."""


class ModelResult(msgspec.Struct, frozen=True, kw_only=True):
    """What people's votes say of one model's outputs."""

    model: str
    """The model."""
    score: float
    """The consensus: all votes on its outputs, aged as one stream."""
    low: float | None
    """The lower end of its interval, clustered by voter; None where it is not known."""
    high: float | None
    """The upper end."""
    votes: int
    """How many votes count."""
    outputs: int
    """How many of its outputs have votes."""
    voters: int
    """How many people voted on them."""
    batches: int = 1
    """In how many batches they came; the votes of one batch weigh the same."""
    unaged: float | None = None
    """What the score would be if votes did not age; None for comparisons of pairs, where it is not computed."""
    points: tuple[ResultPoint, ...] = ()
    """How it came to be; empty where all votes were cast at once, or there are very many."""


class VoteStanding(msgspec.Struct, frozen=True, kw_only=True):
    """What people's votes come to: who leads, how far they agree, and what is still to be done."""

    models: tuple[ModelResult, ...]
    """The models, the best first."""
    is_led: bool
    """Whether the first model's interval lies above the second's."""
    agreement: float | None
    """Krippendorff's alpha between voters; None where it is not known."""
    disputes: int
    """How many outputs wait for a curator because votes part."""
    votes_needed: int
    """How many votes are missing until every output has the least number."""
    least_votes: int
    """The number of votes that every output should have."""
    compares: bool = False
    """Whether people compared two outputs; a score is then the chance to win against a model of mean strength."""
    reason: str = ""
    """Why comparisons give no strengths yet, so that scores are shares of points; empty if they do."""

    @property
    def agreement_state(self) -> str:
        """How far voters agree, in the word that reports have for it too."""
        from venire.reports.sections.answers.votes import agreement_state

        return agreement_state(self.agreement)

    @property
    def caption(self) -> str:
        """The code of the sentence that says what the scores are."""
        if not self.compares:
            return "pages.results.chart"
        return "pages.results.chart_points" if self.reason else "pages.results.chart_pairs"


class SeenVote(msgspec.Struct, frozen=True, kw_only=True):
    """A vote as a curator sees it."""

    voter: str
    """The pseudonym."""
    vote: float | None
    """The vote; None if the voter was asked and did not vote."""
    vote_time: datetime
    """When."""
    weight: float | None = None
    """Its weight in the score; None if it has none."""
    reason: str = ""
    """Why, in the voter's words."""


class QueuedItem(msgspec.Struct, frozen=True, kw_only=True):
    """An ambiguous item that waits for a curator."""

    inference_id: str
    """The output."""
    prompt: VoterPrompt
    """What voters were asked."""
    text: str
    """The output; of two that are compared, the one that a vote of 1 is for."""
    second: str | None = None
    """The other of two outputs; None where there is one."""
    task: str = ""
    """What the output answers."""
    votes: tuple[SeenVote, ...]
    """The votes, in order of time."""
    score: float | None
    """The score; None if there is none."""
    variance: float
    """The population variance of all votes."""
    batch_variance: float
    """The population variance of the last batch."""
    critical_variance: float
    """The variance above which an item is ambiguous."""
    round: int = 1
    """Which round of voting it is."""
    left_open: bool = False
    """Whether an adaptive jury left it to people, so that there may be no votes."""
