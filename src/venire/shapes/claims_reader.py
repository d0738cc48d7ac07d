"""Reads replies by claims: both sides of each claim are looked up, and no sentence of the output may be left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from venire.domain import rule
from venire.domain.canonical import sha256_hex
from venire.domain.claim import Claim, ClaimFinding
from venire.domain.judgement import Evidence, EvidenceLevel, Judgement, Status
from venire.domain.material import OUTPUT
from venire.shapes.claims_record import read_claims
from venire.validation.citations import cited_sentence
from venire.validation.compiled import CompiledContract, read_reply
from venire.validation.contract import Fields, Items, Node, SentenceNumber, Text, is_violation, pointer, show
from venire.validation.evidence import BLANKS, QuoteRules, not_compared, shows_nothing
from venire.validation.finding_list import MAX_QUOTES, FindingList, too_many_quotes
from venire.validation.sentences import left_out
from venire.validation.strict_json import StrictReply, shorten
from venire.validation.unreadable import unreadable
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from venire.domain.flag import Finding
    from venire.domain.protocol import Category
    from venire.validation.contract import Path
    from venire.validation.evidence import PreparedSample, PreparedText
    from venire.validation.terms import Occasion, Terms

_VALID, _EXACT = Status.VALID, EvidenceLevel.EXACT
_SUPPORTED, _ABSENT = ClaimFinding.SUPPORTED, ClaimFinding.ABSENT
_FINDINGS = {each.value: each for each in ClaimFinding}
_CLAIMS: Path = ((), "claims")
_NOTHING: Path = ((), "nothing_to_check")


class ClaimsReader:
    """Reads replies by claims under fixed terms."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._dimension = terms.protocol.dimension_ids[0]
        self._documents = terms.protocol.quoted_kinds
        self._cites = terms.protocol.evidence.cite == "sentences"
        self._quotes = QuoteRules(terms.level, terms.protocol)
        self._looks_up = terms.level is not EvidenceLevel.OFF
        self._may_be_plain = self._looks_up and terms.protocol.evidence.allow_ellipsis and not self._cites
        self._contract = _citing_contract(terms) if self._cites else _quoting_contract(terms)
        self._compiled = CompiledContract(self._contract)

    def contract(self, category: Category | None = None, source: PreparedSample | None = None) -> Node:
        """Return the contract; that of a sample holds the documents and the numbers of sentences that there are."""
        if source is None:
            return self._contract
        passages = source.materials(self._documents)
        if self._cites:
            return _citing_contract(self._terms, len(source.sentences), passages)
        return _quoting_contract(self._terms, tuple(passages))

    def check(self, raw: bytes, source: PreparedSample | None, occasion: Occasion) -> Judgement:
        """Turn a reply into a judgement."""
        reply_sha256 = sha256_hex(raw)
        if source is not None and self._may_be_plain:
            spotless = self._spotless(raw, reply_sha256, source, occasion)
            if spotless is not None:
                return spotless
        return self._thorough(read_reply(raw, self._compiled), reply_sha256, source, occasion)

    def _spotless(self, raw: bytes, reply_sha256: str, source: PreparedSample, occasion: Occasion) -> Judgement | None:
        """Return the judgement of a reply that no finding could be made about, and None for any other."""
        reply, passages = read_claims(raw), source.materials(self._documents)
        if reply is None or len(reply.claims) + len(reply.nothing_to_check) > MAX_QUOTES or not passages:
            return None
        dimension, find = self._dimension, source.find
        page, is_paged = None, source.is_paged
        evidence: list[Evidence] = []
        claims: list[Claim] = []
        spans: list[tuple[int, int]] = []
        reasons = 0
        for item in reply.claims:
            words, finding, name, passage, reason = item.words, item.finding, item.source, item.passage, item.reason
            start = find(words)
            if start < 0 or not words or words[0] in BLANKS:
                return None
            end, place = start + len(words), len(evidence)
            if is_paged:
                page = source.page_at(start)
            spans.append((start, end))
            if reason is not UNSET:
                reasons += 1
            evidence.append(Evidence(dimension, words, reason or "", _EXACT, start, end, page))
            if finding is _ABSENT:
                if name is not UNSET or passage is not UNSET:
                    return None
                claims.append(Claim(finding, place))
                continue
            document = passages.get(name) if name is not UNSET else None
            if document is None or not passage or passage[0] in BLANKS:
                return None
            start = document.find(passage)
            if start < 0:
                return None
            evidence.append(Evidence(dimension, passage, "", _EXACT, start, start + len(passage), None, name or ""))
            claims.append(Claim(finding, place, place + 1))
        for words in reply.nothing_to_check:
            start = find(words)
            if start < 0 or not words or words[0] in BLANKS:
                return None
            spans.append((start, start + len(words)))
        # Two fields for each quote; a reply with more strings has fields that were not read.
        strings = 4 * len(evidence) + 2 * reasons + 2 + len(reply.nothing_to_check) + 2 * (reply.notes is not UNSET)
        if raw.count(b'"') != 2 * strings or left_out(source.text, source.sentences, spans):
            return None
        return self._judgement(
            reply_sha256, source, occasion, claims=tuple(claims), evidence=tuple(evidence), status=_VALID
        )

    def _thorough(
        self, reply: StrictReply, reply_sha256: str, source: PreparedSample | None, occasion: Occasion
    ) -> Judgement:
        """Return the judgement of any reply, with all that there is to say about it."""
        value = reply.value
        if value is None:
            return unreadable(self._terms, reply, reply_sha256, source)
        findings = FindingList(reply.findings)
        if not reply.follows_contract:
            self._contract.check(value, (), findings)
        passages = source.materials(self._documents) if source is not None else None
        if source is not None and not passages:
            found = say("finding.no_document", name=source.name)
            findings.append(not_compared(self._terms.protocol, "/claims", say("finding.document_to_quote"), found))
        reading = _ClaimsRead(self._quotes, self._dimension, source, passages, findings, looks_up=self._looks_up)
        take = reading.take_cited if self._cites else reading.take_quoted
        for position, item in enumerate(_limited(value.get("claims"), _CLAIMS, findings)):
            if type(item) is dict:
                take(item, (_CLAIMS, position))
        nothing = _limited(value.get("nothing_to_check"), _NOTHING, findings)
        for position, item in enumerate(nothing):
            reading.take_nothing(item, (_NOTHING, position))
        if reading.evidence and (source is None or not self._looks_up):
            found = say("finding.evidence_off" if source else "finding.no_source_sample")
            findings.append(rule.EVIDENCE_UNCHECKED.finding("/claims", say("finding.judged_text"), found))
        elif source is not None:
            findings += reading.left_out()
        return self._judgement(
            reply_sha256,
            source,
            occasion,
            claims=tuple(reading.claims),
            evidence=tuple(reading.evidence),
            status=Status.INVALID if any(map(is_violation, findings)) else _VALID,
            findings=findings.closed(),
            recovered_by=reply.recovered_by or "",
        )

    def _judgement(
        self, reply_sha256: str, source: PreparedSample | None, occasion: Occasion, **fields: Any
    ) -> Judgement:
        """Return the judgement with what follows from its claims; without any claim no share is known."""
        terms, claims = self._terms, fields["claims"]
        protocol, scale = terms.protocol, terms.scale
        overall = None
        if claims:
            share = sum(1 for claim in claims if claim.finding is _SUPPORTED) / len(claims)
            overall = scale.minimum + share * (scale.maximum - scale.minimum)
        verdict = protocol.verdict.verdict(overall) if protocol.verdict and overall is not None else None
        return Judgement(
            protocol=protocol.digest,
            profile=terms.profile,
            reply_sha256=reply_sha256,
            sample=source.name if source else "",
            sample_digest=source.digest if source else "",
            scores={} if overall is None else {self._dimension: overall},
            overall=overall,
            verdict=verdict,
            method=occasion.method(source.sample.target_model) if source else None,
            evidence_level=terms.level if source else EvidenceLevel.OFF,
            scale=scale.id,
            **fields,
        )


