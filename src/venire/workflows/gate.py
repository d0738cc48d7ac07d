"""Hold a ledger or a table of scores against the rules of a gate."""

from __future__ import annotations

from functools import reduce, singledispatch
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from msgspec.structs import replace

from venire.domain.judgement import Status
from venire.domain.judgement_key import ENTRIES
from venire.domain.label import Label
from venire.errors import InputError, UsageError
from venire.reports.evidence import ReportEvidence
from venire.reports.formats.gate import GateResult, RuleOutcome, RuleResult
from venire.reports.report import Choices
from venire.reports.sections.agreement import FEW_QUESTIONS, REPLICATES
from venire.reports.sections.judges.panel_matrix import panel_matrix
from venire.reports.sections.power import power_of, questions_for
from venire.reports.words import number_text
from venire.runner.canaries.evidence import ALARM
from venire.stats.agreement.disagreement import alpha_method
from venire.stats.agreement.krippendorff_alpha import krippendorff_alpha
from venire.stats.comparison.score_difference import score_difference, sequential_score_difference
from venire.stats.drift.slices import slice_metrics
from venire.stats.ratings.columns import cluster_codes, number_groups
from venire.stats.ratings.repeats import ONE_TASK
from venire.stats.result import Estimate
from venire.stats.uncertainty.clustered import clustered_mean
from venire.stats.uncertainty.clustered_share import clustered_share
from venire.words.said import clauses, say
from venire.workflows.comparison.compared_scores import common_judges, run_keys, scored_samples, sliced, what_changed
from venire.workflows.comparison.corrected_scores import corrected_scores, label_scores
from venire.workflows.evidence.from_source import read_evidence
from venire.workflows.gates.decision import Decision, at_least, at_most, no_drop, within
from venire.workflows.gates.rules import (
    Agreement,
    CompletenessRule,
    Equivalence,
    HardBreakRate,
    InvalidShare,
    JudgesUnchanged,
    LimitRule,
    LoadedRules,
    MinimumScore,
    NoDrop,
    NonInferiority,
    Rule,
    ShareBelow,
    SliceRule,
    VerdictShare,
    WorstScore,
)

if TYPE_CHECKING:
    import polars as pl

    from venire.stats.observations import IntArray

_NO_SCORE = say("gate.no_score")


class _Evidence(NamedTuple):
    """What rules are held against."""

    material: ReportEvidence
    baseline: ReportEvidence | None
    level: float


class _Finding(NamedTuple):
    """What a rule asks for, the number found, and whether the rule holds."""

    expected: str
    found: Estimate
    outcome: RuleOutcome
    detail: str = ""

    @classmethod
    def of(cls, expected: str, found: Estimate, decision: Decision, detail: str = "") -> _Finding:
        """Put together a number and what was decided of it."""
        return cls(expected, found, decision.outcome, clauses(*dict.fromkeys((detail, decision.detail))))


def hold_against_rules(
    loaded: LoadedRules,
    source: str | Path,
    *,
    baseline: str | Path | None = None,
    choices: Choices | None = None,
    labels: tuple[Label, ...] = (),
) -> GateResult:
    """Hold a ledger or table against rules; raises `InputError` for a rule about a factor that the data lacks."""
    slices = dict.fromkeys(name for rule in loaded.rules.rules for name in getattr(rule, "where", ()))
    chosen = replace(choices or Choices(), sliced_by=tuple(slices))
    evidence = _Evidence(
        read_evidence(source, chosen).with_labels(labels),
        None if baseline is None else read_evidence(baseline, chosen).with_labels(labels),
        loaded.rules.level,
    )
    rules = list(zip(loaded.rules.rules, loaded.lines, strict=True))
    if not any(isinstance(rule, CompletenessRule) for rule, _ in rules):
        rules.append((CompletenessRule(), ""))
    results = tuple(_result(rule, line, evidence) for rule, line in rules)
    return GateResult(
        source=Path(str(source)).name, baseline=Path(str(baseline)).name if baseline else "", results=results
    )


def _result(rule: Rule, line: str, evidence: _Evidence) -> RuleResult:
    try:
        finding = _find(rule, evidence)
    except UsageError as error:
        raise InputError(error.message, where=line, hint=error.hint) from None
    open_ended = finding.outcome in (RuleOutcome.UNKNOWN, RuleOutcome.UNDECIDED)
    blocks = finding.outcome is RuleOutcome.FAILED or (open_ended and rule.when_unknown == "fail")
    return RuleResult(
        name=rule.name or finding.expected,
        check=str(type(rule).__struct_config__.tag),
        outcome=finding.outcome,
        blocks=blocks,
        expected=finding.expected,
        found=finding.found,
        detail=finding.detail,
        line=line,
    )


