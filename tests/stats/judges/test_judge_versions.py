import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rating_rows import judgement_rows, overall_row, primary
from venire.domain.judgement import Status
from venire.errors import PoolingError, UsageError
from venire.stats.comparison.change_attribution import attribute_change, attribute_changes
from venire.stats.judges.judge_versions import compare_judge_versions
from venire.stats.ratings.table import RatingsTable


def asked(unit, version, scores, **fields):
    verdict = "PASS" if sum(scores.values()) >= 3 else "FAIL"
    return judgement_rows(unit, "j", scores, rater_version=version, verdict=verdict, **fields)


def table(*rows):
    return RatingsTable.from_rows(row for group in rows for row in group)


def test_a_migration_compares_both_versions_on_identical_outputs():
    (found,) = compare_judge_versions(
        table(
            asked("u1", "v1", {"a": 1, "b": 2}), asked("u1", "v2", {"a": 1, "b": 1}),
            asked("u2", "v1", {"a": 0, "b": 2}), asked("u2", "v2", {"a": 2, "b": 2}),
            asked("u3", "v1", {"a": 2, "b": 2}), asked("u3", "v2", {"a": 2, "b": 2}),
            asked("u4", "v1", {"a": 2, "b": 2}), asked("u5", "v2", {"a": 0, "b": 0}),
        ),
        "v1", "v2",
    )  # fmt: skip
    assert (found.judge, found.outputs, found.only_old, found.only_new) == ("j", 3, 1, 1)
    assert found.overall.difference.difference.value == pytest.approx((-1 + 2 + 0) / 3)
    assert found.overall.exact_match.value == pytest.approx(1 / 3)
    assert found.overall.mean_absolute_difference.value == pytest.approx(1)
    assert (found.overall.raised, found.overall.lowered) == (1, 1)
    assert found.dimensions["a"].difference.difference.value == pytest.approx(2 / 3)
    assert found.dimensions["b"].exact_match.value == pytest.approx(2 / 3)
    assert found.verdict_flips.value == pytest.approx(2 / 3)
    assert found.verdicts == {"FAIL → PASS": 1, "PASS → FAIL": 1, "PASS → PASS": 1}


def test_invalid_judgements_are_counted_and_not_compared():
    (found,) = compare_judge_versions(
        table(
            asked("u1", "v1", {"a": 1}), asked("u1", "v2", {"a": 1}),
            asked("u2", "v1", {"a": 1}), asked("u2", "v2", {"a": 1}, status=Status.INVALID),
        ),
        "v1", "v2",
    )  # fmt: skip
    assert (found.outputs, found.only_old, found.invalid_old, found.invalid_new) == (1, 1, 0, 1)


def test_prompt_versions_compare_every_judge_that_has_both():
    rows = [
        judgement_rows("u", judge, {"a": score}, prompt_version=prompt, judgement=judge + prompt)
        for judge in "jk"
        for prompt, score in (("p1", 0), ("p2", 2))
    ]
    rows.append(judgement_rows("u", "l", {"a": 1}, prompt_version="p1"))
    found = compare_judge_versions(table(*rows), "p1", "p2")
    assert [(each.judge, each.overall.difference.difference.value) for each in found] == [("j", 2.0), ("k", 2.0)]


