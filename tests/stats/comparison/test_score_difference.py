"""Two sets of samples are compared in pairs where they match, and by their means where they do not."""

import numpy as np
import polars as pl
import pytest

from venire.stats.comparison.paired import paired_t
from venire.stats.comparison.score_difference import score_difference


def frame(scores, units=None, questions=None, **columns):
    count = len(scores)
    return pl.DataFrame(
        {
            "unit": units or [f"u{n}" for n in range(count)],
            "question_id": questions or [f"q{n % 4}" for n in range(count)],
            "score": scores,
            **columns,
        }
    )


def test_matching_samples_are_compared_in_pairs_clustered_by_question():
    generator = np.random.default_rng(0)
    one, two = generator.normal(size=12), generator.normal(size=12)
    found = score_difference(frame(one), frame(two), [("unit",)])
    plain = paired_t(one, two, clusters=[n % 4 for n in range(12)])
    assert found.test.p_value == pytest.approx(plain.p_value)
    assert (found.pairs, found.paired_by, found.clustered_by, found.unmatched) == (12, ("unit",), "question", (0, 0))


def test_the_next_key_is_tried_where_the_first_matches_nothing():
    first = frame([1.0, 2.0, 3.0], units=["a", "b", "c"], cell=["x", "y", "y"])
    second = frame([0.0, 0.5], units=["d", "e"], cell=["x", "y"])
    found = score_difference(first, second, [("unit",), ("absent",), ("cell",)])
    assert found.paired_by == ("cell",)
    assert found.test.difference.value == pytest.approx((1.0 + 2.0) / 2)  # y is averaged on the first side


def test_without_matches_the_means_are_compared_and_no_effect_of_pairs_is_claimed():
    first, second = frame([3.0, 4.0, 5.0, 4.0]), frame([1.0, 2.0, 1.5, 1.0], units=list("wxyz"))
    found = score_difference(first, second, [("unit",)])
    assert found.pairs == 0
    assert found.test.difference.value == pytest.approx(4.0 - 1.375)
    assert found.effect.value is None
    assert found.unmatched == (4, 4)


def test_samples_of_one_question_are_clustered_by_sample():
    questions = ["q"] * 6
    first, second = frame([1.0, 2.0, 3.0, 4.0, 5.0, 7.0], questions=questions), frame([1.0] * 6, questions=questions)
    found = score_difference(first, second, [("unit",)])
    assert found.clustered_by == "sample"
    assert found.test.n["clusters"] == 6


@pytest.mark.parametrize(("questions", "clustered_by"), [(["q"] * 4, "sample"), (None, "question")])
def test_means_without_matches_are_clustered_by_question_unless_there_is_one(questions, clustered_by):
    first, second = (
        frame([3.0, 4.0, 5.0, 4.0], questions=questions),
        frame([1.0, 2.0, 1.5, 1.0], list("wxyz"), questions),
    )
    assert score_difference(first, second, [("unit",)]).clustered_by == clustered_by


def test_empty_sides_are_not_known():
    empty = frame([1.0]).head(0)
    found = score_difference(empty, frame([1.0, 2.0]), [("unit",)])
    assert found.test.difference.value is None
    assert found.test.p_value is None


@pytest.mark.parametrize("keys", [[("unit",)], []])
def test_data_that_names_no_question_is_clustered_by_sample(keys):
    scores = [3.0, 4.0, 5.0, 4.0]
    first, second = (frame(each, questions=[""] * 4) for each in (scores, [1.0, 2.0, 1.5, 1.0]))
    assert score_difference(first, second, keys).clustered_by == "sample"
    named = [frame(each, questions=["", "", "q1", "q2"]) for each in (scores, scores[::-1])]
    assert score_difference(*named, keys).clustered_by == "question"
