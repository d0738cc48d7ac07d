"""Hold a ledger or a table of scores against the rules of a gate."""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch
from pathlib import Path
from typing import NamedTuple

import numpy as np

from venire.domain.judgement import Status
from venire.errors import InputError, UsageError
from venire.reports.gate_result import GateResult, Outcome, RuleResult
from venire.reports.material import Material
from venire.reports.report import Choices
from venire.reports.sections.agreement import FEW_QUESTIONS, REPLICATES
from venire.reports.sections.panel_matrix import panel_matrix
from venire.stats.askings import ONE_TASK
from venire.stats.clustered import clustered_mean
from venire.stats.clustered_share import clustered_share
from venire.stats.drift import slice_metrics
from venire.stats.krippendorff_alpha import krippendorff_alpha
from venire.stats.ratings_columns import cluster_codes, number_groups
from venire.stats.result import Estimate
from venire.stats.score_difference import score_difference
from venire.workflows.compared_scores import common_judges, run_keys, scored_samples, sliced, what_changed
from venire.workflows.gate_rules import (
    Agreement,
    HardBreakRate,
    InvalidShare,
    LoadedRules,
    MinimumScore,
    NoDrop,
    Rule,
)
from venire.workflows.read_material import read_material


class _Evidence(NamedTuple):
    """What rules are held against."""

    material: Material
    baseline: Material | None
    level: float


class _Finding(NamedTuple):
    """What a rule asks for, the number found, and whether the rule holds."""

    expected: str
    found: Estimate
    outcome: Outcome
    detail: str = ""


def hold_against_rules(
    loaded: LoadedRules, source: str | Path, *, baseline: str | Path | None = None, choices: Choices | None = None
) -> GateResult:
    """Hold a ledger or table against rules; raises `InputError` for a rule about a factor that the data lacks."""
    chosen = choices or Choices()
    evidence = _Evidence(
        read_material(source, chosen),
        None if baseline is None else read_material(baseline, chosen),
        loaded.rules.level,
    )
    results = tuple(_result(rule, line, evidence) for rule, line in zip(loaded.rules.rules, loaded.lines, strict=True))
    return GateResult(
        source=Path(str(source)).name, baseline=Path(str(baseline)).name if baseline else "", results=results
    )


def _result(rule: Rule, line: str, evidence: _Evidence) -> RuleResult:
    try:
        finding = _find(rule, evidence)
    except UsageError as error:
        raise InputError(error.message, where=line, hint=error.hint) from None
    unknown = finding.outcome is Outcome.UNKNOWN
    blocks = finding.outcome is Outcome.FAILED or (unknown and rule.when_unknown == "fail")
    return RuleResult(
        name=rule.name or finding.expected,
        check=str(type(rule).__struct_config__.tag),
        outcome=finding.outcome,
        blocks=blocks,
        expected=finding.expected,
        found=finding.found,
        detail=finding.detail or finding.found.reason,
        line=line,
    )


@singledispatch
def _find(rule: Rule, evidence: _Evidence) -> _Finding:
    raise TypeError(f"no evaluation of {type(rule).__name__}, found it for {evidence}")


@_find.register
def _(rule: MinimumScore, evidence: _Evidence) -> _Finding:
    _require_dimension(rule.dimension, evidence.material)
    frame = scored_samples(evidence.material, rule.dimension, rule.where)
    if frame.is_empty():
        found = Estimate.unknown("mean panel score", "no sample of the slice has a score on a known scale")
    else:
        questions = cluster_codes(frame)
        clusters = questions if len(np.unique(questions)) > 1 else np.arange(frame.height)
        found = clustered_mean(frame["score"].to_numpy(), clusters, level=evidence.level)
    what = f"mean panel score{_of(rule.dimension)}{_in(rule.where)} of at least {rule.at_least:g}"
    return _Finding(what, found, at_least(found, rule.at_least, confident=rule.confident))


@_find.register
def _(rule: NoDrop, evidence: _Evidence) -> _Finding:
    what = f"panel score{_of(rule.dimension)}{_in(rule.where)} not more than {rule.margin:g} below the baseline"
    method = "difference of panel scores"
    if evidence.baseline is None:
        return _unknown(what, method, "no baseline was given: add --baseline LEDGER")
    changed = what_changed(evidence.material, evidence.baseline)
    if changed:
        reason = f"{', '.join(changed)} changed since the baseline, so a difference may not be the system's"
        return _unknown(what, method, f"{reason}; `venire compare --anchors` splits it")
    _require_dimension(rule.dimension, evidence.material)
    judges = common_judges(evidence.material, evidence.baseline)
    new, old = (
        scored_samples(each, rule.dimension, rule.where, judges) for each in (evidence.material, evidence.baseline)
    )
    if new.is_empty() or old.is_empty():
        side = "the slice" if new.is_empty() else "the baseline's slice"
        return _unknown(what, method, f"no sample of {side} has a score on a known scale")
    difference = score_difference(new, old, run_keys(new, old), level=evidence.level)
    if difference.pairs:
        names = ", ".join(name.removeprefix("factor.") for name in difference.paired_by)
        how = f"{difference.pairs} pairs by {names}, errors clustered by {difference.clustered_by}"
    else:
        how = f"no samples match, so means are compared, errors clustered by {difference.clustered_by}"
    if len(judges) < len({*evidence.material.primary.raters, *evidence.baseline.primary.raters}):
        how += f"; only by the judges that both have: {', '.join(judges)}"
    found = difference.test.difference
    detail = "; ".join(filter(None, (how, found.reason)))
    return _Finding(what, found, no_drop(found, rule.margin, confident=rule.confident), detail)


