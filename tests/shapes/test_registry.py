"""Every protocol finds the form of its replies by name."""

import pytest
from jsonschema import Draft202012Validator

from valid_replies import CASES
from venire.judges.prompt import more_words
from venire.judges.wording import WORDS
from venire.protocols.catalogue import bundled_ids, find_protocol
from venire.shapes.check import Checker
from venire.shapes.registry import SHAPES, shape_of
from venire.shapes.shape import Telling

META = {
    "output_id": "a",
    "question_id": "q",
    "prompt_variant": "v",
    "target_model": "m",
    "judge_model": "j",
    "method": "cross_judge",
    "timestamp": "2026-01-01T00:00:00Z",
}


def test_each_form_is_known_by_its_own_id():
    assert {name: shape.id for name, shape in SHAPES.items()} == {
        "bundle": "bundle",
        "claims": "claims",
        "criteria": "criteria",
        "pair": "pair",
        "recorded": "recorded",
        "sample": "sample",
    }


@pytest.mark.parametrize("name", bundled_ids())
def test_the_form_of_a_bundled_protocol_is_the_one_that_it_names(name):
    protocol = find_protocol(name)
    assert shape_of(protocol).id == protocol.shape
    assert shape_of(protocol).needs_design == (protocol.design is not None)


def test_a_valid_reply_has_the_form_of_its_protocol_and_of_no_other():
    for checker, _, reply in CASES:
        assert [name for name, shape in SHAPES.items() if shape.is_form_of(reply)] == [checker.terms.protocol.shape]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", bundled_ids())
def test_the_example_that_judges_are_shown_has_the_fields_of_a_reply_and_no_other(name, language):
    protocol = find_protocol(name)
    words = {**WORDS[language], **more_words(language, protocol)}
    telling = Telling(protocol, protocol.scale(None), words, "a number")
    for category in protocol.categories or (None,):
        example = shape_of(protocol).example(telling, META, category)
        schema = Checker(protocol).schema(category.id if category else None)
        errors = Draft202012Validator(schema).iter_errors(example)
        assert [each.message for each in errors if each.validator != "minItems"] == []  # One file stands for all.
