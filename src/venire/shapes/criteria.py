"""Replies by criteria: a score and a justification for each criterion of the sample's category."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from venire.domain import rule
from venire.domain.canonical import sha256_hex
from venire.domain.flag import Finding
from venire.domain.judgement import EvidenceLevel, Judgement, Status
from venire.domain.protocol import Category
from venire.errors import RuleError
from venire.shapes.shape import (
    DimensionScore,
    ScoreSample,
    ShownTexts,
    Signature,
    Telling,
    form_scores,
    only_sample,
    scored_keys,
    shown_sample,
    summarise,
    tidy,
)
from venire.validation.compiled import CompiledContract, read_reply
from venire.validation.contract import Fields, Items, Node, Number, Text, is_violation, show
from venire.validation.evidence import PreparedSample, materials_not_given
from venire.validation.finding_list import FindingList
from venire.validation.salvage import Salvaged, salvage
from venire.validation.scores import as_number, check_overall, computed_overall, is_on_scale
from venire.validation.strict_json import StrictReply
from venire.validation.terms import Occasion, Terms
from venire.words.language import Words
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from venire.domain.protocol import EvalProtocol
    from venire.domain.sample import Bundle, Sample


class CriteriaShape:
    """The form of replies by criteria."""

    id = "criteria"
    judges = "sample"
    needs_design = False
    uses = frozenset({"categories", "salvage", "materials"})
    is_read_without_text = True
    names: Mapping[str, str] = {"blind": "blind", "open": "open"}
    template = "judge"

    def reader(self, terms: Terms) -> CriteriaReader:
        """Return what reads replies under these terms."""
        return CriteriaReader(terms)

    def is_form_of(self, value: dict[str, Any]) -> bool:
        """Tell whether a reply has an object for each score."""
        scores = value.get("scores")
        return type(scores) is dict and any(type(score) is dict for score in scores.values())

    def scored(self, value: dict[str, Any]) -> set[str]:
        """Return the criteria that a reply scores."""
        return scored_keys(value)

    def placeholders(self, telling: Telling) -> list[str]:
        """Name what in the example has to be replaced."""
        words, protocol = telling.words, telling.protocol
        return [*([words["all_quotes"]] if protocol.asks_for_quotes else []), words["all_reasons"]]

    def fields(self, telling: Telling, category: Category | None, *, blind: bool) -> list[str]:
        """Return the rules of all fields."""
        overall, words = telling.protocol.overall, telling.words
        lines = [words["criteria"].format(numbers=telling.numbers)]
        if category:
            rounding = words["rounded"] if overall.tolerance >= 0.005 else ""
            lines.append(words["overall_weighted"].format(field=overall.field, rounding=rounding))
        else:
            lines.append(words["overall_sum"].format(field=overall.field))
        return [*lines, words["strengths"], words["reasoning"]]

    def example(self, telling: Telling, meta: Mapping[str, str], category: Category | None) -> dict[str, Any]:
        """Return a reply with the criteria of a category."""
        protocol, reason = telling.protocol, telling.words["reason"]
        criteria = category.weights if category else protocol.dimension_ids
        return {
            "scores": {name: {"score": telling.low, "justification": reason} for name in criteria},
            protocol.overall.field: telling.low if category else telling.low * len(criteria),
            "strengths": [],
            "weaknesses": [],
            "reasoning": reason,
        }

    def material(self, words: Mapping[str, str], subject: Sample, attached: frozenset[str]) -> ShownTexts:
        """Return the output with its task."""
        return shown_sample(words, subject, attached)

    def compose(
        self, subject: Sample | Bundle, protocol: EvalProtocol, score: ScoreSample, signed: Signature
    ) -> dict[str, Any]:
        """Write the reply of a rule judge."""
        sample = only_sample(subject)
        category = protocol.category(sample.category)
        if category is None and protocol.overall.rule == "weighted":
            raise RuleError("error.rules.no_category")
        scores = score(sample, tuple(category.weights) if category else protocol.dimension_ids)
        weights = category.weights if category and protocol.overall.rule == "weighted" else {}
        overall = sum(weights.get(each.dimension, 1) * each.score for each in scores)
        return {
            "scores": {
                each.dimension: {"score": each.score, "justification": _justify(each, signed.words)} for each in scores
            },
            protocol.overall.field: tidy(overall),
            "strengths": [_told(each, signed.words) for each in scores if each.passed],
            "weaknesses": [_told(each, signed.words) for each in scores if not each.passed],
            "reasoning": summarise(scores, signed.words),
        }

    def from_form(
        self, protocol: EvalProtocol, category: Category | None, item: str, form: Mapping[str, str]
    ) -> dict[str, Any]:
        """Write the reply that a person's form stands for: scores with reasons, and a remark."""
        scores = form_scores(form, category.weights if category else protocol.dimension_ids)
        weights = category.weights if category else dict.fromkeys(scores, 1 / max(len(scores), 1))
        overall = sum(weights[name] * score for name, score in scores.items())
        criteria = {
            name: {"score": score, "justification": form.get(f"reason.{name}", "")} for name, score in scores.items()
        }
        return {"scores": criteria, protocol.overall.field: round(overall, 2), "reasoning": form.get("reason", "")}


