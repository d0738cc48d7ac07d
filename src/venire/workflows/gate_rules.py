"""The rules of a gate, read strictly from a YAML file: every error says its file and line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from venire.errors import InputError
from venire.yaml_source import YamlSource, locate_error, read_yaml

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
"""A share of a whole."""


class GateRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="check"):
    """What all rules have."""

    name: str = ""
    """What the rule is called in summaries; without a name it is called by what it asks for."""
    where: dict[str, str] = {}
    """The slice that the rule is about, as factors that must all hold; everything if empty."""
    confident: bool = False
    """Whether the whole interval must hold, and not just the number."""
    when_unknown: Literal["fail", "pass"] = "fail"
    """Whether a number that is not known closes the gate."""


class MinimumScore(GateRule, frozen=True, kw_only=True, tag="minimum_score"):
    """The mean panel score on 0–10 must reach a value."""

    at_least: Annotated[float, msgspec.Meta(ge=0, le=10)]
    """The lowest mean that is let through."""
    dimension: str = ""
    """The dimension; empty for the overall score."""


class NoDrop(GateRule, frozen=True, kw_only=True, tag="no_drop"):
    """The mean panel score on 0–10 must not have fallen against the baseline by more than a margin.

    The rule fails if the whole interval of the change lies below −margin: the drop is then beyond the margin with
    significance. If `confident` is set, it passes only if the whole interval lies above −margin: the data must show
    that there is no such drop, and too few data close the gate.
    """

    margin: Annotated[float, msgspec.Meta(ge=0, le=10)] = 0.0
    """How far the score may fall."""
    dimension: str = ""
    """The dimension; empty for the overall score."""


class HardBreakRate(GateRule, frozen=True, kw_only=True, tag="hard_break_rate"):
    """The share of judgements whose structure has the lowest score must stay below a value."""

    at_most: Share
    """The highest share that is let through."""
    dimension: str = ""
    """The dimension whose lowest score is a hard break; found in the protocol if empty."""


class InvalidShare(GateRule, frozen=True, kw_only=True, tag="invalid_share"):
    """The share of replies that do not count, because they are not valid, must stay below a value."""

    at_most: Share
    """The highest share that is let through."""


class Agreement(GateRule, frozen=True, kw_only=True, tag="agreement"):
    """Krippendorff's alpha between the judges must reach a value."""

    at_least: Annotated[float, msgspec.Meta(ge=-1, le=1)]
    """The lowest alpha that is let through."""
    dimension: str = ""
    """The dimension; empty for the overall score."""


Rule = MinimumScore | NoDrop | HardBreakRate | InvalidShare | Agreement
"""All kinds of rules."""

CHECKS = ("minimum_score", "no_drop", "hard_break_rate", "invalid_share", "agreement")
"""What `check` can be."""


class GateRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file of rules."""

    rules: Annotated[tuple[Rule, ...], msgspec.Meta(min_length=1)]
    """The rules; each must let the data through."""
    level: Annotated[float, msgspec.Meta(gt=0.5, lt=1)] = 0.95
    """The coverage of all intervals."""


class LoadedRules(msgspec.Struct, frozen=True):
    """Rules, and where each stands in its file."""

    rules: GateRules
    """The rules."""
    lines: tuple[str, ...]
    """The file and line of each rule."""


def load_rules(path: Path) -> LoadedRules:
    """Read a file of rules; raises `InputError` with its line and a way out."""
    try:
        source = read_yaml(path.read_bytes(), str(path))
    except OSError as error:
        raise InputError(f"the rules cannot be read: {error.strerror}", where=str(path)) from None
    try:
        rules = msgspec.convert(source.value, GateRules)
    except msgspec.ValidationError as error:
        raise _explained(error, source) from None
    return LoadedRules(rules, tuple(source.where(("rules", place)) for place in range(len(rules.rules))))


def _explained(error: msgspec.ValidationError, source: YamlSource) -> InputError:
    place, message = locate_error(error)
    at = ".".join(map(str, place))
    hint = f"A rule is a mapping with `check:`, one of {', '.join(CHECKS)}, and its limit."
    return InputError(f"{message}{_value_at(source.value, place)}" + (f", at {at}" if at else ""),
                      where=source.where(place), hint=hint)  # fmt: skip


def _value_at(value: Any, place: tuple[str | int, ...]) -> str:
    """Return what stands at a place, for a message about a value that is out of range."""
    for step in place:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return ""
    return f", found {value}" if isinstance(value, (int, float)) else ""
