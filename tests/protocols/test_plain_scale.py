from __future__ import annotations

import pytest

from venire.protocols.plain_scale import is_upright, is_upside_down, read_scale


@pytest.mark.parametrize(
    "given", ["1-5", " 1 – 5 ", "1..5", "1 to 5", "1至5", [1, 2, 3, 4, 5], [1, 5], {"1": "", "5": ""}]
)
def test_a_range_is_read_however_it_is_written(given):
    scale = read_scale(given)
    assert scale is not None
    assert (scale.minimum, scale.maximum, scale.names) == (1, 5, {})


@pytest.mark.parametrize(
    ("given", "low", "high"),
    [
        ("pass/fail", "fail", "pass"),
        ("fail / pass", "fail", "pass"),
        ("Yes/No", "No", "Yes"),
        ("是/否", "否", "是"),
        ([False, True], "no", "yes"),
        (["bad", "good"], "bad", "good"),
    ],
)
def test_a_pair_is_scored_nought_and_one_whichever_is_written_first(given, low, high):
    scale = read_scale(given)
    assert scale is not None
    assert scale.names == {low: "0", high: "1"}


def test_words_for_some_scores_leave_the_others_without():
    scale = read_scale({"1": "Bad.", "5": "Good."})
    assert scale is not None
    assert (scale.minimum, scale.maximum, scale.texts) == (1, 5, {"1": "Bad.", "5": "Good."})


@pytest.mark.parametrize(
    "given", ["", "five", "5", 5, 2.5, None, True, "5-1", "3-3", [], ["good"], ["a", "a"], {"a": 1}, {"3": "x"}, "a/b"]
)
def test_what_is_no_scale_is_none(given):
    assert read_scale(given) is None


def test_words_tell_which_end_is_the_better_one():
    assert is_upside_down(("Excellent", "fair", "poor"))
    assert is_upright(("poor", "fair", "Excellent"))
    assert not is_upside_down(("one", "two"))
    assert not is_upright(("one", "two"))


# fmt: off
GOOD = [
    "pass", "yes", "true", "good", "best", "great", "excellent", "outstanding", "exemplary", "perfect", "high",
    "strong", "advanced", "full", "通过", "合格", "是", "对", "好", "优", "优秀", "最好", "完美", "高",
]
BAD = [
    "fail", "no", "false", "bad", "worst", "poor", "terrible", "unacceptable", "low", "weak", "beginning", "none",
    "missing", "inadequate", "unsatisfactory", "不通过", "不合格", "否", "错", "坏", "差", "劣", "最差", "低", "无",
]
# fmt: on


@pytest.mark.parametrize("name", GOOD)
def test_a_word_for_what_is_good_belongs_to_the_last_level(name):
    assert is_upright(("something", name))
    assert is_upside_down((name, "poor"))


@pytest.mark.parametrize("name", BAD)
def test_a_word_for_what_is_bad_belongs_to_the_first_level(name):
    assert is_upright((name, "something"))
    assert is_upside_down(("good", name))
