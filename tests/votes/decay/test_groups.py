import polars as pl
import pytest

from making_votes import vote_frame, vote_row
from venire.votes.decay.consensus import score_votes
from venire.votes.decay.groups import score_groups
from venire.votes.decay.terms import Decay

LEVELS = {"a": "m", "b": "m", "c": "n"}
ROWS = [
    vote_row(1, item="a", voter="x"),
    vote_row(0, item="b", voter="y", day=1),
    vote_row(1, item="b", voter="x", day=2),
    vote_row(0.5, item="c", voter="x", day=1),
    vote_row(1, item="elsewhere", voter="x", day=3),
]


def test_votes_on_all_outputs_of_a_group_age_as_one_stream():
    decay = Decay(rate_per_second=1e-5, critical_variance=0.2)
    found = score_groups(vote_frame(ROWS), LEVELS, "model", decay)
    relabelled = [row | {"inference_id": LEVELS[row["inference_id"]]} for row in ROWS[:4]]
    expected = dict(score_votes(vote_frame(relabelled), decay).frame.select("inference_id", "score").iter_rows())
    assert dict(found.select("model", "score").iter_rows()) == pytest.approx(expected)
    assert found["score"].is_sorted(descending=True)
    rows = {row["model"]: row for row in found.iter_rows(named=True)}
    assert {model: (row["votes"], row["outputs"], row["voters"]) for model, row in rows.items()} == {
        "m": (3, 2, 2),
        "n": (1, 1, 1),
    }
    # The two voters on b disagree, which is ambiguity of one output and not of the model.
    assert {model: row["ambiguous"] for model, row in rows.items()} == {"m": 1, "n": 0}


def test_outputs_without_a_group_leave_nothing():
    assert score_groups(vote_frame(ROWS[4:]), LEVELS, "model").is_empty()
    assert isinstance(score_groups(vote_frame(ROWS), {}, "model"), pl.DataFrame)
