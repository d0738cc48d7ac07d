"""The rules of a gate, read strictly from a YAML file: every error says its file and line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec

from venire.errors import InputError, os_reason
from venire.words.said import say
from venire.yaml_source import YamlSource, locate_error, read_yaml_file, unknown_key_hint

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
"""A share of a whole."""
Proof = Literal["of_no_harm", "of_harm"]
"""What data must prove about a drop: that there is none beyond the margin, or that there is one."""


class GateRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="check"):
    """What all rules have."""

    name: str = ""
    """What the rule is called in summaries; without a name it is called by what it asks for."""
    when_unknown: Literal["fail", "pass"] = "fail"
    """Whether a rule closes the gate that is undecided or not known."""


class SliceRule(GateRule, frozen=True, kw_only=True):
    """A rule about some of the samples."""

    where: dict[str, str] = {}
    """The slice that the rule is about, as factors that must all hold; everything if empty."""


class LimitRule(SliceRule, frozen=True, kw_only=True):
    """A rule that holds a number with an interval against a limit."""

    confident: bool = False
    """Whether the whole interval must hold, and not just the number."""


class MinimumScore(LimitRule, frozen=True, kw_only=True, tag="minimum_score"):
    """The mean panel score on 0–10 must reach a value."""

    at_least: Annotated[float, msgspec.Meta(ge=0, le=10)]
    """The lowest mean that is let through."""
    dimension: str = ""
    """The dimension; empty for the overall score."""


class NoDrop(SliceRule, frozen=True, kw_only=True, tag="no_drop"):
    """The mean panel score on 0–10 must not have fallen against the baseline by more than a margin.

    It passes if the whole interval of the change lies above −margin (the new side is not inferior), fails if the whole
    interval lies below, and is undecided in between. With `proof: of_harm` only a proved drop closes the gate.
    """

    proof: Proof = "of_no_harm"
    """What the data must prove: that there is no such drop, or for the rule to fail that there is one."""

    margin: Annotated[float, msgspec.Meta(ge=0, le=10)] = 0.0
    """How far the score may fall."""
    dimension: str = ""
    """The dimension; empty for the overall score."""
    corrected: bool = False
    """Whether the change is that of people's scores: the judges' difference corrected by the labels given."""
    sequential: bool = False
    """Whether the interval must hold at every look, so that the gate may be asked after every sample; not together with
    `corrected`, whose interval holds at one look."""


class NonInferiority(SliceRule, frozen=True, kw_only=True, tag="non_inferiority"):
    """The mean panel score on 0–10 is proved to be no more than a margin below the baseline, by a one-sided test.

    It passes if the one-sided interval of the change lies above −margin, fails if the whole of it lies below, and is
    undecided in between.
    """

    margin: Annotated[float, msgspec.Meta(gt=0, le=10)]
    """How much worse the new side may be."""
    dimension: str = ""
    """The dimension; empty for the overall score."""
    corrected: bool = False
    """Whether the change is that of people's scores: the judges' difference corrected by the labels given."""


class Equivalence(SliceRule, frozen=True, kw_only=True, tag="equivalence"):
    """The mean panel score on 0–10 is proved to differ from the baseline by less than a margin, either way.

    Two one-sided tests (Schuirmann 1987): it passes if the interval that belongs to both lies within ±margin, fails if
    the whole of it lies outside, and is undecided otherwise.
    """

    margin: Annotated[float, msgspec.Meta(gt=0, le=10)]
    """How much the two sides may differ."""
    dimension: str = ""
    """The dimension; empty for the overall score."""
    corrected: bool = False
    """Whether the change is that of people's scores: the judges' difference corrected by the labels given."""


class HardBreakRate(LimitRule, frozen=True, kw_only=True, tag="hard_break_rate"):
    """The share of judgements whose structure has the lowest score must stay below a value."""

    at_most: Share
    """The highest share that is let through."""
    dimension: str = ""
    """The dimension whose lowest score is a hard break; found in the protocol if empty."""


class InvalidShare(LimitRule, frozen=True, kw_only=True, tag="invalid_share"):
    """The share of replies that do not count, because they are not valid, must stay below a value."""

    at_most: Share
    """The highest share that is let through."""


class Agreement(LimitRule, frozen=True, kw_only=True, tag="agreement"):
    """Krippendorff's alpha between the judges must reach a value."""

    at_least: Annotated[float, msgspec.Meta(ge=-1, le=1)]
    """The lowest alpha that is let through."""
    dimension: str = ""
    """The dimension; empty for the overall score."""


