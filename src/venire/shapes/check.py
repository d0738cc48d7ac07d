"""The one door: a raw reply and what was judged go in, a judgement comes out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from venire.domain import rule
from venire.domain.judge import JudgeIdentity
from venire.domain.judgement import EvidenceLevel, Judgement, Status
from venire.domain.protocol import Category, EvalProtocol
from venire.domain.sample import Bundle, Sample
from venire.errors import UsageError
from venire.shapes.recognise import other_form
from venire.shapes.registry import shape_of
from venire.validation.evidence import PreparedBundle, PreparedSample
from venire.validation.terms import Occasion, Profile, Terms
from venire.words.said import say

CUT_OFF = frozenset({"length", "max_tokens"})
"""Why a model stopped if it reached the limit of tokens, in the words of OpenAI- and Anthropic-compatible servers."""
_INVALID = Status.INVALID
_SIGNS = frozenset({rule.NO_SCORES.id, rule.CONTRACT_MISSING_FIELD.id, rule.SCORE_MISSING.id})
"""Rules that a reply to another kind of protocol breaks in any case."""


Subject = Sample | Bundle | PreparedSample | PreparedBundle | None
"""What a reply is about: a sample, a bundle, either of them prepared, or None if the text is not at hand."""


def prepare(subject: Sample | Bundle) -> PreparedSample | PreparedBundle:
    """Prepare a sample or bundle for being quoted from by many judges."""
    return PreparedSample(subject) if isinstance(subject, Sample) else PreparedBundle(subject)


def _prepared(subject: Subject) -> PreparedSample | PreparedBundle | None:
    return prepare(subject) if isinstance(subject, (Sample, Bundle)) else subject


class Checker:
    """Checks replies under fixed terms; build it once, use it for many replies."""

    def __init__(
        self,
        protocol: EvalProtocol,
        *,
        profile: Profile = "contract",
        evidence: EvidenceLevel = EvidenceLevel.NFKC,
        scale: str | None = None,
        blind: bool = False,
        aliases: Iterable[tuple[str, str]] = (),
    ) -> None:
        try:
            chosen = protocol.scale(scale)
        except KeyError:
            known = tuple(each.id for each in protocol.scales)
            raise UsageError("error.reply.no_scale", protocol=protocol.id, scale=scale, known=known) from None
        self.terms = Terms(protocol, chosen, profile, evidence, blind)
        self._aliases = tuple(aliases)
        self._shape = shape_of(protocol)
        self._reader = self._shape.reader(self.terms)
        self._judges = self._shape.judges

    def check(
        self, reply: str | bytes, subject: Subject = None, *, judge: JudgeIdentity | None = None, handle: str = ""
    ) -> Judgement:
        """Turn a reply into a judgement. Never raises for anything that a reply may hold, and never changes it."""
        raw = reply.encode("utf-8", "surrogatepass") if isinstance(reply, str) else reply
        prepared = subject if type(subject) is PreparedSample else _prepared(subject)
        if prepared is not None and prepared.kind != self._judges:
            raise UsageError(f"error.reply.judges_{self._judges}s", protocol=self.terms.protocol.id)
        judgement = self._reader.check(raw, prepared, Occasion(judge, handle, self._aliases))
        if judgement.status is not _INVALID or not any(each.rule in _SIGNS for each in judgement.findings):
            return judgement
        other = other_form(raw, self.terms.protocol)
        # What follows from its being another kind of reply says nothing about the judge.
        return msgspec.structs.replace(judgement, findings=(other,)) if other else judgement

    def schema(self, category: str | None = None, subject: Subject = None) -> dict[str, Any]:
        """Return the JSON Schema (2020-12) of a reply, for one category where the protocol has several.

        With a subject it also says which of its materials and sentences there are to be quoted or cited.
        """
        node = self._reader.contract(self._category(category), _prepared(subject))
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": f"urn:venire:protocol:{self.terms.protocol.id}:{self.terms.protocol.digest}",
            "title": self.terms.protocol.title.get("en", self.terms.protocol.id),
            **node.schema(),
        }

    def _category(self, category_id: str | None) -> Category | None:
        if category_id is None:
            return None
        found = self.terms.protocol.category(category_id)
        if found is None:
            known = tuple(each.id for each in self.terms.protocol.categories)
            raise UsageError("error.reply.no_category", category=category_id, known=known)
        return found


def with_end(judgement: Judgement, finish_reason: str | None, output_tokens: int | None) -> Judgement:
    """Return the judgement with a finding if the server says that the reply reached the limit of tokens.

    The syntax error that it left behind is then explained. A reply that is whole all the same only gets a note.
    """
    if finish_reason not in CUT_OFF:
        return judgement
    found = say("finding.cut_off")
    if output_tokens is not None:
        found = say("finding.cut_off_at", tokens=output_tokens)
    make = rule.JUDGE_CUT_OFF.note if judgement.valid else rule.JUDGE_CUT_OFF.finding
    finding = make("", say("finding.reply_that_ends"), found)
    return msgspec.structs.replace(judgement, findings=(finding, *judgement.findings))


def check(
    reply: str | bytes,
    sample: Subject,
    protocol: EvalProtocol,
    *,
    judge: JudgeIdentity | None = None,
    profile: Profile = "contract",
    evidence: EvidenceLevel | str = EvidenceLevel.NFKC,
    scale: str | None = None,
) -> Judgement:
    """Turn one reply into a judgement.

    It is a pure function: the same reply, sample and protocol give an equal judgement. For many replies under one
    protocol, `check_all` builds the contract only once.
    """
    checker = Checker(protocol, profile=profile, evidence=EvidenceLevel(evidence), scale=scale)
    return checker.check(reply, sample, judge=judge)


def check_all(
    replies: Iterable[tuple[str | bytes, Subject]],
    protocol: EvalProtocol,
    *,
    profile: Profile = "contract",
    evidence: EvidenceLevel | str = EvidenceLevel.NFKC,
    scale: str | None = None,
) -> Iterator[Judgement]:
    """Turn a stream of replies, each with what it is about, into a stream of judgements."""
    checker = Checker(protocol, profile=profile, evidence=EvidenceLevel(evidence), scale=scale)
    for reply, subject in replies:
        yield checker.check(reply, subject)