@singledispatch
def _find(rule: Rule, evidence: _Evidence) -> _Finding:
    raise TypeError(f"no evaluation of {type(rule).__name__}, found it for {evidence}")


@_find.register
def _(rule: MinimumScore, evidence: _Evidence) -> _Finding:
    _require_dimension(rule.dimension, evidence.material)
    frame = scored_samples(evidence.material, rule.dimension, rule.where)
    what = say("gate.minimum_score", score=_score(rule), limit=f"{rule.at_least:g}")
    if frame.is_empty():
        return _unknown(what, say("method.mean_panel_score"), _NO_SCORE)
    clusters, by_question = _clusters(frame)
    found = clustered_mean(frame["score"].to_numpy(), clusters, level=evidence.level)
    decision = at_least(found, rule.at_least, confident=rule.confident, by_question=by_question)
    return _Finding.of(_sure(what, rule, evidence), found, decision)


@_find.register
def _(rule: ShareBelow, evidence: _Evidence) -> _Finding:
    _require_dimension(rule.dimension, evidence.material)
    frame = scored_samples(evidence.material, rule.dimension, rule.where)
    about = {"dimension": _dimension(rule), "where": _where(rule)}
    what = say("gate.share_below", **about, below=f"{rule.score:g}", limit=f"{rule.at_most:g}")
    if frame.is_empty():
        return _unknown(what, "share", _NO_SCORE)
    clusters, by_question = _clusters(frame)
    found = clustered_share(frame["score"].to_numpy() < rule.score - 1e-9, clusters, level=evidence.level)
    decision = at_most(found, rule.at_most, confident=rule.confident, by_question=by_question)
    return _Finding.of(_sure(what, rule, evidence), found, decision)


@_find.register
def _(rule: WorstScore, evidence: _Evidence) -> _Finding:
    _require_dimension(rule.dimension, evidence.material)
    frame = scored_samples(evidence.material, rule.dimension, rule.where)
    what = say("gate.worst_score", score=_score(rule), limit=f"{rule.at_least:g}")
    if frame.is_empty():
        return _unknown(what, say("method.lowest_panel_score"), _NO_SCORE)
    worst = frame.sort("score", maintain_order=True).row(0, named=True)
    found = Estimate(value=worst["score"], method=say("method.lowest_panel_score"), n={"values": frame.height})
    return _Finding.of(what, found, at_least(found, rule.at_least), say("gate.of_output", output=worst["output_id"]))


@_find.register
def _(rule: VerdictShare, evidence: _Evidence) -> _Finding:
    import polars as pl

    what = say("gate.verdict_share", verdict=rule.verdict, where=_where(rule), limit=f"{rule.at_most:g}")
    frame = sliced(evidence.material.primary, rule.where).table.frame.unique("judgement", maintain_order=True)
    verdicts = frame.filter(pl.col("verdict").is_not_null())
    if verdicts.is_empty():
        return _unknown(what, "share", say("gate.no_verdict"))
    counted = (verdicts["verdict"].cast(pl.String) == rule.verdict).to_numpy()
    found = clustered_share(counted, number_groups(verdicts, ["unit"])[1], level=evidence.level)
    decision = at_most(found, rule.at_most, confident=rule.confident)
    return _Finding.of(_sure(what, rule, evidence), found, decision)


@_find.register
def _(rule: CompletenessRule, evidence: _Evidence) -> _Finding:
    known = evidence.material.completeness
    what = say("gate.completeness", limit=f"{rule.at_least:g}")
    if not known.planned:
        return _unknown(what, say("method.planned_share"), known.unknown or say("gate.nothing_planned"))
    share = known.answered / known.planned
    found = Estimate(value=share, method=say("method.planned_share"), n={"tasks": known.planned})
    decision = at_least(found, rule.at_least)
    if decision.outcome is RuleOutcome.PASSED and known.unknown:
        decision = Decision(RuleOutcome.UNKNOWN)
    return _Finding.of(what, found, decision, known.said())


@_find.register
def _(rule: JudgesUnchanged, evidence: _Evidence) -> _Finding:  # noqa: ARG001
    what, method = say("gate.judges_unchanged"), say("method.canary_evidence", alarm=f"{ALARM:.0f}")
    read = evidence.material.canaries
    if read is None:
        return _unknown(what, method, say("gate.no_anchors"))
    loudest = max(each.peak for each in read.judges)
    found = Estimate(value=loudest, method=method, n={"judges": len(read.judges)})
    changed = tuple(each.judge for each in read.judges if each.has_changed)
    if changed:
        return _Finding.of(what, found, Decision(RuleOutcome.FAILED), say("gate.judges_changed", judges=changed))
    watched = {each.judge for each in read.judges if each.is_watched}
    open_ones = tuple(name for name in evidence.material.primary.raters if name not in watched)
    if open_ones:
        return _Finding.of(what, found, Decision(RuleOutcome.UNKNOWN), say("gate.not_watched", judges=open_ones))
    return _Finding.of(what, found, Decision(RuleOutcome.PASSED))


