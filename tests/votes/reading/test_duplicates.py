"""Votes that a table holds more than once."""

from datetime import UTC, datetime

import pytest

from venire.errors import InputError
from venire.votes.reading.duplicates import Duplicates
from venire.votes.reading.table import VoteOptions, read_votes

NOW = datetime(2025, 6, 1, tzinfo=UTC)


def read(source, **options):
    return read_votes(source, VoteOptions(**options), now=lambda: NOW)


def row(**changes):
    return {"inference_id": "a", "vote": 0.5, "voter_id": "x", "vote_time": "2025-01-01T00:00:00Z"} | changes


DOUBLED = [row(vote=0.1), row(vote=0.2, voter_id="y"), row(vote=0.3)]


@pytest.mark.parametrize(
    ("policy", "votes"),
    [(Duplicates.LATEST, [0.2, 0.3]), (Duplicates.FIRST, [0.1, 0.2]), (Duplicates.ALL, [0.1, 0.2, 0.3])],
)
def test_duplicates_are_counted_and_the_policy_decides_which_count(policy, votes):
    table = read(DOUBLED, duplicates=policy)
    assert table.frame["vote"].to_list() == votes
    assert table.duplicated == 2
    assert table.refused_count == 3 - len(votes)


def test_duplicates_can_be_an_error_that_names_the_first_row():
    with pytest.raises(InputError, match="row 1"):
        read(DOUBLED, duplicates=Duplicates.ERROR)


def test_votes_at_other_moments_or_under_other_prompts_are_no_duplicates():
    later = row(vote_time="2025-01-01T00:00:01Z")
    assert read([row(voter_prompt_id="p"), row(voter_prompt_id="q"), later]).duplicated == 0


def test_duplicates_are_found_where_rows_are_not_in_order_of_time():
    early = row(vote_time="2024-01-01T00:00:00Z")
    assert read([row(), early, row()]).duplicated == 2
