"""What asking judges took, and what their replies broke."""

from __future__ import annotations

import msgspec


class JudgeWork(msgspec.Struct, kw_only=True):
    """What asking one judge took; counted up while a ledger is read."""

    requests: int = 0
    """Requests that were made, failed ones too."""
    failures: int = 0
    """Requests that gave no reply, and tasks that were not asked."""
    replies: int = 0
    """Replies that were kept."""
    latencies: list[float] = []
    """How long each request took, in seconds."""
    input_tokens: int = 0
    """Tokens of requests, where the server said it."""
    output_tokens: int = 0
    """Tokens of replies, where the server said it."""
    without_tokens: int = 0
    """Replies of which the server did not say the tokens."""
    cost: float = 0.0
    """What the counted tokens cost at the prices of the configuration."""
    priced: bool = False
    """Whether the configuration names a price."""
    free: bool = False
    """Whether its kind never costs anything: rules, kept replies, or a model on this machine."""


class BrokenRule(msgspec.Struct, kw_only=True):
    """How often replies broke one rule."""

    findings: int = 0
    """How many places broke it."""
    sequences: list[int] = []
    """The entries of the judgements in which it was broken."""


class StatedOverall(msgspec.Struct, kw_only=True):
    """How often a judge's own overall score does not follow from its scores, where such replies stay valid."""

    compared: int = 0
    """Replies with scores and an overall score beside them."""
    largest: float = 0.0
    """The largest difference, on the judge's scale."""
    sequences: list[int] = []
    """The entries of the judgements whose stated overall score does not follow."""
