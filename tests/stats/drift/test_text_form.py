"""The form of a text: headings by their marks, sections, JSON, script, and words that refusals begin with."""

import pytest

from venire.stats.drift.text_form import form_of


def test_headings_of_all_marks_divide_a_text_into_sections():
    form = form_of("[Snapshot]\nabc\n\n## Next ##\n\n**Last:**\nxy")
    assert form.headings == ("Snapshot", "Next", "Last:")
    assert form.sections == (3, 0, 2)


@pytest.mark.parametrize(
    ("text", "is_json"),
    [('{"a": [1]}', True), ("```json\n[1, 2]\n```", True), ('{"a": 1} and more', False), ("3", False), ("[", False)],
)
def test_json_is_one_object_or_array_and_nothing_beside_it(text, is_json):
    assert form_of(text).is_json is is_json


@pytest.mark.parametrize(
    ("text", "script", "refuses"),
    [
        ("I'm sorry, but no.", "latin", True),
        ("抱歉，我无法回答。", "han", True),
        ("The sorry state of things", "latin", False),
        ("Привет", "cyrillic", False),
        ("123", "", False),
    ],
)
def test_script_and_first_words_are_told(text, script, refuses):
    form = form_of(text)
    assert (form.script, form.begins_as_refusal) == (script, refuses)
