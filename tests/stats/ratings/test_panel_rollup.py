import math

import numpy as np
import pytest
from scipy import stats

from rating_rows import overall_row, primary
from venire.stats.ratings.panel_rollup import roll_up_panel
from venire.stats.ratings.panel_scores import panel_scores
from venire.stats.ratings.rollup import RollupDimension, RollupPlan

SCORES = {"a1": [6.0, 8.0, 9.0], "a2": [5.0, 6.0], "b1": [9.0, 4.0, 5.0, 7.0]}
PLAN = RollupPlan(
    {"A": RollupDimension({"a1": 1, "a2": 3}, weight=0.6), "B": RollupDimension(("b1",), weight=0.4)}, by="test"
)


def rolled(scores):
    rows = [
        overall_row(f"{test} {n}", "j", score, question_id=f"{test} {n}", target_model="m", factors={"test": test})
        for test, given in scores.items()
        for n, score in enumerate(given)
    ]
    (found,) = roll_up_panel(panel_scores(primary(rows)), PLAN, level=0.9)
    return found


def test_the_overall_score_has_the_interval_of_welch_and_satterthwaite():
    found = rolled(SCORES)
    weights = {"a1": 0.6 / 4, "a2": 0.6 * 3 / 4, "b1": 0.4}
    assert found.overall.value == pytest.approx(sum(weights[test] * np.mean(SCORES[test]) for test in weights))
    parts = {test: weights[test] ** 2 * np.var(SCORES[test], ddof=1) / len(SCORES[test]) for test in weights}
    degrees = sum(parts.values()) ** 2 / sum(parts[test] ** 2 / (len(SCORES[test]) - 1) for test in parts)
    reach = stats.t.ppf(0.95, degrees) * math.sqrt(sum(parts.values()))
    assert found.overall.high - found.overall.value == pytest.approx(reach)
    assert found.overall.value - found.overall.low == pytest.approx(reach)
    assert found.overall.n == {"tests": 3, "values": 9}
    assert found.coverage == 1
    assert found.missing == ()


def test_a_missing_test_leaves_its_weight_to_the_others_of_its_dimension():
    found = rolled({test: SCORES[test] for test in ("a1", "b1")})
    assert found.dimensions["A"].value == pytest.approx(np.mean(SCORES["a1"]))
    assert found.coverage == pytest.approx(0.6 / 4 + 0.4)
    assert found.missing == ("a2",)
    assert not found.tests["a2"].known


def test_a_test_without_an_error_of_its_own_leaves_no_interval():
    found = rolled(SCORES | {"a2": [5.0]})
    assert found.overall.low is None
    assert found.overall.reason.startswith("a test has no error of its own")
    assert found.dimensions["B"].low is not None


def test_groups_are_listed_best_first():
    means = {"fair": 5.0, "best": 9.0, "good": 7.0}
    rows = [
        overall_row(f"{model} {n}", "j", mean + n, question_id=f"{n}", target_model=model, factors={"test": "b1"})
        for model, mean in means.items()
        for n in range(2)
    ]
    found = roll_up_panel(panel_scores(primary(rows)), PLAN)
    assert [each.where["target_model"] for each in found] == ["best", "good", "fair"]
