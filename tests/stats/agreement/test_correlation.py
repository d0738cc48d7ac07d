import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from golden_values import golden
from venire.errors import UsageError
from venire.stats.agreement.correlation import kendall, pearson, spearman

GOLDEN = golden("correlations")

pairs_with_gaps = st.lists(
    st.lists(st.one_of(st.none(), st.integers(-3, 3)), min_size=2, max_size=2), min_size=2, max_size=15
)


def side_by_side(golden):
    return list(zip(golden["first"], golden["second"], strict=True))


def plain_pearson(pairs):
    x, y = zip(*pairs, strict=True)
    mx, my = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mx) * (b - my) for a, b in pairs) / math.sqrt(
        sum((a - mx) ** 2 for a in x) * sum((b - my) ** 2 for b in y)
    )


def plain_spearman(pairs):
    x, y = zip(*pairs, strict=True)

    def rank(value, values):
        return sum(other < value for other in values) + (values.count(value) + 1) / 2

    return plain_pearson([(rank(a, x), rank(b, y)) for a, b in pairs])


def plain_tau_b(pairs):
    def sign(value):
        return (value > 0) - (value < 0)

    signs = [(sign(a - c), sign(b - d)) for (a, b), (c, d) in itertools.combinations(pairs, 2)]
    return sum(a * b for a, b in signs) / math.sqrt(sum(a * a for a, _ in signs) * sum(b * b for _, b in signs))


def test_pearson_of_anscombes_first_set_is_as_published():
    assert pearson(side_by_side(GOLDEN["pearson"])).value == pytest.approx(GOLDEN["pearson"]["value"], abs=5e-4)


def test_rank_correlations_of_the_tuna_are_as_published():
    ranks = side_by_side(GOLDEN["ranks"])
    assert kendall(ranks).value == pytest.approx(GOLDEN["ranks"]["kendall"], abs=5e-7)
    assert spearman(ranks).value == pytest.approx(GOLDEN["ranks"]["spearman"])


@pytest.mark.parametrize(
    ("measure", "plain"), [(pearson, plain_pearson), (spearman, plain_spearman), (kendall, plain_tau_b)]
)
@given(rows=pairs_with_gaps)
def test_agrees_with_the_definition_over_complete_pairs(measure, plain, rows):
    pairs = [row for row in rows if None not in row]
    found = measure(rows)
    assert found.n == {"units": len(pairs), "units left out": len(rows) - len(pairs)}
    if len(pairs) < 2 or any(len(set(column)) < 2 for column in zip(*pairs, strict=True)):
        assert found.value is None
        assert found.reason
        return
    assert found.value == pytest.approx(plain(pairs), abs=1e-9)


@pytest.mark.parametrize(
    ("measure", "peer"), [(pearson, stats.pearsonr), (spearman, stats.spearmanr), (kendall, stats.kendalltau)]
)
def test_agrees_with_scipy_on_continuous_scores(measure, peer):
    scores = np.random.default_rng(0).normal(size=(2000, 2)) @ [[1, 0.5], [0, 1]]
    assert measure(scores).value == pytest.approx(peer(scores[:, 0], scores[:, 1]).statistic)


def test_the_interval_of_pearson_is_that_of_fisher():
    scores = np.random.default_rng(0).normal(size=(30, 2)) @ [[1, 0.5], [0, 1]]
    expected = stats.pearsonr(scores[:, 0], scores[:, 1]).confidence_interval(0.9)
    found = pearson(scores, level=0.9)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_tau_b_from_a_table_and_by_sorting_is_the_same(monkeypatch):
    scores = np.random.default_rng(1).integers(1, 6, (500, 2))
    counted = kendall(scores).value
    monkeypatch.setattr("venire.stats.agreement.correlation._TABLE_CELLS", 0)
    assert kendall(scores).value == pytest.approx(counted)


def test_a_large_mean_does_not_cancel():
    scores = np.random.default_rng(2).normal(size=(40, 2))
    assert pearson(scores + 1e9).value == pytest.approx(pearson(scores).value, abs=1e-5)


def test_reversed_order_is_minus_one():
    rows = [[1, 4], [2, 3], [3, 2], [4, 1], [5, 0]]
    assert [measure(rows).value for measure in (pearson, spearman, kendall)] == pytest.approx([-1, -1, -1])


def test_ordered_labels_have_ranks_and_no_distances():
    rows = [["low", "low"], ["mid", "top"], ["top", "mid"], ["low", "mid"]]
    scale = ["low", "mid", "top"]
    numbers = [[scale.index(value) for value in row] for row in rows]
    assert spearman(rows, categories=scale).value == pytest.approx(spearman(numbers).value)
    with pytest.raises(UsageError, match="numbers"):
        pearson(rows)
    with pytest.raises(UsageError, match="order"):
        kendall(rows)


def test_more_than_two_judges_are_sent_to_the_matrix():
    with pytest.raises(UsageError, match="agreement_matrix"):
        pearson([[1, 2, 3]])
