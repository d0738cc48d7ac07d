import itertools

import numpy as np
import pytest
from scipy import stats

from rating_rows import judgement_rows, primary
from venire.stats.judges.halo import halo


def panel_with_halo(halo_of_first, *, units=200, seed=5):
    """Give two dimensions that are unrelated in the outputs; the first judge lets one impression colour both."""
    rng = np.random.default_rng(seed)
    rows = []
    for n in range(units):
        truth = rng.normal(0, 1, 2)
        for judge in "jk":
            mood = rng.normal(0, 1) * (halo_of_first if judge == "j" else 0.0)
            scores = dict(zip("xy", (truth + mood + rng.normal(0, 0.3, 2)).tolist(), strict=True))
            rows += judgement_rows(f"u{n}", judge, scores, question_id=str(n % 40), minimum=-9.0, maximum=9.0)
    return rows


def test_halo_is_found_in_the_judge_that_has_it():
    first, second = halo(primary(panel_with_halo(1.0)))
    assert first.estimate.low > 0.2
    assert second.estimate.low < 0.1
    assert first.details["within the judge"] > 0.35
    assert abs(first.details["across judges"]) < 0.15
    assert first.estimate.n == {"outputs": 200, "groups": 40}


def test_halo_is_the_difference_of_plain_correlations():
    rows = panel_with_halo(0.5, units=40)
    columns = {
        key: [row.score for row in rows if (row.rater, row.dimension) == key] for key in itertools.product("jk", "xy")
    }

    def r(one, two):
        return stats.pearsonr(columns[one], columns[two]).statistic

    expected = r(("j", "x"), ("j", "y")) - (r(("j", "x"), ("k", "y")) + r(("j", "y"), ("k", "x"))) / 2
    assert halo(primary(rows))[0].estimate.value == pytest.approx(expected)


def test_halo_of_a_single_judge_or_dimension_is_not_known():
    alone = [row for row in panel_with_halo(1.0, units=60) if row.rater == "j"]
    (found,) = halo(primary(alone))
    assert found.estimate.reason == "no other judge whose scores could be compared"
    assert found.details["within the judge"] > 0
    (silent,) = halo(primary([row for row in alone if row.dimension == "x"]))
    assert silent.estimate.reason == "fewer than two dimensions"


def test_halo_of_equal_scores_is_not_known():
    rows = [
        row
        for n, judge in itertools.product(range(40), "jk")
        for row in judgement_rows(f"u{n}", judge, {"x": 1, "y": 1})
    ]
    assert all("no variation" in each.estimate.reason for each in halo(primary(rows)))


def test_outputs_of_which_a_judge_scored_one_dimension_are_no_observations():
    rows = [row for row in panel_with_halo(0.5, units=40) if (row.rater, row.unit, row.dimension) != ("j", "u0", "x")]
    first, second = halo(primary(rows))
    assert (first.estimate.n["outputs"], second.estimate.n["outputs"]) == (39, 40)
