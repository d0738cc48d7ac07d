"""Who sits on the panel: each judge with its instrument, its weight and its limits."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property
from typing import Annotated, Any

import msgspec

from venire.domain.canonical import digest
from venire.domain.judge import JudgeIdentity
from venire.errors import ConfigError
from venire.judges.provider import Decoding

WEIGHT_TOLERANCE = 1e-9
"""How far the weights of a panel may be from summing to 1."""

FREE_KINDS = frozenset({"local", "matching", "replay", "rules"})
"""Judges that ask nobody who is paid; what a plugin's judges cost is not known."""


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a judge costs."""

    input_per_million: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    """The price of a million tokens of requests."""
    output_per_million: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    """The price of a million tokens of replies."""

    def cost(self, input_tokens: int, output_tokens: int) -> float:
        """Return the price of a call."""
        return (input_tokens * self.input_per_million + output_tokens * self.output_per_million) / 1_000_000


class JudgeLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How hard a judge may be pressed."""

    concurrency: Annotated[int, msgspec.Meta(ge=1)] = 8
    """The most requests that are under way at once."""
    requests_per_minute: Annotated[float, msgspec.Meta(gt=0)] | None = None
    """The most requests in a minute; None for no limit."""
    tokens_per_minute: Annotated[float, msgspec.Meta(gt=0)] | None = None
    """The most tokens in a minute, of requests and replies together; None for no limit."""


class Judge(msgspec.Struct, frozen=True, dict=True):
    """One judge of a panel: an instrument with a version, and how it is used."""

    name: str
    """What it is called on the panel."""
    kind: str
    """The kind of its provider: a preset such as `deepseek`, or `rules`, `local`, `replay`..."""
    model: str
    """The model behind it; empty for judges that are not models."""
    weight: float
    """Its share in the panel's score."""
    decoding: Decoding
    """How its model decodes."""
    options: dict[str, Any]
    """What its provider is made with; it holds names of environment variables, never keys."""
    rules: dict[str, Any]
    """What could change its answers beside model and decoding: checks of a rule judge, options of a provider."""
    blind: bool
    """Whether it is kept from knowing who wrote the output."""
    mask_identity: bool
    """Whether names of the model are masked in the output that it sees."""
    attach_files: bool
    """Whether it gets paged files as documents instead of their text."""
    scale: str | None
    """The scale it scores on; None for the protocol's first."""
    language: str
    """The language it is asked in."""
    family: str
    """The vendor or family of its model, for telling whether it judges its own kin."""
    aliases: tuple[str, ...]
    """Other names of its model."""
    prompt_version: str
    """A label of the user's for the version of the question; another label is another instrument."""
    price: Price
    """What it costs."""
    limits: JudgeLimits
    """How hard it may be pressed."""

    @cached_property
    def digest(self) -> str:
        """The id of the instrument: everything that could change its answers, and nothing else."""
        return digest(
            "judge",
            {
                "name": self.name,
                "kind": self.kind,
                "model": self.model,
                "decoding": self.decoding,
                "rules": self.rules,
                "blind": self.blind,
                "mask_identity": self.mask_identity,
                "attach_files": self.attach_files,
                "scale": self.scale,
                "language": self.language,
                "prompt_version": self.prompt_version,
            },
        )

    @cached_property
    def identity(self) -> JudgeIdentity:
        """The names and the family by which self-judging is told."""
        return JudgeIdentity(self.name, self.model, self.aliases, self.family)

    def knowing(self, targets: Iterable[tuple[str, str]]) -> Judge:
        """Return the judge with those targets, names with their models, among its aliases that are its own model.

        A target's name says nothing of the model behind it, and a judge must not judge itself by accident.
        """
        own = [name for name, model in targets if model and self.identity.is_judging_itself(model)]
        aliases = dict.fromkeys((*self.aliases, *own))
        return msgspec.structs.replace(self, aliases=tuple(aliases)) if own else self


def check_weights(judges: tuple[Judge, ...], *, renormalise: bool = False) -> tuple[Judge, ...]:
    """Return the judges if their weights sum to 1, or rescaled ones if that is asked for; raises `ConfigError`."""
    total = math.fsum(judge.weight for judge in judges)
    if abs(total - 1) <= WEIGHT_TOLERANCE:
        return judges
    if renormalise and total > 0:
        return tuple(msgspec.structs.replace(judge, weight=judge.weight / total) for judge in judges)
    listed = ", ".join(f"{judge.name} {judge.weight:g}" for judge in judges)
    raise ConfigError("error.judge.weights_sum", total=total, listed=listed)
