import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from golden_values import golden
from venire.errors import UsageError
from venire.stats.uncertainty.intervals import t_interval
from venire.stats.uncertainty.prediction_powered import UNSEEN_ERRORS, moments, prediction_powered_mean

TABLE = golden("uncertainty_table")["prediction_powered"]


DATA = (TABLE["labels"], TABLE["judged"], TABLE["unlabelled"])


def test_the_untuned_mean_gives_the_golden_table():
    found, expected = prediction_powered_mean(*DATA, tuned=False).corrected, TABLE["expected"]["PPI"]
    assert found.value == pytest.approx(expected["value"], abs=1e-12)
    # The peer divides variances by n and uses the normal quantile.
    assert found.standard_error * 2 * 1.95996 == pytest.approx(expected["high"] - expected["low"], rel=0.02)


def test_the_tuned_weight_gives_the_golden_table_but_for_the_peers_divisor():
    labels, judged, rest = (np.array(column) for column in DATA)
    found, expected = prediction_powered_mean(*DATA), TABLE["expected"]["PPI++"]
    weight = (expected["value"] - labels.mean()) / (rest.mean() - judged.mean())
    # The peer divides the covariance by n and the judge's variance by n − 1, here both have n − 1; the variance of
    # the labels has the peer's divisor n, and here n − 2.
    assert found.tuning * (len(labels) - 1) / len(labels) == pytest.approx(weight, abs=1e-9)
    width = found.corrected.standard_error * 2 * 1.95996
    assert width == pytest.approx(expected["high"] - expected["low"], rel=0.04)


@given(st.integers(0, 10**6), st.integers(2, 30), st.integers(2, 60))
@settings(deadline=None)
def test_ppi_is_the_judges_mean_plus_the_mean_correction(seed, labelled, unlabelled):
    generator = np.random.default_rng(seed)
    truth, judged, rest = (
        generator.normal(size=labelled),
        generator.normal(size=labelled),
        generator.normal(size=unlabelled),
    )
    found = prediction_powered_mean(truth, judged, rest, tuned=False).corrected
    assert found.value == pytest.approx(rest.mean() + (truth - judged).mean(), abs=1e-9)
    welch = stats.ttest_ind(rest, judged - truth, equal_var=False).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((welch.low, welch.high), abs=1e-9)


@given(st.integers(0, 10**6))
@settings(deadline=None, max_examples=10)
def test_the_tuned_weight_minimises_the_variance(seed):
    generator = np.random.default_rng(seed)
    truth = generator.normal(size=400)
    judged = 0.5 * truth + generator.normal(size=400) * 0.5
    rest = np.sqrt(0.5) * generator.normal(size=20_000)
    found = prediction_powered_mean(truth, judged, rest)

    def variance(weight):
        return (truth - weight * judged).var(ddof=1) / 400 + weight**2 * rest.var(ddof=1) / 20_000

    best = min(variance(weight) for weight in np.linspace(0, 1, 101))
    assert found.corrected.standard_error**2 <= best * 1.02
    assert 0 <= found.tuning <= 1


def test_a_biased_judge_is_corrected_and_the_gain_is_told():
    generator = np.random.default_rng(1)
    truth = generator.normal(3, 1, 20_000)
    judged = truth + 0.5 + 0.3 * generator.normal(size=20_000)
    found = prediction_powered_mean(truth[:200], judged[:200], judged[200:])
    assert found.corrected.low < truth.mean() < found.corrected.high
    assert not found.naive.low < truth.mean() < found.naive.high
    assert found.judge_bias.value == pytest.approx(0.5, abs=0.1)
    assert found.gain_over_labels > 5
    assert found.effective_labels == pytest.approx(found.gain_over_labels * 200)
    assert found.gain_over_naive > 100
    assert found.labels_only == t_interval(truth[:200])


def test_a_judge_who_guesses_is_left_out_and_costs_nothing():
    generator = np.random.default_rng(2)
    truth = generator.normal(size=300)
    found = prediction_powered_mean(truth, generator.normal(size=300), generator.normal(size=50_000))
    assert found.tuning < 0.15
    assert found.gain_over_labels == pytest.approx(1, abs=0.03)


