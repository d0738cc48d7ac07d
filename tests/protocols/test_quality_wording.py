"""The bundled `quality` protocol says what its source says, in both languages, with nothing missing."""

from __future__ import annotations

from importlib.resources import files
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec
import pytest

from venire.domain.protocol import EvalProtocol, Words
from venire.words.language import languages

if TYPE_CHECKING:
    from collections.abc import Iterator

# Categories, their Chinese names and their weights, as the guide to the quality evaluation system prints them.
CATEGORIES = {
    "qa_simple": ("简单问答", {"accuracy": 0.40, "conciseness": 0.30, "clarity": 0.30}),
    "reasoning_complex": ("复杂推理", {"reasoning_quality": 0.40, "completeness": 0.30, "clarity": 0.30}),
    "code_generation": (
        "代码生成",
        {"code_correctness": 0.50, "code_style": 0.20, "efficiency": 0.20, "documentation": 0.10},
    ),
    "generation_long": (
        "长文本生成",
        {"structure": 0.25, "content_quality": 0.35, "creativity": 0.20, "clarity": 0.20},
    ),
    "summarization": ("摘要", {"completeness": 0.40, "conciseness": 0.30, "accuracy": 0.30}),
    "translation": ("翻译", {"accuracy": 0.50, "fluency": 0.30, "cultural_appropriateness": 0.20}),
    "math_reasoning": ("数学推理", {"accuracy": 0.50, "reasoning_quality": 0.30, "clarity": 0.20}),
    "creative_writing": (
        "创意写作",
        {"creativity": 0.30, "coherence": 0.30, "emotional_impact": 0.20, "originality": 0.20},
    ),
    "factual_accuracy": ("事实准确性", {"accuracy": 0.50, "completeness": 0.30, "citation_quality": 0.20}),
    "multi_turn": ("多轮对话", {"context_retention": 0.40, "relevance": 0.30, "coherence": 0.30}),
}

CHINESE_NAMES = {
    "accuracy": "准确性",
    "conciseness": "简洁性",
    "clarity": "清晰度",
    "reasoning_quality": "推理质量",
    "completeness": "完整性",
    "code_correctness": "代码正确性",
    "code_style": "代码风格",
    "efficiency": "效率",
    "documentation": "文档",
    "structure": "结构",
    "content_quality": "内容质量",
    "creativity": "创造力",
    "fluency": "流畅性",
    "cultural_appropriateness": "文化适应性",
    "coherence": "连贯性",
    "emotional_impact": "情感冲击",
    "originality": "原创性",
    "citation_quality": "引用质量",
    "context_retention": "上下文保持",
    "relevance": "相关性",
}

# The six criteria whose levels the source words itself, from 5 down to 1.
SOURCE_LEVELS = {
    "accuracy": (
        "信息完全准确，无错误",
        "基本准确，有轻微瑕疵",
        "部分准确，有明显错误",
        "大部分不准确",
        "完全错误",
    ),
    "conciseness": (
        "用最少的话完整表达",
        "简洁但稍显冗余",
        "适度简洁",
        "较为冗长",
        "非常冗长，包含无关信息",
    ),
    "clarity": ("结构清晰，易于理解", "较清晰", "基本清晰", "表达混乱", "难以理解"),
    "reasoning_quality": ("逻辑严密，推理正确", "逻辑基本正确", "推理有瑕疵", "推理混乱", "无逻辑推理"),
    "code_correctness": (
        "完全正确，可直接运行",
        "基本正确，需微调",
        "部分正确，有明显错误",
        "大部分错误",
        "完全错误",
    ),
    "structure": ("结构完整，逻辑清晰", "结构较好", "结构基本完整", "结构混乱", "无结构"),
}


@pytest.fixture(scope="module")
def quality() -> EvalProtocol:
    content = (files("venire") / "protocols" / "bundled" / "quality.yaml").read_bytes()
    return msgspec.yaml.decode(content, type=EvalProtocol)


def wordings(protocol: EvalProtocol) -> Iterator[tuple[str, Words]]:
    """Yield every text of the protocol with the place where it stands."""
    yield "title", protocol.title
    yield "source", protocol.source
    yield "instructions", protocol.instructions
    for scale in protocol.scales:
        for level, words in scale.levels.items():
            yield f"scale {scale.id}, level {level}", words
    for dimension in protocol.dimensions:
        yield f"{dimension.id}, name", dimension.name
        yield f"{dimension.id}, asks", dimension.asks
        for level, words in dimension.levels.items():
            yield f"{dimension.id}, level {level}", words
    for category in protocol.categories:
        yield f"category {category.id}", category.name


def is_chinese(text: str) -> bool:
    return any("\u4e00" <= character <= "\u9fff" for character in text)


def test_the_categories_carry_the_names_and_weights_of_the_source(quality: EvalProtocol) -> None:
    assert {category.id: (category.name["zh"], category.weights) for category in quality.categories} == CATEGORIES


