import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.stats.uncertainty.rogan_gladen import corrected_share, rogan_gladen


def test_a_perfect_judge_leaves_the_share_as_it_is():
    found = rogan_gladen(30, 100, true_positives=500, human_positives=500, true_negatives=500, human_negatives=500)
    assert found.corrected.value == pytest.approx(0.3)
    assert found.corrected.low == pytest.approx(found.naive.low, abs=0.01)
    assert found.corrected.high == pytest.approx(found.naive.high, abs=0.01)


@given(st.floats(0, 1), st.floats(0.6, 1), st.floats(0.6, 1))
def test_the_correction_inverts_what_the_judge_does(share, sensitivity, specificity):
    size = 10**9
    stated = share * sensitivity + (1 - share) * (1 - specificity)
    found = rogan_gladen(
        round(stated * size), size, true_positives=round(sensitivity * size), human_positives=size,
        true_negatives=round(specificity * size), human_negatives=size,
    ).corrected  # fmt: skip
    assert found.value == pytest.approx(share, abs=1e-7)
    assert 0 <= found.low <= found.value <= found.high <= 1


def test_the_interval_has_about_the_delta_methods_width_for_many_labels():
    found = rogan_gladen(
        3000, 10_000, true_positives=1800, human_positives=2000, true_negatives=1700, human_negatives=2000
    ).corrected
    error = np.sqrt(0.3 * 0.7 / 10_000 + 0.2**2 * 0.9 * 0.1 / 2000 + 0.8**2 * 0.85 * 0.15 / 2000) / 0.75
    assert found.value == pytest.approx(0.2)
    assert found.high - found.low == pytest.approx(2 * 1.96 * error, rel=0.02)


@pytest.mark.parametrize(
    ("positive", "judged", "labels", "reason"),
    [
        (0, 0, (5, 5, 5, 5), "no observations"),
        (5, 10, (0, 0, 5, 5), "no observations"),
        (5, 10, (1, 2, 1, 2), "no better than chance"),
        (5, 10, (0, 9, 1, 9), "no better than chance"),
    ],
)
def test_a_share_that_cannot_be_corrected_says_why(positive, judged, labels, reason):
    names = ("true_positives", "human_positives", "true_negatives", "human_negatives")
    found = rogan_gladen(positive, judged, **dict(zip(names, labels, strict=True))).corrected
    assert found.value is None
    assert reason in found.reason


def test_a_share_is_kept_within_zero_and_one():
    found = rogan_gladen(0, 50, true_positives=9, human_positives=10, true_negatives=8, human_negatives=10).corrected
    assert found.value == found.low == 0.0
    assert 0 < found.high < 1


def test_labels_of_one_question_count_as_one_however_many_there_are():
    # Whatever people failed is an answer to the first question.
    truth, verdicts, questions = [0, 0] + [1] * 20, [0, 0] + [1] * 18 + [0, 0], [0, 0, *range(1, 21)]
    once = corrected_share(verdicts, truth, questions).corrected
    more = corrected_share([0] * 30 + verdicts, [0] * 30 + truth, [0] * 30 + questions).specificity
    assert more.low is None
    copied = corrected_share(verdicts * 3, truth * 3, questions * 3).corrected
    assert copied.high - copied.low > 0.95 * (once.high - once.low)
