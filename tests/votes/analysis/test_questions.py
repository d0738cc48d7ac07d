"""What can be asked of votes: each question reads what it needs, and answers in the caller's own frames."""

import pandas as pd
import polars as pl
import pytest

from venire.errors import VenireError
from venire.votes.analysis import questions

TIMELESS = pl.DataFrame(
    {
        "inference_id": ["a", "a", "a", "b", "b", "b"],
        "voter_id": ["x", "y", "z"] * 2,
        "vote": [1.0, 1.0, 0.0, 0.0, 0.5, 0.0],
    }
)
TIMED = TIMELESS.with_columns(vote_time=pl.Series([f"2025-01-01T0{n}:00:00Z" for n in range(6)]))
CLASSES = TIMELESS.with_columns(vote=pl.Series(["cat", "cat", "dog", "dog", "dog", "cat"]))


@pytest.mark.parametrize(
    "ask",
    [
        questions.vote_completeness,
        lambda data: questions.population_confidence(data, ["x", "y", "z"]),
        questions.majority_good_votes,
        questions.votes_distribution,
        questions.crowd_truth,
        questions.voter_reliability,
        lambda data: questions.voter_agreement(data, replicates=0),
    ],
)
def test_who_voted_what_needs_no_time(ask):
    assert ask(TIMELESS) is not None


@pytest.mark.parametrize("ask", [questions.score_votes, questions.vote_histogram, questions.vote_bursts,
                                 questions.duplicate_ballots])  # fmt: skip
def test_what_asks_when_needs_times(ask):
    assert ask(TIMED) is not None
    with pytest.raises(VenireError):
        ask(TIMELESS)


def test_agreement_takes_classes_and_numbers():
    assert "nominal" in questions.voter_agreement(CLASSES, replicates=0).method
    assert "interval" in questions.voter_agreement(TIMELESS, replicates=0).method
    assert questions.voter_agreement(TIMELESS, "ordinal", replicates=0).low is None
    assert questions.crowd_truth(CLASSES).units.height == 2


def test_frames_are_of_the_library_that_votes_came_in(tmp_path):
    path = tmp_path / "votes.csv"
    TIMED.write_csv(path)
    assert isinstance(questions.score_votes(TIMED.to_pandas()).frame, pd.DataFrame)
    assert isinstance(questions.score_votes(path).frame, pl.DataFrame)
    assert isinstance(questions.votes_distribution(TIMED.to_dicts()).frame, pl.DataFrame)


def test_prompts_are_items_of_their_own_unless_they_are_mixed():
    two = TIMED.with_columns(voter_prompt_id=pl.Series(["p", "q"] * 3))
    assert questions.score_votes(two).frame.height == 4
    assert questions.score_votes(two, mix=["voter_prompt_id"]).frame.height == 2
