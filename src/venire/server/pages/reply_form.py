"""A juror's form as a judge's reply: the same JSON, so that people and models are checked by the same rules."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from venire.domain import rule
from venire.domain.canonical import canonical_json
from venire.domain.flag import Finding, Severity
from venire.domain.judgement import Judgement
from venire.domain.material import Material
from venire.domain.protocol import Category, Dimension, EvalProtocol, Words
from venire.reports.words import ReportWords, rule_text
from venire.server.court.vote_views import Ballot
from venire.shapes.claims import sentences_to_check
from venire.shapes.registry import shape_of


class DimensionQuestion(msgspec.Struct, frozen=True):
    """A dimension as a juror is asked about it."""

    id: str
    """The dimension."""
    name: Words
    """Its name."""
    asks: Words
    """What to look at."""
    levels: tuple[tuple[int, Words], ...]
    """The scores that can be given, from the highest, with what they mean."""


class ClaimQuestion(msgspec.Struct, frozen=True):
    """A sentence of the output as a juror is asked about it."""

    number: int
    """Its number, from 1."""
    words: str
    """The sentence."""


def claim_questions(ballot: Ballot) -> tuple[ClaimQuestion, ...]:
    """Return what a ballot asks by claims: every sentence of the output that may state something."""
    if ballot.protocol is None or shape_of(ballot.protocol).template != "claims":
        return ()
    return tuple(ClaimQuestion(number, words) for number, words in sentences_to_check(ballot.text))


def questions(ballot: Ballot) -> tuple[DimensionQuestion, ...]:
    """Return what a ballot asks by dimensions: those of its category, where the protocol has categories."""
    protocol = ballot.protocol
    if protocol is None or shape_of(protocol).template == "claims":
        return ()
    wanted = _dimensions(protocol, protocol.category(ballot.category))
    return tuple(DimensionQuestion(each.id, each.name, each.asks, _levels(each, protocol)) for each in wanted)


def asked_parts(ballot: Ballot) -> tuple[str, ...]:
    """Return the parts of the form that findings can be shown beside: its dimensions, and for two outputs the rest."""
    of_pair = (
        ("winner", ballot.protocol.overall.field, "quotes") if ballot.protocol and ballot.second is not None else ()
    )
    return (*(question.id for question in questions(ballot)), *of_pair)


def strengths(ballot: Ballot) -> tuple[tuple[int, Words], ...]:
    """Return by how much one of two outputs can be better, from the most; empty unless two are compared."""
    protocol = ballot.protocol
    if protocol is None or protocol.shape != "pair":
        return ()
    scale = protocol.scale()
    steps = range(int(scale.maximum), int(scale.minimum), -1)
    return tuple((step, scale.levels.get(str(step), {})) for step in steps)


def cites_sentences(ballot: Ballot) -> bool:
    """Tell whether a juror cites sentences by their numbers."""
    return ballot.protocol is not None and ballot.protocol.evidence.cite == "sentences"


def quotable(ballot: Ballot) -> tuple[Material, ...]:
    """Return the materials that quotes may be taken from."""
    if ballot.protocol is None or ballot.second is not None:  # Of two outputs only these are quoted.
        return ()
    kinds = ballot.protocol.quoted_kinds
    return tuple(each for each in ballot.materials if each.kind in kinds)


def compose_reply(ballot: Ballot, form: Mapping[str, str]) -> str:
    """Write the reply that a filled-in form stands for; what was left out is missing in it too."""
    protocol = ballot.protocol
    if protocol is None:
        return "{}"
    category = protocol.category(ballot.category)
    return canonical_json(shape_of(protocol).from_form(protocol, category, ballot.item, form)).decode()


def _dimensions(protocol: EvalProtocol, category: Category | None) -> tuple[Dimension, ...]:
    return tuple(each for each in protocol.dimensions if category is None or each.id in category.weights)


def _levels(dimension: Dimension, protocol: EvalProtocol) -> tuple[tuple[int, Words], ...]:
    scale = protocol.scale()
    meanings = dimension.levels or scale.levels
    scores = range(int(scale.maximum), int(scale.minimum) - 1, -1)
    return tuple((score, meanings.get(str(score), {})) for score in scores)


WHOLE = ""
"""Stands for the judgement as a whole, for findings that are about no single dimension."""


def findings_by_dimension(
    judgement: Judgement, dimensions: tuple[str, ...], language: str
) -> Mapping[str, tuple[str, ...]]:
    """Return what each dimension's part of the form lacks, and under `WHOLE` everything else; each said once."""
    said: dict[str, dict[str, None]] = {}
    for finding in judgement.all_findings:
        if finding.severity is Severity.VIOLATION:
            place = _dimension_of(finding, judgement, dimensions)
            said.setdefault(place, {})[_sentence(finding, place, language)] = None
    return {place: tuple(sentences) for place, sentences in said.items()}


def _sentence(finding: Finding, place: str, language: str) -> str:
    """Say what a part of the form lacks: of the parts about two outputs in the words of the form, else by its rule."""
    lacking = {
        rule.CONTRACT_MISSING_FIELD.id: "pages.vote.choose_one",
        rule.EVIDENCE_MISSING.id: "pages.vote.quote_each",
    }
    is_of_two = place and finding.pointer.split("/")[1] not in ("scores", "evidence", "reasons")
    code = lacking.get(finding.rule) if is_of_two else None
    return ReportWords(language)(code) if code else rule_text(finding.rule, language)


def _dimension_of(finding: Finding, judgement: Judgement, dimensions: tuple[str, ...]) -> str:
    parts = finding.pointer.split("/")[1:]
    match parts:
        case ["scores" | "reasons", name, *_] if name in dimensions:
            return name
        case [part, *_] if part in dimensions:
            return part
        case ["evidence", number, *_] if number.isdigit() and int(number) < len(judgement.evidence):
            return judgement.evidence[int(number)].dimension
        case ["evidence"]:
            return next((name for name in dimensions if finding.expected.endswith(f" {name}")), WHOLE)
    return WHOLE
