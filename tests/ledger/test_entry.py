from __future__ import annotations

import pytest

from venire.errors import UsageError
from venire.ledger.entry import STORED_ONCE, Draft, Kind


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
