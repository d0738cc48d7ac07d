"""Options of a judge are read with errors that name the key."""

import msgspec
import pytest

from venire.errors import ConfigError
from venire.judges.options import read_options
from venire.words.language import Words


class Colours(msgspec.Struct, forbid_unknown_fields=True):
    """Options of a judge that has a colour."""

    colour: str = "red"
    shade: int = 1


def test_an_option_that_is_wrong_is_told_with_those_that_there_are():
    assert read_options({"shade": 2}, Colours, "painter") == Colours(shade=2)
    with pytest.raises(ConfigError, match=r"the options of this judge are wrong: .*tint") as raised:
        read_options({"tint": 1}, Colours, "painter")
    assert raised.value.where == "judge of type painter"
    assert raised.value.hint == "The options of painter are: colour, shade."
    assert raised.value.said(Words("zh")).startswith("类型为 painter 的评审：该评审的选项有误")