class _ClaimsRead:
    """What has been read of one reply."""

    def __init__(
        self,
        quotes: QuoteRules,
        dimension: str,
        source: PreparedSample | None,
        passages: Mapping[str, PreparedText] | None,
        findings: FindingList,
        *,
        looks_up: bool,
    ) -> None:
        self._quotes = quotes
        self._dimension = dimension
        self._source = source
        self._findings = findings
        self._looks_up = looks_up
        self._passages = passages
        self._spans: list[tuple[int, int]] = []
        self.evidence: list[Evidence] = []
        self.claims: list[Claim] = []

    def take_quoted(self, item: dict[str, Any], path: Path) -> None:
        """Take a claim that is given by its words and the words of a passage."""
        words, finding = item.get("words"), _FINDINGS.get(_text(item.get("finding")))
        if type(words) is not str or finding is None:
            return  # The contract has reported it.
        if shows_nothing(words):
            found = show(words)
            self._findings.append(
                rule.EVIDENCE_MISSING.finding(pointer((path, "words")), say("finding.text_not_blank"), found)
            )
            return
        quote = (self._dimension, words, _text(item.get("reason")))
        place = len(self.evidence)
        self._keep(self._quotes.check_in(quote, "", (path, "words"), self._source, self._findings))
        passage = item.get("passage")
        named = _text(item.get("source"))
        has_passage = type(passage) is str and not shows_nothing(passage)
        if not self._fits(finding, named, path, shown=show(passage), is_given=has_passage):
            passage = None
        if type(passage) is str and has_passage:
            said = (self._dimension, passage, "")
            self.evidence.append(self._passage(said, named, path))
        self._add(finding, place)

    def take_cited(self, item: dict[str, Any], path: Path) -> None:
        """Take a claim that is given by the numbers of two sentences."""
        number, finding = item.get("sentence"), _FINDINGS.get(_text(item.get("finding")))
        if type(number) is not int or finding is None:
            return  # The contract has reported it.
        place = len(self.evidence)
        self._keep(self._cited(number, OUTPUT, (path, "sentence"), _text(item.get("reason"))))
        passage, named = item.get("passage"), _text(item.get("source"))
        is_given = type(passage) is int
        if self._fits(finding, named, path, shown=show(passage), is_given=is_given) and type(passage) is int:
            self.evidence.append(self._cited(passage, named, (path, "passage"), ""))
        self._add(finding, place)

    def take_nothing(self, item: Any, path: Path) -> None:
        """Take note of what says nothing to be checked: the number of a sentence, or words of the output."""
        if type(item) is int:
            found = self._cited(item, OUTPUT, path, "")
        elif type(item) is str and not shows_nothing(item):
            found = self._quotes.check_in((self._dimension, item, ""), "", path, self._source, self._findings)
        else:
            return
        if found.start is not None and found.end is not None:
            self._spans.append((found.start, found.end))

    def left_out(self) -> Iterable[Finding]:
        """Report each sentence of the output that stands neither in a claim nor among what says nothing."""
        if self._source is None or not self._looks_up:
            return
        text = self._source.text
        expected = say("finding.sentence_in_claim")
        for each in left_out(text, self._source.sentences, self._spans):
            yield rule.CLAIM_SENTENCE_LEFT_OUT.finding("/claims", expected, repr(shorten(text[each.start : each.end])))

    def _fits(self, finding: ClaimFinding, named: str, path: Path, *, shown: str, is_given: bool) -> bool:
        """Tell whether a claim has a passage exactly where its finding needs one; report it if not."""
        if finding is _ABSENT:
            if is_given or named:
                expected = say("finding.no_passage_for_absent")
                self._findings.append(
                    rule.CLAIM_ABSENT_WITH_PASSAGE.finding(pointer((path, "passage")), expected, shown)
                )
            return False
        if not is_given:
            expected = say("finding.passage_for", finding=finding.value)
            found = say("finding.nothing") if shown == "null" else shown
            self._findings.append(rule.CLAIM_NO_PASSAGE.finding(pointer((path, "passage")), expected, found))
        return is_given

    def _passage(self, quote: tuple[str, str, str], named: str, path: Path) -> Evidence:
        if self._passages is not None and named not in self._passages:
            expected = say("finding.one_of", names=tuple(self._passages))
            found = repr(shorten(named))
            self._findings.append(rule.EVIDENCE_UNKNOWN_SOURCE.finding(pointer((path, "source")), expected, found))
            return Evidence(*quote, source=shorten(named))
        return self._quotes.check_in(quote, named, (path, "passage"), self._source, self._findings)

    def _cited(self, number: int, named: str, path: Path, reason: str) -> Evidence:
        """Return the words of a sentence: of the output, or else of one of the documents."""
        is_output = named == OUTPUT and path[1] != "passage"
        sources = {OUTPUT: self._source} if is_output and self._source else self._passages
        return cited_sentence((self._dimension, number, reason), named, path, sources, self._findings)

    def _keep(self, words: Evidence) -> None:
        self.evidence.append(words)
        if words.start is not None and words.end is not None:
            self._spans.append((words.start, words.end))

    def _add(self, finding: ClaimFinding, place: int) -> None:
        has_passage = len(self.evidence) > place + 1
        self.claims.append(Claim(finding, place, place + 1 if has_passage else None))