class ShareBelow(LimitRule, frozen=True, kw_only=True, tag="share_below"):
    """The share of outputs whose panel score on 0–10 is below a value must stay below another."""

    score: Annotated[float, msgspec.Meta(ge=0, le=10)]
    """The score below which an output counts."""
    at_most: Share
    """The highest share that is let through."""
    dimension: str = ""
    """The dimension; empty for the overall score."""


class WorstScore(SliceRule, frozen=True, kw_only=True, tag="worst_score"):
    """No output's panel score on 0–10 may be below a value."""

    at_least: Annotated[float, msgspec.Meta(ge=0, le=10)]
    """The lowest score that is let through."""
    dimension: str = ""
    """The dimension; empty for the overall score."""


class VerdictShare(LimitRule, frozen=True, kw_only=True, tag="verdict_share"):
    """The share of judgements with a verdict, FAIL unless another is named, must stay below a value."""

    verdict: str = "FAIL"
    """The verdict that is counted."""
    at_most: Share
    """The highest share that is let through."""


class CompletenessRule(GateRule, frozen=True, kw_only=True, tag="completeness"):
    """The share of planned tasks that were answered, invalid replies included, must reach a value.

    It is on by default: a file without it is held against one that asks for everything.
    """

    at_least: Share = 1.0
    """The lowest share that is let through."""
    when_unknown: Literal["fail", "pass"] = "pass"
    """Whether the gate is closed where no plan was recorded, as in tables and older ledgers."""


class JudgesUnchanged(GateRule, frozen=True, kw_only=True, tag="judges_unchanged"):
    """No judge may have changed by what anchors say: `canaries` in `venire.yaml`.

    It fails if the evidence about a judge ever reached the alarm, passes if every judge was watched and none did, and
    is not known where a judge was not yet asked about anchors again.
    """


Rule = (
    MinimumScore
    | NoDrop
    | NonInferiority
    | Equivalence
    | HardBreakRate
    | InvalidShare
    | Agreement
    | ShareBelow
    | WorstScore
    | VerdictShare
    | CompletenessRule
    | JudgesUnchanged
)
"""All kinds of rules."""

CHECKS = tuple(str(kind.__struct_config__.tag) for kind in get_args(Rule))
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
        source = read_yaml_file(path)
    except OSError as error:
        raise InputError("error.gate.not_read", where=str(path), reason=os_reason(error)) from None
    try:
        rules = msgspec.convert(source.value, GateRules)
    except msgspec.ValidationError as error:
        raise _explained(error, source) from None
    for place, rule in enumerate(rules.rules):
        if isinstance(rule, NoDrop) and rule.corrected and rule.sequential:
            raise InputError("error.gate.corrected_looks", where=source.where(("rules", place)))
    return LoadedRules(rules, tuple(source.where(("rules", place)) for place in range(len(rules.rules))))


def _explained(error: msgspec.ValidationError, source: YamlSource) -> InputError:
    place, message = locate_error(error)
    confident = "'confident'" in message and _tag_at(source.value, place) == "no_drop"
    hint = "error.gate.hint_no_drop" if confident else _hint(source.value, place)
    value, at = _value_at(source.value, place), ".".join(map(str, place))
    found = say("error.gate.found", problem=message, value=value) if value else message
    code = "error.gate.rule_at" if at else "error.gate.rule"
    return InputError(code, where=source.where(place), hint=hint, problem=found, at=at, checks=CHECKS)


def _hint(value: Any, place: tuple[str | int, ...]) -> str:
    """Return what could stand at a place: keys that are known where one is not, else what a rule is made of."""
    in_rule = len(place) > 2
    kinds = {each.__struct_config__.tag: each for each in get_args(Rule)}
    kind = kinds.get(_tag_at(value, place)) if in_rule else GateRules
    if kind is not None and place and isinstance(place[-1], str):
        known = [field.encode_name for field in msgspec.structs.fields(kind)]
        if place[-1] not in (*known, "check"):
            return unknown_key_hint(place[-1], [*(["check"] if in_rule else []), *known])
    return "error.gate.hint_rule" if not place or place[0] == "rules" else ""


def _tag_at(value: Any, place: tuple[str | int, ...]) -> str:
    """Return the kind of the rule at a place; empty if there is none."""
    try:
        return str(value["rules"][place[1]]["check"])
    except (KeyError, IndexError, TypeError):
        return ""


def _value_at(value: Any, place: tuple[str | int, ...]) -> str:
    """Return what stands at a place, for a message about a value that is out of range."""
    for step in place:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return ""
    return str(value) if isinstance(value, (int, float)) else ""
