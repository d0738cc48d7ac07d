"""Each check passes at its bounds, fails beyond them, and shows the place."""

import msgspec
import pytest

from venire.judges.rule_judge.checks import (
    Contains,
    Excludes,
    Headings,
    JsonSchema,
    Length,
    Matches,
    NothingOutside,
    SectionsFilled,
)
from venire.judges.rule_judge.document import read_document

TEXT = "## Facts\nThe sky is blue.\n## Sources\nA book."


def document(text=TEXT, headings=("Facts", "Sources")):
    return read_document(text, headings)


def passed(check, text=TEXT, headings=("Facts", "Sources")):
    return check.run(document(text, headings)).passed


def shown(check, text=TEXT):
    found = document(text)
    return found.part(check.run(found).span)


@pytest.mark.parametrize(
    ("text", "in_order", "any_order"),
    [
        (TEXT, True, True),
        ("## Sources\nA book.\n## Facts\nBlue.", False, True),
        ("## Facts\nBlue.", False, False),
        ("Blue.", False, False),
    ],
)
def test_headings_must_be_there_and_in_order_if_asked_for(text, in_order, any_order):
    assert (passed(Headings(), text), passed(Headings(in_order=False), text)) == (in_order, any_order)


@pytest.mark.parametrize(
    ("text", "is_filled"), [(TEXT, True), ("## Facts\n \n## Sources\nA book.", False), ("", False)]
)
def test_every_section_needs_a_word(text, is_filled):
    assert passed(SectionsFilled(), text) is is_filled


@pytest.mark.parametrize(
    ("text", "is_clean"),
    [(TEXT, True), (f"Well:\n{TEXT}", False), (f"{TEXT}\n## More\nWords.", False), ("No sections.", False)],
)
def test_nothing_stands_outside_the_sections(text, is_clean):
    assert passed(NothingOutside(), text) is is_clean


@pytest.mark.parametrize(
    ("minimum", "maximum", "fits"), [(4, 4, True), (4, None, True), (5, None, False), (0, 3, False), (0, 0, False)]
)
def test_a_length_at_its_bounds_fits(minimum, maximum, fits):
    assert passed(Length(section="Facts", minimum=minimum, maximum=maximum)) is fits


def test_characters_are_counted_without_white_space():
    assert passed(Length(section="Sources", unit="characters", minimum=6, maximum=6))


def test_a_section_that_is_not_there_fails_every_check_of_it():
    for check in (Length(section="End"), Excludes(section="End", none_of=("x",)), Matches(section="End", pattern="x")):
        assert not passed(check)


@pytest.mark.parametrize(
    ("all_of", "any_of", "is_there"),
    [
        (("SKY", "blue"), (), True),
        (("sky", "book"), (), False),
        ((), ("green", "Blue"), True),
        ((), ("green",), False),
        (("sky",), ("green",), True),
    ],
)
def test_words_are_found_in_their_section_whatever_their_case(all_of, any_of, is_there):
    assert passed(Contains(section="Facts", all_of=all_of, any_of=any_of)) is is_there


def test_a_word_that_is_not_allowed_is_shown():
    assert not passed(Excludes(none_of=("green", "SKY")))
    assert shown(Excludes(none_of=("green", "SKY"))) == "sky"
    assert passed(Excludes(section="Sources", none_of=("sky",)))


@pytest.mark.parametrize(
    ("pattern", "absent", "passes"), [("s.y", False, True), ("s.y", True, False), ("zz", True, True)]
)
def test_a_pattern_must_be_found_or_must_not(pattern, absent, passes):
    assert passed(Matches(pattern=pattern, absent=absent)) is passes


@pytest.mark.parametrize(("text", "keeps"), [(' {"a": 1}\n', True), ('{"a": "x"}', False), ("{", False)])
def test_json_is_held_to_its_schema(text, keeps):
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    assert passed(JsonSchema(schema=schema), text, ()) is keeps


@pytest.mark.parametrize(("given", "worth"), [({}, 1.0), ({"points": 0.5}, 0.5), ({"cap": 2}, 0.0)])
def test_a_check_is_worth_its_points_and_a_cap_is_worth_none(given, worth):
    assert Headings(**given).worth == worth


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        (Headings, {"points": 1, "cap": 1}),
        (Headings, {"points": 0}),
        (Headings, {"points": -1}),
        (Contains, {}),
        (Contains, {"any_of": [" "]}),
        (Excludes, {"none_of": []}),
        (Matches, {"pattern": "("}),
    ],
)
def test_a_check_that_can_mean_nothing_is_refused(kind, given):
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"check": kind.__struct_config__.tag, **given}, kind)
