import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawing import draws
from venire.judges.rule_judge.schema import find_schema_error, refuse_unknown_keywords

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([1.0, 0.5]) | st.text("ab", max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner, max_size=3),
    max_leaves=6,
)
TYPES = st.sampled_from(["object", "array", "string", "number", "integer", "boolean", "null"])
NUMBERS = st.integers(-2, 3)
SIZES = st.integers(0, 3)


def _schemas(inner):
    return st.fixed_dictionaries(
        {},
        optional={
            "type": TYPES | st.lists(TYPES, min_size=1, max_size=2, unique=True),
            "enum": st.lists(VALUES, min_size=1, max_size=3),
            "const": VALUES,
            "required": st.lists(st.sampled_from("xyz"), max_size=2, unique=True),
            "additionalProperties": st.booleans(),
            "properties": st.dictionaries(st.sampled_from("xyz"), inner, max_size=2),
            "items": inner,
            "minItems": SIZES,
            "maxItems": SIZES,
            "minLength": SIZES,
            "maxLength": SIZES,
            "minimum": NUMBERS,
            "maximum": NUMBERS,
        },
    )


SCHEMAS = _schemas(_schemas(st.just({})))


@settings(max_examples=draws(200), deadline=None)
@given(VALUES, SCHEMAS)
def test_the_subset_agrees_with_the_reference_implementation(value, schema):
    refuse_unknown_keywords(schema)
    expected = jsonschema.Draft202012Validator(schema).is_valid(value)
    assert (find_schema_error(value, schema) is None) == expected


def test_the_error_says_where():
    schema = {"properties": {"a": {"items": {"type": "integer"}}}}
    assert find_schema_error({"a": [1, "x"]}, schema) == "/a/1 is not of type integer"


@pytest.mark.parametrize("schema", [[], {"oneOf": []}, {"type": "text"}, {"items": {"format": "date"}}])
def test_what_would_not_be_checked_is_refused(schema):
    with pytest.raises(ValueError, match="schema"):
        refuse_unknown_keywords(schema)