def test_errors_are_clustered_by_question():
    rows = []
    for n in range(12):
        rows.append(asked(f"u{n}", "v1", {"a": 0}, question_id=str(n % 4)))
        rows.append(asked(f"u{n}", "v2", {"a": n % 4 // 2}, question_id=str(n % 4)))
    (found,) = compare_judge_versions(table(*rows), "v1", "v2")
    assert found.overall.difference.n["clusters"] == 4
    assert found.overall.difference.difference.value == 0.5


def test_versions_that_no_judge_has_are_an_error_that_lists_the_versions():
    with pytest.raises(UsageError, match="v1, v2"):
        compare_judge_versions(table(asked("u", "v1", {"a": 1}), asked("u", "v2", {"a": 1})), "v1", "v3")


def test_one_version_is_not_compared_with_itself():
    with pytest.raises(UsageError, match="twice"):
        compare_judge_versions(table(asked("u", "v1", {"a": 1})), "v1", "v1")


def test_versions_under_different_protocols_are_not_compared():
    rows = table(asked("u", "v1", {"a": 1}, protocol="p1"), asked("u", "v2", {"a": 1}, protocol="p2"))
    with pytest.raises(PoolingError, match="p1, p2"):
        compare_judge_versions(rows, "v1", "v2")


@pytest.mark.parametrize("units", [["u"], ["u", "v", "w"]])
def test_versions_that_agree_on_everything_give_zero_without_an_interval(units):
    rows = [asked(unit, version, {"a": 1}) for unit in units for version in ("v1", "v2")]
    (found,) = compare_judge_versions(table(*rows), "v1", "v2")
    assert found.overall.difference.difference.value == 0
    assert found.overall.difference.p_value is None
    assert found.overall.difference.reason
    assert (found.overall.exact_match.value, found.verdict_flips.value) == (1.0, 0.0)


def test_versions_without_a_common_output_give_reasons():
    (found,) = compare_judge_versions(table(asked("u", "v1", {"a": 1}), asked("v", "v2", {"a": 1})), "v1", "v2")
    assert found.outputs == 0
    assert found.overall.difference.difference.value is None
    assert found.verdict_flips.reason


DRAWN = st.dictionaries(st.integers(0, 8), st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=9)


@given(DRAWN)
@settings(max_examples=40)
def test_the_comparison_is_that_of_a_plain_loop(drawn):
    rows = []
    for unit, (old, new) in drawn.items():
        rows += [asked(f"u{unit}", "v1", {"a": old}), asked(f"u{unit}", "v2", {"a": new})]
    (found,) = compare_judge_versions(table(*rows), "v1", "v2")
    differences = [new - old for old, new in drawn.values()]
    assert found.dimensions["a"].difference.difference.value == pytest.approx(np.mean(differences))
    assert found.dimensions["a"].exact_match.value == pytest.approx(np.mean([each == 0 for each in differences]))
    assert found.dimensions["a"].raised == sum(each > 0 for each in differences)


def test_a_judge_that_became_lenient_explains_its_part_of_a_change():
    rng = np.random.default_rng(0)
    ability = rng.normal(5, 1, 40)
    anchors = rng.normal(5, 1, 30)
    split = attribute_change(
        ability, np.arange(40), ability + 1.5 + rng.normal(0, 0.3, 40), np.arange(40),
        anchors, anchors + 1 + rng.normal(0, 0.2, 30),
    )  # fmt: skip
    assert split.judge.value == pytest.approx(1, abs=0.1)
    assert split.system.low < 0.5 < split.system.high
    assert split.system.low > 0.2
    assert split.observed.value == pytest.approx(split.judge.value + split.system.value)


def test_variances_of_the_two_parts_add_with_welchs_degrees():
    before, after = np.array([1.0, 2.0, 3.0, 5.0]), np.array([2.0, 2.0, 5.0, 6.0])
    old, new = np.array([1.0, 1.0, 2.0, 3.0, 4.0]), np.array([2.0, 1.0, 2.0, 4.0, 4.5])
    split = attribute_change(before, range(4), after, range(4), old, new)
    expected = stats.ttest_ind(after - before, new - old, equal_var=False).confidence_interval()
    assert (split.system.low, split.system.high) == pytest.approx((expected.low, expected.high))


def test_without_common_questions_the_means_are_compared_as_independent_ones():
    before, after = [1.0, 2.0, 3.0, 5.0], [2.0, 2.0, 5.0, 6.0, 9.0]
    split = attribute_change(before, range(4), after, range(10, 15), [1] * 5, [1] * 5)
    expected = stats.ttest_ind(after, before, equal_var=False).confidence_interval()
    assert (split.observed.low, split.observed.high) == pytest.approx((expected.low, expected.high))
    assert split.system.value == split.observed.value
    assert "moved alike" in split.notes[0]


def test_too_few_anchors_leave_the_split_unknown():
    split = attribute_change([1, 2, 3], range(3), [2, 3, 5], range(3), [1, 1], [1, 2])
    assert split.observed.known
    assert (split.judge.value, split.system.value) == (None, None)
    assert "2 anchors" in split.system.reason


def test_nothing_on_one_side_leaves_the_change_unknown():
    split = attribute_change([], [], [2, 3, 5], range(3), [1] * 5, [2] * 5)
    assert (split.observed.value, split.system.value) == (None, None)
    assert split.system.reason == "no observations"


def runs(version, shift, *, prefix, count=8):
    return [
        overall_row(f"{prefix}{n}", "j", n % 5 + shift + n % 2 * shift / 2, question_id=str(n), rater_version=version)
        for n in range(count)
    ]


def test_a_table_of_runs_and_anchors_is_split_judge_by_judge():
    anchors = [
        overall_row(f"a{n}", "j", n % 3 + shift + n % 2 * shift, rater_version=version, question_id=f"a{n}")
        for version, shift in (("v1", 0), ("v2", 1))
        for n in range(10)
    ]
    (split,) = attribute_changes(
        primary(runs("v1", 0, prefix="b")), primary(runs("v2", 3, prefix="c")), RatingsTable.from_rows(anchors)
    )
    assert split.judge_name == "j"
    assert (split.observed.value, split.judge.value, split.system.value) == (3.75, 1.5, 2.25)
    assert split.system.low < 2.25 < split.system.high


def test_an_unchanged_judge_leaves_the_whole_change_to_the_system():
    anchors = RatingsTable.from_rows(runs("v1", 0, prefix="a"))
    (split,) = attribute_changes(primary(runs("v1", 0, prefix="b")), primary(runs("v1", 2, prefix="c")), anchors)
    assert (split.judge.value, split.system.value) == (0.0, 2.5)
    assert split.notes == ("the judge's version did not change",)


def test_a_judge_without_a_version_cannot_be_split():
    before, after, anchors = (
        primary(runs("", 0, prefix="b")),
        primary(runs("", 0, prefix="c")),
        RatingsTable.from_rows([]),
    )
    with pytest.raises(UsageError, match="version"):
        attribute_changes(before, after, anchors)
