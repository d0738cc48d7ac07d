"""The fast reader accepts nothing that the thorough one has something to say about."""

import json

import pytest

from venire.validation.compiled import CompiledContract, read_reply
from venire.validation.contract import Anything, Fields, Items, Number, Text

CONTRACT = CompiledContract(Fields({"a": Number(), "b": Text()}))


def test_a_reply_that_follows_its_contract_is_read_in_one_pass():
    assert CONTRACT.read(b'{"a": 1, "b": "x: y"}') == {"a": 1, "b": "x: y"}
    assert CONTRACT.read(b'{"a": 1, "b": "\\u0061: \\n"}') == {"a": 1, "b": "a: \n"}
    assert CONTRACT.read(b'{"a": 1, "b": "\\":"}') == {"a": 1, "b": '":'}
    assert read_reply(b'{"a": 1, "b": ""}', CONTRACT).follows_contract


def test_what_is_written_in_objects_and_lists_is_counted_to_the_last_key():
    plain = Fields({"x": Text()}, {"y": Text(), "z": Anything()})
    nested = CompiledContract(
        Fields({"one": plain, "many": Items(plain), "words": Items(Text())}, {"free": Anything()})
    )
    whole = b'{"one": {"x": "", "z": "s"}, "many": [{"x": "a"}, {"x": "", "y": "b", "z": 1}], "words": ["c"]}'
    assert nested.read(whole) == json.loads(whole)
    assert nested.read(whole.replace(b'"words"', b'"free": "", "words"')) is not None
    for key in (b'"one"', b'"many"', b'"x"', b'"y"', b'"z"', b'"words"'):
        again = whole.replace(
            key,
            key + b": " + {b'"one"': b'{"x": ""}', b'"many"': b"[]", b'"words"': b"[]"}.get(key, b'""') + b", " + key,
            1,
        )
        assert nested.read(again) is None, again


@pytest.mark.parametrize(
    "raw",
    [
        b'{"a": 1}', b'{"a": "1", "b": ""}', b'{"a": 1, "b": "", "c": 0}', b'{"a": 1, "a": 2, "b": ""}',
        b'{"a": 1, "a": 1, "b": "\\u0061"}', b'{"a": 1, "a": 1, "b": "\\""}', b'{"a": 1, "b": ""} x', b"\xff", b"",
    ],
)  # fmt: skip
def test_anything_else_is_left_to_the_thorough_reader(raw):
    assert CONTRACT.read(raw) is None
    assert not read_reply(raw, CONTRACT).follows_contract
