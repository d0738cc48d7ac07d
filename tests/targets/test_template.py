"""Prompts with variables, and what is said where they are not closed."""

import pytest

from venire.errors import ConfigError
from venire.targets.template import parse_template


def test_variables_are_filled_in_and_escaped_braces_stay():
    template = parse_template(r"{{ a }} and \{{b}} and {{a}}", "here")
    assert template.names == ("a",)
    assert template.fill({"a": "x"}.__getitem__) == "x and {{b}} and x"


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("one\ntwo {{a", "error.prompt.not_closed", 2),
        ("{{a {{b}}", "error.prompt.not_closed", 1),
        ("\n\n{{ }}", "error.prompt.no_name", 3),
    ],
)
def test_a_variable_that_is_not_closed_is_told_with_its_line(text, code, line):
    with pytest.raises(ConfigError) as raised:
        parse_template(text, "prompt.md")
    assert (raised.value.message.code, raised.value.where) == (code, f"prompt.md:{line}")
