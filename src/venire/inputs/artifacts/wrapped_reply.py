"""A reply inside something else: a line with the names of sample and judge, or the whole answer of a server."""

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
    finish_reason: str = ""
    """Why the model stopped, in its server's word; empty if the line does not say."""
    output_tokens: int | None = None
    """How many tokens the reply has; None if the line does not say."""
    judge_version: str = ""
    """The version of the judge or of its prompt; empty if the line does not say."""


class _Wrapper(msgspec.Struct, frozen=True):
    reply: msgspec.Raw = _ABSENT
    raw: msgspec.Raw = _ABSENT
    response: msgspec.Raw = _ABSENT
    text: msgspec.Raw = _ABSENT
    output_id: msgspec.Raw = _ABSENT
    judge: msgspec.Raw = _ABSENT
    judge_model: msgspec.Raw = _ABSENT
    target_model: msgspec.Raw = _ABSENT
    finish_reason: msgspec.Raw = _ABSENT
    stop_reason: msgspec.Raw = _ABSENT
    output_tokens: msgspec.Raw = _ABSENT
    completion_tokens: msgspec.Raw = _ABSENT
    usage: msgspec.Raw = _ABSENT
    judge_version: msgspec.Raw = _ABSENT


class _ServerUsage(msgspec.Struct):
    output_tokens: int | None = None
    completion_tokens: int | None = None


class _ServerText(msgspec.Struct):
    text: str = ""


class _ServerMessage(msgspec.Struct):
    content: str | list[_ServerText]


class _ServerChoice(msgspec.Struct):
    message: _ServerMessage
    finish_reason: str | None = None


class _ServerAnswer(msgspec.Struct):
    """The answer of an OpenAI- or Anthropic-compatible server, as far as it is needed."""

    choices: list[_ServerChoice] = []
    content: list[_ServerText] = []
    role: str = ""
    stop_reason: str | None = None
    usage: _ServerUsage | None = None


_answer_decoder = msgspec.json.Decoder(_ServerAnswer)
_decoder = msgspec.json.Decoder(_Wrapper)
_text_decoder = msgspec.json.Decoder(str)
_name_decoder = msgspec.json.Decoder(str | int)
_REPLY_KEYS = ("reply", "raw", "response")
_NAME_KEYS = ("output_id", "judge", "judge_model")


def unwrap_answer(data: bytes) -> WrappedReply | None:
    """Take the reply out of the whole answer of an OpenAI- or Anthropic-compatible server; None for anything else."""
    if b'"choices"' not in data and b'"stop_reason"' not in data:
        return None
    try:
        answer = _answer_decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if answer.choices:
        content, finish_reason = answer.choices[0].message.content, answer.choices[0].finish_reason
    elif answer.role == "assistant" and answer.content:
        content, finish_reason = answer.content, answer.stop_reason
    else:
        return None
    text = content if isinstance(content, str) else "".join(part.text for part in content)
    usage = answer.usage or _ServerUsage()
    tokens = usage.completion_tokens if usage.output_tokens is None else usage.output_tokens
    return WrappedReply(text.encode("utf-8"), finish_reason=finish_reason or "", output_tokens=tokens)


def unwrap(line: bytes) -> WrappedReply:
    """Take the reply out of a line.

    A line that is not a sound wrapper is itself the reply, so that it is judged and never dropped: other JSON, broken
    JSON, a wrapper without a text or an object as its reply, or with two replies of which one would be lost.
    """
    try:
        wrapper = _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _unwrap_with_surrogates(line)
    if answer := unwrap_answer(line):
        return answer
    key = _reply_key({name for name in wrapper.__struct_fields__ if bytes(getattr(wrapper, name))})
    reply = bytes(getattr(wrapper, key)) if key else b""
    if reply[:1] not in (b'"', b"{") or _may_repeat(line, key):
        return WrappedReply(line)
    names = (
        _name(wrapper.output_id),
        _name(wrapper.judge) or _name(wrapper.judge_model),
        _name(wrapper.target_model),
        _name(wrapper.finish_reason) or _name(wrapper.stop_reason),
        _tokens(wrapper),
        _name(wrapper.judge_version),
    )
    if answer := unwrap_answer(reply):
        return WrappedReply(answer.raw, *names[:3], answer.finish_reason, answer.output_tokens, names[-1])
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
    names = [wrapper.get(key) for key in ("output_id", "judge", "judge_model", "target_model", "judge_version")]
    output_id, judge, judge_model, target, version = (name if isinstance(name, str) else "" for name in names)
    return WrappedReply(
        reply.encode("utf-8", "surrogatepass"), output_id, judge or judge_model, target, judge_version=version
    )


def _reply_key(present: Collection[str]) -> str:
    """Return the key that holds the reply, or an empty string; `text` is one only beside a name, as in recordings."""
    for key in _REPLY_KEYS:
        if key in present:
            return key
    return "text" if "text" in present and any(name in present for name in _NAME_KEYS) else ""


def _may_repeat(line: bytes, key: str) -> bool:
    """Tell whether the line's object has a duplicate key: JSON readers keep only the last of them."""
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


def _tokens(wrapper: _Wrapper) -> int | None:
    """Return how many tokens a reply has, as the line around it says: beside it, or under `usage`."""
    stated = [_name(wrapper.output_tokens), _name(wrapper.completion_tokens)]
    try:
        usage = msgspec.json.decode(wrapper.usage, type=_ServerUsage) if bytes(wrapper.usage) else _ServerUsage()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        usage = _ServerUsage()
    counts = [int(each) for each in stated if each.isdecimal()]
    counts += [each for each in (usage.output_tokens, usage.completion_tokens) if each is not None]
    return counts[0] if counts else None


def _name(value: msgspec.Raw) -> str:
    try:
        named = _name_decoder.decode(value) if bytes(value) else ""
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""
    return str(named)
