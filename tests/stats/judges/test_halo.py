import itertools
import math

import msgspec
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


@pytest.mark.parametrize(("groups", "known"), [(1, False), (2, True), (3, True)])
def test_two_questions_are_enough_for_an_interval(groups, known):
    rows = [
        msgspec.structs.replace(row, question_id=str(int(row.unit[1:]) % groups))
        for row in panel_with_halo(0.5, units=30)
    ]
    estimate = halo(primary(rows))[0].estimate
    assert (estimate.n["groups"], estimate.low is not None) == (groups, known)


def test_the_interval_is_that_of_the_jackknife_over_questions():
    rows = panel_with_halo(0.5, units=40)
    whole = halo(primary(rows))[0].estimate
    questions = sorted({row.question_id for row in rows})
    kept = [[row for row in rows if row.question_id != name] for name in questions]
    left_out = [halo(primary(each))[0].estimate.value for each in kept]
    count = len(questions)
    error = math.sqrt((count - 1) / count * sum((value - np.mean(left_out)) ** 2 for value in left_out))
    assert whole.standard_error == pytest.approx(error)
    assert whole.high - whole.value == pytest.approx(stats.t.ppf(0.975, count - 1) * error)
