"""A key that a server sends back is struck out, however JSON writes it."""

import json

import pytest

from venire.judges.http.key import KeyEraser

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


def test_a_key_is_a_secret_from_twelve_bytes_on():
    assert KeyEraser("k" * 12).strike_out(b"<" + b"k" * 12 + b">") == b"<[key]>"
    assert KeyEraser("k" * 11).strike_out(b"<" + b"k" * 11 + b">") == b"<" + b"k" * 11 + b">"
    assert KeyEraser("é" * 6).strike_out("é".encode() * 6) == b"[key]"


def test_a_half_of_seven_bytes_is_taken_off_a_cut_body_and_a_shorter_one_is_not():
    eraser = KeyEraser("abcdefghijklm")
    assert eraser.strike_out(b"text abcdefg", cut=True) == b"text "
    assert eraser.strike_out(b"text abcdef", cut=True) == b"text abcdef"
    assert eraser.strike_out(b"text abcdefghijkl", cut=True) == b"text "
