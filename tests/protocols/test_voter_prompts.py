"""Each bundled voter prompt has a name of its own."""

import pytest

from venire.errors import UsageError
from venire.protocols.voter_prompts import BUNDLED_PROMPTS, bundled_prompt


def test_each_language_is_another_prompt():
    alone = ("grand-jury", "grand-jury-zh", "prefer", "prefer-zh")
    assert (*alone, "grand-jury-en-zh", "prefer-en-zh") == BUNDLED_PROMPTS
    assert len({bundled_prompt(name).question for name in alone}) == len(alone)
    assert len({bundled_prompt(name).digest for name in BUNDLED_PROMPTS}) == len(BUNDLED_PROMPTS)


@pytest.mark.parametrize("name", ["grand-jury", "prefer"])
def test_one_prompt_holds_both_languages_and_is_the_same_whoever_opens_the_vote(name):
    both = bundled_prompt(f"{name}-en-zh")
    assert both.said_in(["fr", "zh", "en"]).text == bundled_prompt(f"{name}-zh").text
    assert both.said_in(["fr"]).text == both.text == bundled_prompt(name).text
    assert bundled_prompt(f"{name}-en-zh", first="zh").text == bundled_prompt(f"{name}-zh").text
    assert bundled_prompt(f"{name}-en-zh", first="zh").digest == both.digest


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(UsageError, match="grand-jury, grand-jury-zh"):
        bundled_prompt("petty-jury")
