import itertools

import numpy as np
import pytest

from rating_rows import overall_row, primary
from venire.domain.judgement import Method
from venire.errors import UsageError
from venire.stats.judges.group_bias import group_bias


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


def test_a_judge_that_favours_a_language_more_than_the_panel_is_found():
    rng = np.random.default_rng(4)
    rows = [
        overall_row(
            f"{language}{n}", judge, 5 + rng.normal(0, 0.3) + (1.2 if (judge, language) == ("j", "zh") else 0),
            question_id=str(n), factors={"language": language},
        )
        for n, language, judge in itertools.product(range(25), ("zh", "en"), "jkl")
    ]  # fmt: skip
    found = {(each.judge, each.about): each.estimate for each in group_bias(primary(rows))}
    assert found["j", "zh"].low < 1.2 < found["j", "zh"].high
    assert found["j", "en"].value == pytest.approx(-found["j", "zh"].value)
    assert found["k", "zh"].high < 0


def test_groups_may_be_made_of_any_factor_and_unknown_ones_are_refused():
    assert {each.about for each in group_bias(primary(family(preference=0)), "target_model")} == {"a", "b", "c"}
    with pytest.raises(UsageError, match="no such"):
        group_bias(primary(family(preference=0)), "no such")


def test_without_languages_language_bias_is_not_known():
    (found,) = group_bias(primary(family(preference=0)))
    assert "language" in found.estimate.reason
