"""One output as pages draw it: its text with all quotes marked, and a card for each judgement."""

from __future__ import annotations

from typing import Any

import msgspec
from markupsafe import Markup

from venire.domain.claim import ClaimFinding
from venire.domain.flag import Finding
from venire.domain.judgement import Evidence
from venire.domain.material import Material, MaterialKind
from venire.reports.outputs.one_output import OneOutput, ShownJudgement
from venire.reports.outputs.quoted_text import QuotedSpan, colour, quoted_text
from venire.reports.words import ReportWords

_TURNS = frozenset({MaterialKind.TURN, MaterialKind.TOOL_CALL, MaterialKind.TOOL_RESULT})


class ShownPassage(msgspec.Struct, frozen=True):
    """A text on the page."""

    material: Material
    """The material."""
    text: Markup
    """Its words, with quotes marked."""
    is_quoted: bool
    """Whether a judge quotes it."""


class ShownClaim(msgspec.Struct, frozen=True):
    """A claim with its two sides."""

    finding: ClaimFinding
    """What the documents say to it."""
    words: Evidence
    """Its words in the output."""
    passage: Evidence | None
    """The passage that it was held against."""


class ShownCard(msgspec.Struct, frozen=True):
    """A judge's card."""

    judgement: ShownJudgement
    """The judgement."""
    scores: tuple[tuple[str, str, float | None, tuple[Evidence, ...]], ...]
    """Of each dimension its name, colour, score and quotes."""
    claims: tuple[ShownClaim, ...]
    """Its claims."""
    findings: tuple[Finding, ...]
    """What is to be said of the reply, each thing once: the same holds for both outputs of a pair."""
    reasons: tuple[tuple[str, str], ...] = ()
    """Why one output of a pair is better: of each dimension its name and the judge's words."""


def drawn_output(one: OneOutput, words: ReportWords) -> dict[str, Any]:
    """Return what a template shows of an output."""
    places = {name: place for place, name in enumerate(one.dimensions)}
    spans: dict[str, list[QuotedSpan]] = {}
    for judgement in one.judgements:
        for item in judgement.evidence:
            if item.start is not None and item.end is not None:
                said = f"{judgement.judge} · {words.name(item.dimension)}"
                spans.setdefault(item.source, []).append(QuotedSpan(item.start, item.end, places[item.dimension], said))
    shown = [
        ShownPassage(each, quoted_text(each.text, spans.get(each.id, ()), f"in-{place}"), each.id in spans)
        for place, each in enumerate(one.materials)
    ]
    quoted = {item.dimension for judgement in one.judgements for item in judgement.evidence if item.start is not None}
    return {
        "text": None if one.text is None else quoted_text(one.text, spans.get("", ()), "at"),
        "turns": [each for each in shown if each.material.kind in _TURNS],
        "materials": [each for each in shown if each.material.kind not in _TURNS],
        "legend": [(words.name(name), colour(place)) for name, place in places.items() if name and name in quoted],
        "judge_of": {each.key: each.judge for each in one.judgements},
        "cards": [_card(each, places, words) for each in one.judgements],
    }


def _card(judgement: ShownJudgement, places: dict[str, int], words: ReportWords) -> ShownCard:
    own = dict.fromkeys((*judgement.scores, *(item.dimension for item in judgement.evidence)))
    claims = [ShownClaim(each.finding, *_sides(judgement, each)) for each in judgement.claims]
    claimed = {id(side) for each in claims for side in (each.words, each.passage)}
    scores = [
        (
            words.name(name) if name else words("pages.judgement.quotes"),
            colour(places[name]),
            judgement.scores.get(name),
            tuple(item for item in judgement.evidence if item.dimension == name and id(item) not in claimed),
        )
        for name in sorted(own, key=lambda name: places[name])
    ]
    findings: dict[tuple[str, str], Finding] = {}
    for each in judgement.findings:
        findings.setdefault((each.rule, str(each.found)), each)
    reasons = tuple((words.name(name) if name else "", text) for name, text in judgement.reasons.items())
    return ShownCard(judgement, tuple(scores), tuple(claims), tuple(findings.values()), reasons)


def _sides(judgement: ShownJudgement, claim: Any) -> tuple[Evidence, Evidence | None]:
    return judgement.evidence[claim.words], None if claim.passage is None else judgement.evidence[claim.passage]
