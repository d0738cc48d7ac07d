"""A key that a server sends back is struck out, however JSON writes it."""

import json

import pytest

from venire.judges.http_key import KeyEraser

KEY = "sk-secret/0123456789abcdef"
ESCAPED = "".join(f"\\u{ord(character):04X}" for character in KEY)


@pytest.mark.parametrize(
    "written",
    [
        json.dumps({"a": f"the key {KEY}."}),
        f'{{"a": "the key {ESCAPED}."}}',
        f'{{"a": "the key {ESCAPED.lower()}."}}',
        f'{{"a": "the key {ESCAPED[:12]}{KEY[2:]}."}}',
        json.dumps({"a": f"the key {KEY}."}).replace("/", "\\/"),
    ],
)
def test_the_key_is_struck_out_of_json_that_stays_json(written):
    assert json.loads(written) == {"a": f"the key {KEY}."}
    assert json.loads(KeyEraser(KEY).strike_out(written.encode())) == {"a": "the key [key]."}


def test_the_key_is_struck_out_of_json_inside_of_json():
    inner = f'{{"quote": "{ESCAPED}"}}'
    body = json.dumps({"content": inner}).encode()
    content = json.loads(KeyEraser(KEY).strike_out(body))["content"]
    assert json.loads(content) == {"quote": "[key]"}


def test_the_beginning_of_a_key_at_the_end_of_a_cut_body_is_taken_off():
    eraser = KeyEraser(KEY)
    assert eraser.strike_out(b"the key " + KEY[:-1].encode(), cut=True) == b"the key "
    assert eraser.strike_out(b"the key " + KEY[:-1].encode()) == b"the key " + KEY[:-1].encode()


@pytest.mark.parametrize("key", [None, "EMPTY"])
def test_what_is_no_secret_stays(key):
    assert KeyEraser(key).strike_out(b'{"a": "EMPTY \\u0045"}') == b'{"a": "EMPTY \\u0045"}'


def test_other_escapes_stay():
    body = b'{"a": "1 \\u003c 2 \\/ \\u4e2d sk-secret"}'
    assert KeyEraser(KEY).strike_out(body) == body
