"""When an item waits for a curator."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from venire.domain.curation import Curation, Outcome
from venire.domain.vote import VoterKind
from venire.server.court.tally_item import ItemName, ItemNumbers, TallyItem

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def item_of(*, kind=VoterKind.PERSON, ambiguous=True, votes=3) -> TallyItem:
    item = TallyItem(0, ItemName("o", "p", kind))
    item.numbers = ItemNumbers(score=0.5, ambiguous=ambiguous, votes=votes, last_update=NOON)
    return item


def test_only_ambiguous_votes_of_people_wait():
    assert item_of().waits
    assert not item_of(ambiguous=False).waits
    assert not item_of(kind=VoterKind.JUDGE).waits
    assert not item_of(votes=2).waits


@pytest.mark.parametrize(
    ("outcome", "hours", "waits"),
    [(Outcome.ACCEPT, -1, False), (Outcome.ANOTHER_ROUND, -1, True), (Outcome.ANOTHER_ROUND, 1, False)],
)
def test_a_decided_item_waits_again_only_if_another_round_was_held_since(outcome, hours, waits):
    item = item_of()
    decided = NOON + timedelta(hours=hours)
    item.decisions.append(
        Curation(inference_id="o", voter_prompt_id="p", outcome=outcome, curator="cam", decided_at=decided)
    )
    assert item.waits is waits


def test_votes_on_an_item_begin_with_its_first_round():
    assert item_of().round == 1
