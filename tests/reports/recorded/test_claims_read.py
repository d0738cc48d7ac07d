"""Claims are counted whole, and kept with their words up to a limit."""

from venire.domain.claim import Claim, ClaimFinding
from venire.domain.judgement import Evidence, Judgement, Status
from venire.reports.recorded import claims_read
from venire.reports.recorded.claims_read import MOST_CLAIMS, ClaimsRead, ListedClaim

QUOTES = (
    Evidence("FAITH", "water boils at 90", "it says 100"),
    Evidence("FAITH", "Water boils at 100 degrees", "", source="d1"),
    Evidence("FAITH", "fish can sing", "not there"),
)


def judged(*findings):
    passages = {ClaimFinding.CONTRADICTED: (0, 1), ClaimFinding.ABSENT: (2, None), ClaimFinding.SUPPORTED: (0, 1)}
    claims = tuple(Claim(finding, *passages[finding]) for finding in findings)
    return Judgement("p", "", "", "o-1", "", Status.VALID, evidence=QUOTES, claims=claims)


def test_claims_are_counted_by_finding_and_those_to_look_at_are_kept_with_both_sides():
    read = ClaimsRead()
    read.take(judged(ClaimFinding.CONTRADICTED, ClaimFinding.SUPPORTED, ClaimFinding.ABSENT, ClaimFinding.ABSENT),
              "k-1", "oak", 7)  # fmt: skip
    assert read.counts == {"k-1": (1, 1, 2)}
    assert read.contradicted == [
        ListedClaim(
            judgement="k-1", sequence=7, output_id="o-1", judge="oak", finding=ClaimFinding.CONTRADICTED,
            words="water boils at 90", source="d1", passage="Water boils at 100 degrees", reason="it says 100",
        )
    ]  # fmt: skip
    assert [(each.words, each.source, each.passage) for each in read.absent] == [("fish can sing", "", "")] * 2


def test_a_judgement_without_claims_counts_as_one_without_any():
    read = ClaimsRead()
    read.take(Judgement("p", "", "", "o-1", "", Status.VALID), "k-1", "oak", None)
    assert read.counts == {"k-1": (0, 0, 0)}


def test_long_lists_are_cut_and_counts_are_not(monkeypatch):
    monkeypatch.setattr(claims_read, "MOST_CLAIMS", 3)
    read = ClaimsRead()
    read.take(judged(*[ClaimFinding.ABSENT] * 5, *[ClaimFinding.CONTRADICTED] * 3), "k-1", "oak", None)
    assert (len(read.absent), len(read.contradicted)) == (3, 3)
    assert read.counts["k-1"] == (0, 3, 5)
    assert MOST_CLAIMS == 1_000