def test_no_category_is_declared_twice(quality: EvalProtocol) -> None:
    assert [category.id for category in quality.categories] == list(CATEGORIES)


def test_the_weights_of_each_category_sum_to_one(quality: EvalProtocol) -> None:
    sums = {category.id: sum(category.weights.values()) for category in quality.categories}
    assert sums == pytest.approx(dict.fromkeys(CATEGORIES, 1.0), rel=0, abs=1e-9)


def test_the_dimensions_are_exactly_the_weighted_criteria(quality: EvalProtocol) -> None:
    weighted = {criterion for category in quality.categories for criterion in category.weights}
    assert sorted(quality.dimension_ids) == sorted(weighted)


def test_the_dimensions_carry_the_chinese_names_of_the_source(quality: EvalProtocol) -> None:
    assert {dimension.id: dimension.name["zh"] for dimension in quality.dimensions} == CHINESE_NAMES


def test_every_dimension_words_exactly_the_levels_one_to_five(quality: EvalProtocol) -> None:
    levels = {dimension.id: list(dimension.levels) for dimension in quality.dimensions}
    assert levels == {criterion: ["5", "4", "3", "2", "1"] for criterion in CHINESE_NAMES}


def test_no_two_levels_of_a_dimension_read_the_same(quality: EvalProtocol) -> None:
    repeated = [
        (dimension.id, language)
        for dimension in quality.dimensions
        for language in languages()
        if len({words[language] for words in dimension.levels.values()}) < len(dimension.levels)
    ]
    assert repeated == []


def test_levels_that_the_source_does_not_word_are_marked_as_ours(quality: EvalProtocol) -> None:
    ours = {dimension.id for dimension in quality.dimensions if dimension.levels_are_ours}
    assert ours == CHINESE_NAMES.keys() - SOURCE_LEVELS.keys()


@pytest.mark.parametrize("criterion", SOURCE_LEVELS)
def test_levels_that_the_source_words_stand_as_in_the_source(quality: EvalProtocol, criterion: str) -> None:
    dimension = next(dimension for dimension in quality.dimensions if dimension.id == criterion)
    # A colon begins what Venire adds to a level that could be misread.
    texts = tuple(dimension.levels[level]["zh"].removesuffix("。").partition("：")[0] for level in "54321")
    assert texts == SOURCE_LEVELS[criterion]


def test_every_wording_speaks_english_and_chinese_and_nothing_else(quality: EvalProtocol) -> None:
    assert [place for place, words in wordings(quality) if sorted(words) != sorted(languages())] == []


def test_no_wording_is_blank(quality: EvalProtocol) -> None:
    assert [place for place, words in wordings(quality) if not all(text.strip() for text in words.values())] == []


def test_each_language_is_written_in_its_own_script(quality: EvalProtocol) -> None:
    # This also means that no text was left untranslated: the two always differ.
    mixed = [place for place, words in wordings(quality) if is_chinese(words["en"]) or not is_chinese(words["zh"])]
    assert mixed == []


def test_no_blank_stands_between_two_chinese_characters(quality: EvalProtocol) -> None:
    # A folded YAML line end becomes a blank, which English wants and Chinese does not; punctuation counts too.
    torn = [
        place
        for place, words in wordings(quality)
        for before, after in pairwise(words["zh"].split(" "))
        if not before[-1:].isascii() and not after[:1].isascii()
    ]
    assert torn == []


def test_the_default_scale_is_one_to_five_with_decimals(quality: EvalProtocol) -> None:
    scale = quality.scale()
    assert (scale.id, scale.minimum, scale.maximum, scale.integer, scale.overall_alone) == ("1-5", 1, 5, False, False)
    assert list(scale.levels) == ["5", "4", "3", "2", "1"]


def test_the_ten_point_scale_has_the_grade_bands_and_allows_an_overall_alone(quality: EvalProtocol) -> None:
    scale = quality.scale("0-10")
    assert (scale.minimum, scale.maximum, scale.integer, scale.overall_alone, scale.bands) == (0, 10, False, True, True)
    grades = {bound: words["zh"].partition("：")[0] for bound, words in scale.levels.items()}
    assert grades == {"9": "优秀", "7.5": "良好", "6": "合格", "3": "不合格", "0": "严重缺陷"}


def test_the_overall_is_weighted_and_a_mismatch_is_only_noted(quality: EvalProtocol) -> None:
    overall = quality.overall
    assert (overall.field, overall.rule, overall.tolerance, overall.mismatch) == (
        "overall_score",
        "weighted",
        0.05,
        "note",
    )


def test_replies_are_criteria_that_may_be_salvaged_and_need_no_quotes(quality: EvalProtocol) -> None:
    assert (quality.id, quality.shape, quality.salvage) == ("quality", "criteria", True)
    assert quality.evidence.required == "none"
