"""Replies are taken out of the lines and answers around them, byte for byte."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.inputs.artifacts.wrapped_reply import unwrap


def test_a_wrapped_reply_may_speak_of_replies_itself() -> None:
    assert unwrap(b'{"reply": {"reply": {"reply": 1}}}').raw == b'{"reply": {"reply": 1}}'


def test_a_reply_with_a_lone_surrogate_keeps_its_names_and_is_not_utf8() -> None:
    found = unwrap(b'{"reply": "a\\ud800", "output_id": "o1"}')
    assert (found.raw, found.output_id) == (b"a\xed\xa0\x80", "o1")


@given(st.binary(max_size=40))
def test_any_bytes_are_a_reply(line: bytes) -> None:
    assert unwrap(line).raw == line


@given(st.text(), st.sampled_from(["reply", "raw", "response"]))
def test_any_text_comes_out_of_its_wrapper_unchanged(reply: str, key: str) -> None:
    assert unwrap(json.dumps({key: reply}).encode()).raw.decode() == reply


@pytest.mark.parametrize("text", ["Overall: 8", "a\ud800"])
def test_a_recording_for_replay_is_a_wrapper_too(text: str) -> None:
    found = unwrap(json.dumps({"output_id": "o1", "judge": "oak", "text": text}).encode())
    assert (found.raw.decode("utf-8", "surrogatepass"), found.output_id, found.judge) == (text, "o1", "oak")


def test_a_text_without_a_name_beside_it_is_a_part_of_the_reply() -> None:
    line = b'{"text": "Overall: 8", "scores": {}}'
    assert unwrap(line).raw == line
