"""A line that carries a judge's reply together with the names of the sample and the judge."""

from __future__ import annotations

import json
from collections.abc import Collection

import msgspec

_ABSENT = msgspec.Raw(b"")


class WrappedReply(msgspec.Struct, frozen=True):
    """A reply taken out of its line."""

    raw: bytes
    """The reply: the bytes of a text, or of a JSON object exactly as it stands in the line."""
    output_id: str = ""
    """The judged sample; empty if the line does not say."""
    judge: str = ""
    """The judge; empty if the line does not say."""
    target: str = ""
    """The model that was judged; empty if the line does not say."""


class _Wrapper(msgspec.Struct, frozen=True):
    reply: msgspec.Raw = _ABSENT
    raw: msgspec.Raw = _ABSENT
    response: msgspec.Raw = _ABSENT
    text: msgspec.Raw = _ABSENT
    output_id: msgspec.Raw = _ABSENT
    judge: msgspec.Raw = _ABSENT
    judge_model: msgspec.Raw = _ABSENT
    target_model: msgspec.Raw = _ABSENT


_decoder = msgspec.json.Decoder(_Wrapper)
_text_decoder = msgspec.json.Decoder(str)
_name_decoder = msgspec.json.Decoder(str | int)
_REPLY_KEYS = ("reply", "raw", "response")
_NAME_KEYS = ("output_id", "judge", "judge_model")


def unwrap(line: bytes) -> WrappedReply:
    """Take the reply out of a line.

    A line that is not a sound wrapper is itself the reply, so that it is judged and never dropped: other JSON, broken
    JSON, a wrapper without a text or an object as its reply, or with two replies of which one would be lost.
    """
    try:
        wrapper = _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _unwrap_with_surrogates(line)
    key = _reply_key({name for name in wrapper.__struct_fields__ if bytes(getattr(wrapper, name))})
    reply = bytes(getattr(wrapper, key)) if key else b""
    if reply[:1] not in (b'"', b"{") or _may_repeat(line, key):
        return WrappedReply(line)
    names = (_name(wrapper.output_id), _name(wrapper.judge) or _name(wrapper.judge_model), _name(wrapper.target_model))
    if reply.startswith(b"{"):
        return WrappedReply(reply, *names)
    try:
        return WrappedReply(_text_decoder.decode(reply).encode("utf-8"), *names)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return WrappedReply(line, *names)


def _unwrap_with_surrogates(line: bytes) -> WrappedReply:
    r"""Take out a reply whose text holds half a character such as `\ud800`, which msgspec refuses.

    Its bytes are then not UTF-8, and validation says so.
    """
    if b"\\u" not in line:
        return WrappedReply(line)
    try:
        wrapper = json.loads(line)
    except (ValueError, RecursionError):
        return WrappedReply(line)
    if not isinstance(wrapper, dict):
        return WrappedReply(line)
    reply = wrapper.get(_reply_key(wrapper.keys()))
    if not isinstance(reply, str):
        return WrappedReply(line)
    names = [wrapper.get(key) for key in ("output_id", "judge", "judge_model", "target_model")]
    output_id, judge, judge_model, target = (name if isinstance(name, str) else "" for name in names)
    return WrappedReply(reply.encode("utf-8", "surrogatepass"), output_id, judge or judge_model, target)


def _reply_key(present: Collection[str]) -> str:
    """Return the key that holds the reply, or an empty string; `text` is one only beside a name, as in recordings."""
    for key in _REPLY_KEYS:
        if key in present:
            return key
    return "text" if "text" in present and any(name in present for name in _NAME_KEYS) else ""


def _may_repeat(line: bytes, key: str) -> bool:
    """Tell whether a key stands twice in the line's object: JSON readers keep only the last of them."""
    if line.count(f'"{key}"'.encode()) < 2:
        return False
    repeated = False

    def note(pairs: list[tuple[str, object]]) -> None:
        nonlocal repeated
        # The outermost object comes last, so its answer stands.
        repeated = sum(1 for name, _ in pairs if name == key) > 1

    try:
        json.loads(line, object_pairs_hook=note)
    except (ValueError, RecursionError):
        return True
    return repeated


def _name(value: msgspec.Raw) -> str:
    try:
        named = _name_decoder.decode(value) if bytes(value) else ""
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""
    return str(named)
