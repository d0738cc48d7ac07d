"""A reply after validation: scores, evidence, verdict, and whether it counts."""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property

import msgspec
from msgspec import UNSET, UnsetType

from venire.domain.canonical import digest
from venire.domain.claim import Claim
from venire.domain.flag import Finding, Flag, Severity
from venire.domain.rule import OVERALL_MISMATCH


class Status(StrEnum):
    """Whether a judgement counts."""

    VALID = "valid"
    """It follows the protocol and counts."""
    INVALID = "invalid"
    """It is kept with its findings and never counted."""
    RECOVERED = "recovered"
    """Its scores were salvaged from a reply that is not strict JSON; configuration decides whether it counts."""


class EvidenceLevel(StrEnum):
    """How alike a quote and the judged text must be, from the strictest on."""

    EXACT = "exact"
    """The same characters."""
    WHITESPACE = "whitespace"
    """The same but for runs of white space, and white space beside CJK characters."""
    NFKC = "nfkc"
    """Also the same after Unicode NFKC, folded radicals and punctuation, and without invisible controls."""
    OFF = "off"
    """Quotes are not looked up."""


class Quotes(StrEnum):
    """Whether the quotes of a judgement were held against the judged text."""

    COMPARED = "compared"
    """Every quote was looked up."""
    NOT_COMPARED = "not compared"
    """At least one quote was not: its text was not given, could not be read, or was not to be looked at."""
    NONE = "none"
    """There is no quote to compare, or the protocol asks for none."""


class Method(StrEnum):
    """Whether a judge judges another model's output or its own."""

    CROSS_JUDGE = "cross_judge"
    """The judge and the target are different models."""
    SELF_JUDGE = "self_judge"
    """The judge and the target are the same model; kept out of primary statistics."""


class Evidence(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A quote that a judge gave for a dimension, and where it stands in the judged text."""

    dimension: str
    """The dimension that the quote supports."""
    quote: str = ""
    """The quoted words, as the judge wrote them."""
    reason: str = ""
    """Why the quote supports the score, in the judge's words."""
    level: EvidenceLevel | None = None
    """The strictest level at which the quote was found; None if it was not found or not looked up."""
    start: int | None = None
    """The offset in the judged text at which the quoted words begin."""
    end: int | None = None
    """The offset in the judged text after the quoted words."""
    page: int | None = None
    """The page on which the quoted words begin, for paged sources."""
    source: str = ""
    """The id of the material that the words stand in, or of two outputs `first` or `second`; empty for the one judged
    text itself."""
    sentence: int | None = None
    """The number of the sentence that the judge cited, from 1; None if it wrote the words themselves."""


class Winner(StrEnum):
    """Which of two outputs is better, by the place in which the judge saw it."""

    FIRST = "first"
    """The one that was shown first."""
    SECOND = "second"
    """The one that was shown second."""
    TIE = "tie"
    """Neither."""

    @property
    def outcome(self) -> float:
        """1 if the first won, 0 if the second did, 0.5 for a tie."""
        return {Winner.FIRST: 1.0, Winner.SECOND: 0.0, Winner.TIE: 0.5}[self]


class Preference(msgspec.Struct, frozen=True, gc=False):
    """What a judge says of two outputs."""

    winner: Winner
    """Which of them is better."""
    strength: float
    """By how much, on the judge's scale; its lowest number for a tie."""


class Judgement(msgspec.Struct, frozen=True, dict=True):
    """A reply after validation. The reply itself is never edited; this record stands beside it."""

    protocol: str
    """The digest of the protocol that was asked and checked."""
    profile: str
    """Which of the protocol's sets of rules was applied."""
    reply_sha256: str
    """The digest of the raw reply's bytes."""
    sample: str
    """The output_id of the judged sample, or the name of the bundle."""
    sample_digest: str
    """The digest of the sample or bundle that the reply was compared with; empty if it was not at hand."""
    status: Status
    """Whether the judgement counts."""
    scores: dict[str, float] = {}
    """The score of each dimension that has an admissible one; a missing score is missing."""
    overall: float | None = None
    """The overall score computed by the protocol's rule; None if a score is missing."""
    stated_overall: float | None = None
    """The overall score that the judge wrote."""
    verdict: str | None = None
    """The verdict computed by the protocol's rule, which is authoritative."""
    stated_verdict: str | None = None
    """The verdict that the judge wrote."""
    method: Method | None = None
    """Whether the judge judged itself; None if judge or target is not known."""
    evidence: tuple[Evidence, ...] = ()
    """The quotes, in the order of the reply."""
    findings: tuple[Finding, ...] = ()
    """All places where the reply breaks a rule or deserves a note."""
    evidence_level: EvidenceLevel = EvidenceLevel.NFKC
    """The most lenient level that was admitted for quotes; `off` if there was no text to compare with."""
    scale: str = ""
    """The id of the scale that scores were checked against."""
    recovered_by: str = ""
    """How the scores were salvaged; empty for a reply that was read strictly."""
    entries: tuple[Judgement, ...] = ()
    """For a bundle, one judgement for each of its samples."""
    claims: tuple[Claim, ...] | UnsetType = UNSET
    """The statements of the output that were held against its documents; unset in all other forms of reply."""
    preference: Preference | UnsetType = UNSET
    """Which of two outputs is better, as far as a reply about a pair says it; unset in all other forms of reply."""

    @property
    def valid(self) -> bool:
        """Whether the judgement is valid; recovered ones are not."""
        return self.status is Status.VALID

    @property
    def quotes(self) -> Quotes:
        """Whether the quotes were compared with the judged text; for a bundle, those of all entries."""
        quoting = [each for each in (self.entries or (self,)) if each.evidence]
        if not quoting:
            return Quotes.NONE
        is_compared = all(each.evidence_level is not EvidenceLevel.OFF for each in quoting)
        return Quotes.COMPARED if is_compared else Quotes.NOT_COMPARED

    @property
    def misstates_overall(self) -> bool:
        """Whether it stands on the computed overall score because the stated one does not follow from the scores."""
        noted = any(each.rule == OVERALL_MISMATCH.id and each.severity is Severity.NOTE for each in self.findings)
        return noted and self.status is not Status.INVALID

    @property
    def flags(self) -> tuple[Flag, ...]:
        """The flags of all violations here and in the entries, in the order of the closed list."""
        raised = {finding.flag for finding in self.all_findings if finding.severity is Severity.VIOLATION}
        return tuple(flag for flag in Flag if flag in raised)

    @property
    def all_findings(self) -> tuple[Finding, ...]:
        """The findings of the reply as a whole, followed by those of its entries."""
        return self.findings + tuple(finding for entry in self.entries for finding in entry.findings)

    def sides(self, claim: Claim) -> tuple[Evidence, Evidence | None]:
        """Return the words of a claim in the output, and the passage that it was held against."""
        return self.evidence[claim.words], None if claim.passage is None else self.evidence[claim.passage]

    @cached_property
    def digest(self) -> str:
        """The id of the judgement: a digest of all its content."""
        return digest("judgement", self)
