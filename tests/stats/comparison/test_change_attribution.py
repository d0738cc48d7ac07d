import msgspec
import numpy as np
import pytest
from scipy import stats

from rating_rows import overall_row, primary
from venire.errors import UsageError
from venire.stats.comparison.change_attribution import attribute_change, attribute_changes
from venire.stats.ratings.table import RatingsTable


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


@pytest.mark.parametrize(("anchors", "known"), [(4, False), (5, True)])
def test_anchors_that_both_judges_scored_are_counted_and_five_are_enough(anchors, known):
    old = [*np.arange(anchors, dtype=float), np.nan, 1.0]
    new = [*np.arange(anchors) * 1.5, 1.0, np.nan]
    split = attribute_change([1, 2, 3], range(3), [2, 3, 5], range(3), old, new)
    assert (split.judge.n, split.judge.known) == ({"anchors": anchors}, known)
    if not known:
        assert split.system.n == {"anchors": anchors}


def test_copies_of_anchors_within_their_question_make_no_part_surer():
    old, new = np.array([3.0, 4.0, 2.0, 5.0, 3.0, 4.0]), np.array([3.5, 4.1, 3.0, 5.2, 3.1, 4.9])
    change = ([3.0, 4.0, 5.0], [1, 2, 3], [4.0, 4.5, 6.0], [1, 2, 3])
    once = attribute_change(*change, old, new, anchor_questions=np.arange(6))
    copied = attribute_change(*change, np.tile(old, 4), np.tile(new, 4), anchor_questions=np.tile(np.arange(6), 4))
    assert (once.judge.low, once.judge.high) == pytest.approx((copied.judge.low, copied.judge.high))
    assert (once.system.low, once.system.high) == pytest.approx((copied.system.low, copied.system.high))
    alone = attribute_change(*change, old, new)
    assert (alone.judge.low, alone.judge.high) == (once.judge.low, once.judge.high)
    one_question = attribute_change(*change, old, new, anchor_questions=np.zeros(6))
    assert (one_question.judge.low, one_question.judge.high) == (once.judge.low, once.judge.high)


def test_a_table_counts_anchors_by_their_questions():
    before, after = primary(runs("v1", 0, prefix="b")), primary(runs("v2", 3, prefix="c"))
    rows = [*runs("v1", 0, prefix="a"), *runs("v2", 1, prefix="a")]
    shared = [msgspec.structs.replace(row, question_id=str(int(row.question_id) // 2)) for row in rows]
    ((alone,), (in_pairs,)) = (
        attribute_changes(before, after, RatingsTable.from_rows(each)) for each in (rows, shared)
    )
    assert alone.judge.value == in_pairs.judge.value
    assert "cluster" in in_pairs.judge.method
    assert "cluster" not in alone.judge.method
