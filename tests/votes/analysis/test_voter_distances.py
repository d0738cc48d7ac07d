import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from making_votes import vote_frame, vote_row
from venire.stats.uncertainty.intervals import t_interval
from venire.votes.analysis.voter_distances import distance_sums, merge_distances, reliability_of, voter_reliability


def test_the_voter_who_stands_apart_is_named_first_with_its_bias():
    rows = [vote_row(0.4 + 0.1 * (item % 3), voter=name, item=str(item)) for name in "xyz" for item in range(9)]
    rows += [vote_row(1.0, voter="apart", item=str(item)) for item in range(9)]
    found = voter_reliability(vote_frame(rows)).frame.row(0, named=True)
    assert found["voter_id"] == "apart"
    assert found["bias_low"] > 0.3


def test_people_are_compared_with_people_and_judges_with_judges():
    rows = [vote_row(0.2, voter="x"), vote_row(0.4, voter="y"), vote_row(1.0, voter="bot", kind="judge")]
    found = voter_reliability(vote_frame(rows)).frame
    assert found.select("voter_id", "voter_kind", "shared").rows() == [("x", "person", 1), ("y", "person", 1)]
    assert found["bias"].to_list() == pytest.approx([-0.2, 0.2])


@given(
    cells=st.lists(st.tuples(st.integers(0, 5), st.sampled_from("abcd")), unique=True, min_size=1, max_size=24),
    votes=st.lists(st.sampled_from([0, 0.25, 0.7, 1]), min_size=24, max_size=24),
    home=st.lists(st.integers(0, 1), min_size=6, max_size=6),
)
def test_reliability_does_not_depend_on_the_shards_of_whole_inferences(cells, votes, home):
    rows = [vote_row(vote, voter=voter, item=str(item)) for (item, voter), vote in zip(cells, votes, strict=False)]
    whole = voter_reliability(vote_frame(rows)).frame.sort("voter_id")
    halves = [[row for row in rows if home[int(row["inference_id"])] == number] for number in (0, 1)]
    sums = [distance_sums(vote_frame(half) if half else vote_frame(rows).clear()) for half in halves]
    merged = reliability_of(merge_distances(*sums)).frame.sort("voter_id")
    assert merged.select("voter_id", "shared").equals(whole.select("voter_id", "shared"))
    for name in ("distance", "bias", "bias_low", "bias_high"):
        assert merged[name].to_list() == pytest.approx(whole[name].to_list(), abs=1e-9)


def test_the_interval_of_a_bias_is_students_t():
    rows = [vote_row(vote, voter="x", item=str(item)) for item, vote in enumerate([0.1, 0.5, 0.9, 0.2])]
    rows += [vote_row(0.4, voter="y", item=str(item)) for item in range(4)]
    found = voter_reliability(vote_frame(rows)).frame.filter(pl.col("voter_id") == "x").row(0, named=True)
    wanted = t_interval([-0.3, 0.1, 0.5, -0.2])
    assert (found["bias"], found["bias_low"], found["bias_high"]) == pytest.approx(
        (wanted.value, wanted.low, wanted.high)
    )
