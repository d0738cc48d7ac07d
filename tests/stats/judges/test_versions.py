import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rating_rows import judgement_rows
from venire.domain.judgement import Status
from venire.errors import PoolingError, UsageError
from venire.stats.judges.versions import compare_judge_versions
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
