"""What the words mean in which judges name their numbers, in English and Chinese."""

from __future__ import annotations

import pytest

from venire.domain.design import BundleDesign
from venire.protocols.catalogue import find_protocol
from venire.validation.aggregate_words import Meaning, Vocabulary

EXPLICIT = Meaning("group", "explicit", "trigger")


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    protocol = find_protocol("drift-bundle")
    assert isinstance(protocol.design, BundleDesign)
    return Vocabulary(protocol.design, protocol.dimension_ids)


@pytest.mark.parametrize(
    ("words", "meaning"),
    [
        ("average 平均分", Meaning("quantity", "mean")),
        ("count 份数", Meaning("quantity", "count")),
        ("lowest 最低分", Meaning("quantity", "minimum")),
        ("highest 最高分", Meaning("quantity", "maximum")),
        ("gap 差距", Meaning("quantity", "difference")),
        ("sum 合计", Meaning("quantity", "sum")),
        ("perfect 满分", Meaning("subject", "perfect")),
        ("zero 零分", Meaning("subject", "zero")),
        ("files 样本数", Meaning("entries")),
        ("total 总分", Meaning("total")),
        ("minus 减去", Meaning("minus")),
        ("overall 总体", Meaning("all")),
        ("of 的", Meaning("plain")),
        ("explicit 显式", EXPLICIT),
        ("implicit 隐式", Meaning("group", "implicit", "trigger")),
        ("baseline 基线", Meaning("group", "baseline", "version")),
        ("long 长版", Meaning("group", "long", "version")),
        ("weak 弱化", Meaning("group", "weak", "version")),
        ("conflict 冲突", Meaning("group", "conflict", "version")),
        ("trigger 触发方式", Meaning("plain")),
        ("versions 版本", Meaning("plain")),
    ],
)
def test_a_word_means_the_same_in_both_languages(vocabulary: Vocabulary, words: str, meaning: Meaning) -> None:
    assert vocabulary.read(words) == (meaning, meaning)


def test_questions_may_be_named_by_number_and_no_points_by_a_digit(vocabulary: Vocabulary) -> None:
    number = vocabulary.read("第3题")
    assert number == vocabulary.read("question 3") == vocabulary.read("题目3")
    assert number == (Meaning("group", "q3", "question"),)
    assert vocabulary.read("0分") == (Meaning("subject", "zero"),)
    assert vocabulary.read("10分")[-1] != Meaning("subject", "zero")


def test_words_are_told_apart_by_capitals_and_joined_by_signs(vocabulary: Vocabulary) -> None:
    mean = Meaning("quantity", "mean")
    assert vocabulary.read("explicitMean") == (EXPLICIT, mean)
    assert vocabulary.read("(explicit): mean") == (EXPLICIT, mean)
    assert vocabulary.read("explicit ~ mean") == (EXPLICIT, Meaning("unknown", "~"), mean)
    assert vocabulary.read("explicit ~ mean", "~") == (EXPLICIT, mean)


def test_a_run_of_chinese_is_cut_into_the_longest_known_words(vocabulary: Vocabulary) -> None:
    assert vocabulary.read("显式触发平均总分") == (EXPLICIT, Meaning("quantity", "mean"))
    assert vocabulary.read("显式甲均值") == (EXPLICIT, Meaning("unknown", "甲"), Meaning("quantity", "mean"))


def test_a_text_of_more_than_300_characters_is_no_key(vocabulary: Vocabulary) -> None:
    assert vocabulary.read("a " * 150) == (Meaning("plain"),) * 150
    (found,) = vocabulary.read("a " * 150 + "a")
    assert found.kind == "unknown"
