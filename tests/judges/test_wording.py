"""The short texts of prompts: the same in every language, but for the language."""

import re

import pytest

from venire.judges.prompt_words.materials import MATERIAL_WORDS
from venire.judges.wording import WORDS


@pytest.mark.parametrize("words", [WORDS, MATERIAL_WORDS], ids=["all", "materials"])
def test_every_language_says_the_same_with_the_same_values(words):
    values = {
        language: {code: sorted(re.findall(r"\{(\w+)\}", text)) for code, text in texts.items()}
        for language, texts in words.items()
    }
    assert values["en"]
    assert all(found == values["en"] for found in values.values())
