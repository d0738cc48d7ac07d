"""What to do after a request that brought no reply: a pure decision from the failure and the number of tries."""

from __future__ import annotations

from typing import Literal

import msgspec

from venire.judges.provider import Reply

_WORTH_ANOTHER_TRY = frozenset({"rate_limited", "server", "connection", "timeout", "malformed"})


class RetryPolicy(msgspec.Struct, frozen=True):
    """How patient a run is."""

    attempts: int
    """How often one task is tried."""
    first_seconds: float
    """The first pause; it doubles with every try."""
    limit_seconds: float
    """The longest pause that is not asked for by the server."""


class Decision(msgspec.Struct, frozen=True):
    """What to do after a failure."""

    action: Literal["retry", "give_up", "give_up_judge"]
    """Try again, fail this task, or fail all of the judge's tasks."""
    wait_seconds: float = 0.0
    """How long to wait before the next try."""
    pause_judge: bool = False
    """Whether all of the judge's requests should wait, because the server asked for it."""


def decide(reply: Reply, attempt: int, policy: RetryPolicy, jitter: float) -> Decision:
    """Decide from a failed reply, the number of tries so far (from 1), and a random number in [0, 1).

    The pause grows exponentially, between half and all of its full length; `Retry-After` is always honoured.
    """
    if reply.error_kind == "auth":
        return Decision("give_up_judge")
    if reply.error_kind not in _WORTH_ANOTHER_TRY or attempt >= policy.attempts:
        return Decision("give_up")
    pause = min(policy.limit_seconds, policy.first_seconds * 2 ** (attempt - 1)) * (0.5 + jitter / 2)
    asked = reply.retry_after_seconds
    if asked is None:
        return Decision("retry", pause)
    return Decision("retry", max(asked, 0.0), pause_judge=True)
