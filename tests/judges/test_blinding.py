"""What a judge may know: handles, fences, visible controls, and names that leak."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from experiment import make_samples
from venire.judges.blinding import MASK, fence_for, find_leaks, mask_leaks, names_of, sample_handle, show_controls


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


@given(st.text(max_size=60))
def test_nothing_invisible_is_left_in_what_a_judge_sees(text):
    shown = show_controls(text)
    assert all(
        character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp")
        for character in shown
    )
    shown.encode()


def test_line_ends_stay_and_controls_are_named():
    assert show_controls("a\r\nb\tc\x07\u200b\u2066\u2028") == "a\nb\tc⟦U+0007⟧⟦U+200B⟧⟦U+2066⟧⟦U+2028⟧"
