"""Reads replies on one sample: scores, verdict and names are held to what is known, quotes to the texts."""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from venire.domain import rule
from venire.domain.canonical import sha256_hex
from venire.domain.flag import Finding, Flag
from venire.domain.judge import JudgeIdentity, fold_name
from venire.domain.judgement import Evidence, EvidenceLevel, Judgement, Method, Status
from venire.domain.material import OUTPUT
from venire.domain.sample import Sample
from venire.shapes.sample_record import SampleRecord, SampleRecords, exact_evidence
from venire.validation.citations import cited_sentence
from venire.validation.compiled import CompiledContract, read_reply
from venire.validation.contract import (
    Anything,
    Fields,
    Items,
    Node,
    Number,
    Path,
    SentenceNumber,
    Text,
    is_violation,
    show,
)
from venire.validation.evidence import (
    PreparedSample,
    QuoteRules,
    check_required,
    check_required_sources,
    dimensions_to_quote,
    materials_not_given,
    shows_nothing,
)
from venire.validation.finding_list import MAX_QUOTES, FindingList, too_many_quotes
from venire.validation.scores import (
    admissible_scores,
    as_number,
    check_gates,
    check_overall,
    computed_overall,
    gives_no_score,
)
from venire.validation.strict_json import StrictReply, escape_pointer, shorten
from venire.validation.terms import Occasion, Terms
from venire.validation.unreadable import unreadable
from venire.words.said import say

if TYPE_CHECKING:
    from venire.domain.protocol import Category

IDENTIFIERS = ("target_model", "question_id", "prompt_variant", "output_id")
"""The fields of `meta` that tell which sample was judged."""


_VALID = Status.VALID
_LONGEST_NAMES = 400
_EVIDENCE: Path = ((), "evidence")


