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


@pytest.mark.parametrize("seed", range(6))
def test_the_interval_of_pearson_is_the_wider_of_fishers_and_the_jackknifes(seed):
    scores = np.random.default_rng(seed).normal(size=(30, 2)) @ [[1, 0.5], [0, 1]]
    fisher = stats.pearsonr(scores[:, 0], scores[:, 1]).confidence_interval(0.9)
    value = stats.pearsonr(scores[:, 0], scores[:, 1]).statistic
    left = np.arctanh([np.corrcoef(np.delete(scores, unit, axis=0).T)[0, 1] for unit in range(30)])
    reach = stats.t.ppf(0.95, 29) * np.sqrt(29 / 30 * ((left - left.mean()) ** 2).sum())
    found = pearson(scores, level=0.9)
    assert found.low == pytest.approx(min(fisher.low, np.tanh(np.arctanh(value) - reach)), abs=1e-9)
    assert found.high == pytest.approx(max(fisher.high, np.tanh(np.arctanh(value) + reach)), abs=1e-9)


@pytest.mark.parametrize("measure", [pearson, spearman, kendall])
def test_units_of_one_question_count_as_one(measure):
    scores = np.random.default_rng(5).integers(1, 9, (40, 2)) + np.arange(40)[:, None] // 8
    once = measure(scores)
    apart = measure(np.repeat(scores, 5, axis=0))
    together = measure(np.repeat(scores, 5, axis=0), clusters=np.repeat(np.arange(40), 5))
    assert together.n["clusters"] == 40
    assert "by cluster" in together.method
    assert together.value == pytest.approx(apart.value)
    assert together.high - together.low == pytest.approx(once.high - once.low, rel=0.15)
    assert together.high - together.low > 1.5 * (apart.high - apart.low)


@pytest.mark.parametrize("measure", [spearman, kendall])
def test_rank_correlations_without_a_question_are_the_same_by_table_and_by_sorting(measure, monkeypatch):
    scores = np.random.default_rng(1).integers(1, 6, (60, 2))
    clusters = np.repeat(np.arange(12), 5)
    by_table = measure(scores, clusters=clusters)
    monkeypatch.setattr("venire.stats.agreement.correlation._is_small", lambda *_: False)
    by_sorting = measure(scores, clusters=clusters)
    assert (by_sorting.low, by_sorting.high) == pytest.approx((by_table.low, by_table.high))


def test_tau_b_from_a_table_and_by_sorting_is_the_same(monkeypatch):
    scores = np.random.default_rng(1).integers(1, 6, (500, 2))
    counted = kendall(scores).value
    monkeypatch.setattr("venire.stats.agreement.correlation._is_small", lambda *_: False)
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
