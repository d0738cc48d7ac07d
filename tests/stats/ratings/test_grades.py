import pytest

from venire.stats.ratings.grades import GRADES, grade


@pytest.mark.parametrize(
    ("score", "zh"),
    [(10, "优秀"), (9.0, "优秀"), (8.99, "良好"), (7.5, "良好"), (7.49, "合格"), (6.0, "合格"), (5.99, "不合格"),
     (3.0, "不合格"), (2.99, "严重缺陷"), (0, "严重缺陷")],
)  # fmt: skip
def test_grades_begin_at_their_thresholds(score, zh):
    assert grade(score).name("zh") == zh


def test_a_sum_of_decimals_does_not_lose_its_grade_to_rounding():
    assert grade(sum([0.9] * 10)).id == "excellent"


def test_an_unknown_score_has_no_grade():
    assert grade(None) is None
    assert [each.name("en") for each in GRADES] == ["excellent", "good", "acceptable", "poor", "critical"]
