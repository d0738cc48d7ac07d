"""Judgements: flags of violations only, findings of entries, and an id that follows the content."""

from __future__ import annotations

import msgspec

from venire.domain import rule
from venire.domain.flag import Flag
from venire.domain.judgement import Evidence, EvidenceLevel, Judgement, Quotes, Status, Winner
from venire.domain.protocol import VerdictRule

BARE = Judgement(
    protocol="p", profile="contract", reply_sha256="0" * 64, sample="a", sample_digest="", status=Status.INVALID
)


def judgement(**fields: object) -> Judgement:
    return msgspec.structs.replace(BARE, **fields)


NOTE = rule.OVERALL_MISMATCH.note("", "a", "b")
UNPARSABLE = rule.JSON_SYNTAX.finding("", "a", "b")
COVERAGE = rule.COVERAGE_MISSING.finding("", "a", "b")


def test_flags_come_from_violations_in_the_order_of_the_closed_list() -> None:
    assert judgement(findings=(COVERAGE, NOTE, UNPARSABLE, COVERAGE)).flags == (
        Flag.UNPARSABLE_OUTPUT,
        Flag.INCOMPLETE_COVERAGE,
    )
    assert judgement(findings=(NOTE,)).flags == ()


def test_a_bundle_carries_the_findings_and_flags_of_its_entries() -> None:
    bundle = judgement(findings=(COVERAGE,), entries=(judgement(findings=(UNPARSABLE,)), judgement(findings=(NOTE,))))
    assert bundle.all_findings == (COVERAGE, UNPARSABLE, NOTE)
    assert bundle.flags == (Flag.UNPARSABLE_OUTPUT, Flag.INCOMPLETE_COVERAGE)


def test_a_recovered_judgement_is_not_valid() -> None:
    assert not judgement(status=Status.RECOVERED).valid
    assert judgement(status=Status.VALID).valid


def test_the_id_follows_the_content() -> None:
    assert judgement().digest == judgement().digest
    assert judgement(overall=0.0).digest != judgement(overall=None).digest
    assert judgement(scores={"a": 1}).digest == judgement(scores={"a": 1.0}).digest


def test_a_verdict_tests_fail_first() -> None:
    everything_fails = VerdictRule(fail_at_most=8, pass_at_least=7)
    assert everything_fails.verdict(8) == "FAIL"


def test_quotes_of_a_bundle_are_compared_when_those_of_all_entries_are() -> None:
    evidence = (Evidence("d", "words"),)
    compared, not_compared = (
        judgement(evidence=evidence, evidence_level=level) for level in (EvidenceLevel.EXACT, EvidenceLevel.OFF)
    )
    assert judgement(entries=(judgement(), judgement())).quotes is Quotes.NONE
    assert judgement(entries=(compared, judgement())).quotes is Quotes.COMPARED
    assert judgement(entries=(compared, not_compared)).quotes is Quotes.NOT_COMPARED


def test_a_winner_counts_for_the_first():
    assert [winner.outcome for winner in Winner] == [1.0, 0.0, 0.5]
