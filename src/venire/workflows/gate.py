"""Hold a ledger or a table of scores against the rules of a gate."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from venire.domain.label import Label
from venire.errors import InputError, UsageError
from venire.reports.formats.gate import GateResult, RuleOutcome, RuleResult
from venire.reports.human_labels import labels_apart
from venire.reports.report import Choices
from venire.workflows.evidence.from_source import read_evidence
from venire.workflows.gates.change_rules import CHANGE_RULES
from venire.workflows.gates.finding import GateEvidence
from venire.workflows.gates.rules import CompletenessRule, LoadedRules, Rule
from venire.workflows.gates.run_rules import RUN_RULES

_EVALUATIONS = RUN_RULES | CHANGE_RULES


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
    material, before, untold = read_evidence(source, chosen), None, 0
    if baseline is not None:
        before = read_evidence(baseline, chosen)
        labels, untold = labels_apart(labels, before, material)
        before = before.with_labels(labels)
    evidence = GateEvidence(material.with_labels(labels), before, loaded.rules.level, untold)
    rules = list(zip(loaded.rules.rules, loaded.lines, strict=True))
    if not any(isinstance(rule, CompletenessRule) for rule, _ in rules):
        rules.append((CompletenessRule(), ""))
    results = tuple(_result(rule, line, evidence) for rule, line in rules)
    return GateResult(
        source=Path(str(source)).name, baseline=Path(str(baseline)).name if baseline else "", results=results
    )


def _result(rule: Rule, line: str, evidence: GateEvidence) -> RuleResult:
    try:
        finding = _EVALUATIONS[type(rule)](rule, evidence)
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
