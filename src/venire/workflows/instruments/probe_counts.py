"""From the places that a judge gave to probes to a decision: a pure function, which an audit runs again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from venire.judges.probes.making import ORIGINAL, ProbeName
from venire.judges.probes.pairs import EVEN
from venire.judges.probes.qualification import ProbeReply, QualificationTerms
from venire.stats.qualification.decide import FamilyLimit, VoirDireOutcome, decide
from venire.stats.qualification.family_rate import FamilyCount, FamilyRate

WORST = 3
"""How many of the probes that were failed by most are named."""
_ROUNDING = 1e-9
_ON_ORIGINALS = ("valid", "repeats", "unchanged")
"""The rules that go by what was said of originals, whether these were scored or compared."""


class _Seen(NamedTuple):
    """One probe of which enough is known to count it: whether it failed, what counts against that, and by how much."""

    probe: str
    failed: bool
    against: bool
    by: float


def examine(
    replies: Iterable[ProbeReply], terms: QualificationTerms
) -> tuple[VoirDireOutcome, tuple[FamilyRate, ...], tuple[str, ...]]:
    """Return the outcome, the rate of each family, and the probes that were failed by most."""
    kept = [(ProbeName.parse(each.probe), each.place) for each in replies]
    originals = {(name.template, name.base): place for name, place in kept if name.family == ORIGINAL}
    seen = {family: list(_of_family(family, kept, originals, terms)) for family in terms.families}
    counts = {family: _count(listed, terms.families[family].rule) for family, listed in seen.items()}
    limits = {name: FamilyLimit(limit=each.limit, planned=each.planned) for name, each in terms.families.items()}
    outcome, rates = decide(counts, limits, alpha=terms.alpha)
    beyond = {each.family for each in rates if each.standing == "beyond"}
    failed = [(family not in beyond, -each.by, each.probe) for family in seen for each in seen[family] if each.failed]
    return outcome, rates, tuple(probe for _, _, probe in sorted(failed)[:WORST])


def _count(listed: list[_Seen], rule: str) -> FamilyCount:
    is_paired = rule in ("unchanged", "not_raised")
    return FamilyCount(
        trials=len(listed),
        failures=sum(each.failed for each in listed),
        against=sum(each.against for each in listed) if is_paired else None,
    )


def _of_family(
    family: str,
    replies: list[tuple[ProbeName, float | None]],
    originals: dict[tuple[str, str], float | None],
    terms: QualificationTerms,
) -> Iterator[_Seen]:
    rule = terms.families[family].rule
    wanted = (family, ORIGINAL) if rule in ("repeats", "valid") else (family,)
    for name, place in replies:
        if name.family not in wanted:
            continue
        first, again, weak = (originals.get((each, name.base)) for each in ("first", "again", "weak"))
        if terms.compared and rule not in _ON_ORIGINALS:
            first = weak = EVEN  # A probed output stands beside the one that it was made from.
        found = _judged(rule, name, place, (first, again, weak), terms)
        if found is not None:
            yield found


def _judged(
    rule: str,
    name: ProbeName,
    place: float | None,
    originals: tuple[float | None, float | None, float | None],
    terms: QualificationTerms,
) -> _Seen | None:
    """Say whether one probe was failed; None if what it is compared with is missing, or leaves no room to tell."""
    first, again, weak = originals
    if rule == "valid":
        return None if name.template == "weak" else _Seen(str(name), place is None, against=False, by=1.0)
    if rule == "repeats":
        if name.template != "again" or first is None or place is None:
            return None
        return _Seen(str(name), _differ(place, first, terms), against=False, by=abs(place - first))
    if place is None:
        return None
    if rule == "fails":
        return _Seen(str(name), place > terms.ceiling + _ROUNDING, against=False, by=place)
    if rule == "not_raised":
        if weak is None:
            return None
        moved = _differ(place, weak, terms)
        return _Seen(str(name), moved and place > weak, moved and place < weak, place - weak)
    if first is None:
        return None
    if rule == "unchanged":
        if again is None:
            return None
        moved, noisy = _differ(place, first, terms), _differ(again, first, terms)
        return _Seen(str(name), moved and not noisy, noisy and not moved, abs(place - first))
    step = terms.span if rule == "far" else terms.tolerance
    if first < step - _ROUNDING:
        return None
    return _Seen(str(name), first - place < step - _ROUNDING, against=False, by=place - first + step)


def _differ(one: float, other: float, terms: QualificationTerms) -> bool:
    return abs(one - other) >= terms.tolerance - _ROUNDING


def plain_rates(rates: tuple[FamilyRate, ...]) -> tuple[dict[str, object], ...]:
    """Return rates as a record holds them: numbers to twelve digits, so that every machine writes the same."""
    return tuple(
        {name: float(f"{value:.12g}") if isinstance(value, float) else value for name, value in each.items()}
        for each in map(msgspec.structs.asdict, rates)
    )
