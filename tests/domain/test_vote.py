"""Votes and voter prompts: what they are, and what they are found by."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from venire.domain.curation import item_key
from venire.domain.vote import VOTE_COLUMNS, Vote, VoterPrompt, vote_key
from venire.errors import InputError

NOON = datetime(2025, 1, 1, 12, tzinfo=UTC)


def make_vote(**changes):
    return Vote(**({"inference_id": "a", "vote": 1.0, "voter_id": "x", "vote_time": NOON} | changes))


def test_a_vote_has_every_column_of_a_table_of_votes():
    assert all(hasattr(make_vote(), name) for name in VOTE_COLUMNS)


def test_the_key_names_voter_inference_prompt_and_moment_and_nothing_else():
    assert make_vote().key == make_vote(vote=0.0, reputation=2.0).key == vote_key("x", "a", "", NOON)
    others = [
        {"voter_id": "y"},
        {"inference_id": "b"},
        {"voter_prompt_id": "p"},
        {"vote_time": NOON + timedelta(0, 0, 1)},
    ]
    assert len({make_vote().key, *(make_vote(**change).key for change in others)}) == 5


def test_the_key_does_not_depend_on_the_zone_of_the_moment():
    elsewhere = NOON.astimezone(timezone(timedelta(hours=8)))
    assert make_vote(vote_time=elsewhere).key == make_vote().key


@pytest.mark.parametrize(
    "change",
    [
        {"vote": 1.5},
        {"vote": float("nan")},
        {"voter_id": " "},
        {"inference_id": ""},
        {"reputation": 0.0},
        {"reputation": float("inf")},
        {"vote_time": datetime(2025, 1, 1)},  # noqa: DTZ001
    ],
)
def test_what_is_no_vote_is_refused_with_its_place(change):
    with pytest.raises(InputError, match="vote of"):
        make_vote(**change)


def test_not_voting_is_a_value():
    assert make_vote(vote=None).vote is None


def test_a_prompt_is_known_by_its_words():
    assert VoterPrompt("p", "Is it funny?").digest == VoterPrompt("q", "Is it funny?").digest
    assert VoterPrompt("p", "Is it funny?").digest != VoterPrompt("p", "Is it funny").digest


def test_an_item_is_an_inference_under_a_prompt():
    assert item_key("a", "p") != item_key("a", "q")