@pytest.mark.parametrize(
    ("labels", "judged", "rest", "reason"),
    [
        ([], [], [1.0, 2.0], "fewer than two samples with a human label"),
        ([1.0], [1.0], [1.0, 2.0], "fewer than two samples with a human label"),
        ([1.0, 2.0], [None, None], [1.0, 2.0], "fewer than two samples with a human label"),
        ([1.0, 2.0], [1.0, 2.0], [], "fewer than two judged samples"),
        ([2.0, 2.0], [2.0, 2.0], [2.0, 2.0], "no variation"),
    ],
)
def test_too_few_labels_or_no_variation_say_why(labels, judged, rest, reason):
    found = prediction_powered_mean(labels, judged, rest)
    assert found.corrected.low is None
    assert reason in found.corrected.reason
    assert found.gain_over_labels is None


@given(st.lists(st.one_of(st.floats(-1e6, 1e6), st.just(float("nan"))), max_size=40), st.sampled_from([0.0, 1e9]))
def test_moments_are_numpys_without_the_missing(values, offset):
    array = np.array(values) + offset
    there = array[~np.isnan(array)]
    found = moments(array)
    assert found.size == len(there)
    if len(there) > 1:
        assert found.mean == pytest.approx(there.mean())
        assert found.variance == pytest.approx(there.var(ddof=1), rel=1e-6, abs=1e-3)


def scores_of_a_judge(slope, labelled=60):
    generator = np.random.default_rng(5)
    truth = generator.normal(size=labelled)
    return truth, slope * truth + 0.1 * generator.normal(size=labelled), slope * generator.normal(size=600)


@pytest.mark.parametrize(("slope", "weight"), [(-0.8, 0.0), (0.2, 1.0)])
def test_the_tuned_weight_is_kept_within_zero_and_one(slope, weight):
    assert prediction_powered_mean(*scores_of_a_judge(slope)).tuning == weight


def test_a_weight_by_hand_stands_between_the_labels_alone_and_the_full_correction():
    truth, judged, rest = data = scores_of_a_judge(0.9)
    for weight in (0.0, 0.3, 1.0):
        found = prediction_powered_mean(*data, tuning=weight)
        assert found.tuning == weight
        assert found.corrected.value == pytest.approx((truth - weight * judged).mean() + weight * rest.mean())
    assert prediction_powered_mean(*data, tuning=0.0).corrected.value == pytest.approx(truth.mean())
    whole, plain = prediction_powered_mean(*data, tuning=1.0).corrected, prediction_powered_mean(*data, tuned=False)
    assert (whole.low, whole.high) == pytest.approx((plain.corrected.low, plain.corrected.high))
    with pytest.raises(UsageError, match="1\\.2"):
        prediction_powered_mean(*data, tuning=1.2)


@pytest.mark.parametrize(("side", "end"), [("below", "low"), ("above", "high")])
def test_a_one_sided_interval_has_the_end_of_a_two_sided_one_with_twice_the_error(side, end):
    data = scores_of_a_judge(0.9)
    one, two = prediction_powered_mean(*data, side=side).corrected, prediction_powered_mean(*data, level=0.9).corrected
    assert getattr(one, end) == pytest.approx(getattr(two, end))
    assert getattr(one, end) != pytest.approx(getattr(prediction_powered_mean(*data).corrected, end))


@pytest.mark.parametrize("tuning", [0.0, 0.5, 1.0])
def test_samples_that_are_clusters_of_their_own_have_the_error_of_samples_without_clusters(tuning):
    labels, judged = [1, 0, 1, 1, 0, 0, 1, 0], [0.9, 0.2, 0.4, 1.0, 0.1, 0.6, 0.7, 0.3]
    rest = [0.8, 0.1, 0.5, 0.9, 0.3, 0.4]
    apart = prediction_powered_mean(labels, judged, rest, tuning=tuning)
    clustered = prediction_powered_mean(labels, judged, rest, tuning=tuning, clusters=(range(8), range(8, 14)))
    rectifier = np.array(labels) - tuning * np.array(judged)
    # Labels of 0 and 1 count half a sample each on which the judge errs in either way.
    squares = ((rectifier - rectifier.mean()) ** 2).sum() + UNSEEN_ERRORS * tuning**2
    variance = squares / 7 / 8 + tuning**2 * np.var(rest, ddof=1) / 6
    assert apart.corrected.standard_error == pytest.approx(variance**0.5)
    assert clustered.corrected.standard_error == pytest.approx(variance**0.5)
