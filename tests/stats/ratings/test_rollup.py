import pytest

from venire.errors import UsageError
from venire.stats.ratings.rollup import roll_up


def test_tests_roll_up_to_a_dimension_as_in_the_source():
    tests = {"基础性能": {"1": 8.5, "2": 8.0, "3": 9.0, "4": 8.7}}
    weights = {"基础性能": dict.fromkeys("1234", 0.25)}
    result = roll_up(tests, test_weights=weights)
    assert result.dimensions["基础性能"].value == pytest.approx(8.55, abs=1e-12)
    assert (result.overall.value, result.overall.coverage) == (pytest.approx(8.55), pytest.approx(0.25))
    assert result.overall.missing == ("核心能力", "实用场景", "高级特性")
    assert not result.complete


def test_dimensions_roll_up_to_the_overall_score_of_the_source():
    tests = {"基础性能": {"t": 8.55}, "核心能力": {"t": 8.2}, "实用场景": {"t": 8.4}, "高级特性": {"t": 7.8}}
    result = roll_up(tests)
    assert result.overall.value == pytest.approx(8.2775, abs=1e-12)
    assert result.complete
    assert result.grade.zh == "良好"


def test_tests_count_by_weights_that_are_divided_by_their_sum():
    result = roll_up({"d": {"a": 10.0, "b": 4.0}}, test_weights={"d": {"a": 1, "b": 2}}, dimension_weights={"d": 1})
    assert result.overall.value == pytest.approx(6.0)


def test_a_missing_test_is_left_out_and_told():
    result = roll_up({"d": {"a": 10.0, "b": None}}, dimension_weights={"d": 1})
    assert (result.overall.value, result.complete) == (10.0, False)
    assert result.dimensions["d"].missing == ("b",)


def test_a_dimension_without_a_weight_is_refused():
    with pytest.raises(UsageError, match="wit"):
        roll_up({"wit": {"a": 1.0}})
