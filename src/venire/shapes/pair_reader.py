"""Reads replies about a pair: the winner and its strength must agree, and each output must be quoted word for word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import UNSET, structs

from venire.domain import rule
from venire.domain.canonical import sha256_hex
from venire.domain.judgement import Evidence, EvidenceLevel, Judgement, Method, Preference, Status, Winner
from venire.domain.protocol import PairPolicy
from venire.domain.sample import PLACES
from venire.validation.compiled import CompiledContract, read_reply
from venire.validation.contract import Fields, Items, Node, Number, Text, is_violation, pointer, show
from venire.validation.evidence import QuoteRules, shows_nothing
from venire.validation.finding_list import MAX_QUOTES, FindingList, too_many_quotes
from venire.validation.scores import is_on_scale
from venire.validation.unreadable import unreadable
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from venire.domain.flag import Finding
    from venire.domain.protocol import Category, EvalProtocol
    from venire.validation.contract import Path
    from venire.validation.evidence import PreparedBundle, PreparedSample
    from venire.validation.terms import Occasion, Terms

_QUOTES: Path = ((), "quotes")


class PairReader:
    """Reads replies about a pair under fixed terms."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._field = terms.protocol.overall.field
        self._quotes = QuoteRules(terms.level, terms.protocol)
        self._looks_up = terms.level is not EvidenceLevel.OFF
        self._ties = (terms.protocol.pairs or PairPolicy()).ties
        self._contract = _contract(terms, ties=self._ties)
        self._compiled = CompiledContract(self._contract)

    def contract(self, category: Category | None = None, source: Any = None) -> Node:
        """Return the contract, which is the same for all pairs."""
        return self._contract

    def check(self, raw: bytes, source: PreparedBundle | None, occasion: Occasion) -> Judgement:
        """Turn a reply into a judgement."""
        terms, protocol = self._terms, self._terms.protocol
        reply, reply_sha256 = read_reply(raw, self._compiled), sha256_hex(raw)
        value = reply.value
        if value is None:
            return unreadable(terms, reply, reply_sha256, source)
        findings = FindingList(reply.findings)
        if not reply.follows_contract:
            self._contract.check(value, (), findings)
        preference = self._preference(value, findings)
        evidence = self._evidence(value.get("quotes"), source, findings)
        findings += _materials_not_given(protocol, source)
        return Judgement(
            protocol=protocol.digest,
            profile=terms.profile,
            reply_sha256=reply_sha256,
            sample=source.name if source else "",
            sample_digest=source.digest if source else "",
            status=Status.INVALID if any(map(is_violation, findings)) else Status.VALID,
            verdict=preference.winner.value if preference else None,
            stated_verdict=preference.winner.value if preference else None,
            method=_method(source, occasion),
            evidence=evidence,
            findings=findings.closed(),
            evidence_level=terms.level if source else EvidenceLevel.OFF,
            scale=terms.scale.id,
            recovered_by=reply.recovered_by or "",
            preference=preference or UNSET,
        )

    def _preference(self, value: dict[str, Any], findings: FindingList) -> Preference | None:
        """Return who won; None if the reply does not say it in an admissible way, which has been reported."""
        scale = self._terms.scale
        given: Any = value.get("winner")
        strength: Any = value.get(self._field)
        if type(given) is not str or given not in _winners(ties=self._ties) or not is_on_scale(strength, scale):
            return None
        winner = Winner(given)
        if (winner is Winner.TIE) != (strength == scale.minimum):
            code = "finding.strength_of_tie" if winner is Winner.TIE else "finding.strength_of_winner"
            expected = say(code, low=f"{scale.minimum:g}")
            findings.append(rule.PAIR_STRENGTH.finding(f"/{self._field}", expected, show(strength)))
        return Preference(winner, strength)

    def _evidence(self, given: Any, source: PreparedBundle | None, findings: FindingList) -> tuple[Evidence, ...]:
        """Look up each quote in the output that it names, and report an output without one."""
        items = given if type(given) is list else []
        if len(items) > MAX_QUOTES:
            findings.append(too_many_quotes(len(items), pointer(_QUOTES)))
        texts: Mapping[str, PreparedSample] = (
            dict(zip(PLACES, source.samples.values(), strict=True)) if source and source.has_text else {}
        )
        evidence = []
        for position, item in enumerate(items[:MAX_QUOTES]):
            place, words = (item.get("output"), item.get("quote")) if type(item) is dict else (None, None)
            if place not in PLACES or type(words) is not str or shows_nothing(words):
                continue
            said = item.get("reason")
            quote = ("", words, said if type(said) is str else "")
            path: Path = ((_QUOTES, position), "quote")
            found = self._quotes.check(quote, path, texts.get(place), texts, findings, place)
            evidence.append(structs.replace(found, source=place))
        if evidence and (not texts or not self._looks_up):
            unseen = say("finding.evidence_off" if texts else "finding.no_source_sample")
            findings.append(rule.EVIDENCE_UNCHECKED.finding("/quotes", say("finding.judged_text"), unseen))
        quoted = {each.source for each in evidence}
        for place in PLACES if self._terms.protocol.asks_for_quotes else ():
            if place not in quoted:
                expected = say("finding.quote_of_output", output=place)
                findings.append(rule.EVIDENCE_MISSING.finding("/quotes", expected, say("finding.none")))
        return tuple(evidence)


def _materials_not_given(protocol: EvalProtocol, source: PreparedBundle | None) -> Iterator[Finding]:
    """Note each kind of material that the protocol shows to judges and that neither output has."""
    held = {each.kind for each in source.bundle.materials_of(protocol.shown_kinds)} if source else set()
    for kind in protocol.materials.shown if protocol.materials and source else ():
        if kind not in held:
            yield rule.MATERIAL_NOT_GIVEN.finding("", kind.value, say("finding.none"))


def _method(source: PreparedBundle | None, occasion: Occasion) -> Method | None:
    """Tell whether the judge wrote one of the two; None if it or one of the models is not known."""
    methods = {occasion.method(model) for model in source.bundle.target_models} if source else {None}
    if Method.SELF_JUDGE in methods:
        return Method.SELF_JUDGE
    return None if None in methods else Method.CROSS_JUDGE


def _winners(*, ties: bool) -> tuple[str, ...]:
    return tuple(each.value for each in Winner if ties or each is not Winner.TIE)


def _contract(terms: Terms, *, ties: bool) -> Node:
    protocol = terms.protocol
    unknown = rule.CONTRACT_UNKNOWN_FIELD if terms.profile == "contract" else None
    required: dict[str, Node] = {"winner": Text(values=_winners(ties=ties))}
    required[protocol.overall.field] = Number(terms.scale)
    if protocol.dimensions:
        unknown_dimension = rule.SCORE_UNKNOWN_DIMENSION
        required["reasons"] = Fields(dict.fromkeys(protocol.dimension_ids, Text()), unknown=unknown_dimension)
    else:
        required["reason"] = Text()
    quote = Fields({"output": Text(values=PLACES), "quote": Text()}, {"reason": Text()}, unknown=unknown)
    optional: dict[str, Node] = {"notes": Text()}
    (required if protocol.asks_for_quotes else optional)["quotes"] = Items(quote)
    return Fields(required, optional, unknown=unknown)