@_find.register
def _(rule: NoDrop, evidence: _Evidence) -> _Finding:
    code = "gate.no_proof_of_drop" if rule.proof == "of_harm" else "gate.no_drop"
    what = say(code, score=_score(rule), margin=f"{rule.margin:g}")
    change = _change(rule, evidence, evidence.level, sequential=rule.sequential)
    decision = no_drop(change.found, rule.margin, rule.proof, by_question=change.by_question)
    return _Finding.of(what, change.found, decision, change.detail)


@_find.register
def _(rule: NonInferiority, evidence: _Evidence) -> _Finding:
    level = f"{evidence.level:.0%}"
    what = say("gate.non_inferiority", score=_score(rule), margin=f"{rule.margin:g}", level=level)
    change = _change(rule, evidence, 2 * evidence.level - 1)
    decision = no_drop(change.found, rule.margin, by_question=change.by_question)
    return _Finding.of(what, change.found, decision, change.detail)


@_find.register
def _(rule: Equivalence, evidence: _Evidence) -> _Finding:
    level = f"{evidence.level:.0%}"
    what = say("gate.equivalence", score=_score(rule), margin=f"{rule.margin:g}", level=level)
    change = _change(rule, evidence, 2 * evidence.level - 1)
    return _Finding.of(
        what, change.found, within(change.found, rule.margin, by_question=change.by_question), change.detail
    )


class _Change(NamedTuple):
    """The change against the baseline, and how samples were compared."""

    found: Estimate
    detail: str = ""
    by_question: bool = False


def _change(
    rule: NoDrop | NonInferiority | Equivalence, evidence: _Evidence, level: float, *, sequential: bool = False
) -> _Change:
    method = say("method.panel_difference")
    if evidence.baseline is None:
        return _Change(Estimate.unknown(method, say("gate.no_baseline")))
    changed = what_changed(evidence.material, evidence.baseline)
    if changed:
        return _Change(Estimate.unknown(method, say("gate.changed", changed=changed)))
    _require_dimension(rule.dimension, evidence.material)
    judges = common_judges(evidence.material, evidence.baseline)
    new, old = (
        scored_samples(each, rule.dimension, rule.where, judges) for each in (evidence.material, evidence.baseline)
    )
    if new.is_empty() or old.is_empty():
        reason = _NO_SCORE if new.is_empty() else say("gate.no_baseline_score")
        return _Change(Estimate.unknown(method, reason))
    keys = run_keys(new, old)
    difference = score_difference(new, old, keys, level=level)
    clustered = say(f"compare.clustered.{difference.clustered_by}")
    how = say("gate.means", clustered=clustered)
    if difference.pairs:
        names = tuple(name.removeprefix("factor.") for name in difference.paired_by)
        how = say("compare.pairs", pairs=difference.pairs, by=names, clustered=clustered)
    everyone = {*evidence.material.primary.raters, *evidence.baseline.primary.raters}
    shared = say("gate.shared_judges", judges=judges) if len(judges) < len(everyone) else ""
    found, by_labels = difference.test.difference, ""
    detectable, _ = power_of(found, found.n.get("clusters", 0), 1 - level)
    least = "" if detectable.value is None else say("gate.detectable", points=f"{detectable.value:.2f}")
    if rule.margin and (needed := questions_for(found, rule.margin, 1 - level)).value is not None:
        least = clauses(least, say("gate.needed_for", margin=f"{rule.margin:g}", count=int(needed.value)))
    if rule.corrected:
        found, by_labels = _corrected(rule, evidence, new, old, found, level)
        least = ""
    elif sequential:
        found, by_labels = sequential_score_difference(new, old, keys, level=level).difference, say("gate.sequential")
    return _Change(found, clauses(by_labels, how, shared, least), difference.clustered_by == "question")


def _corrected(
    rule: NoDrop | NonInferiority | Equivalence, evidence: _Evidence, new: pl.DataFrame, old: pl.DataFrame,
    seen: Estimate, level: float,
) -> tuple[Estimate, str]:  # fmt: skip
    """Return the change as people would score it, and what the judges alone see."""
    sides = (evidence.baseline or evidence.material, evidence.material)
    labels = tuple(label_scores(side, rule.dimension) for side in sides)
    found = corrected_scores(old, new, (labels[0], labels[1]), level)
    if found is None:
        return Estimate.unknown(say("method.corrected_difference"), say("gate.no_labels")), ""
    naive = "?" if seen.value is None else number_text(seen.value, "difference")
    parting = say("gate.corrected_part") if found.parts else ""
    said = say("gate.corrected", count=sum(found.labelled), naive=naive)
    return found.corrected, clauses(said, parting, found.corrected.note)


