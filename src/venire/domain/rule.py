"""The catalogue of rules: every reason for which a reply is rejected or remarked on, with its source.

Sections are those of the source documents: "sample" is the single-sample judge protocol, "bundle" the protocol for
bundles of files, "quality" the multi-judge quality system. What a rule says is `rule.…` in the words of each language.
"""

from __future__ import annotations

import msgspec

from venire.domain.flag import Finding, Flag, Severity
from venire.words.language import DEFAULT, Words


class Rule(msgspec.Struct, frozen=True):
    """One reason to reject a reply or to remark on it."""

    id: str
    """The stable name of the rule."""
    flag: Flag | None
    """The flag that a violation raises; None for rules that only give notes."""
    source: str
    """The section of the source document that it comes from."""
    severity: Severity = Severity.VIOLATION
    """Whether breaking it makes a judgement invalid."""

    def says(self, language: str = DEFAULT) -> str:
        """Return what the rule says in a language."""
        return Words(language)(f"rule.{self.id.replace('-', '_')}")

    def finding(self, pointer: str, expected: str, found: str) -> Finding:
        """Make a finding of this rule at a place in a reply."""
        return Finding(self.id, pointer, expected, found, self.flag, self.severity)

    def note(self, pointer: str, expected: str, found: str) -> Finding:
        """Make a finding that is only a note, for protocols and profiles that do not forbid it."""
        return Finding(self.id, pointer, expected, found, self.flag, Severity.NOTE)


RULES: dict[str, Rule] = {}
"""All rules by id."""

_UNPARSABLE = Flag.UNPARSABLE_OUTPUT
_VIOLATION = Flag.PROTOCOL_VIOLATION
_COVERAGE = Flag.INCOMPLETE_COVERAGE
_REFUSAL = Flag.JUDGE_REFUSAL_OR_EVASION
_CONTRADICTION = Flag.INTERNAL_INCONSISTENCY


def _rule(rule_id: str, flag: Flag | None, source: str) -> Rule:
    severity = Severity.NOTE if flag is None else Severity.VIOLATION
    rule = RULES[rule_id] = Rule(rule_id, flag, source, severity)
    return rule


