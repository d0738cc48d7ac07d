"""What pages show, as values; the court makes them and pages only draw them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from venire.domain.judgement import Judgement
from venire.domain.protocol import EvalProtocol
from venire.domain.vote import VoterPrompt

BallotScale = Literal["yes_no", "unit", "protocol"]
"""How a juror answers: yes or no, a number from 0 to 1, or the scores and quotes of a protocol."""


class Ballot(msgspec.Struct, frozen=True, kw_only=True):
    """One blinded output that a juror is asked about."""

    item: str
    """The opaque name of the output; a vote names it. It tells neither the model nor the output's own id."""
    prompt: VoterPrompt
    """What is asked."""
    text: str
    """The output, with the names of its model masked."""
    task: str = ""
    """What the output answers; empty where it is not known."""
    scale: BallotScale = "yes_no"
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


class ScorePoint(msgspec.Struct, frozen=True):
    """The state of an item after one batch of votes."""

    time: datetime
    """When the batch was complete."""
    score: float
    """The score after it."""
    freshness: float
    """The share of the score that the batch contributes."""


class ScoreCurve(msgspec.Struct, frozen=True, kw_only=True):
    """The score of one item over time."""

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
    points: tuple[ScorePoint, ...] = ()
    """The states, in order of time; thinned out where there are many."""


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
    """The output."""
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


class JudgeProgress(msgspec.Struct, frozen=True, kw_only=True):
    """How far a judge has come in a run."""

    judge: str
    """The judge's name."""
    planned: int | None
    """How many tasks the run planned for it; None where no plan was recorded."""
    done: int = 0
    """How many are done."""
    valid: int = 0
    """Of these, how many judgements are valid."""
    invalid: int = 0
    """Of these, how many judgements are invalid."""
    failed: int = 0
    """How many tasks failed."""
    cost: float = 0.0
    """What it cost so far."""


class RunProgress(msgspec.Struct, frozen=True, kw_only=True):
    """How far a run has come."""

    run: str
    """The id of the run."""
    state: Literal["running", "done", "stopped", "failed"]
    """Whether it still runs, and how it ended."""
    started_at: str
    """When it began, as ISO 8601 in UTC."""
    ended_at: str = ""
    """When it ended; empty while it runs."""
    protocol: str = ""
    """The protocol's id."""
    judges: tuple[JudgeProgress, ...] = ()
    """One for each judge."""
    reason: str = ""
    """Why it ended; empty while it runs."""


class TrailLink(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of the ledger that a judgement rests on."""

    kind: str
    """What the entry records."""
    sequence: int
    """Its number."""
    hash: str
    """Its hash."""
    previous_hash: str
    """The hash of the entry before it."""
    recorded_at: str
    """The writer's clock."""


class JudgementView(msgspec.Struct, frozen=True, kw_only=True):
    """A judgement with all that it rests on."""

    judge: str
    """Who judged."""
    repeat: str
    """Which asking it was."""
    judgement: Judgement
    """The judgement, with its findings and its quotes' places in the text."""
    reply: str
    """The reply, as it came."""
    text: str
    """The judged text, as the judge saw it; for a bundle the texts one after another."""
    task: str = ""
    """What the output answers."""
    identity: dict[str, str] = {}
    """The sample's identifiers and factors by name."""
    names: dict[str, dict[str, str]] = {}
    """The names of dimensions for a reader, by language."""
    trail: tuple[TrailLink, ...] = ()
    """The entries of sample, protocol, reply and judgement, in the order of the ledger."""


class InvitationRow(msgspec.Struct, frozen=True):
    """An invitation as curators see it: without the name of whom it is for."""

    id: str
    """Its public id, which its link shows while it is in use elsewhere."""
    pseudonym: str
    """What its juror is called in the ledger."""
    created_at: str
    """When it was made."""
    expires_at: str
    """When it ends; empty if it does not."""
    in_use: bool
    """Whether a browser has opened it."""
