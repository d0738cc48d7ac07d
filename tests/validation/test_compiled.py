"""The fast reader accepts nothing that the thorough one has something to say about."""

import pytest

from venire.validation.compiled import CompiledContract, read_reply
from venire.validation.contract import Fields, Number, Text

CONTRACT = CompiledContract(Fields({"a": Number(), "b": Text()}))


def test_a_reply_that_follows_its_contract_is_read_in_one_pass():
    assert CONTRACT.read(b'{"a": 1, "b": "x: y"}') == {"a": 1, "b": "x: y"}
    assert read_reply(b'{"a": 1, "b": ""}', CONTRACT).follows_contract


@pytest.mark.parametrize(
    "raw",
    [
        b'{"a": 1}', b'{"a": "1", "b": ""}', b'{"a": 1, "b": "", "c": 0}', b'{"a": 1, "a": 2, "b": ""}',
        b'{"a": 1, "b": "\\u0061"}', b'{"a": 1, "b": ""} x', b"\xff", b"",
    ],
)  # fmt: skip
def test_anything_else_is_left_to_the_thorough_reader(raw):
    assert CONTRACT.read(raw) is None
    assert not read_reply(raw, CONTRACT).follows_contract