@_find.register
def _(rule: HardBreakRate, evidence: _Evidence) -> _Finding:
    _require_dimension(rule.dimension, evidence.material)
    structure = rule.dimension or evidence.material.structure_dimension
    what = say("gate.hard_break_rate", where=_where(rule), limit=f"{rule.at_most:g}")
    primary = sliced(evidence.material.primary, rule.where)
    if structure is not None and structure not in primary.dimensions:
        return _unknown(what, "share", say("gate.no_structure"))
    slices = slice_metrics(primary, structure_dimension=structure, level=evidence.level)
    if not slices:
        return _unknown(what, "share", say("gate.nothing_counts"))
    found = slices[0].hard_break_rate
    return _Finding.of(_sure(what, rule, evidence), found, at_most(found, rule.at_most, confident=rule.confident))


@_find.register
def _(rule: InvalidShare, evidence: _Evidence) -> _Finding:
    import polars as pl

    table = evidence.material.table.only(where=rule.where)
    # An entry of a bundle is valid or not with its reply, so that a reply counts once.
    reply = pl.col("judgement").str.split(ENTRIES).list.first()
    replies = table.frame.unique([*ONE_TASK, "repeat"], keep="last", maintain_order=True).unique(
        reply, keep="first", maintain_order=True
    )
    counted = [Status.VALID.value] + [Status.RECOVERED.value] * evidence.material.choices.count_recovered
    lost = ~replies["status"].cast(pl.String).is_in(counted).to_numpy()
    found = clustered_share(lost, number_groups(replies, ["unit"])[1], level=evidence.level)
    what = say("gate.invalid_share", where=_where(rule), limit=f"{rule.at_most:g}")
    return _Finding.of(_sure(what, rule, evidence), found, at_most(found, rule.at_most, confident=rule.confident))


@_find.register
def _(rule: Agreement, evidence: _Evidence) -> _Finding:
    _require_dimension(rule.dimension, evidence.material)
    limit = f"{rule.at_least:g}"
    what = say("gate.agreement", dimension=_dimension(rule), where=_where(rule), limit=limit)
    primary = sliced(evidence.material.primary, rule.where)
    method = alpha_method("interval")
    if primary.table.frame.is_empty():
        return _unknown(what, method, say("gate.nothing_counts"))
    if len(primary.raters) < 2:
        return _unknown(what, method, say("gate.one_judge"))
    matrix = panel_matrix(primary, rule.dimension or None)
    many = len(np.unique(matrix.clusters)) >= FEW_QUESTIONS
    found = krippendorff_alpha(
        matrix.scores, "interval", replicates=REPLICATES, clusters=matrix.clusters if many else None,
        level=evidence.level, seed=evidence.material.choices.seed,
    )  # fmt: skip
    return _Finding.of(_sure(what, rule, evidence), found, at_least(found, rule.at_least, confident=rule.confident))


def _unknown(expected: str, method: str, reason: str) -> _Finding:
    return _Finding(expected, Estimate.unknown(method, reason), RuleOutcome.UNKNOWN, reason)


def _clusters(frame: pl.DataFrame) -> tuple[IntArray, bool]:
    """Return what errors are clustered by, and whether it is the question: with a single one, it is the sample."""
    questions = cluster_codes(frame)
    by_question = len(np.unique(questions)) > 1
    return (questions if by_question else np.arange(frame.height)), by_question


def _sure(what: str, rule: LimitRule, evidence: _Evidence) -> str:
    return say("gate.with_confidence", what=what, level=f"{evidence.level:.0%}") if rule.confident else what


def _require_dimension(dimension: str, material: ReportEvidence) -> None:
    known = material.dimensions
    if dimension and dimension not in known:
        raise UsageError("error.gate.no_dimension", dimension=dimension, known=tuple(known) or say("compare.none"))


def _score(rule: MinimumScore | WorstScore | NoDrop | NonInferiority | Equivalence) -> str:
    return say("gate.score", dimension=_dimension(rule), where=_where(rule))


def _dimension(rule: MinimumScore | WorstScore | NoDrop | NonInferiority | Equivalence | ShareBelow | Agreement) -> str:
    return say("gate.of_dimension", dimension=rule.dimension) if rule.dimension else ""


def _where(rule: SliceRule) -> str:
    conditions = [say("gate.condition", name=name, value=value) for name, value in rule.where.items()]
    if not conditions:
        return ""
    return say("gate.where", conditions=reduce(lambda one, two: say("gate.and", one=one, two=two), conditions))
