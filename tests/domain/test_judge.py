"""Whether a judge judges itself: names, models, aliases and their spelling."""

from __future__ import annotations

import tracemalloc

import pytest

from venire.domain.judge import JudgeIdentity, fold_name

JUDGE = JudgeIdentity("my-judge", model="GLM-4.7", aliases=("ChatGLM", "智谱"))


@pytest.mark.parametrize("target", ["my judge", "glm_4.7", "GLM 4 7", "chatglm", "Chat-GLM", "智谱"])
def test_a_judge_is_known_by_its_name_its_model_and_its_aliases(target: str) -> None:
    assert JUDGE.is_judging_itself(target)


@pytest.mark.parametrize("target", ["", "?", "GLM-4.6", "GLM", "judge", "deepseek"])
def test_another_model_is_not_the_judge(target: str) -> None:
    assert not JUDGE.is_judging_itself(target)


def test_an_empty_model_does_not_match_a_name_without_letters() -> None:
    assert not JudgeIdentity("rule").is_judging_itself("--")


def test_a_name_is_folded_to_letters_and_digits_in_one_case() -> None:
    assert fold_name("Q3_Long-Answer (v2).PDF") == "q3longanswerv2pdf"
    assert fold_name("STRASSE") == fold_name("straße")


def test_names_of_megabytes_are_folded_and_not_remembered() -> None:
    tracemalloc.start()
    for letter in "abcdefgh":
        assert fold_name(f"{letter}-" * 500_000) == letter * 500_000
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 1_000_000
