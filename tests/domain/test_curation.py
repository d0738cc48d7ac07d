"""Decisions on one output under one prompt are found by one key."""

from datetime import UTC, datetime

from venire.domain.curation import Curation, Outcome, item_key


def test_the_key_depends_on_the_output_and_the_prompt_alone():
    at = datetime(2026, 1, 1, tzinfo=UTC)
    one = Curation(inference_id="o", voter_prompt_id="p", outcome=Outcome.ACCEPT, curator="c", decided_at=at)
    other = Curation(inference_id="o", voter_prompt_id="p", outcome=Outcome.REJECT, curator="d", decided_at=at, votes=3)
    assert one.key == other.key == item_key("o", "p")
    assert item_key("o", "") != item_key("o", "p") != item_key("op", "")
