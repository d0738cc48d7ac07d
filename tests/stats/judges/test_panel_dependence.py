import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.stats.judges.panel_dependence import effective_panel_size, panel_dependence


@given(st.integers(0, 10**6))
def test_error_correlations_are_numpys_on_common_units(seed):
    generator = np.random.default_rng(seed)
    scores, truth = generator.normal(size=(12, 3)), generator.normal(size=12)
    scores[generator.random((12, 3)) < 0.2] = np.nan
    found = panel_dependence(scores, truth, "abc").correlations
    errors = scores - truth[:, None]
    for i, j in ((0, 1), (0, 2), (1, 2)):
        both = ~np.isnan(errors[:, i]) & ~np.isnan(errors[:, j])
        if both.sum() >= 3:
            expected = np.corrcoef(errors[both][:, [i, j]].T)[0, 1]
            assert found[i, j] == found[j, i] == pytest.approx(expected, abs=1e-9)


def test_judges_who_share_half_of_their_error_are_worth_fewer():
    generator = np.random.default_rng(3)
    truth, shared = generator.normal(size=2000), generator.normal(size=2000)
    scores = truth[:, None] + shared[:, None] + generator.normal(size=(2000, 5)) + np.arange(5)
    found = panel_dependence(scores, truth, "abcde")
    assert found.mean_correlation.low < 0.5 < found.mean_correlation.high
    assert found.effective_size.low < effective_panel_size(5, 0.5) < found.effective_size.high
    # The errors of the mean scatter like those of so few independent judges.
    errors = scores - truth[:, None]
    measured = errors.var(axis=0).mean() / errors.mean(axis=1).var()
    assert found.effective_size.value == pytest.approx(measured, rel=0.01)


@pytest.mark.parametrize(
    ("scores", "truth", "judges"),
    [
        (np.zeros((0, 2)), [], "ab"),
        (np.full((5, 2), np.nan), np.zeros(5), "ab"),
        (np.ones((5, 2)), np.ones(5), "ab"),
        ([[1.0, 2.0]], [1.0], "ab"),
        ([[1.0], [2.0], [4.0]], [1.0, 1.0, 1.0], "a"),
    ],
)
def test_dependence_of_too_little_is_not_known(scores, truth, judges):
    found = panel_dependence(scores, truth, judges)
    assert (found.mean_correlation.value, found.effective_size.value) == (None, None)
    assert found.mean_correlation.reason


def test_reversed_errors_have_no_finite_panel_size():
    errors = np.array([-1.0, 2.0, -3.0, 0.5])
    found = panel_dependence(np.column_stack([errors, -errors]), np.zeros(4), "ab")
    assert found.mean_correlation.value == pytest.approx(-1)
    assert found.effective_size.value is None
    assert effective_panel_size(3, 0.0) == 3


def test_the_interval_leaves_out_whole_questions():
    generator = np.random.default_rng(5)
    questions = np.repeat(np.arange(12), 3)
    errors = generator.normal(size=12)[questions, None] + generator.normal(size=(36, 3))
    found = panel_dependence(errors, np.zeros(36), "abc", clusters=questions).mean_correlation

    def z_of(rows):
        rho = np.mean(np.corrcoef(rows.T)[np.triu_indices(3, 1)])
        return np.log((1 + 2 * rho) / (1 - rho)) / 2

    left = np.array([z_of(errors[questions != each]) for each in range(12)])
    reach = 2.200985160082949 * np.sqrt(11 / 12 * ((left - left.mean()) ** 2).sum())  # t of 11 degrees of freedom
    ratios = np.exp(2 * (z_of(errors) + np.array([-reach, reach])))
    assert [found.low, found.high] == pytest.approx((ratios - 1) / (ratios + 2))
    assert found.n["clusters"] == 12
    assert "cluster" in found.method
