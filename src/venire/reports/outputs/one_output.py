"""Everything that is known of one output: its texts, each judgement with its reply, people's votes, and marks."""

from __future__ import annotations

from typing import Any

import msgspec

from venire.domain.claim import Claim
from venire.domain.flag import Finding
from venire.domain.judgement import Evidence
from venire.domain.material import Material
from venire.domain.reader_mark import ReaderMark


class FailedAttempt(msgspec.Struct, frozen=True):
    """A request to a judge that brought no reply, or one that came late."""

    outcome: str
    """What became of it."""
    error: str
    """Why, as the provider said it."""
    recorded_at: str = ""
    """When it was recorded."""


class ShownJudgement(msgspec.Struct, frozen=True, kw_only=True):
    """A judgement on an output, with what was said and what it took."""

    key: str
    """What it is found by."""
    judge: str
    """Who judged."""
    repeat: str = "0"
    """Which asking it was."""
    status: str
    """Whether it is valid."""
    counted: bool
    """Whether lists count it."""
    run: str = ""
    """The run that judged."""
    method: str = ""
    """Whether the judge judged itself."""
    model: str = ""
    """The model that was asked; empty if none was or it is not known."""
    score: float | None = None
    """The overall score, brought to 0-10."""
    overall: float | None = None
    """The overall score on the judge's own scale."""
    overall_maximum: float | None = None
    """The highest overall score of that scale."""
    verdict: str = ""
    """The verdict."""
    against: str = ""
    """The output that this one was held against; empty unless pairs were judged."""
    strength: float | None = None
    """By how much the winner of a pair is better, on the judge's scale."""
    reasons: dict[str, str] = {}
    """Why it is, by dimension, in the judge's words."""
    scores: dict[str, float] = {}
    """The scores by dimension."""
    evidence: tuple[Evidence, ...] = ()
    """The quotes, their places being those in the texts as the record holds them."""
    quotes_compared: bool = True
    """Whether the quotes were held against the texts."""
    claims: tuple[Claim, ...] = ()
    """The claims, each with its two sides among the quotes."""
    findings: tuple[Finding, ...] = ()
    """What is wrong or noteworthy about the reply."""
    reply: str | None = None
    """The reply as it came; None if the source does not hold it."""
    input_tokens: int | None = None
    """Tokens of the request."""
    output_tokens: int | None = None
    """Tokens of the reply."""
    cost: float | None = None
    """What it cost at the configured price; None if no price or no tokens are known."""
    latency_seconds: float | None = None
    """How long the request took."""
    attempt: int = 1
    """Which try brought the reply."""
    failed: tuple[FailedAttempt, ...] = ()
    """The requests that brought none."""
    sequence: int | None = None
    """Its entry in the ledger."""
    recorded_at: str = ""
    """When it was recorded."""
    masked: bool = False
    """Whether the judge saw the text with names masked."""


class ShownVote(msgspec.Struct, frozen=True):
    """A vote of a person, or of a judge by a rule."""

    voter: str
    """Who voted."""
    kind: str
    """Whether a person or a judge voted."""
    vote: float | None
    """From 0 to 1, of a pair 1 if this output is the better one; None if it was taken back."""
    time: str
    """When."""
    prompt: str
    """What was asked."""
    reason: str
    """Why, in the voter's words."""
    item: str = ""
    """What was voted on: the output, or both of a pair by their common name."""
    against: str = ""
    """The output that this one was compared with; empty for a vote on one output."""
    sequence: int | None = None
    """Its entry in the ledger."""


class OneOutput(msgspec.Struct, frozen=True, kw_only=True):
    """What a page of one output shows."""

    text: str | None = None
    """The output; None if the source does not hold it."""
    task: str = ""
    """What it answers."""
    materials: tuple[Material, ...] = ()
    """What stands beside it."""
    factors: dict[str, str] = {}
    """Further factors."""
    judgements: tuple[ShownJudgement, ...] = ()
    """The judgements: those that count first."""
    votes: tuple[ShownVote, ...] = ()
    """The votes, the latest first."""
    marks: tuple[ReaderMark, ...] = ()
    """The marks, the latest first."""
    is_weighted: bool = True
    """Whether the source knows the judges' weights; without them a score is the mean of the judges' scores."""
    names: dict[str, dict[str, str]] = {}
    """The names of dimensions for a reader, by language, in the protocol's order."""
    sequence: int | None = None
    """The entry of the output in the ledger."""
    recorded_at: str = ""
    """When it was recorded."""

    @property
    def people(self) -> tuple[ShownVote, ...]:
        """The votes of people that stand."""
        return tuple(each for each in self.votes if each.kind == "person" and each.vote is not None)

    @property
    def cost(self) -> float | None:
        """What all judgements cost; None if of none of them a price is known."""
        known = [each.cost for each in self.judgements if each.cost is not None]
        return sum(known) if known else None

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The dimensions: those of the protocol, then others that judgements name."""
        named = [
            name for each in self.judgements for name in (*each.scores, *(item.dimension for item in each.evidence))
        ]
        return tuple(dict.fromkeys((*self.names, *named)))


def failed_attempt(content: dict[str, Any]) -> FailedAttempt:
    """Read what the ledger says of a request that brought no reply."""
    return FailedAttempt(str(content["outcome"]), str(content.get("error") or ""))


class _Reasons(msgspec.Struct, frozen=True):
    reasons: dict[str, str] = {}
    reason: str = ""


_reasons = msgspec.json.Decoder(_Reasons)


def told_reasons(reply: str) -> dict[str, str]:
    """Return why a judge prefers an output; nothing where the reply is not plain JSON in the form of a preference."""
    try:
        content = _reasons.decode(reply)
    except msgspec.MsgspecError:
        return {}
    told = content.reasons or {"": content.reason}
    return {name: text for name, text in told.items() if text}
