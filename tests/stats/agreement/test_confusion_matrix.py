"""Verdicts of judges and people, crossed: counts, shares and agreement, whole and by slice."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from venire.stats.agreement.confusion_matrix import confusion_by_slice, confusion_matrix
from venire.stats.uncertainty.intervals import wilson_interval

VERDICT = st.sampled_from(["PASS", "PARTIAL", "FAIL", None])


@settings(deadline=None)
@given(st.lists(st.tuples(VERDICT, VERDICT), max_size=40))
def test_counts_and_shares_are_those_of_a_plain_loop(pairs):
    found = confusion_matrix([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    whole = [pair for pair in pairs if None not in pair]
    plain = Counter(whole)
    for i, one in enumerate(found.labels):
        for j, two in enumerate(found.labels):
            assert found.counts[i, j] == plain[one, two]
    assert found.missing == len(pairs) - len(whole)
    same = sum(one == two for one, two in whole)
    assert found.agreement.value == (pytest.approx(same / len(whole)) if whole else None)
    for name in found.labels:
        said = [one for one, two in whole if two == name]
        assert found.recall[name].value == (pytest.approx(said.count(name) / len(said)) if said else None)
        given_to = [two for one, two in whole if one == name]
        assert found.precision[name].value == (
            pytest.approx(given_to.count(name) / len(given_to)) if given_to else None
        )


def test_a_published_table_of_two_readers_gives_its_kappa():
    # Cohen 1960, A Coefficient of Agreement for Nominal Scales, Educ. Psychol. Meas. 20, 37–46: the example
    # of 200 cases, with kappa .492.
    counts = {
        (1, 1): 88, (1, 2): 14, (1, 3): 18, (2, 1): 10, (2, 2): 40, (2, 3): 10, (3, 1): 2, (3, 2): 6, (3, 3): 12,
    }  # fmt: skip
    pairs = [pair for pair, count in counts.items() for _ in range(count)]
    found = confusion_matrix([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    assert found.kappa.value == pytest.approx(0.492, abs=5e-4)
    assert found.agreement.value == pytest.approx(0.70)


def test_shares_have_wilsons_interval_and_clusters_widen_it():
    judge, people = ["PASS"] * 8 + ["FAIL"] * 2, ["PASS"] * 10
    plain = confusion_matrix(judge, people).agreement
    many = confusion_matrix(judge * 3, people * 3).agreement
    wilson = wilson_interval(24, 30)
    assert (many.low, many.high) == pytest.approx((wilson.low, wilson.high))
    clustered = confusion_matrix(judge * 2, people * 2, clusters=list(range(10)) * 2).agreement
    assert clustered.high - clustered.low > 0.9 * (plain.high - plain.low)


def test_verdicts_stand_in_the_order_that_was_asked_for():
    found = confusion_matrix(["b", "a"], ["a", "c"], labels=["c", "b"])
    assert found.labels == ("c", "b", "a")


def test_slices_share_their_verdicts_and_small_ones_are_left_out():
    judge = ["PASS"] * 12 + ["FAIL"]
    people = ["PASS"] * 6 + ["FAIL"] * 6 + ["PARTIAL"]
    found = confusion_by_slice(judge, people, ["en"] * 6 + ["zh"] * 6 + ["fr"], smallest=5)
    assert list(found) == ["en", "zh"]
    assert found["en"].labels == found["zh"].labels == ("FAIL", "PARTIAL", "PASS")
    assert (found["en"].agreement.value, found["zh"].agreement.value) == (1.0, 0.0)
    assert found["zh"].recall["PARTIAL"].value is None


@pytest.mark.parametrize("verdicts", [[], [None, None]])
def test_nothing_to_cross_is_not_known(verdicts):
    found = confusion_matrix(verdicts, verdicts)
    assert found.counts.shape == (0, 0)
    assert found.agreement.value is None
    assert found.kappa.value is None


def test_one_verdict_for_everything_says_nothing_beyond_chance():
    found = confusion_matrix(np.array(["PASS"] * 5), np.array(["PASS"] * 5))
    assert found.agreement.value == 1.0
    assert found.kappa.value is None
