"""What a juror may say of a vote."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from venire.domain.vote import VoterKind
from venire.server.court.vote_requests import VoteRequest


def test_item_vote_and_reason_are_plain():
    assert VoteRequest("item-1", 1.0, "because").is_plain


@pytest.mark.parametrize(
    "more",
    [
        {"voter_id": "ann"},
        {"vote_time": datetime(2026, 1, 1, tzinfo=UTC)},
        {"voter_prompt_id": ""},
        {"reputation": 2.0},
        {"voter_kind": VoterKind.JUDGE},
    ],
)
def test_whatever_is_said_of_others_is_not(more):
    assert not VoteRequest("item-1", 1.0, **more).is_plain
