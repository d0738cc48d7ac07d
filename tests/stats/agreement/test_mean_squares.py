import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from golden_values import golden
from venire.stats.agreement.icc import FORMS, icc
from venire.stats.agreement.mean_squares import LeftSquares, MeanSquares

PUBLISHED = golden("shrout_fleiss_1979")


TARGETS = np.array(PUBLISHED["targets"], dtype=float)


complete_scores = st.integers(2, 4).flatmap(
    lambda raters: st.lists(st.lists(st.integers(0, 9), min_size=raters, max_size=raters), min_size=2, max_size=8)
)


@np.errstate(all="ignore")  # Ends of intervals that do not exist are not compared.
def plain_icc(scores, level=0.95):
    """The formulas of the paper, from sums of squares written out, with SciPy's F distribution."""
    x = np.asarray(scores, dtype=float)
    n, k = x.shape
    b = k * sum((row.mean() - x.mean()) ** 2 for row in x) / (n - 1)
    w = sum((value - row.mean()) ** 2 for row in x for value in row) / n / (k - 1)
    j = n * sum((column.mean() - x.mean()) ** 2 for column in x.T) / (k - 1)
    e = (w * n * (k - 1) - j * (k - 1)) / (n - 1) / (k - 1)

    def quantile(first, second):
        return stats.f.ppf(0.5 + level / 2, first, second)

    def ratio(above, below):
        return above / below if below > 1e-12 else None

    values = {
        "1,1": ratio(b - w, b + (k - 1) * w),
        "2,1": ratio(b - e, b + (k - 1) * e + k * (j - e) / n),
        "3,1": ratio(b - e, b + (k - 1) * e),
        "1,k": ratio(b - w, b),
        "2,k": ratio(b - e, b + (j - e) / n),
        "3,k": ratio(b - e, b),
    }
    if min(e, w, b) < 1e-9:
        return values, None
    one, three = n * (k - 1), (n - 1) * (k - 1)
    low1, high1 = b / w / quantile(n - 1, one), b / w * quantile(one, n - 1)
    low3, high3 = b / e / quantile(n - 1, three), b / e * quantile(three, n - 1)
    r, f = values["2,1"], j / e
    v = (
        three
        * (k * r * f + n * (1 + (k - 1) * r) - k * r) ** 2
        / ((n - 1) * k**2 * r**2 * f**2 + (n * (1 + (k - 1) * r) - k * r) ** 2)
    )
    up, down = quantile(n - 1, v), quantile(v, n - 1)
    low2 = n * (b - up * e) / (up * (k * j + (k * n - k - n) * e) + n * b)
    high2 = n * (down * b - e) / (k * j + (k * n - k - n) * e + n * down * b)
    return values, {
        "1,1": ((low1 - 1) / (low1 + k - 1), (high1 - 1) / (high1 + k - 1)),
        "3,1": ((low3 - 1) / (low3 + k - 1), (high3 - 1) / (high3 + k - 1)),
        "1,k": (1 - 1 / low1, 1 - 1 / high1),
        "3,k": (1 - 1 / low3, 1 - 1 / high3),
        "2,1": (low2, high2),
        "2,k": (k * low2 / (1 + (k - 1) * low2), k * high2 / (1 + (k - 1) * high2)),
    }


@pytest.mark.parametrize("form", FORMS)
@given(scores=complete_scores)
def test_agrees_with_the_formulas_written_out(form, scores):
    found = icc(scores, form)
    if len({value for row in scores for value in row}) == 1:
        assert (found.value, found.reason) == (None, "no variation")
        return
    values, intervals = plain_icc(scores)
    if values[form] is None:
        assert found.value is None or abs(found.value) > 1e6  # Where rounding alone keeps the denominator above 0.
        return
    assert found.value == pytest.approx(values[form], rel=1e-6, abs=1e-9)
    if intervals is None:
        return
    low, high = intervals[form]
    ends = MeanSquares.of(np.array(scores, dtype=float)).interval(form, 0.95)
    if ends is None:
        # Carried over to the mean of k raters, an end below −1/(k − 1) would come out above the other.
        assert not np.isfinite([low, high]).all() or low > high or abs(low) > 1e6
    elif np.isfinite([low, high]).all():
        assert ends == pytest.approx((low, high), rel=1e-5, abs=1e-7)
        assert found.low <= ends[0] <= ends[1] <= found.high


@given(scores=complete_scores.filter(lambda rows: len(rows) > 2), seed=st.integers(0, 9))
def test_mean_squares_without_a_group_are_those_of_the_others(scores, seed):
    table = np.array(scores, dtype=float)
    group = np.random.default_rng(seed).permutation(np.arange(len(table)) % 3)
    if np.ptp(table) == 0:
        return
    left = LeftSquares.of(table, group, 3)
    for number in range(3):
        kept = table[group != number]
        if len(kept) > 1 and np.ptp(kept) > 0:
            for form in FORMS:
                expected, found = MeanSquares.of(kept).value(form), left.values([form])[0, number]
                if expected is not None and abs(expected) < 1e3:
                    assert found == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_leniency_lowers_agreement_and_not_consistency():
    severe = TARGETS[:, :1] + np.array([0.0, 3.0]) + np.array([[0, 0.1], [0.1, 0]] * 3)
    assert icc(severe, "3,1").value > 0.95 > 0.6 > icc(severe, "2,1").value
