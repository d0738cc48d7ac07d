"""Rules about one run: scores, verdicts, completeness, broken structure, invalid replies and agreement."""

from __future__ import annotations

from collections.abc import Callable

from venire.domain.judgement import Status
from venire.domain.judgement_key import ENTRIES
from venire.reports.formats.gate import RuleOutcome
from venire.reports.sections.agreement import REPLICATES
from venire.reports.sections.judges.panel_matrix import panel_matrix
from venire.runner.canaries.evidence import ALARM
from venire.stats.agreement.disagreement import alpha_method
from venire.stats.agreement.krippendorff_alpha import krippendorff_alpha
from venire.stats.drift.slices import by_output, slice_metrics
from venire.stats.ratings.repeats import ONE_TASK
from venire.stats.result import Estimate
from venire.stats.uncertainty.clustered import clustered_mean
from venire.stats.uncertainty.clustered_share import clustered_share
from venire.words.said import say
from venire.workflows.comparison.compared_scores import scored_samples, sliced
from venire.workflows.gates.decision import Decision, at_least, at_most
from venire.workflows.gates.finding import (
    NO_SCORE,
    GateEvidence,
    RuleFinding,
    clusters_of,
    dimension_words,
    require_dimension,
    score_words,
    sure,
    unknown,
    where_words,
)
from venire.workflows.gates.rules import (
    Agreement,
    CompletenessRule,
    HardBreakRate,
    InvalidShare,
    JudgesUnchanged,
    MinimumScore,
    Rule,
    ShareBelow,
    VerdictShare,
    WorstScore,
)


def _minimum_score(rule: MinimumScore, evidence: GateEvidence) -> RuleFinding:
    require_dimension(rule.dimension, evidence.material)
    frame = scored_samples(evidence.material, rule.dimension, rule.where)
    what = say("gate.minimum_score", score=score_words(rule), limit=f"{rule.at_least:g}")
    if frame.is_empty():
        return unknown(what, say("method.mean_panel_score"), NO_SCORE)
    clusters, by_question = clusters_of(frame)
    found = clustered_mean(frame["score"].to_numpy(), clusters, level=evidence.level)
    found = found if by_question else by_output(found)
    decision = at_least(found, rule.at_least, confident=rule.confident, by_question=by_question)
    return RuleFinding.of(sure(what, rule, evidence), found, decision)


def _share_below(rule: ShareBelow, evidence: GateEvidence) -> RuleFinding:
    require_dimension(rule.dimension, evidence.material)
    frame = scored_samples(evidence.material, rule.dimension, rule.where)
    about = {"dimension": dimension_words(rule), "where": where_words(rule)}
    what = say("gate.share_below", **about, below=f"{rule.score:g}", limit=f"{rule.at_most:g}")
    if frame.is_empty():
        return unknown(what, "share", NO_SCORE)
    clusters, by_question = clusters_of(frame)
    found = clustered_share(frame["score"].to_numpy() < rule.score - 1e-9, clusters, level=evidence.level)
    found = found if by_question else by_output(found)
    decision = at_most(found, rule.at_most, confident=rule.confident, by_question=by_question)
    return RuleFinding.of(sure(what, rule, evidence), found, decision)


def _worst_score(rule: WorstScore, evidence: GateEvidence) -> RuleFinding:
    require_dimension(rule.dimension, evidence.material)
    frame = scored_samples(evidence.material, rule.dimension, rule.where)
    what = say("gate.worst_score", score=score_words(rule), limit=f"{rule.at_least:g}")
    if frame.is_empty():
        return unknown(what, say("method.lowest_panel_score"), NO_SCORE)
    worst = frame.sort("score", maintain_order=True).row(0, named=True)
    found = Estimate(value=worst["score"], method=say("method.lowest_panel_score"), n={"values": frame.height})
    return RuleFinding.of(what, found, at_least(found, rule.at_least), say("gate.of_output", output=worst["output_id"]))


def _verdict_share(rule: VerdictShare, evidence: GateEvidence) -> RuleFinding:
    import polars as pl

    what = say("gate.verdict_share", verdict=rule.verdict, where=where_words(rule), limit=f"{rule.at_most:g}")
    frame = sliced(evidence.material.primary, rule.where).table.frame.unique("judgement", maintain_order=True)
    verdicts = frame.filter(pl.col("verdict").is_not_null())
    if verdicts.is_empty():
        return unknown(what, "share", say("gate.no_verdict"))
    counted = (verdicts["verdict"].cast(pl.String) == rule.verdict).to_numpy()
    clusters, by_question = clusters_of(verdicts)
    found = clustered_share(counted, clusters, level=evidence.level)
    found = found if by_question else by_output(found)
    decision = at_most(found, rule.at_most, confident=rule.confident, by_question=by_question)
    return RuleFinding.of(sure(what, rule, evidence), found, decision)


