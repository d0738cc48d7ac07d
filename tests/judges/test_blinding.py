"""What a judge may know: handles, fences, visible controls, and names that leak."""

import unicodedata

import pytest

from experiment import make_samples
from venire.domain.material import Material, MaterialKind
from venire.judges.blinding import MASK, fence_for, find_leaks, mask_leaks, mask_materials, names_of, sample_handle


def found(text, *names):
    return [text[leak.start : leak.end] for leak in find_leaks(text, names)]


def test_a_handle_says_nothing_about_the_sample_and_is_the_same_each_time():
    sample = make_samples(1, "deepseek-v3")[0]
    handle = sample_handle(sample.digest)
    assert handle == sample_handle(sample.digest)
    assert handle != sample_handle(make_samples(2)[1].digest)
    assert handle.startswith("item-")
    assert sample.output_id not in handle


def test_a_fence_is_different_for_every_task_and_seed():
    fences = {fence_for(seed, task) for seed in range(20) for task in ("a", "b", "c")}
    assert len(fences) == 60


def test_names_are_found_whatever_their_spelling():
    text = "I am GLM 4.7, also glm_4.7 or Glm-4-7, a model."
    assert found(text, "glm-4.7") == ["GLM 4.7", "glm_4.7", "Glm-4-7"]


@pytest.mark.parametrize(
    "written",
    [
        "GPT\u20114o",
        "GPT–4o",
        "GPT - 4o",
        "GPT--4o",
        "ＧＰＴ－４ｏ",
        "G\u200bPT-4\u00ado",
        "GPT·4o",
        "gpt_4O",
        "GPT\n4o",
        "\U0001d406\U0001d40f\U0001d413-4o",
        "GPT\U000e0041-4o",
    ],
)
def test_a_name_is_found_however_it_is_disguised(written):
    assert found(f"I am {written}, hello", "gpt-4o") == [written]
    assert found(f"我是{written}。", "gpt-4o") == [written]


def test_full_width_digits_are_digits_of_a_name():
    assert found("我是GLM４.７。GLM·4.7", "glm-4.7") == ["GLM４.７", "GLM·4.7"]


@pytest.mark.parametrize("before", ["", "\u4f60\u597d ", "\ufb01ne: ", "a\u00ad\u200bb "])
def test_a_name_is_found_in_its_place_whatever_stands_before_it(before):
    text = f"{before}I am GLM-4.7, and GLM-4.7 again."
    first, second = text.index("GLM"), text.rindex("GLM")
    assert [leak.start for leak in find_leaks(text, ["glm-4.7"])] == [first, second]
    assert found(text, "glm-4.7") == ["GLM-4.7", "GLM-4.7"]


def test_the_end_of_a_sentence_is_not_inside_a_name():
    assert found("wood of the alder. 1. Saw it.", "alder-1") == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("As a large language model trained by Acme Labs, I cannot say.", "Acme Labs"),
        ("I am an AI developed by Acme.", "Acme"),
        ("I'm Birch, an AI assistant.", "Birch"),
        ("Hello! My name is Birch.", "Birch"),
        ("I was created by Acme and I help.", "Acme"),
        ("This is an AI assistant made by Acme.", "Acme"),
        ("我是由深林科技开发的模型", "深林科技"),
        ("我是深林科技自主研发的大语言模型。", "深林科技"),
        ("作为一个由深林科技训练的语言模型，", "深林科技"),
        ("我叫小杉，很高兴", "小杉"),
    ],
)
def test_an_introduction_leaks_the_name_it_tells_whoever_the_model_is(text, name):
    assert found(text, "some-model") == [name]
    assert found(text) == [name]


def test_speaking_of_language_models_in_general_is_no_introduction():
    assert found("A large language model trained by many teams. 由谁开发的？我是学生。", "some-model") == []


def test_a_leak_within_another_is_masked_once():
    text = "My name is GLM-4.7."
    assert mask_leaks(text, find_leaks(text, ["glm-4.7"])) == f"My name is {MASK * 7}."


def test_every_character_that_folds_to_a_letter_or_digit_is_looked_at():
    """A plain search may be skipped over only where folding changes nothing that a name is made of."""
    for number in range(128, 0x110000):
        character = chr(number)
        if unicodedata.category(character) == "Cs":
            continue
        folded = unicodedata.normalize("NFKC", character).lower()
        if any(each.isascii() and each.isalnum() for each in folded):
            assert found(f"x{character}y", f"x{folded}y") == [f"x{character}y"]


def test_names_are_found_between_chinese_characters():
    assert found("我是GLM-4.7模型。", "glm-4.7") == ["GLM-4.7"]
    assert found("我是文心一言，很高兴", "文心一言") == ["文心一言"]


def test_a_name_inside_another_word_is_no_leak():
    assert found("the oaken door, an oak2 board, soaking", "oak") == []
    assert found("glm-4.75 is another", "glm-4.7") == []


def test_names_too_short_to_tell_are_not_looked_for():
    assert found("o1 and r1 are names", "o1") == []
    assert find_leaks("anything", []) == ()


def test_a_model_is_also_known_without_its_vendors_path():
    assert found("This is GPT-4o speaking", *names_of("openai/gpt-4o")) == ["GPT-4o"]


def test_a_mask_keeps_every_other_character_in_its_place():
    text = "我是 GLM-4.7 ok"
    masked = mask_leaks(text, find_leaks(text, ["glm-4.7"]))
    assert masked == f"我是 {MASK * 7} ok"
    assert find_leaks(masked, ["glm-4.7"]) == ()


def test_a_document_that_is_not_by_the_model_introduces_nobody_but_may_name_it():
    text = "I am Alder, a large language model made by Oakland. Ask alder-1."
    assert find_leaks(text, ["birch-9"])
    assert not find_leaks(text, ["birch-9"], by_model=False)
    (leak,) = find_leaks(text, ["alder-1"], by_model=False)
    assert text[leak.start : leak.end] == "alder-1"


def test_ids_that_a_mask_makes_alike_stay_different():
    materials = [
        Material("oak-1 a", MaterialKind.DOCUMENT, "x"),
        Material("Oak_1 a", MaterialKind.DOCUMENT, "y"),
        Material("oak-1 a", MaterialKind.REFERENCE, "not shown"),
    ]
    masked, leaks = mask_materials(materials, frozenset({MaterialKind.DOCUMENT}), ("oak-1",))
    assert [each.id for each in masked] == ["■■■■■ a", "■■■■■ a-2", "oak-1 a"]
    assert leaks == 2
