"""Isotonic recalibration: the curve never falls, and what it is worth is told by labels it has not seen."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.errors import UsageError
from venire.stats.judges.recalibration import isotonic_regression, recalibrate

PAIRS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), min_size=1, max_size=30)


@given(PAIRS)
def test_the_curve_never_falls_keeps_the_mean_and_is_the_nearest_of_its_kind(pairs):
    judged, people = (np.array(side, dtype=float) for side in zip(*pairs, strict=True))
    curve = isotonic_regression(judged, people)
    assert (np.diff(curve.people) >= -1e-12).all()
    fitted = curve(judged)
    assert fitted.mean() == pytest.approx(people.mean())
    squares = float(((people - fitted) ** 2).sum())
    for other in (np.full(len(people), people.mean()), np.interp(judged, [0, 5], sorted([people.min(), people.max()]))):
        assert squares <= float(((people - other) ** 2).sum()) + 1e-9


def test_nothing_to_fit_is_an_error():
    with pytest.raises(UsageError, match="at least one score"):
        isotonic_regression([np.nan, 2], [3, np.nan])


def halves(count):
    return np.arange(count) % 2 == 0


def test_a_judge_who_is_too_kind_gains_and_one_who_is_right_does_not():
    generator = np.random.default_rng(4)
    people = generator.integers(1, 6, 200).astype(float)
    kind = recalibrate(np.minimum(people + 2, 7), people, halves(200))
    assert kind.gain.value == pytest.approx(2)
    assert kind.after.value < 0.1 < kind.constant.value
    noisy = recalibrate(people + 2 + generator.normal(size=200), people, halves(200))
    assert noisy.gain.low > 0.5
    right = recalibrate(people, people, halves(200))
    assert (right.before.value, right.after.value) == (0, 0)


def test_a_judge_who_knows_nothing_is_no_better_than_a_constant_guess_on_labels_it_was_not_fitted_to():
    generator = np.random.default_rng(5)
    people, judged = generator.integers(1, 6, (2, 60)).astype(float)
    found = recalibrate(judged, people, halves(60))
    assert found.before.value > found.constant.value
    assert found.after.value > 0.9 * found.constant.value


def test_fitted_labels_are_never_tested_on():
    judged, people = np.arange(40.0), np.arange(40.0)
    people[::2] = 99.0  # only those that are fitted to
    found = recalibrate(judged, people, halves(40))
    assert (found.before.value, found.fitted, found.tested) == (0, 20, 20)


def test_few_labels_are_not_enough():
    found = recalibrate(np.arange(18.0), np.arange(18.0), halves(18))
    assert found.gain.value is None
    assert "10 of each are needed" in found.gain.reason
