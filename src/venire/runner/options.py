"""How a run is done: order, repeats, retries, limits of time and size, and the budget."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Positive = Annotated[float, msgspec.Meta(gt=0)]
"""A number above 0."""
Count = Annotated[int, msgspec.Meta(ge=1)]
"""A whole number from 1 on."""
Amount = Annotated[float, msgspec.Meta(ge=0)]
"""A number that is not negative."""
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
"""A number from 0 to 1."""


class Budget(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one run may spend; None for no limit."""

    money: Amount | None = None
    """In the currency of the judges' prices."""
    tokens: Annotated[int, msgspec.Meta(ge=0)] | None = None
    """Of requests and replies together."""
    calls: Annotated[int, msgspec.Meta(ge=0)] | None = None
    """Requests, failed ones counted."""


class RunnerOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the run is done."""

    mode: Literal["parallel", "sequential"] = "parallel"
    """`sequential` asks one judge after another, one request at a time."""
    seed: int = 0
    """What random choices follow from: fences and back-off."""
    reask_share: Share = 0.1
    """The share of tasks that is asked twice to measure consistency, chosen by hash."""
    reask_invalid: Annotated[int, msgspec.Meta(ge=0)] = 0
    """How often a judge is asked again after an invalid reply; every reply is kept."""
    attempts: Count = 5
    """How often one task is tried while the judge cannot be reached; being refused for too many requests is no try."""
    backoff_seconds: Amount = 1.0
    """The first pause between tries; it doubles each time."""
    backoff_limit_seconds: Amount = 60.0
    """The longest pause between tries."""
    retry_after_limit_seconds: Amount = 900.0
    """The longest pause that a server may ask for, or may only refuse; then the judge is paused."""
    timeout_seconds: Positive = 120.0
    """The longest that one request may take."""
    max_reply_bytes: Count = 4 * 1024 * 1024
    """Where a longer reply is cut and flagged."""
    stop_judge_after: Count = 5
    """How many tasks of a judge may fail in a row before it is given a rest, and then up."""
    rest_seconds: Amount = 30.0
    """How long a judge that keeps failing is left alone before it is tried once more."""
    pause_invalid: bool = True
    """Whether a judge is paused whose replies are nearly all invalid: 15 of the first 20, or so many later on."""
    insecure_http: bool = False
    """Whether keys may be sent over plain http to other machines."""
    budget: Budget = Budget()
    """What the run may spend."""
