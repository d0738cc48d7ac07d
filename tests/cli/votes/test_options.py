"""What the options of commands on votes mean."""

from datetime import UTC, datetime

import pytest

from venire.cli.votes.options import decay_of, options_of, parse_moment
from venire.errors import UsageError
from venire.votes.decay.terms import Batching, Decay, decay_rate
from venire.votes.reading.duplicates import Duplicates

READING = {"column": (), "assume_zone": None, "duplicates": "latest"}


def test_columns_are_named_in_pairs_and_may_hold_an_equals_sign():
    options = options_of({**READING, "column": ("vote=a=b", "voter_id=who"), "duplicates": "first"})
    assert (options.columns, options.duplicates) == ({"vote": "a=b", "voter_id": "who"}, Duplicates.FIRST)


def test_a_column_without_a_field_is_wrong_usage():
    with pytest.raises(UsageError, match="vote"):
        options_of({**READING, "column": ("vote",)})


@pytest.mark.parametrize(("given", "labels"), [({}, False), ({"labels": False}, None), ({"labels": True}, True)])
def test_labels_are_asked_for_told_by_the_votes_or_never(given, labels):
    assert options_of({**READING, **given}).labels is labels


def test_times_are_needed_unless_a_command_can_do_without():
    assert (options_of(READING).times_needed, options_of(READING, times_needed=False).times_needed) == (True, False)


def test_decay_is_read_with_its_batches_and_variance():
    decay = decay_of({"decay": "0.2/week", "batch": "vote", "critical_variance": 0.1})
    assert decay == Decay(decay_rate(0.2, "week"), Batching("vote"), 0.1)


def test_a_moment_needs_a_zone():
    assert parse_moment(None) is None
    assert parse_moment("2025-01-01T00:00:00Z") == datetime(2025, 1, 1, tzinfo=UTC)
    for text in ("2025-01-01T00:00:00", "yesterday"):
        with pytest.raises(UsageError, match=text):
            parse_moment(text)
