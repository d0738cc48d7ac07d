"""A juror's judgement by the dimensions of a protocol, checked as a judge's reply is checked."""

from __future__ import annotations

from venire.domain.judge import JudgeIdentity
from venire.domain.judgement import Judgement
from venire.domain.protocol import EvalProtocol
from venire.domain.sample import Sample
from venire.errors import UsageError
from venire.validation.check import Checker
from venire.votes.from_judgements import Rule, vote_of

RULE: Rule = "overall"
"""The rule by which a juror's judgement becomes a vote: its overall score, scaled to 0–1."""


def check_reply(reply: str, seen: Sample, handle: str, juror: str, protocol: EvalProtocol) -> Judgement:
    """Check a juror's reply about a sample as the juror saw it; the reply names it by its handle."""
    if protocol.design is not None:
        raise UsageError(f"jurors judge one output at a time: the protocol {protocol.id!r} is for bundles")
    return Checker(protocol, blind=True).check(reply, seen, judge=JudgeIdentity(juror), handle=handle)


def vote_from(judgement: Judgement, protocol: EvalProtocol) -> float:
    """Return the vote that a valid judgement becomes. Raises `UsageError` if it becomes none."""
    vote = vote_of(judgement, protocol, RULE)
    if isinstance(vote, str):
        raise UsageError(f"the judgement gives no vote: {vote}")
    return vote
