from __future__ import annotations

import pytest

from venire.domain.sample import Bundle, Sample
from venire.errors import UsageError
from venire.ledger.entry import STORED_ONCE, Draft, Kind, sample_draft, subject_of
from venire.ledger.memory import MemoryLedger


@pytest.mark.parametrize("kind", sorted(STORED_ONCE))
def test_what_is_stored_once_needs_a_key(kind):
    with pytest.raises(UsageError, match="expected a key"):
        Draft(kind, {})


def test_a_key_that_is_not_unicode_is_refused():
    with pytest.raises(UsageError, match="not Unicode"):
        Draft(Kind.VOTE, {}, "\ud800")


@pytest.mark.parametrize("payload", [float("inf"), {1: 2}, "\udfff", 2**60, object()])
def test_a_payload_that_json_cannot_say_is_refused(payload):
    with pytest.raises(UsageError, match="vote cannot be stored"):
        _ = Draft(Kind.VOTE, payload).payload_bytes


def test_a_payload_nested_too_deeply_is_refused():
    nested: list[object] = []
    for _ in range(100_000):
        nested = [nested]
    with pytest.raises(UsageError, match="cannot be stored"):
        _ = Draft(Kind.VOTE, nested).payload_bytes


@pytest.mark.parametrize(
    "subject",
    [Sample("out-1", "text", factors={"trigger": "implicit"}), Bundle("b", (Sample("out-1", "text"),), "birch-2")],
    ids=["sample", "bundle"],
)
def test_a_sample_or_bundle_comes_out_of_the_ledger_as_it_went_in(subject):
    ledger = MemoryLedger()
    ledger.append([sample_draft(subject)])
    assert subject_of(ledger.find(Kind.SAMPLE, subject.digest)) == subject
