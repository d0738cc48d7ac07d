"""Quotes that a judge gives by the number of a sentence: the words are looked up, so none can be misquoted."""

from __future__ import annotations

from collections.abc import Mapping

from venire.domain import rule
from venire.domain.flag import Finding
from venire.domain.judgement import Evidence, EvidenceLevel
from venire.domain.material import OUTPUT
from venire.validation.contract import Path, pointer
from venire.validation.evidence import PreparedText
from venire.validation.strict_json import shorten
from venire.words.said import say


def cited_sentence(
    item: tuple[str, int, str],
    named: str,
    path: Path,
    sources: Mapping[str, PreparedText] | None,
    findings: list[Finding],
) -> Evidence:
    """Return the words of a sentence, given as dimension, number and reason; report a number that there is none of.

    `sources` are the texts that may be cited, by name; None if they are not at hand.
    """
    dimension, number, reason = item
    material = "" if named == OUTPUT else shorten(named)
    unknown = Evidence(dimension, "", reason, source=material, sentence=number)
    if sources is None:
        return unknown
    source = sources.get(named)
    if source is None:
        expected = say("finding.one_of", names=tuple(sources))
        place = pointer((path[0], "source"))
        findings.append(rule.EVIDENCE_UNKNOWN_SOURCE.finding(place, expected, repr(material)))
        return unknown
    sentences = source.sentences
    if not 1 <= number <= len(sentences):
        expected = say("finding.sentence_of", name=named, count=len(sentences))
        findings.append(rule.EVIDENCE_NOT_VERBATIM.finding(pointer(path), expected, str(number)))
        return unknown
    each = sentences[number - 1]
    words, page = source.text[each.start : each.end], source.page_at(each.start)
    return Evidence(dimension, words, reason, EvidenceLevel.EXACT, each.start, each.end, page, material, number)
