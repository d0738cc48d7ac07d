"""The terms that a reply is held to, and what is known about the occasion on which it was given."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import msgspec

from venire.domain.judge import JudgeIdentity, other_names
from venire.domain.judgement import EvidenceLevel, Method
from venire.domain.protocol import EvalProtocol, Scale

Profile = Literal["contract", "seed"]
"""`contract` asks for exactly the fields of the contract; `seed` only for what the source document states."""


class Terms(msgspec.Struct, frozen=True):
    """What a reply is checked against; the same for a whole run of a judge."""

    protocol: EvalProtocol
    """The protocol."""
    scale: Scale
    """The scale that this judge scores on."""
    profile: Profile = "contract"
    """How much of the contract is asked for."""
    level: EvidenceLevel = EvidenceLevel.NFKC
    """The most lenient level at which a quote counts as verbatim."""
    blind: bool = False
    """Whether the judge knew the sample only by a handle, and so cannot state its identifiers."""


class Occasion(msgspec.Struct, frozen=True, gc=False):
    """Who replied, and under which handle the judge knew the sample."""

    judge: JudgeIdentity | None = None
    """Who replied; None if it is not known."""
    handle: str = ""
    """The opaque name of the sample in a blind prompt; empty if the judge knew the output_id."""
    aliases: tuple[tuple[str, str], ...] = ()
    """Pairs of names that mean the same model."""

    def method(self, target_model: str) -> Method | None:
        """Tell whether the judge judged itself; None if judge or target is not known."""
        return None if self.judge is None else _known_method(self.judge, target_model, self.aliases)

    def method_of(self, judge: JudgeIdentity, target_model: str) -> Method | None:
        """Tell whether a judge would judge itself; None if the target is not known."""
        if not target_model:
            return None
        names = (target_model, *other_names(target_model, self.aliases)) if self.aliases else (target_model,)
        return Method.SELF_JUDGE if any(map(judge.is_judging_itself, names)) else Method.CROSS_JUDGE


@lru_cache(maxsize=1024)  # A run has few judges and targets, and asks for each reply.
def _known_method(judge: JudgeIdentity, target_model: str, aliases: tuple[tuple[str, str], ...]) -> Method | None:
    return Occasion(aliases=aliases).method_of(judge, target_model)