class SampleReader:
    """Reads replies on one sample under fixed terms."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._dimensions = terms.protocol.dimension_ids
        self._quotes = QuoteRules(terms.level, terms.protocol)
        self._cites = terms.protocol.evidence.cite == "sentences"
        self._contract = _contract(terms, cites=self._cites)
        self._compiled = CompiledContract(self._contract)
        is_plain = terms.level is not EvidenceLevel.OFF and terms.protocol.evidence.allow_ellipsis
        may_be_spotless = bool(is_plain and self._dimensions and not self._cites and not terms.protocol.gates)
        self._records = SampleRecords(terms.protocol, _scores(terms), blind=terms.blind) if may_be_spotless else None
        self._documents = terms.protocol.quoted_kinds
        self._scored = frozenset(self._dimensions)

    def contract(self, category: Category | None = None, source: Any = None) -> Node:
        """Return the contract, which is the same for all samples."""
        return self._contract

    def check(self, raw: bytes, source: PreparedSample | None, occasion: Occasion) -> Judgement:
        """Turn a reply into a judgement."""
        reply_sha256 = sha256_hex(raw)
        record = self._records.read(raw) if source is not None and self._records is not None else None
        if record is not None and source is not None:
            spotless = self._spotless(record, reply_sha256, source, occasion)
            if spotless is not None:
                return spotless
        return self._thorough(read_reply(raw, self._compiled), reply_sha256, source, occasion)

    def _thorough(
        self, reply: StrictReply, reply_sha256: str, source: PreparedSample | None, occasion: Occasion
    ) -> Judgement:
        """Return the judgement of any reply, with all that there is to say about it."""
        terms, protocol, value = self._terms, self._terms.protocol, reply.value
        if value is None:
            return unreadable(terms, reply, reply_sha256, source)
        findings = FindingList(reply.findings)
        if not reply.follows_contract:
            self._contract.check(value, (), findings)
        given = value.get("scores")
        scores = admissible_scores(given, self._dimensions, terms.scale)
        overall = computed_overall(scores, self._dimensions, None)
        stated = as_number(given.get(protocol.overall.field)) if type(given) is dict else None
        verdict = protocol.verdict.verdict(overall) if protocol.verdict and overall is not None else None
        findings += check_overall(protocol, stated, overall, f"/scores/{protocol.overall.field}")
        findings += check_gates(protocol, scores, terms.scale, "/scores")
        if reply.contradictions:
            findings += _check_contradictions(reply, self._dimensions)
        if not scores and gives_no_score(given, self._dimensions):
            findings.append(rule.NO_SCORES.finding("/scores", say("finding.score_each_dimension"), show(given)))
        stated_verdict = value.get("verdict")
        if verdict and stated_verdict in ("PASS", "PARTIAL", "FAIL") and stated_verdict != verdict:
            found = say("finding.verdict_for", verdict=stated_verdict, overall=f"{overall:g}")
            findings.append(rule.VERDICT_MISMATCH.finding("/verdict", verdict, found))
        evidence = self._look_up(value.get("evidence"), source, findings)
        if type(value.get("evidence")) is list:
            needed = dimensions_to_quote(protocol, scores, terms.scale)
            findings += check_required(needed, {item.dimension for item in evidence}, "/evidence")
            findings += check_required_sources(protocol, needed, evidence, source)
        findings += materials_not_given(protocol, source)
        method, method_findings = _check_meta(value.get("meta"), source.sample if source else None, occasion)
        findings += method_findings
        return Judgement(
            protocol=protocol.digest,
            profile=terms.profile,
            reply_sha256=reply_sha256,
            sample=source.name if source else _stated_output_id(value),
            sample_digest=source.digest if source else "",
            status=Status.INVALID if any(map(is_violation, findings)) else Status.VALID,
            scores=scores,
            overall=overall,
            stated_overall=stated,
            verdict=verdict,
            stated_verdict=stated_verdict if type(stated_verdict) is str else None,
            method=method,
            evidence=tuple(evidence),
            findings=findings.closed(),
            evidence_level=terms.level if source else EvidenceLevel.OFF,
            scale=terms.scale.id,
            recovered_by=reply.recovered_by or "",
        )

    def _spotless(
        self,
        record: SampleRecord[Any, dict[str, float], Any],
        reply_sha256: str,
        source: PreparedSample,
        occasion: Occasion,
    ) -> Judgement | None:
        """Return the judgement of a reply that no finding could be made about, and None for any other.

        Most replies are like this; it says nothing that the thorough way would not say too, only sooner.
        """
        terms, protocol, given, meta = self._terms, self._terms.protocol, record.scores, record.meta
        scores = {dimension: given[dimension] for dimension in self._dimensions}
        overall = sum(scores.values())
        verdict = protocol.verdict.verdict(overall) if protocol.verdict else None
        if given[protocol.overall.field] != overall or record.verdict != (verdict or UNSET):
            return None
        evidence = (
            exact_evidence(record.evidence, source, self._documents) if len(record.evidence) <= MAX_QUOTES else None
        )
        if evidence is None or {item.dimension for item in evidence} != self._scored:
            return None
        if protocol.materials and (protocol.materials.must_quote or materials_not_given(protocol, source)):
            return None
        if type(meta.timestamp) is str and not _is_iso_time(meta.timestamp):
            return None
        sample = source.sample
        method = occasion.method(sample.target_model)
        if occasion.handle:
            is_named = meta.output_id == occasion.handle
        else:
            method = method or _stated_method(meta.judge_model, meta.target_model, occasion)
            is_named = meta.method == method and (
                meta.output_id == sample.output_id
                and meta.question_id == sample.question_id
                and meta.prompt_variant == sample.prompt_variant
                and meta.target_model == sample.target_model
            )
        if not is_named:
            return None
        return Judgement(
            protocol=protocol.digest,
            profile=terms.profile,
            reply_sha256=reply_sha256,
            sample=source.name,
            sample_digest=source.digest,
            status=_VALID,
            scores=scores,
            overall=overall,
            stated_overall=overall,
            verdict=verdict,
            stated_verdict=verdict,
            method=method,
            evidence=tuple(evidence),
            evidence_level=terms.level,
            scale=terms.scale.id,
        )

    def _look_up(self, given: Any, source: PreparedSample | None, findings: list[Finding]) -> list[Evidence]:
        """Look up every quote that can be made out, and report what is wrong with them."""
        evidence: list[Evidence] = []
        given = given if type(given) is list else []
        if len(given) > MAX_QUOTES:
            findings.append(too_many_quotes(len(given), "/evidence"))
        for position, item in enumerate(given[:MAX_QUOTES]):
            if type(item) is not dict:
                continue
            if self._cites:
                evidence += self._cited(item, (_EVIDENCE, position), source, findings)
                continue
            quote = item.get("quote")
            if type(quote) is str and not shows_nothing(quote):
                named = (_text(item.get("dimension")), quote, _text(item.get("reason")))
                path = ((_EVIDENCE, position), "quote")
                evidence.append(self._quotes.check_in(named, _text(item.get("source")), path, source, findings))
        if evidence and (source is None or self._terms.level is EvidenceLevel.OFF):
            found = say("finding.evidence_off" if source else "finding.no_source_sample")
            findings.append(rule.EVIDENCE_UNCHECKED.finding("/evidence", say("finding.judged_text"), found))
        return evidence

    def _cited(
        self, item: dict[str, Any], path: Path, source: PreparedSample | None, findings: list[Finding]
    ) -> list[Evidence]:
        """Look up the words of a sentence that is given by its number; nothing for what the contract has reported."""
        number = item.get("sentence")
        if type(number) is not int:
            return []
        cited = (_text(item.get("dimension")), number, _text(item.get("reason")))
        texts = source.sources(self._terms.protocol.quoted_kinds) if source else None
        return [cited_sentence(cited, _text(item.get("source")) or OUTPUT, (path, "sentence"), texts, findings)]


def _contract(terms: Terms, *, cites: bool) -> Node:
    protocol = terms.protocol
    unknown = rule.CONTRACT_UNKNOWN_FIELD if terms.profile == "contract" else None
    identifier = Text(missing=rule.CONTRACT_MISSING_IDENTIFIER)
    method = Text(values=[method.value for method in Method])
    others: dict[str, Node] = {"judge_model": Text(), "method": method, "timestamp": Text()}
    if terms.blind:
        free: dict[str, Node] = {name: Anything() for name in (*IDENTIFIERS[:-1], *others)}
        meta = Fields({"output_id": identifier}, free, unknown=unknown)
    else:
        meta = Fields({**dict.fromkeys(IDENTIFIERS, identifier), **others}, unknown=unknown)
    evidence = Fields(
        {"dimension": Text(values=protocol.dimension_ids), **_quoted(cites=cites), "reason": Text()},
        {"source": Text()} if protocol.quoted_kinds else {},
        unknown=unknown,
    )
    required: dict[str, Node] = {"meta": meta, "scores": _scores(terms)}
    if protocol.verdict:
        required["verdict"] = Text(values=("PASS", "PARTIAL", "FAIL"))
    required["flags"] = Items(Text(values=[flag.value for flag in Flag]))
    optional: dict[str, Node] = {"notes": Text()}
    (optional if protocol.evidence.required == "none" else required)["evidence"] = Items(evidence)
    return Fields(required, optional, unknown=unknown)


def _scores(terms: Terms) -> Node:
    score = Number(terms.scale, missing=rule.SCORE_MISSING)
    scores: dict[str, Node] = dict.fromkeys(terms.protocol.dimension_ids, score)
    scores[terms.protocol.overall.field] = Number()
    return Fields(scores, unknown=rule.SCORE_UNKNOWN_DIMENSION)


def _quoted(*, cites: bool) -> dict[str, Node]:
    return {"sentence": SentenceNumber()} if cites else {"quote": Text()}


def _check_contradictions(reply: StrictReply, dimensions: tuple[str, ...]) -> list[Finding]:
    places = {"/scores", *(f"/scores/{escape_pointer(dimension)}" for dimension in dimensions)}
    return [
        rule.SCORE_CONTRADICTORY.finding(place, say("finding.one_score"), say("finding.two_scores"))
        for place in reply.contradictions
        if place in places
    ]


def _check_meta(meta: Any, sample: Sample | None, occasion: Occasion) -> tuple[Method | None, list[Finding]]:
    """Compare the identifiers and the method of a reply with what is known; return the true method."""
    known = occasion.method(sample.target_model) if sample else None
    if type(meta) is not dict:
        return known, []
    findings = _check_time(meta.get("timestamp"))
    if occasion.handle:
        return known, findings + _check_identifier("output_id", meta.get("output_id"), occasion.handle)
    findings += _check_blank(meta)
    if sample:
        for name in IDENTIFIERS:
            findings += _check_identifier(name, meta.get(name), getattr(sample, name))
    known = known or _stated_method(meta.get("judge_model"), meta.get("target_model"), occasion)
    stated = meta.get("method")
    if known and stated != known and stated in ("self_judge", "cross_judge"):
        judge, target = _text(meta.get("judge_model")), _text(meta.get("target_model"))
        found = say("finding.method_for", method=stated, judge=shorten(judge), target=shorten(target))
        findings.append(rule.METHOD_MISMATCH.finding("/meta/method", known.value, found))
    return known, findings


def _stated_method(judge: Any, target: Any, occasion: Occasion) -> Method | None:
    """Return the method that follows from the models as a reply states them."""
    if type(judge) is not str or type(target) is not str:
        return None
    if len(judge) + len(target) > _LONGEST_NAMES:
        return _method_by_names.__wrapped__(judge, target, occasion.aliases)
    return _method_by_names(judge, target, occasion.aliases)


@lru_cache(maxsize=1024)  # A run has few judges and targets; names that nobody has are not kept.
def _method_by_names(judge: str, target: str, aliases: tuple[tuple[str, str], ...]) -> Method | None:
    if not fold_name(judge) or not fold_name(target):
        return None
    return Occasion(aliases=aliases).method_of(JudgeIdentity(judge), target)


def _check_blank(meta: dict[str, Any]) -> list[Finding]:
    """Report identifiers of nothing but white space; the contract has reported those that are quite empty."""
    return [
        rule.CONTRACT_MISSING_IDENTIFIER.finding(f"/meta/{name}", say("finding.text_not_blank"), show(meta[name]))
        for name in IDENTIFIERS
        if _text(meta.get(name)).isspace()
    ]


def _check_time(stated: Any) -> list[Finding]:
    if _is_time(stated):
        return []
    return [rule.META_TIMESTAMP.finding("/meta/timestamp", say("finding.date", example="2026-01-31"), show(stated))]


@lru_cache(maxsize=64)  # Most replies of a run name the same day.
def _is_iso_time(text: str) -> bool:
    try:
        datetime.fromisoformat(text.strip())
    except ValueError:
        return False
    return True


def _is_time(stated: Any) -> bool:
    """Tell whether a text is a time; what is missing or no text is for the contract to report."""
    return type(stated) is not str or _is_iso_time(stated)


def _check_identifier(name: str, stated: Any, known: str) -> list[Finding]:
    if type(stated) is not str or not stated.strip() or not known or stated == known:
        return []
    broken = rule.COVERAGE_LABEL if _is_same_name(name, stated, known) else rule.COVERAGE_IDENTITY
    return [broken.finding(f"/meta/{name}", known, shorten(stated))]


def _is_same_name(name: str, stated: str, known: str) -> bool:
    """Tell whether two identifiers differ only in spelling; `q1-11` and `q11-1` are two samples."""
    if name == "target_model":
        return fold_name(stated) == fold_name(known) != ""
    one, other = (re.sub(r"[\s_-]+", " ", each).strip().casefold() for each in (stated, known))
    return one == other


def _text(value: Any) -> str:
    return value if type(value) is str else ""


def _stated_output_id(value: dict[str, Any]) -> str:
    meta = value.get("meta")
    stated = meta.get("output_id") if type(meta) is dict else None
    return stated if type(stated) is str else ""
