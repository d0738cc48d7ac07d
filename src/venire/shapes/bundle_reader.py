"""Reads replies on a bundle: each file's entry, whether all files are there, and the means, computed again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import TYPE_CHECKING, Any

import msgspec

from venire.domain import rule
from venire.domain.canonical import sha256_hex
from venire.domain.design import BundleDesign, Cell
from venire.domain.flag import Finding
from venire.domain.judge import fold_name
from venire.domain.judgement import Evidence, EvidenceLevel, Judgement, Method, Status
from venire.errors import UsageError
from venire.validation.aggregate_claims import EntryTotals
from venire.validation.aggregates import check_aggregates
from venire.validation.compiled import CompiledContract, read_reply
from venire.validation.contract import Anything, Fields, Items, Node, Number, Path, Text, is_violation, pointer, show
from venire.validation.evidence import (
    PreparedBundle,
    PreparedSample,
    QuoteRules,
    dimensions_to_quote,
    not_compared,
    shows_nothing,
)
from venire.validation.finding_list import MAX_ENTRY_FINDINGS, MAX_QUOTES, FindingList, too_many_quotes
from venire.validation.scores import (
    admissible_scores,
    as_number,
    check_gates,
    check_overall,
    computed_overall,
    gives_no_score,
)
from venire.validation.strict_json import StrictReply, shorten
from venire.validation.terms import Occasion, Terms
from venire.validation.unreadable import unreadable
from venire.words.said import say

if TYPE_CHECKING:
    from venire.domain.protocol import Category, EvalProtocol

MAX_EXTRA_ENTRIES = 100
"""How many entries beyond the planned ones are read; a reply with more is invalid whatever they hold."""


class _Reading(msgspec.Struct):
    """One reply while it is being checked."""

    reply: StrictReply
    reply_sha256: str
    sources: Mapping[str, PreparedSample] | None
    method: Method | None
    seen: set[str]


class BundleReader:
    """Reads replies on a whole bundle under fixed terms."""

    def __init__(self, terms: Terms) -> None:
        design = design_of(terms.protocol)
        self._terms = terms
        self._design = design
        self._quotes = QuoteRules(terms.level, terms.protocol)
        self._entry_contract = _entry_contract(terms)
        self._frame = _bundle_contract(terms, design, Anything())
        self._contract = _bundle_contract(terms, design, self._entry_contract)
        self._compiled = CompiledContract(self._contract)

    def contract(self, category: Category | None = None, source: Any = None) -> Node:
        """Return the contract, which is the same for all bundles."""
        return self._contract

    def check(self, raw: bytes, bundle: PreparedBundle | None, occasion: Occasion) -> Judgement:
        """Turn a reply into a judgement with one entry for each file."""
        terms = self._terms
        reply = read_reply(raw, self._compiled)
        value, reply_sha256 = reply.value, sha256_hex(raw)
        if value is None:
            return unreadable(terms, reply, reply_sha256, bundle)
        findings = FindingList(reply.findings)
        if not reply.follows_contract:
            self._frame.check(value, (), findings)
        sources = bundle.samples if bundle else None
        method = occasion.method(bundle.bundle.target_model) if bundle else None
        reading = _Reading(reply, reply_sha256, sources, method, set())
        items = value.get("per_file_scores")
        read = _as_list(items)[: len(self._design.cells) + MAX_EXTRA_ENTRIES]
        checked = [self._check_entry(item, position, reading) for position, item in enumerate(read)]
        entries = tuple(entry for _, entry in checked)
        findings += self._check_coverage(reading.seen, items)
        if all(gives_no_score(_scores(item), terms.protocol.dimension_ids) for item in _as_list(items)):
            found = show(items) if "per_file_scores" in value else say("finding.no_field", name="per_file_scores")
            findings.append(rule.NO_SCORES.finding("/per_file_scores", say("finding.scores_each_file"), found))
        if terms.profile == "contract":
            findings += self._check_bundle_meta(value.get("bundle_meta"))
        totals = [_totals(cell, entry) for cell, entry in checked if cell and entry.overall is not None]
        if len(totals) == len(_as_list(items)) and "aggregates" in value:
            findings += check_aggregates(value["aggregates"], totals, self._design, terms.scale.maximum)
        if bundle is None or terms.level is EvidenceLevel.OFF:
            found = say("finding.evidence_off" if bundle else "finding.no_source_bundle")
            findings.append(rule.EVIDENCE_UNCHECKED.finding("/per_file_scores", say("finding.judged_texts"), found))
        elif not sources:
            expected = say("finding.judged_texts")
            findings.append(not_compared(terms.protocol, "/per_file_scores", expected, bundle.absence))
        is_valid = not any(map(is_violation, findings)) and all(entry.valid for entry in entries)
        is_complete = len(totals) == len(self._design.cells)
        return Judgement(
            protocol=terms.protocol.digest,
            profile=terms.profile,
            reply_sha256=reply_sha256,
            sample=bundle.name if bundle else "",
            sample_digest=bundle.digest if bundle and sources else "",
            status=Status.VALID if is_valid else Status.INVALID,
            overall=fmean(total.computed for total in totals) if is_complete else None,
            method=method,
            findings=findings.closed(),
            evidence_level=terms.level if sources else EvidenceLevel.OFF,
            scale=terms.scale.id,
            recovered_by=reply.recovered_by or "",
            entries=entries,
        )

    def _check_entry(self, item: Any, position: int, reading: _Reading) -> tuple[Cell | None, Judgement]:
        terms, protocol = self._terms, self._terms.protocol
        path = (((), "per_file_scores"), position)
        at = pointer(path)
        findings = FindingList(limit=MAX_ENTRY_FINDINGS)
        if not reading.reply.follows_contract:
            self._entry_contract.check(item, path, findings)
        entry = item if type(item) is dict else {}
        label = _label(entry)
        cell = self._check_label(label, at, reading.seen, findings)
        scores = admissible_scores(entry.get("scores"), protocol.dimension_ids, terms.scale)
        overall = computed_overall(scores, protocol.dimension_ids, None)
        stated = _stated_totals(entry, at, protocol.overall.field)
        if not stated and terms.profile == "seed":
            place, expected = f"{at}/{protocol.overall.field}", say("finding.number")
            findings.append(rule.CONTRACT_MISSING_FIELD.finding(place, expected, say("finding.nothing")))
        for place, total in stated.items():
            findings += check_overall(protocol, total, overall, place)
        findings += check_gates(protocol, scores, terms.scale, f"{at}/scores")
        sources = reading.sources
        source = sources.get(cell.label) if sources and cell else None
        evidence = self._check_evidence(entry.get("evidence"), scores, (path, "evidence"), source, reading, findings)
        if evidence and cell and sources is not None and source is None and terms.level is not EvidenceLevel.OFF:
            found = _only(sources) if sources else say("finding.no_source_bundle")
            findings.append(not_compared(protocol, f"{at}/evidence", say("finding.text_of", name=cell.label), found))
        return cell, Judgement(
            protocol=protocol.digest,
            profile=terms.profile,
            reply_sha256=reading.reply_sha256,
            sample=cell.label if cell else label,
            sample_digest=source.digest if source else "",
            status=Status.INVALID if any(map(is_violation, findings)) else Status.VALID,
            scores=scores,
            overall=overall,
            stated_overall=next(iter(stated.values()), None),
            method=reading.method,
            evidence=evidence,
            findings=findings.closed(),
            evidence_level=terms.level if source else EvidenceLevel.OFF,
            scale=terms.scale.id,
        )

    def _check_label(self, label: str, at: str, seen: set[str], findings: list[Finding]) -> Cell | None:
        if not label:
            if self._terms.profile == "seed":
                expected, found = say("finding.file_name"), say("finding.nothing")
                findings.append(rule.CONTRACT_MISSING_IDENTIFIER.finding(f"{at}/file", expected, found))
            return None
        cell = self._design.cell(label)
        if cell is None:
            expected = say("finding.file_of_design", name=self._design.cells[0].label)
            findings.append(rule.COVERAGE_UNPLANNED.finding(f"{at}/file", expected, repr(shorten(label))))
            return None
        if label != cell.label:
            findings.append(rule.COVERAGE_LABEL.finding(f"{at}/file", repr(cell.label), repr(shorten(label))))
        if cell.label in seen:
            expected, found = say("finding.file_once"), say("finding.file_again", name=cell.label)
            findings.append(rule.COVERAGE_REPEATED.finding(f"{at}/file", expected, found))
        seen.add(cell.label)
        return cell

    def _check_evidence(
        self,
        given: Any,
        scores: Mapping[str, float],
        path: Path,
        source: PreparedSample | None,
        reading: _Reading,
        findings: list[Finding],
    ) -> tuple[Evidence, ...]:
        terms = self._terms
        given = given if type(given) is dict else {}
        needed = dimensions_to_quote(terms.protocol, scores, terms.scale)
        evidence: list[Evidence] = []
        for dimension in terms.protocol.dimension_ids:
            quotes = _quotes(given.get(dimension), (path, dimension))
            if len(quotes) > MAX_QUOTES:
                findings.append(too_many_quotes(len(quotes), pointer((path, dimension))))
            for place, quote in quotes[:MAX_QUOTES]:
                item = (dimension, quote, "")
                name = source.name if source else ""
                evidence.append(self._quotes.check(item, place, source, reading.sources or {}, findings, name))
            if dimension in needed and not quotes:
                found = show(given[dimension]) if dimension in given else say("finding.no_quote")
                score = f"{scores.get(dimension, terms.scale.minimum):g}"
                expected = say("finding.words_for_score", score=score)
                findings.append(rule.EVIDENCE_MISSING.finding(pointer((path, dimension)), expected, found))
        return tuple(evidence)

    def _check_coverage(self, seen: set[str], items: Any) -> list[Finding]:
        if type(items) is not list:
            return []
        limit = len(self._design.cells) + MAX_EXTRA_ENTRIES
        if len(items) > limit:
            found = say("finding.entries_not_read", count=len(items), unread=len(items) - limit)
            expected = say("finding.entries", count=len(self._design.cells))
            return [rule.COVERAGE_UNPLANNED.finding(f"/per_file_scores/{limit}", expected, found)]
        found = say("finding.none_in_entries", count=len(items))
        return [
            rule.COVERAGE_MISSING.finding("/per_file_scores", say("finding.entry_for", name=cell.label), found)
            for cell in self._design.cells
            if cell.label not in seen
        ]

    def _check_bundle_meta(self, meta: Any) -> list[Finding]:
        if type(meta) is not dict:
            return []
        findings = []
        size = len(self._design.cells)
        if as_number(meta.get("bundle_size")) not in (None, size):
            found = show(meta["bundle_size"])
            findings.append(rule.COVERAGE_IDENTITY.finding("/bundle_meta/bundle_size", str(size), found))
        for field, factor in self._design.meta_fields.items():
            stated, planned = meta.get(field), self._design.factors[factor]
            if type(stated) is list and _folded(stated) != _folded(planned):
                expected = say("list.of", items=planned)
                findings.append(rule.COVERAGE_IDENTITY.finding(f"/bundle_meta/{field}", expected, show(stated)))
        return findings


def _bundle_contract(terms: Terms, design: BundleDesign, entry: Node) -> Node:
    """Return the contract of a whole reply, whose entries follow another."""
    per_file = Items(entry, count=len(design.cells))
    if terms.profile == "seed":
        return Fields({"per_file_scores": per_file, "aggregates": Anything()}, unknown=None)
    lists: dict[str, Node] = {field: Items(Text()) for field in design.meta_fields}
    group = Fields({"avg_total": Number(), "notes": Text()})
    summaries: dict[str, Node] = {
        field: Fields(dict.fromkeys(design.factors[factor], group)) for field, factor in design.summaries.items()
    }
    return Fields(
        {
            "bundle_meta": Fields({"bundle_size": Number(), **lists}),
            "per_file_scores": per_file,
            "aggregates": Fields({"avg_total": Number(), **summaries}),
            "final_notes": Text(),
        }
    )


def _entry_contract(terms: Terms) -> Node:
    """Return the contract of the entry for one file."""
    protocol = terms.protocol
    dimensions = protocol.dimension_ids
    score = Number(terms.scale, missing=rule.SCORE_MISSING)
    total: dict[str, Node] = {protocol.overall.field: Number()}
    scores: dict[str, Node] = dict.fromkeys(dimensions, score)
    unknown = rule.SCORE_UNKNOWN_DIMENSION
    quotes: dict[str, Node] = {dimension: Text() for dimension in dimensions}
    if terms.profile == "seed":
        any_quotes: dict[str, Node] = {dimension: Anything() for dimension in dimensions}
        return Fields(
            {"scores": Fields(scores, total, unknown=unknown)},
            {"evidence": Fields({}, any_quotes, unknown=None)},
            unknown=None,
        )
    return Fields(
        {
            "file": Text(missing=rule.CONTRACT_MISSING_IDENTIFIER),
            "scores": Fields(scores, unknown=unknown),
            **total,
            "evidence": Fields(quotes),
            "notes": Text(),
        }
    )


def design_of(protocol: EvalProtocol) -> BundleDesign:
    """Return the planned set, which every protocol of this form has."""
    if protocol.design is None:
        raise UsageError("error.protocol.bundle_without_design", protocol=protocol.id)
    return protocol.design


def _folded(names: Iterable[object]) -> list[str]:
    return sorted(fold_name(str(name)) for name in names)


def _only(names: Iterable[str], most: int = 4) -> str:
    """Name some of the texts that are there."""
    named = tuple(repr(name) for name in names)
    if len(named) <= most:
        return say("finding.only", names=named)
    return say("finding.only_more", names=named[:most], more=len(named) - most)


def _as_list(items: Any) -> list[Any]:
    return items if type(items) is list else []


def _totals(cell: Cell, entry: Judgement) -> EntryTotals:
    computed = entry.overall or 0.0
    stated = computed if entry.stated_overall is None else entry.stated_overall
    return EntryTotals(cell.factors, computed, stated, entry.scores)


def _label(entry: dict[str, Any]) -> str:
    for key in ("file", "file_name", "filename"):
        label = entry.get(key)
        if type(label) is str and label.strip():
            return label
    return ""


def _scores(item: Any) -> Any:
    return item.get("scores") if type(item) is dict else None


def _quotes(given: Any, path: Path) -> list[tuple[Path, str]]:
    """Return the quotes for a dimension with their places: a string, or, where the contract is open, several."""
    if type(given) is str:
        return [] if shows_nothing(given) else [(path, given)]
    if type(given) is list:
        return [found for position, item in enumerate(given) for found in _quotes(item, (path, position))]
    return _quotes(given.get("quote"), (path, "quote")) if type(given) is dict else []


def _stated_totals(entry: dict[str, Any], at: str, field: str) -> dict[str, float]:
    """Return the totals that an entry states, by place: beside its scores, among them, or both."""
    scores = _scores(entry)
    places = {f"{at}/{field}": entry.get(field)}
    if type(scores) is dict:
        places[f"{at}/scores/{field}"] = scores.get(field)
    return {place: total for place, given in places.items() if (total := as_number(given)) is not None}
