import itertools
import statistics

import numpy as np
import pytest

from rating_rows import overall_row, primary
from venire.domain.judgement import Method
from venire.stats.judges.self_preference import self_preference


def family(*, preference, leniency=0.0, questions=30, noise=0.2, seed=0):
    """Three judges that are models too; `a` favours its own outputs, which are the best, and may be lenient."""
    rng = np.random.default_rng(seed)
    rows = []
    for question, target in itertools.product(range(questions), "abc"):
        quality = {"a": 6.0, "b": 4.0, "c": 3.0}[target] + rng.normal(0, 0.5)
        for judge in "abc":
            shift = (preference if judge == target == "a" else 0.0) + (leniency if judge == "a" else 0.0)
            method = Method.SELF_JUDGE if judge == target else Method.CROSS_JUDGE
            rows.append(
                overall_row(
                    f"{target}{question}", judge, quality + shift + rng.normal(0, noise), method=method,
                    question_id=str(question), target_model=target,
                )
            )  # fmt: skip
    return rows


def test_self_preference_is_found_beside_quality_and_leniency():
    found = {
        each.judge: each for each in self_preference(primary(family(preference=1.5, leniency=1.0), include_self=True))
    }
    assert found["a"].estimate.low < 1.5 < found["a"].estimate.high
    assert found["a"].estimate.value == pytest.approx(1.5, abs=0.2)
    assert (found["a"].observations, found["a"].details["outputs of others"]) == (30, 60)


def test_a_lenient_judge_of_good_outputs_does_not_prefer_itself():
    found = self_preference(primary(family(preference=0.0, leniency=2.0), include_self=True))
    assert all(each.estimate.low < 0 < each.estimate.high for each in found)


def test_self_preference_is_the_difference_of_two_plain_leads():
    rows = family(preference=1.0, questions=12)
    found = self_preference(primary(rows, include_self=True))[0]
    leads = {True: [], False: []}
    for row in rows:
        if row.rater != "a":
            continue
        others = [
            other.overall
            for other in rows
            if other.unit == row.unit and other.rater != "a" and other.rater != other.target_model
        ]
        leads[row.target_model == "a"].append(row.overall - statistics.fmean(others))
    assert found.estimate.value == pytest.approx(statistics.fmean(leads[True]) - statistics.fmean(leads[False]))


def test_self_preference_stays_silent_below_its_minimum():
    (first, *_) = self_preference(primary(family(preference=3, questions=9), include_self=True))
    assert (first.estimate.value, first.smallest) == (None, 10)
    assert first.estimate.reason == "only 9 observations, fewer than the 10 needed"


def test_self_preference_needs_the_self_judged_ones():
    (silent,) = self_preference(primary(family(preference=1)))
    assert "include_self=True" in silent.estimate.reason
    (nobody,) = self_preference(primary([overall_row("u", "j", 1)], include_self=True))
    assert nobody.estimate.reason == "no judge judged its own outputs"
