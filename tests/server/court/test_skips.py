"""What jurors have put off comes back in turn."""

from __future__ import annotations

from datetime import UTC, datetime

from venire.domain.vote import Vote
from venire.server.court.ballot_order import Skips
from venire.server.court.tally_item import ItemName


def vote_on(item: str, value: float | None = None) -> Vote:
    return Vote(inference_id=item, vote=value, voter_id="ann", vote_time=datetime(2026, 1, 1, tzinfo=UTC))


def test_the_item_that_was_put_off_longest_ago_comes_first_until_it_is_voted_on():
    skips = Skips()
    for item in ("a", "b", "c"):
        skips.note(vote_on(item), is_new=True)
    assert skips.put_off_again("ann", ItemName("a"))
    skips.note(vote_on("b", 1.0), is_new=False)

    assert list(skips.of("ann")) == [ItemName("c"), ItemName("a")]
    assert not skips.put_off_again("ann", ItemName("b"))


def test_a_vote_that_was_taken_back_puts_nothing_off():
    skips = Skips()
    skips.note(vote_on("a"), is_new=False)
    assert not skips.of("ann")
