"""What another tool recorded of a judgement: scores are read from its record, and were not checked by Venire."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from venire.domain import rule
from venire.domain.canonical import sha256_hex
from venire.domain.judgement import EvidenceLevel, Judgement, Status
from venire.errors import UsageError
from venire.shapes.shape import ScoreSample, ShownTexts, Signature, Telling, scored_keys, shown_sample
from venire.validation.contract import Fields, Node, Number, Text, is_violation, show
from venire.validation.finding_list import FindingList
from venire.validation.scores import admissible_scores, computed_overall
from venire.validation.strict_json import read_strictly
from venire.validation.unreadable import unreadable
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from venire.domain.flag import Finding
    from venire.domain.protocol import Category, EvalProtocol
    from venire.domain.sample import Bundle, Sample
    from venire.validation.evidence import PreparedSample
    from venire.validation.terms import Occasion, Terms

NOT_STATED = "not stated"
"""The version of a tool whose files do not say it."""
NOT_SCORED = ("failed", "unscored", "unreadable", "replaced")
"""Why a record has no score that counts: the judge or scorer failed, the tool left the output unscored, the grade
cannot be read from the judge's words, or the tool says that another judgement took its place."""


class RecordedShape:
    """The form of records that were imported. Nobody is asked for one."""

    id = "recorded"
    judges = "sample"
    needs_design = False
    uses: frozenset[str] = frozenset()
    is_read_without_text = False
    names: Mapping[str, str] = {"blind": "blind", "open": "open"}
    template = "judge"

    def reader(self, terms: Terms) -> RecordReader:
        """Return what reads records under these terms."""
        return RecordReader(terms)

    def is_form_of(self, value: dict[str, Any]) -> bool:
        """Tell whether a record names the tool that it comes from."""
        return type(value.get("recorded_by")) is dict

    def scored(self, value: dict[str, Any]) -> set[str]:
        """Return the dimensions that a record scores."""
        return scored_keys(value)

    def placeholders(self, telling: Telling) -> list[str]:
        """Raise `UsageError`: nobody is asked for a record."""
        raise _not_asked(telling.protocol)

    def fields(self, telling: Telling, category: Category | None, *, blind: bool) -> list[str]:
        """Raise `UsageError`: nobody is asked for a record."""
        raise _not_asked(telling.protocol)

    def example(self, telling: Telling, meta: Mapping[str, str], category: Category | None) -> dict[str, Any]:
        """Raise `UsageError`: nobody is asked for a record."""
        raise _not_asked(telling.protocol)

    def material(self, words: Mapping[str, str], subject: Sample, attached: frozenset[str]) -> ShownTexts:
        """Return the output with its task."""
        return shown_sample(words, subject, attached)

    def compose(
        self, subject: Sample | Bundle, protocol: EvalProtocol, score: ScoreSample, signed: Signature
    ) -> dict[str, Any]:
        """Raise `UsageError`: nobody is asked for a record."""
        raise _not_asked(protocol)

    def from_form(
        self, protocol: EvalProtocol, category: Category | None, item: str, form: Mapping[str, str]
    ) -> dict[str, Any]:
        """Raise `UsageError`: nobody is asked for a record."""
        raise _not_asked(protocol)


class RecordReader:
    """Reads records under fixed terms."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._contract = _contract(terms)

    def contract(self, category: Category | None = None, source: Any = None) -> Node:
        """Return the contract, which is the same for all samples."""
        return self._contract

    def check(self, raw: bytes, source: PreparedSample | None, occasion: Occasion) -> Judgement:
        """Turn a record into a judgement; one without a score or verdict is invalid, for the reason that it gives."""
        terms, protocol = self._terms, self._terms.protocol
        reply, reply_sha256 = read_strictly(raw), sha256_hex(raw)
        value = reply.value
        if value is None:
            return unreadable(terms, reply, reply_sha256, source)
        findings = FindingList(reply.findings)
        self._contract.check(value, (), findings)
        given = value.get("verdict")
        verdict = given if type(given) is str and given else None
        scores = admissible_scores(value.get("scores"), protocol.dimension_ids, terms.scale)
        findings += _check_scored(value, scores, verdict, protocol.dimension_ids)
        return Judgement(
            protocol=protocol.digest,
            profile=terms.profile,
            reply_sha256=reply_sha256,
            sample=source.name if source else "",
            sample_digest=source.digest if source else "",
            status=Status.INVALID if any(map(is_violation, findings)) else Status.VALID,
            scores=scores,
            overall=computed_overall(scores, protocol.dimension_ids, None),
            verdict=verdict,
            stated_verdict=verdict,
            method=occasion.method(source.sample.target_model) if source else None,
            findings=findings.closed(),
            evidence_level=EvidenceLevel.OFF,
            scale=terms.scale.id,
        )


def _check_scored(
    value: dict[str, Any], scores: dict[str, float], verdict: str | None, dimensions: tuple[str, ...]
) -> list[Finding]:
    """Report that there is no score that counts, with the reason; of several dimensions one may be missing."""
    expected, reason = say("finding.score_or_verdict"), value.get("not_scored")
    if type(reason) is dict and reason.get("reason") in NOT_SCORED:
        detail = reason.get("detail") if type(reason.get("detail")) is str else ""
        found = say(f"finding.recorded_{reason['reason']}", detail=detail or say("finding.no_reason_given"))
        return [rule.RECORDED_NOT_SCORED.finding("/not_scored", expected, found)]
    if not scores and verdict is None:
        return [rule.NO_SCORES.finding("/scores", expected, show(value.get("scores")))]
    missing = tuple(name for name in dimensions if scores and name not in scores)
    found = say("finding.nothing")
    return [rule.SCORE_MISSING.note(f"/scores/{name}", say("finding.number"), found) for name in missing]


def _contract(terms: Terms) -> Node:
    score = Number(terms.scale, missing=rule.SCORE_MISSING)
    scores = Fields({}, dict.fromkeys(terms.protocol.dimension_ids, score), unknown=rule.SCORE_UNKNOWN_DIMENSION)
    not_scored = Fields({"reason": Text(values=NOT_SCORED)}, {"detail": Text()})
    words: dict[str, Node] = dict.fromkeys(("verdict", "explanation", "reply", "time"), Text())
    recorded_by = Fields(dict.fromkeys(("tool", "version", "scorer"), Text()), {"by": Text()})
    return Fields(
        {"recorded_by": recorded_by},
        {"scores": scores, "not_scored": not_scored, **words},
        unknown=rule.CONTRACT_UNKNOWN_FIELD,
    )


def _not_asked(protocol: EvalProtocol) -> UsageError:
    return UsageError("error.reply.recorded", protocol=protocol.id)