def _quoting_contract(terms: Terms, documents: tuple[str, ...] = ()) -> Node:
    """Return the contract of replies that copy words, from any document or from these."""
    words = Text()
    return _contract(terms, {"words": words}, {"source": Text(values=documents), "passage": words}, words)


def _citing_contract(
    terms: Terms, sentences: int | None = None, passages: Mapping[str, PreparedText] | None = None
) -> Node:
    """Return the contract of replies that cite sentences: any, or those of one output and its documents."""
    number, most = SentenceNumber(sentences), None
    if passages:
        most = max(len(each.sentences) for each in passages.values())
    passage: dict[str, Node] = {"source": Text(values=tuple(passages or ())), "passage": SentenceNumber(most)}
    return _contract(terms, {"sentence": number}, passage, number)


def _contract(terms: Terms, said: dict[str, Node], passage: dict[str, Node], nothing: Node) -> Node:
    unknown = rule.CONTRACT_UNKNOWN_FIELD if terms.profile == "contract" else None
    finding = Text(values=[each.value for each in ClaimFinding])
    claims = Items(Fields({**said, "finding": finding}, {**passage, "reason": Text()}, unknown=unknown))
    return Fields({"claims": claims, "nothing_to_check": Items(nothing)}, {"notes": Text()}, unknown=unknown)


def _limited(given: Any, path: Path, findings: FindingList) -> list[Any]:
    items = given if type(given) is list else []
    if len(items) > MAX_QUOTES:
        findings.append(too_many_quotes(len(items), pointer(path)))
    return items[:MAX_QUOTES]


def _text(value: Any) -> str:
    return value if type(value) is str else ""
