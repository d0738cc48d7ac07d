"""What to do after a request that brought no reply: a pure decision from the failure and the number of tries."""

from __future__ import annotations

from typing import Literal

import msgspec

from venire.judges.model_list import MODEL_NOT_THERE, NOTHING_THERE
from venire.judges.provider import Reply
from venire.words.said import Said, say

PASSING = frozenset({"server", "connection", "timeout", "malformed"})
"""Failures that may pass by themselves, beside being asked for fewer requests."""


class RetryPolicy(msgspec.Struct, frozen=True):
    """How patient a run is."""

    attempts: int
    """How often one task is tried."""
    first_seconds: float
    """The first pause; it doubles with every try."""
    limit_seconds: float
    """The longest pause that is not asked for by the server."""
    retry_after_limit_seconds: float
    """The longest pause that a server may ask for."""


class Tries(msgspec.Struct, frozen=True):
    """What came before a failure of a task."""

    counted: int
    """How many tries have failed, this one among them; being refused for too many requests is no failure."""
    refused_keys: int = 0
    """How many of them were refused for their key."""
    is_first: bool = False
    """Whether the judge has not replied to anything yet, so that it may not be there at all."""
    failed_before: tuple[str, int] = ("", 0)
    """How the last request about anything had failed by then, and how many in a row, if it has not replied."""

    def alike(self, kind: str) -> int:
        """Return how many requests in a row have failed in this way, this one among them."""
        before, count = self.failed_before
        return count + 1 if before == kind else 1


class RetryDecision(msgspec.Struct, frozen=True):
    """What to do after a failure."""

    action: Literal["retry", "give_up", "give_up_judge", "pause_judge"]
    """Try again, fail this task, fail all of the judge's tasks, or leave them for another run."""
    wait_seconds: float = 0.0
    """How long this task waits before the next try."""
    reason: str = ""
    """Why the judge is given up or paused, where the failure itself does not say it."""


FIRST_TRIES = 3
"""How often a judge that has never replied fails in one way before nobody is thought to be there, or a stranger."""
_NOBODY_THERE = ("connection", "malformed")
"""What tells of a judge that has never replied that nobody is there, or nobody who speaks its protocol."""


def decide(reply: Reply, tries: Tries, policy: RetryPolicy, jitter: float) -> RetryDecision:
    """Decide from a failed reply, what came before it, and a random number in [0, 1).

    The pause grows exponentially, between half and all of its full length, and is never shorter than `Retry-After`.
    """
    kind, asked = reply.error_kind, reply.retry_after_seconds or 0.0
    # Beyond 2 ** 60 the limit holds anyway, and a float would overflow.
    pause = min(policy.limit_seconds, policy.first_seconds * 2 ** max(0, min(tries.counted - 1, 60)))
    again = RetryDecision("retry", max(pause * (0.5 + jitter / 2), asked))
    if kind == "quota":
        return RetryDecision("pause_judge")
    if asked > policy.retry_after_limit_seconds:
        limit = policy.retry_after_limit_seconds
        return RetryDecision("pause_judge", reason=say("run.asks_to_wait", asked=asked, limit=limit))
    if kind == "rate_limited":
        return again
    if kind == "auth":  # A server that took the key before may have lost its own way to check it.
        is_new = not tries.is_first and tries.refused_keys == 1
        return again if is_new else RetryDecision("give_up_judge")
    if tries.is_first and (
        reply.status in NOTHING_THERE
        or (isinstance(reply.error, Said) and reply.error.code == MODEL_NOT_THERE)
        or (kind in _NOBODY_THERE and tries.alike(kind) >= min(FIRST_TRIES, policy.attempts))
    ):
        return RetryDecision("give_up_judge")
    if kind not in PASSING or tries.counted >= policy.attempts:
        return RetryDecision("give_up")
    return again
