"""The judgement of a reply in which there is no JSON object to check."""

from __future__ import annotations

from venire.domain import rule
from venire.domain.judgement import EvidenceLevel, Judgement, Status
from venire.validation.contract import show
from venire.validation.evidence import PreparedBundle, PreparedSample
from venire.validation.strict_json import StrictReply
from venire.validation.terms import Terms
from venire.words.said import say


def unreadable(
    terms: Terms, reply: StrictReply, reply_sha256: str, subject: PreparedSample | PreparedBundle | None
) -> Judgement:
    """Return an invalid judgement; a reply that is empty, or of words without any object, is an evasion too."""
    findings = reply.findings
    if reply.is_empty or (reply.text and "{" not in reply.text):
        found = show(reply.text) if reply.text else say("finding.empty_reply")
        findings += (rule.NO_SCORES.finding("", say("finding.scores_in_object"), found),)
    return Judgement(
        protocol=terms.protocol.digest,
        profile=terms.profile,
        reply_sha256=reply_sha256,
        sample=subject.name if subject else "",
        sample_digest=subject.digest if subject else "",
        status=Status.INVALID,
        findings=findings,
        evidence_level=EvidenceLevel.OFF,
        scale=terms.scale.id,
    )