def _completeness(rule: CompletenessRule, evidence: GateEvidence) -> RuleFinding:
    known = evidence.material.completeness
    what = say("gate.completeness", limit=f"{rule.at_least:g}")
    if not known.planned:
        return unknown(what, say("method.planned_share"), known.unknown or say("gate.nothing_planned"))
    share = known.answered / known.planned
    found = Estimate(value=share, method=say("method.planned_share"), n={"tasks": known.planned})
    decision = at_least(found, rule.at_least)
    if decision.outcome is RuleOutcome.PASSED and known.unknown:
        decision = Decision(RuleOutcome.UNKNOWN)
    return RuleFinding.of(what, found, decision, known.said())


def _judges_unchanged(rule: JudgesUnchanged, evidence: GateEvidence) -> RuleFinding:  # noqa: ARG001
    what, method = say("gate.judges_unchanged"), say("method.canary_evidence", alarm=f"{ALARM:.0f}")
    read = evidence.material.canaries
    if read is None:
        return unknown(what, method, say("gate.no_anchors"))
    loudest = max(each.peak for each in read.judges)
    found = Estimate(value=loudest, method=method, n={"judges": len(read.judges)})
    changed = tuple(each.judge for each in read.judges if each.has_changed)
    if changed:
        return RuleFinding.of(what, found, Decision(RuleOutcome.FAILED), say("gate.judges_changed", judges=changed))
    watched = {each.judge for each in read.judges if each.is_watched}
    open_ones = tuple(name for name in evidence.material.primary.raters if name not in watched)
    if open_ones:
        return RuleFinding.of(what, found, Decision(RuleOutcome.UNKNOWN), say("gate.not_watched", judges=open_ones))
    return RuleFinding.of(what, found, Decision(RuleOutcome.PASSED))


def _hard_break_rate(rule: HardBreakRate, evidence: GateEvidence) -> RuleFinding:
    require_dimension(rule.dimension, evidence.material)
    structure = rule.dimension or evidence.material.structure_dimension
    what = say("gate.hard_break_rate", where=where_words(rule), limit=f"{rule.at_most:g}")
    primary = sliced(evidence.material.primary, rule.where)
    if structure is not None and structure not in primary.dimensions:
        return unknown(what, "share", say("gate.no_structure"))
    slices = slice_metrics(primary, structure_dimension=structure, by_dimension=False, level=evidence.level)
    if not slices:
        return unknown(what, "share", say("gate.nothing_counts"))
    found = slices[0].hard_break_rate
    return RuleFinding.of(sure(what, rule, evidence), found, at_most(found, rule.at_most, confident=rule.confident))


def _invalid_share(rule: InvalidShare, evidence: GateEvidence) -> RuleFinding:
    import polars as pl

    what = say("gate.invalid_share", where=where_words(rule), limit=f"{rule.at_most:g}")
    if evidence.material.is_table:
        return unknown(what, "share", say("gate.no_replies"))
    table = evidence.material.table.only(where=rule.where)
    # An entry of a bundle is valid or not with its reply, so that a reply counts once.
    reply = pl.col("judgement").str.split(ENTRIES).list.first()
    replies = table.frame.unique([*ONE_TASK, "repeat"], keep="last", maintain_order=True).unique(
        reply, keep="first", maintain_order=True
    )
    counted = [Status.VALID.value] + [Status.RECOVERED.value] * evidence.material.choices.count_recovered
    lost = ~replies["status"].cast(pl.String).is_in(counted).to_numpy()
    clusters, by_question = clusters_of(replies)
    found = clustered_share(lost, clusters, level=evidence.level)
    found = found if by_question else by_output(found)
    decision = at_most(found, rule.at_most, confident=rule.confident, by_question=by_question)
    return RuleFinding.of(sure(what, rule, evidence), found, decision)


def _agreement(rule: Agreement, evidence: GateEvidence) -> RuleFinding:
    require_dimension(rule.dimension, evidence.material)
    limit = f"{rule.at_least:g}"
    what = say("gate.agreement", dimension=dimension_words(rule), where=where_words(rule), limit=limit)
    primary = sliced(evidence.material.primary, rule.where)
    method = alpha_method("interval")
    if primary.table.frame.is_empty():
        return unknown(what, method, say("gate.nothing_counts"))
    if len(primary.raters) < 2:
        return unknown(what, method, say("gate.one_judge"))
    matrix = panel_matrix(primary, rule.dimension or None)
    found = krippendorff_alpha(
        matrix.scores, "interval", replicates=REPLICATES, clusters=matrix.questions,
        level=evidence.level, seed=evidence.material.choices.seed,
    )  # fmt: skip
    return RuleFinding.of(sure(what, rule, evidence), found, at_least(found, rule.at_least, confident=rule.confident))


RUN_RULES: dict[type[Rule], Callable[..., RuleFinding]] = {
    MinimumScore: _minimum_score,
    ShareBelow: _share_below,
    WorstScore: _worst_score,
    VerdictShare: _verdict_share,
    CompletenessRule: _completeness,
    JudgesUnchanged: _judges_unchanged,
    HardBreakRate: _hard_break_rate,
    InvalidShare: _invalid_share,
    Agreement: _agreement,
}
"""How each rule about one run is held against evidence."""
