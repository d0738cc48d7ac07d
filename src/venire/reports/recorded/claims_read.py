"""What judgements by claims say: how many claims of each finding, and the claims to look at."""

from __future__ import annotations

import msgspec

from venire.domain.claim import ClaimFinding
from venire.domain.judgement import Judgement

MOST_CLAIMS = 1_000
"""How many claims of each finding are kept with their words while judgements are read."""


class ListedClaim(msgspec.Struct, frozen=True, kw_only=True):
    """A claim that the documents contradict or do not speak of, with both sides."""

    judgement: str
    """The key of the judgement."""
    sequence: int | None
    """The number of its entry; None outside of a ledger."""
    output_id: str
    """The output."""
    judge: str
    """The judge."""
    finding: ClaimFinding
    """What the documents say to it."""
    words: str
    """Its words in the output."""
    source: str = ""
    """The document that the passage stands in; empty if none speaks of it."""
    passage: str = ""
    """The words of the document."""
    reason: str = ""
    """What differs, in the judge's words."""


class ClaimsRead(msgspec.Struct, kw_only=True):
    """What judgements by claims say; counted up while they are read."""

    counts: dict[str, tuple[int, int, int]] = {}
    """How many claims of a judgement, by its key, are supported, contradicted and absent."""
    contradicted: list[ListedClaim] = []
    """Claims that a passage contradicts, up to a limit."""
    absent: list[ListedClaim] = []
    """Claims that no document speaks of, up to a limit."""

    def take(self, judgement: Judgement, key: str, judge: str, sequence: int | None) -> None:
        """Take note of the claims of a valid judgement; long lists are cut, counts are not."""
        claims = judgement.claims or ()
        given = [claim.finding for claim in claims]
        self.counts[key] = tuple(map(given.count, ClaimFinding))  # type: ignore[assignment]
        for claim in claims:
            kept = self.contradicted if claim.finding is ClaimFinding.CONTRADICTED else self.absent
            if claim.finding is ClaimFinding.SUPPORTED or len(kept) >= MOST_CLAIMS:
                continue
            words, passage = judgement.sides(claim)
            kept.append(
                ListedClaim(
                    judgement=key, sequence=sequence, output_id=judgement.sample, judge=judge, finding=claim.finding,
                    words=words.quote, source=passage.source if passage else "",
                    passage=passage.quote if passage else "", reason=words.reason,
                )
            )  # fmt: skip
