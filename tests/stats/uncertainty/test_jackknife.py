"""The jackknife: groups that are dealt evenly, and intervals as a second computation on Fisher's scale gives them."""

import math

import numpy as np
import pytest
from scipy import stats

from venire.errors import UsageError
from venire.stats.result import Estimate
from venire.stats.uncertainty.jackknife import JackknifeGroups, cluster_codes_of, jackknife_groups, with_jackknife

LEFT = np.array([0.5, 0.6, 0.7, 0.55, 0.65])
BLANK = Estimate(value=0.6, method="m", n={"units": 5})


def groups(size, clusters=None):
    return JackknifeGroups(np.arange(size), size, clusters)


def interval(scale, raters=2, **options):
    found = with_jackknife(BLANK, LEFT, groups(5), level=0.9, scale=scale, raters=raters, **options)
    return found.low, found.high


def by_hand(to_z, from_z):
    without = np.array([to_z(value) for value in LEFT])
    error = math.sqrt(4 / 5 * ((without - without.mean()) ** 2).sum())
    reach = stats.t.ppf(0.95, 4) * error
    return pytest.approx((from_z(to_z(0.6) - reach), from_z(to_z(0.6) + reach)))


def test_intervals_are_symmetric_on_the_scale_of_their_coefficient():
    assert interval("correlation") == by_hand(math.atanh, math.tanh)
    root = math.sqrt(2)
    assert interval("effect") == by_hand(lambda x: math.asinh(x / root), lambda z: root * math.sinh(z))
    assert interval("intraclass", 1) == by_hand(lambda x: -math.log(1 - x) / 2, lambda z: 1 - math.exp(-2 * z))
    assert interval("intraclass", 3) == by_hand(
        lambda x: math.log((1 + 2 * x) / (1 - x)) / 2, lambda z: (math.exp(2 * z) - 1) / (math.exp(2 * z) + 2)
    )


def test_a_wider_reach_of_theory_is_taken():
    low, high = interval("correlation", least_error=2.0)
    assert (low, high) == pytest.approx((math.tanh(math.atanh(0.6) - 2), math.tanh(math.atanh(0.6) + 2)))
    assert interval("correlation", least_error=0.001) == interval("correlation")


def test_the_standard_error_is_that_of_the_coefficient_itself():
    spread = math.sqrt(4 / 5 * ((LEFT - LEFT.mean()) ** 2).sum())
    found = with_jackknife(BLANK, LEFT, groups(5), level=0.9)
    assert found.standard_error == pytest.approx(spread)
    assert found.level == 0.9
    published = with_jackknife(BLANK, LEFT, groups(5), level=0.9, standard_error=0.25)
    assert published.standard_error == 0.25
    clustered = with_jackknife(BLANK, LEFT, groups(5, clusters=7), level=0.9, standard_error=0.25)
    assert clustered.standard_error == pytest.approx(spread)
    assert clustered.n == {"units": 5, "clusters": 7}


def test_what_has_no_interval_says_why():
    one = with_jackknife(BLANK, LEFT[:1], groups(1), level=0.9)
    unknown = with_jackknife(BLANK, np.array([0.5, np.nan]), groups(2, clusters=2), level=0.9)
    alike = with_jackknife(BLANK, np.array([0.5, 0.5]), groups(2), level=0.9)
    codes = [each.reason.code for each in (one, unknown, alike)]
    assert codes == [
        "reason.no_interval.two_units", "reason.no_interval.left_out_cluster", "reason.no_interval.same_agreement",
    ]  # fmt: skip
    assert {each.low for each in (one, unknown, alike)} == {None}
    assert with_jackknife(BLANK, np.array([0.5, 0.5]), groups(2), level=0.9, least_error=0.1).low is not None


def test_an_interval_of_few_is_called_rough():
    assert with_jackknife(BLANK, LEFT, groups(5), level=0.9, rough_below=5).note == ""
    rough = with_jackknife(BLANK, LEFT, groups(5), level=0.9, rough_below=6).note
    assert (rough.code, rough.values["found"]) == ("note.rough_units", 5)
    assert with_jackknife(BLANK, LEFT, groups(5, clusters=9), level=0.9, rough_below=9).note == ""


def test_an_interval_holds_its_value_and_perfect_agreement_has_an_end():
    perfect = with_jackknife(Estimate(value=1.0, method="m"), np.array([1.0, 0.9]), groups(2), level=0.9)
    assert perfect.low <= 1.0 == perfect.high


@pytest.mark.parametrize(("units", "size"), [(0, 0), (99, 99), (100, 100), (101, 100), (250, 100)])
def test_units_are_dealt_into_a_hundred_groups_at_most(units, size):
    found = jackknife_groups(units, None)
    assert (found.size, found.clusters, found.drawn) == (size, None, "unit")
    counts = np.bincount(found.group, minlength=size)
    assert counts.sum() == units
    assert counts.max(initial=0) - counts.min(initial=counts.max(initial=0)) <= 1


def test_many_units_are_shuffled_alike_each_time():
    first, second = jackknife_groups(250, None), jackknife_groups(250, None)
    assert np.array_equal(first.group, second.group)
    assert first.group[:100].tolist() != list(range(100))


def test_clusters_are_left_out_whole():
    clusters = np.repeat([7, 3, 9], 4)
    found = jackknife_groups(12, clusters, most=2)
    assert (found.size, found.clusters, found.drawn) == (2, 3, "cluster")
    assert all(len(set(found.group[clusters == each])) == 1 for each in (3, 7, 9))


def test_tables_are_counted_group_by_group(monkeypatch):
    found = JackknifeGroups(np.array([0, 1, 0, 1]), 2, None)
    cells = np.array([0, 2, 0, 1])
    expected = [[2, 0, 0], [0, 1, 1]]
    assert [each.tolist() for each in found.tally(cells, 3)] == expected
    monkeypatch.setattr("venire.stats.uncertainty.jackknife._CELLS_AT_ONCE", 5)
    assert [each.tolist() for each in found.tally(cells, 3)] == expected


def test_every_unit_needs_a_cluster():
    assert cluster_codes_of(None, 3) is None
    assert cluster_codes_of(["b", "a", "b"], 3).tolist() == [1, 0, 1]
    with pytest.raises(UsageError) as caught:
        cluster_codes_of(["a"], 2)
    assert caught.value.values == {"units": 2, "found": 1}
    with pytest.raises(UsageError) as missing:
        cluster_codes_of(["a", None], 2)
    assert missing.value.message.code == "error.stats.unit_without_cluster"