class CriteriaReader:
    """Reads replies by criteria under fixed terms."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._contracts: dict[str, Node] = {}
        self._compiled: dict[str, CompiledContract] = {}

    def contract(self, category: Category | None = None, source: Any = None) -> Node:
        """Return the contract for samples of a category, or of any."""
        name = category.id if category else ""
        if name not in self._contracts:
            self._contracts[name] = self._build_contract(category)
        return self._contracts[name]

    def check(self, raw: bytes, source: PreparedSample | None, occasion: Occasion) -> Judgement:
        """Turn a reply into a judgement, recovering scores where the protocol allows it."""
        terms, protocol = self._terms, self._terms.protocol
        category = protocol.category(source.sample.category) if source else None
        reply = read_reply(raw, self._compiled_contract(category))
        value, reply_sha256 = reply.value, sha256_hex(raw)
        findings = FindingList(reply.findings)
        findings += self._check_category(source, category)
        findings += materials_not_given(protocol, source)
        criteria = tuple(category.weights) if category else protocol.dimension_ids
        scores: dict[str, float] = {}
        stated: float | None = None
        if value is not None:
            if not reply.follows_contract:
                self.contract(category).check(value, (), findings)
            scores = self._strict_scores(value.get("scores"), criteria)
            stated = as_number(value.get(protocol.overall.field))
        recovered = self._recover(reply, findings, criteria)
        if recovered:
            scores, stated = recovered.scores, recovered.overall if recovered.overall is not None else stated
        overall = self._overall(scores, stated, category)
        is_read = value is not None or reply.text or reply.is_empty
        if not scores and overall is None and is_read and not self._gives_scores(value):
            found = say("finding.empty_reply") if reply.is_empty else show(reply.text if value is None else value)
            findings.append(rule.NO_SCORES.finding("/scores", say("finding.score_each_criterion"), found))
        findings += check_overall(protocol, stated, overall, f"/{protocol.overall.field}")
        return Judgement(
            protocol=protocol.digest,
            profile=terms.profile,
            reply_sha256=reply_sha256,
            sample=source.name if source else "",
            sample_digest=source.digest if source else "",
            status=_status(findings, recovered, overall),
            scores=scores,
            overall=overall,
            stated_overall=stated,
            method=occasion.method(source.sample.target_model) if source else None,
            findings=findings.closed(),
            evidence_level=EvidenceLevel.OFF,
            scale=terms.scale.id,
            recovered_by=recovered.how if recovered else reply.recovered_by or "",
        )

    def _compiled_contract(self, category: Category | None) -> CompiledContract:
        name = category.id if category else ""
        if name not in self._compiled:
            self._compiled[name] = CompiledContract(self.contract(category))
        return self._compiled[name]

    def _check_category(self, source: PreparedSample | None, category: Category | None) -> tuple[Finding, ...]:
        categories = self._terms.protocol.categories
        if category or not categories:
            return ()
        named = source.sample.category if source else ""
        expected = say("finding.one_of", names=tuple(each.id for each in categories))
        return (rule.COVERAGE_CATEGORY.finding("", expected, repr(named) if named else say("finding.no_category")),)

    def _strict_scores(self, given: Any, criteria: tuple[str, ...]) -> dict[str, float]:
        if type(given) is not dict:
            return {}
        items = {criterion: given.get(criterion) for criterion in criteria}
        return {
            criterion: item["score"]
            for criterion, item in items.items()
            if type(item) is dict and is_on_scale(item.get("score"), self._terms.scale)
        }

    def _gives_scores(self, value: dict[str, Any] | None) -> bool:
        """Tell whether a reply holds any number for a criterion or as overall, be it on the scale or not."""
        given = value.get("scores") if value is not None else None
        items = given.values() if type(given) is dict else ()
        numbers = [item.get("score") if type(item) is dict else item for item in items]
        numbers.append(value.get(self._terms.protocol.overall.field) if value is not None else None)
        return any(type(number) in (int, float) for number in numbers)

    def _recover(self, reply: StrictReply, findings: list[Finding], criteria: tuple[str, ...]) -> Salvaged | None:
        protocol = self._terms.protocol
        if not protocol.salvage or not any(is_violation(finding) and _is_of_form(finding) for finding in findings):
            return None
        wanted = tuple(dimension for dimension in protocol.dimensions if dimension.id in criteria)
        return salvage(reply.text, reply.value, reply.recovered_by, wanted, self._terms.scale, protocol.overall.field)

    def _overall(self, scores: dict[str, float], stated: float | None, category: Category | None) -> float | None:
        """Return the overall that counts: computed from the criteria, or the stated one where it may stand alone."""
        if scores:
            dimensions = tuple(category.weights) if category else self._terms.protocol.dimension_ids
            weights = category.weights if category else None
            return (
                computed_overall(scores, dimensions, weights)
                if category or not self._terms.protocol.categories
                else None
            )
        if self._terms.scale.overall_alone and stated is not None and is_on_scale(stated, self._terms.scale):
            return stated
        return None

    def _build_contract(self, category: Category | None) -> Node:
        terms, protocol = self._terms, self._terms.protocol
        unknown = rule.CONTRACT_UNKNOWN_FIELD if terms.profile == "contract" else None
        score = Number(terms.scale, missing=rule.SCORE_MISSING)
        criterion = Fields({"score": score, "justification": Text()}, unknown=unknown, missing=rule.SCORE_MISSING)
        criteria: dict[str, Node] = dict.fromkeys(category.weights if category else protocol.dimension_ids, criterion)
        if category or not protocol.categories:
            scores = Fields(criteria, unknown=rule.SCORE_UNKNOWN_DIMENSION)
        else:
            scores = Fields({}, criteria, unknown=rule.SCORE_UNKNOWN_DIMENSION)
        required: dict[str, Node] = {} if terms.scale.overall_alone else {"scores": scores}
        optional: dict[str, Node] = {"scores": scores} if terms.scale.overall_alone else {}
        overall = Number(terms.scale if protocol.overall.rule == "weighted" else None)
        required |= {protocol.overall.field: overall, "reasoning": Text()}
        optional |= {"strengths": Items(Text()), "weaknesses": Items(Text())}
        return Fields(required, optional, unknown=unknown)


def _justify(score: DimensionScore, words: Words) -> str:
    return words("check.quoted", reason=score.reason, quote=score.quote) if score.quote else score.reason


def _told(score: DimensionScore, words: Words) -> str:
    return words("check.told", dimension=score.dimension, reason=score.reason)


def _status(findings: list[Finding], recovered: Salvaged | None, overall: float | None) -> Status:
    violations = [finding for finding in findings if is_violation(finding)]
    if not violations:
        return Status.VALID
    only_form = all(map(_is_of_form, violations))
    return Status.RECOVERED if recovered and only_form and overall is not None else Status.INVALID


def _is_of_form(finding: Finding) -> bool:
    """Tell whether a finding is about how scores are written, not about the scores."""
    return finding.rule.startswith(("json.", "contract."))
