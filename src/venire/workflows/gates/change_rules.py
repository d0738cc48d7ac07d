"""Rules about a change against a baseline: no drop, non-inferiority, equivalence."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from venire.reports.sections.power import power_of, questions_for
from venire.reports.words import number_text
from venire.stats.comparison.score_difference import score_difference, sequential_score_difference
from venire.stats.result import Estimate
from venire.words.said import clauses, say
from venire.workflows.comparison.compared_scores import common_judges, run_keys, scored_samples, what_changed
from venire.workflows.comparison.corrected_scores import corrected_scores, label_scores
from venire.workflows.gates.decision import no_drop, within
from venire.workflows.gates.finding import NO_SCORE, GateEvidence, RuleFinding, require_dimension, score_words
from venire.workflows.gates.rules import Equivalence, NoDrop, NonInferiority, Rule

if TYPE_CHECKING:
    import polars as pl


def _no_drop(rule: NoDrop, evidence: GateEvidence) -> RuleFinding:
    code = "gate.no_proof_of_drop" if rule.proof == "of_harm" else "gate.no_drop"
    what = say(code, score=score_words(rule), margin=f"{rule.margin:g}")
    change = _change(rule, evidence, evidence.level, sequential=rule.sequential)
    decision = no_drop(change.found, rule.margin, rule.proof, by_question=change.by_question)
    asked = say("gate.asked_sequential", what=what) if rule.sequential else _asked(rule, what)
    return RuleFinding.of(asked, change.found, decision, change.detail)


def _non_inferiority(rule: NonInferiority, evidence: GateEvidence) -> RuleFinding:
    level = f"{evidence.level:.0%}"
    what = say("gate.non_inferiority", score=score_words(rule), margin=f"{rule.margin:g}", level=level)
    change = _change(rule, evidence, 2 * evidence.level - 1)
    decision = no_drop(change.found, rule.margin, by_question=change.by_question)
    return RuleFinding.of(_asked(rule, what), change.found, decision, change.detail)


def _equivalence(rule: Equivalence, evidence: GateEvidence) -> RuleFinding:
    level = f"{evidence.level:.0%}"
    what = say("gate.equivalence", score=score_words(rule), margin=f"{rule.margin:g}", level=level)
    change = _change(rule, evidence, 2 * evidence.level - 1)
    decision = within(change.found, rule.margin, by_question=change.by_question)
    return RuleFinding.of(_asked(rule, what), change.found, decision, change.detail)


def _asked(rule: NoDrop | NonInferiority | Equivalence, what: str) -> str:
    """Say of whose scores a rule asks for something: of the judges', or of people's."""
    return say("gate.asked_corrected", what=what) if rule.corrected else what


class _Change(NamedTuple):
    """The change against the baseline, and how samples were compared."""

    found: Estimate
    detail: str = ""
    by_question: bool = False


def _change(
    rule: NoDrop | NonInferiority | Equivalence, evidence: GateEvidence, level: float, *, sequential: bool = False
) -> _Change:
    method = say("method.panel_difference")
    if evidence.baseline is None:
        return _Change(Estimate.unknown(method, say("gate.no_baseline")))
    changed = what_changed(evidence.material, evidence.baseline)
    if changed:
        return _Change(Estimate.unknown(method, say("gate.changed", changed=changed)))
    require_dimension(rule.dimension, evidence.material)
    judges = common_judges(evidence.material, evidence.baseline)
    new, old = (
        scored_samples(each, rule.dimension, rule.where, judges) for each in (evidence.material, evidence.baseline)
    )
    if new.is_empty() or old.is_empty():
        reason = NO_SCORE if new.is_empty() else say("gate.no_baseline_score")
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
        found = sequential_score_difference(new, old, keys, level=level).difference
        by_labels = say("gate.sequential")
    return _Change(found, clauses(by_labels, how, shared, least), difference.clustered_by == "question")


def _corrected(
    rule: NoDrop | NonInferiority | Equivalence, evidence: GateEvidence, new: pl.DataFrame, old: pl.DataFrame,
    seen: Estimate, level: float,
) -> tuple[Estimate, str]:  # fmt: skip
    """Return the change as people would score it, and what the judges alone see."""
    sides = (evidence.baseline or evidence.material, evidence.material)
    labels = tuple(label_scores(side, rule.dimension) for side in sides)
    found = corrected_scores(old, new, (labels[0], labels[1]), level)
    untold = say("compare.labels_shared", count=evidence.untold_labels) if evidence.untold_labels else ""
    if found is None:
        return Estimate.unknown(say("method.corrected_difference"), untold or say("gate.no_labels")), ""
    naive = "?" if seen.value is None else number_text(seen.value, "difference")
    parting = say("gate.corrected_part") if found.parts else ""
    said = say("gate.corrected", count=sum(found.labelled), naive=naive)
    return found.corrected, clauses(said, parting, untold, found.corrected.note)


CHANGE_RULES: dict[type[Rule], Callable[..., RuleFinding]] = {
    NoDrop: _no_drop,
    NonInferiority: _non_inferiority,
    Equivalence: _equivalence,
}
"""How each rule about a change is held against evidence."""