JSON_EMPTY = _rule("json.empty", _UNPARSABLE, "sample §6; bundle §4")
JSON_ENCODING = _rule("json.encoding", _UNPARSABLE, "RFC 8259 §8.1")
JSON_BYTE_ORDER_MARK = _rule("json.byte-order-mark", None, "RFC 8259 §8.1")
JSON_SYNTAX = _rule("json.syntax", _UNPARSABLE, "sample §6; bundle §4")
JSON_DUPLICATE_KEY = _rule("json.duplicate-key", _UNPARSABLE, "RFC 8259 §4")
JSON_NOT_FINITE = _rule("json.not-finite", _UNPARSABLE, "RFC 8259 §6")
JSON_TOO_DEEP = _rule("json.too-deep", _UNPARSABLE, "Venire's limits")
JSON_TOO_LARGE = _rule("json.too-large", _UNPARSABLE, "Venire's limits")
JSON_SURROUNDING_TEXT = _rule("json.surrounding-text", _VIOLATION, "sample §5; bundle §4")
JSON_NOT_AN_OBJECT = _rule("json.not-an-object", _VIOLATION, "sample §5; bundle §2")
REPLY_OTHER_PROTOCOL = _rule("reply.other-protocol", _VIOLATION, "sample §5; bundle §2")
CONTRACT_MISSING_FIELD = _rule("contract.missing-field", _UNPARSABLE, "sample §5–6; bundle §4")
CONTRACT_MISSING_IDENTIFIER = _rule("contract.missing-identifier", _COVERAGE, "sample §6")
CONTRACT_WRONG_TYPE = _rule("contract.wrong-type", _UNPARSABLE, "sample §6; bundle §4")
CONTRACT_UNKNOWN_FIELD = _rule("contract.unknown-field", _VIOLATION, "sample §5; bundle §2")
CONTRACT_UNKNOWN_VALUE = _rule("contract.unknown-value", _VIOLATION, "sample §5")
SCORE_MISSING = _rule("score.missing", _UNPARSABLE, "sample §5; bundle §4; quality, anomaly detection")
SCORE_UNKNOWN_DIMENSION = _rule("score.unknown-dimension", _VIOLATION, "sample §6")
SCORE_OUT_OF_SCALE = _rule("score.out-of-scale", _VIOLATION, "sample §3, §5; bundle §4; quality, anomaly detection")
SCORE_CONTRADICTORY = _rule("score.contradictory", _CONTRADICTION, "sample §6")
SCORE_GATE = _rule("score.gate", _CONTRADICTION, "bundle §4")
OVERALL_MISMATCH = _rule("overall.mismatch", _CONTRADICTION, "sample §5–6; bundle §4; quality, anomaly detection")
VERDICT_MISMATCH = _rule("verdict.mismatch", _CONTRADICTION, "sample §3")
META_TIMESTAMP = _rule("meta.timestamp", None, "sample §5")
METHOD_MISMATCH = _rule("method.mismatch", _CONTRADICTION, "sample §1")
EVIDENCE_MISSING = _rule("evidence.missing", _VIOLATION, "sample §4; bundle §4")
EVIDENCE_NOT_VERBATIM = _rule("evidence.not-verbatim", _VIOLATION, "sample §4; bundle §4")
EVIDENCE_ELLIPSIS = _rule("evidence.ellipsis", _VIOLATION, "bundle §4")
EVIDENCE_UNCHECKED = _rule("evidence.unchecked", None, "sample §4")
EVIDENCE_NO_SOURCE = _rule("evidence.no-source", _COVERAGE, "sample §4; bundle §4")
EVIDENCE_UNKNOWN_SOURCE = _rule("evidence.unknown-source", _VIOLATION, "Venire's materials")
CLAIM_NO_PASSAGE = _rule("claim.no-passage", _VIOLATION, "grounded, claims")
CLAIM_ABSENT_WITH_PASSAGE = _rule("claim.absent-with-passage", _CONTRADICTION, "grounded, claims")
CLAIM_SENTENCE_LEFT_OUT = _rule("claim.sentence-left-out", _COVERAGE, "grounded, claims")
PAIR_STRENGTH = _rule("pair.strength", _CONTRADICTION, "preference, strength")
MATERIAL_NOT_GIVEN = _rule("material.not-given", None, "Venire's materials")
COVERAGE_IDENTITY = _rule("coverage.identity", _COVERAGE, "sample §6")
COVERAGE_MISSING = _rule("coverage.missing", _COVERAGE, "sample §6–7; bundle §4")
COVERAGE_UNPLANNED = _rule("coverage.unplanned", _COVERAGE, "sample §6–7; bundle §4")
COVERAGE_REPEATED = _rule("coverage.repeated", _COVERAGE, "bundle §4")
COVERAGE_LABEL = _rule("coverage.label", None, "bundle §1.2")
COVERAGE_CATEGORY = _rule("coverage.category", _COVERAGE, "quality, categories")
AGGREGATE_MISMATCH = _rule("aggregate.mismatch", _CONTRADICTION, "bundle §4")
AGGREGATE_NOT_CHECKED = _rule("aggregate.not-checked", None, "bundle §4")
AGGREGATE_NO_NUMBER = _rule("aggregate.no-number", _CONTRADICTION, "bundle §4")
NO_SCORES = _rule("judge.no-scores", _REFUSAL, "sample §6")
RECORDED_NOT_SCORED = _rule("recorded.not-scored", _REFUSAL, "Venire's imports")
JUDGE_OTHER_MODEL = _rule("judge.other-model", None, "Venire's records")
JUDGE_REPLY_CUT = _rule("judge.reply-cut", _UNPARSABLE, "Venire's limits")
JUDGE_CUT_OFF = _rule("judge.cut-off", _UNPARSABLE, "Venire's records")
FINDINGS_LEFT_OUT = _rule("reply.findings-left-out", None, "Venire's limits")
