"""What to do after a request that brought no reply: a pure decision from the failure and the number of tries."""

from __future__ import annotations

from typing import Literal

import msgspec

from venire.judges.provider import Reply
from venire.words.said import say

_WORTH_ANOTHER_TRY = frozenset({"rate_limited", "server", "connection", "timeout", "malformed"})


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


class RetryDecision(msgspec.Struct, frozen=True):
    """What to do after a failure."""

    action: Literal["retry", "give_up", "give_up_judge"]
    """Try again, fail this task, or fail all of the judge's tasks."""
    wait_seconds: float = 0.0
    """How long this task waits before the next try."""
    pause_judge_seconds: float = 0.0
    """How long all of the judge's requests wait, because the server asked for it."""
    reason: str = ""
    """Why the judge is given up, where the failure itself does not say it."""


def decide(reply: Reply, attempt: int, policy: RetryPolicy, jitter: float) -> RetryDecision:
    """Decide from a failed reply, the number of tries so far (from 1), and a random number in [0, 1).

    The pause grows exponentially, between half and all of its full length, and is never shorter than `Retry-After`.
    """
    if reply.error_kind == "auth":
        return RetryDecision("give_up_judge")
    asked = reply.retry_after_seconds or 0.0
    if asked > policy.retry_after_limit_seconds:
        limit = policy.retry_after_limit_seconds
        reason = say("run.asks_to_wait", asked=asked, limit=limit)
        return RetryDecision("give_up_judge", reason=reason)
    if reply.error_kind not in _WORTH_ANOTHER_TRY or attempt >= policy.attempts:
        return RetryDecision("give_up", pause_judge_seconds=asked)
    # Beyond 2 ** 60 the limit holds anyway, and a float would overflow.
    pause = min(policy.limit_seconds, policy.first_seconds * 2 ** min(attempt - 1, 60)) * (0.5 + jitter / 2)
    return RetryDecision("retry", pause, pause_judge_seconds=asked)
