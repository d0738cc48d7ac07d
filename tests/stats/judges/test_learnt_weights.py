import math

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.errors import UsageError
from venire.stats.judges.learnt_weights import (
    JudgeError,
    LearntWeights,
    errors_against_reference,
    inverse_variance_weights,
)
from venire.words.said import as_text


@given(
    st.dictionaries(
        st.text(max_size=3),
        st.builds(JudgeError, st.one_of(st.none(), st.floats(0, 1e6)), st.integers(0, 1000)),
        min_size=1,
        max_size=8,
    )
)
def test_learnt_weights_sum_to_one_and_are_positive_for_everyone(errors):
    found = inverse_variance_weights(errors)
    if not found.weights:
        assert found.reason
        return
    assert math.fsum(found.weights.values()) == pytest.approx(1, abs=1e-9)
    assert set(found.weights) == set(errors)
    assert min(found.weights.values()) > 0


def test_learnt_weights_are_one_over_the_variance_for_many_scores():
    generator = np.random.default_rng(0)
    truth = generator.normal(size=200_000)
    scores = truth[:, None] + generator.normal(size=(200_000, 2)) * [1.0, 2.0] + [5.0, 0.0]
    found = inverse_variance_weights(errors_against_reference(scores, truth, ["a", "b"]))
    assert found.weights == pytest.approx({"a": 0.8, "b": 0.2}, abs=0.005)


def test_a_judge_without_error_on_few_scores_does_not_take_all_the_weight():
    found = inverse_variance_weights({"lucky": JudgeError(0.0, 3), "steady": JudgeError(0.1, 500)})
    assert 0.5 < found.weights["lucky"] < 0.7


def test_perfect_judges_weigh_alike_and_unknown_ones_get_nothing_learnt():
    assert inverse_variance_weights({"a": JudgeError(0.0, 9), "b": JudgeError(0.0, 9)}).weights == {"a": 0.5, "b": 0.5}
    assert inverse_variance_weights({"a": JudgeError(None, 1)}).weights == {}
    assert errors_against_reference([[1.0, None]], [1.0], ["a", "b"]) == {
        "a": JudgeError(None, 1),
        "b": JudgeError(None, 0),
    }


def test_a_weights_record_survives_a_file():
    found = inverse_variance_weights({"a": JudgeError(1.0, 30), "b": JudgeError(None, 0)})
    assert msgspec.json.decode(msgspec.json.encode(found, enc_hook=as_text), type=LearntWeights) == found


def test_a_prior_of_half_a_score_shrinks_little_and_one_of_none_is_refused():
    errors = {"a": JudgeError(1.0, 3), "b": JudgeError(4.0, 3), "c": JudgeError(None, 0)}
    # The pooled variance is 2.5; a's is (2 + 1.25) / 2.5 = 1.3, b's (8 + 1.25) / 2.5 = 3.7, c's 2.5.
    inverse = {"a": 1 / 1.3, "b": 1 / 3.7, "c": 1 / 2.5}
    expected = {judge: each / sum(inverse.values()) for judge, each in inverse.items()}
    assert inverse_variance_weights(errors, prior_scores=0.5).weights == pytest.approx(expected)
    for prior in (0.0, -1.0):
        with pytest.raises(UsageError):
            inverse_variance_weights(errors, prior_scores=prior)
