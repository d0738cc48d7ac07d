"""Who sits on a panel: weights, the identity of an instrument, and kin."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiment import make_judge
from venire.errors import ConfigError
from venire.judges.panel import JudgeLimits, Price, check_weights
from venire.judges.provider import Decoding


def panel(*weights):
    return tuple(make_judge(f"j{number}", weight=weight) for number, weight in enumerate(weights))


def test_weights_that_sum_to_one_are_left_alone():
    judges = panel(0.3, 0.3, 0.4)
    assert check_weights(judges) is judges


def test_weights_off_by_more_than_rounding_are_an_error_that_lists_them():
    with pytest.raises(ConfigError, match=r"sum to 0\.9, not to 1 \(j0 0\.3, j1 0\.6\)") as error:
        check_weights(panel(0.3, 0.6))
    assert "--renormalise" in error.value.hint
    with pytest.raises(ConfigError):
        check_weights(panel(0.5, 0.5 + 2e-9))


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=8))
def test_rescaled_weights_sum_to_one_and_keep_their_proportions(weights):
    rescaled = check_weights(panel(*weights), renormalise=True)
    assert sum(judge.weight for judge in rescaled) == pytest.approx(1)
    assert rescaled[0].weight / rescaled[-1].weight == pytest.approx(weights[0] / weights[-1])


@pytest.mark.parametrize(
    "change",
    [
        {"name": "other"},
        {"model": "other"},
        {"decoding": Decoding(max_tokens=101)},
        {"rules": {"x": 1}},
        {"blind": False},
        {"mask_identity": True},
        {"attach_files": True},
        {"scale": "0-10"},
        {"language": "zh"},
        {"prompt_version": "2"},
    ],
)
def test_what_could_change_the_answers_makes_another_instrument(change):
    assert make_judge(**change).digest != make_judge().digest


@pytest.mark.parametrize(
    "change",
    [
        {"weight": 0.5},
        {"price": Price(1.0)},
        {"limits": JudgeLimits(concurrency=1)},
        {"family": "x"},
        {"aliases": ("x",)},
        {"options": {"base_url": "http://127.0.0.1"}},
    ],
)
def test_what_cannot_change_the_answers_leaves_the_instrument_the_same(change):
    assert make_judge(**change).digest == make_judge().digest


@pytest.mark.parametrize(
    ("family", "target", "is_kin"),
    [
        ("deepseek", "DeepSeek-V3", True),
        ("deepseek", "deepseek-ai/DeepSeek-R1", True),
        ("openai", "gpt-4o", True),
        ("anthropic", "claude-sonnet-4", True),
        ("glm", "ChatGLM3", True),
        ("glm", "deepseek-v3", False),
        ("openai", "llama-3", False),
        ("", "anything", False),
        ("deepseek", "", False),
    ],
)
def test_a_family_is_told_by_the_name_of_the_target(family, target, is_kin):
    assert make_judge(family=family).identity.is_judging_itself(target) is is_kin


def test_a_judge_survives_being_written_down():
    judge = make_judge(family="glm", aliases=("a",), rules={"x": [1]})
    assert msgspec.convert(msgspec.to_builtins(judge), type(judge)).digest == judge.digest