@_find.register
def _(rule: HardBreakRate, evidence: _Evidence) -> _Finding:
    _require_dimension(rule.dimension, evidence.material)
    structure = rule.dimension or evidence.material.structure_dimension
    what = f"hard-break rate{_in(rule.where)} of at most {rule.at_most:g}"
    primary = sliced(evidence.material.primary, rule.where)
    if structure is not None and structure not in primary.dimensions:
        return _unknown(what, "share", "no judgement of the slice has a score of its structure")
    slices = slice_metrics(primary, structure_dimension=structure, level=evidence.level)
    if not slices:
        return _unknown(what, "share", "no judgement of the slice counts")
    found = slices[0].hard_break_rate
    return _Finding(what, found, at_most(found, rule.at_most, confident=rule.confident))


@_find.register
def _(rule: InvalidShare, evidence: _Evidence) -> _Finding:
    import polars as pl

    table = evidence.material.table.only(where=rule.where)
    # An entry of a bundle is valid or not with its reply, so that a reply counts once.
    reply = pl.col("judgement").str.split("/entries/").list.first()
    replies = table.frame.unique([*ONE_TASK, "repeat"], keep="last", maintain_order=True).unique(
        reply, keep="first", maintain_order=True
    )
    counted = [Status.VALID.value] + [Status.RECOVERED.value] * evidence.material.choices.count_recovered
    lost = ~replies["status"].cast(pl.String).is_in(counted).to_numpy()
    found = clustered_share(lost, number_groups(replies, ["unit"])[1], level=evidence.level)
    what = f"share of invalid replies{_in(rule.where)} of at most {rule.at_most:g}"
    return _Finding(what, found, at_most(found, rule.at_most, confident=rule.confident))


@_find.register
def _(rule: Agreement, evidence: _Evidence) -> _Finding:
    _require_dimension(rule.dimension, evidence.material)
    what = f"agreement (alpha){_of(rule.dimension)}{_in(rule.where)} of at least {rule.at_least:g}"
    primary = sliced(evidence.material.primary, rule.where)
    method = "krippendorff alpha, interval"
    if primary.table.frame.is_empty():
        return _unknown(what, method, "no judgement of the slice counts")
    if len(primary.raters) < 2:
        return _unknown(what, method, "one judge alone agrees with nobody")
    matrix = panel_matrix(primary, rule.dimension or None)
    many = len(np.unique(matrix.clusters)) >= FEW_QUESTIONS
    found = krippendorff_alpha(
        matrix.scores, "interval", replicates=REPLICATES, clusters=matrix.clusters if many else None,
        level=evidence.level, seed=evidence.material.choices.seed,
    )  # fmt: skip
    return _Finding(what, found, at_least(found, rule.at_least, confident=rule.confident))


def at_least(found: Estimate, limit: float, *, confident: bool = False) -> Outcome:
    """Tell whether a number, or if confident its whole interval, reaches a limit."""
    number = found.low if confident else found.value
    if number is None:
        return Outcome.UNKNOWN
    return Outcome.PASSED if number >= limit - 1e-12 else Outcome.FAILED


def at_most(found: Estimate, limit: float, *, confident: bool = False) -> Outcome:
    """Tell whether a number, or if confident its whole interval, stays below a limit."""
    number = found.high if confident else found.value
    if number is None:
        return Outcome.UNKNOWN
    return Outcome.PASSED if number <= limit + 1e-12 else Outcome.FAILED


def no_drop(change: Estimate, margin: float, *, confident: bool = False) -> Outcome:
    """Tell whether a change is a drop beyond a margin, with significance; see `NoDrop`.

    If several questions changed alike to the last digit, there is no interval, and the change itself decides.
    """
    low, high = change.low, change.high
    if low is None or high is None:
        if change.value is None or change.n.get("clusters", 0) < 2:
            return Outcome.UNKNOWN
        low = high = change.value
    kept = low >= -margin - 1e-12 if confident else high >= -margin - 1e-12
    return Outcome.PASSED if kept else Outcome.FAILED


def _unknown(expected: str, method: str, reason: str) -> _Finding:
    return _Finding(expected, Estimate.unknown(method, reason), Outcome.UNKNOWN)


def _require_dimension(dimension: str, material: Material) -> None:
    known = material.dimensions
    if dimension and dimension not in known:
        raise UsageError(
            f"expected a dimension of the data, found {dimension!r}", hint=f"It has: {', '.join(known) or 'none'}."
        )


def _of(dimension: str) -> str:
    return f" of {dimension}" if dimension else ""


def _in(where: Mapping[str, str]) -> str:
    return f" where {' and '.join(f'{name} is {value}' for name, value in where.items())}" if where else ""
