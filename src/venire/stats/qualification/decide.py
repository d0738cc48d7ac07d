"""Qualified, struck for cause or undecided: the bounds of all families together, and never the estimates."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from venire.stats.qualification.family_rate import FamilyCount, FamilyRate, needed_more
from venire.stats.uncertainty.multiplicity import holm


class VoirDireOutcome(StrEnum):
    """What a voir dire ends with."""

    QUALIFIED = "qualified"
    """The upper bound of every family is within its limit."""
    STRUCK = "struck"
    """At least one family is beyond its limit, adjusted for how many families were looked at."""
    UNDECIDED = "undecided"
    """Neither is shown."""


class FamilyLimit(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked of a family: its limit, and how many observations were planned."""

    limit: float
    """The rate that a judge must stay within."""
    planned: int
    """How many observations the planned power takes."""


def decide(
    counts: Mapping[str, FamilyCount], limits: Mapping[str, FamilyLimit], *, alpha: float = 0.05
) -> tuple[VoirDireOutcome, tuple[FamilyRate, ...]]:
    """Decide on a judge by the families that it was probed with.

    A sound judge is struck with a probability of at most α, whatever the number of families (Holm 1979). A judge with a
    fault in any family qualifies with a probability of at most α: all upper bounds must be within their limits (an
    intersection-union test, Berger 1982), so no adjustment is needed there.
    """
    seen = {name: counts[name] for name in limits if counts.get(name, FamilyCount()).trials}
    p_values = [seen[name].exceeding_p(limits[name].limit) for name in seen]
    adjusted = dict(zip(seen, holm(p_values, alpha=alpha).adjusted, strict=True)) if seen else {}
    chances = dict(zip(seen, p_values, strict=True))
    rates = tuple(
        _rate(name, counts.get(name, FamilyCount()), limits[name], alpha, chances.get(name), adjusted.get(name), limits)
        for name in limits
    )
    if any(each.standing == "beyond" for each in rates):
        return VoirDireOutcome.STRUCK, rates
    is_within = bool(rates) and all(each.standing == "within" for each in rates)
    return VoirDireOutcome.QUALIFIED if is_within else VoirDireOutcome.UNDECIDED, rates


def _rate(
    name: str,
    count: FamilyCount,
    asked: FamilyLimit,
    alpha: float,
    p_value: float | None,
    adjusted: float | None,
    limits: Mapping[str, FamilyLimit],
) -> FamilyRate:
    low, high = count.bounds(alpha) if count.trials else (None, None)
    is_beyond = adjusted is not None and adjusted <= alpha
    is_within = count.trials > 0 and count.is_within(asked.limit, alpha)
    more = None
    if not is_beyond and not is_within:
        more = needed_more(count, asked.limit, alpha, alpha / len(limits), asked.planned)
    return FamilyRate(
        family=name,
        trials=count.trials,
        failures=count.failures,
        against=count.against,
        rate=count.rate if count.trials else None,
        low=low,
        high=high,
        limit=asked.limit,
        p_value=p_value,
        adjusted_p=adjusted,
        standing="beyond" if is_beyond else "within" if is_within else "open",
        more=more,
    )
