import pytest

from rating_rows import judgement_rows, overall_row
from venire.domain.judgement import Status
from venire.errors import PoolingError
from venire.stats.judges.retests import judge_retests
from venire.stats.ratings.table import RatingsTable


def table(*rows):
    return RatingsTable.from_rows(row for group in rows for row in group)


def test_first_answers_are_compared_with_consistency_checks():
    pairs = [
        ({"a": 0, "b": 2}, {"a": 0, "b": 2}),
        ({"a": 1, "b": 2}, {"a": 2, "b": 2}),
        ({"a": 2, "b": 1}, {"a": 2, "b": 0}),
    ]
    rows = []
    for n, (first, second) in enumerate(pairs):
        rows += [judgement_rows(f"u{n}", "j", first), judgement_rows(f"u{n}", "j", second, repeat="retest-1")]
    rows += [judgement_rows("u9", "j", {"a": 0, "b": 0}), judgement_rows("u0", "j", {"a": 2, "b": 0}, repeat="reask-1")]
    (found,) = judge_retests(table(*rows))
    assert (found.judge, found.lost) == ("j", 0)
    assert found.overall.exact_match.value == pytest.approx(1 / 3)
    assert found.overall.mean_absolute_difference.value == pytest.approx(2 / 3)
    assert found.dimensions["b"].exact_match.value == pytest.approx(2 / 3)


def test_checks_without_a_valid_partner_are_counted_as_lost():
    (found,) = judge_retests(
        table(
            [overall_row("u", "j", 1), overall_row("u", "j", 2, repeat="retest-1")],
            [overall_row("v", "j", 1, status=Status.INVALID), overall_row("v", "j", 2, repeat="retest-1")],
            [overall_row("w", "j", 1), overall_row("w", "j", 2, repeat="retest-1", status=Status.RECOVERED)],
        )
    )
    assert found.lost == 2
    assert found.overall.exact_match.n["values"] == 1
    assert found.overall.icc.reason


def test_judges_without_checks_are_left_out():
    assert judge_retests(table([overall_row("u", "j", 1)])) == ()
    assert judge_retests(table([])) == ()


def test_retests_do_not_pool_versions():
    with pytest.raises(PoolingError):
        judge_retests(table([overall_row("u", "j", 1, rater_version="1"), overall_row("u", "j", 1, rater_version="2")]))
