import polars as pl
import pytest
from scipy import stats

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


def test_errors_by_voter_and_by_question_add_up():
    decay = Decay(rate_per_second=0.0)
    votes = [(0.44, "a", "x"), (0.5, "a", "y"), (0.46, "b", "x"), (0.52, "b", "z"), (0.56, "c", "y"), (0.58, "d", "z")]
    frame = vote_frame([vote_row(vote, item=item, voter=voter) for vote, item, voter in votes])
    asked = {"a": "1", "b": "2", "c": "2", "d": "3"}
    found = score_groups(frame, dict.fromkeys("abcd", "m"), "model", decay, questions=asked).row(0, named=True)
    mean = sum(vote for vote, *_ in votes) / 6

    def variance(key):
        """Return the variance by cluster, and as how many clusters of equal weight they are."""
        sums, weights = {}, {}
        for vote, item, voter in votes:
            sums[key(item, voter)] = sums.get(key(item, voter), 0.0) + (vote - mean) / 6
            weights[key(item, voter)] = weights.get(key(item, voter), 0.0) + 1 / 6
        equal = 1 / sum(each**2 for each in weights.values())
        return sum(each**2 for each in sums.values()) * equal / (equal - 1), equal

    by_voter, voters = variance(lambda item, voter: voter)
    by_question, questions = variance(lambda item, voter: asked[item])
    error = by_voter + by_question
    assert (voters, questions) == pytest.approx((3, 36 / 14))
    reach = stats.t.ppf(0.975, questions - 1) * error**0.5
    assert 0 < mean - reach < mean + reach < 1
    assert found["score"] == pytest.approx(mean)
    assert (found["low"], found["high"]) == pytest.approx((mean - reach, mean + reach), abs=1e-6)


@pytest.mark.parametrize(("low", "high", "end", "cut"), [(0.0, 0.3, "low", 0.0), (0.7, 1.0, "high", 1.0)])
def test_errors_by_voter_and_by_question_are_cut_at_the_ends_of_the_scale(low, high, end, cut):
    frame = vote_frame([vote_row(vote, item=item, voter=item + "x") for vote, item in ((low, "a"), (high, "b"))])
    found = score_groups(frame, {"a": "m", "b": "m"}, "model", questions={"a": "1", "b": "2"}).row(0, named=True)
    assert found[end] == cut
    assert found["low"] < found["score"] < found["high"]
