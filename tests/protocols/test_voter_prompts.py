"""Each bundled voter prompt has a name of its own."""

import pytest

from venire.errors import UsageError
from venire.protocols.voter_prompts import BUNDLED_PROMPTS, bundled_prompt


def test_each_language_is_another_prompt():
    assert BUNDLED_PROMPTS == ("grand-jury", "grand-jury-zh", "prefer", "prefer-zh")
    assert len({bundled_prompt(name).question for name in BUNDLED_PROMPTS}) == len(BUNDLED_PROMPTS)


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(UsageError, match="grand-jury, grand-jury-zh"):
        bundled_prompt("petty-jury")
