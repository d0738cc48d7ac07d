"""Conversations in a cell of a table: messages as chat models write them, with calls of tools and their results."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

import msgspec

from venire.domain.material import Material, MaterialKind
from venire.errors import InputError
from venire.inputs.tables.materials import Judged
from venire.inputs.tables.record import as_list, kind_of

ASSISTANT = "assistant"
"""Who speaks in an answer."""
STEPS = frozenset({MaterialKind.TURN, MaterialKind.TOOL_CALL, MaterialKind.TOOL_RESULT})
"""The kinds of material that conversations are made of."""

_ROLES = {"human": "user", "ai": ASSISTANT, "bot": ASSISTANT, "model": ASSISTANT, "gpt": ASSISTANT, "function": "tool"}
_PREFIXES = {MaterialKind.TURN: "turn", MaterialKind.TOOL_CALL: "call", MaterialKind.TOOL_RESULT: "result"}

_SPEAKERS = frozenset({"system", "developer", "user", ASSISTANT, "tool"})
_BEGINNING = re.compile(r"\s*\[\s*\{")
_FIRST_ROLE = re.compile(
    r"""\s*\[\s*\{\s*['"](?:role|type|from)['"]\s*:\s*['"](?:system|developer|user|assistant|human|ai)['"]"""
)
"""How a list of messages begins, if who speaks stands first."""


class JudgedPart(msgspec.Struct, frozen=True):
    """What of a conversation one sample is about."""

    text: str
    """The judged text."""
    beside: tuple[Material, ...]
    """The steps of the conversation that it is judged by."""


def is_conversation(value: Any) -> bool:
    """Tell whether a value is a list of messages, or an object that holds one under `messages`."""
    value = value.get("messages") if isinstance(value, dict) else value
    return isinstance(value, list) and bool(value) and all(_role(item) in _SPEAKERS for item in value)


def holds_messages(text: str) -> bool:
    """Tell whether a cell holds a list of messages, or begins as one and then breaks off.

    >>> holds_messages('[{"content": "Hello", "role": "user"}]'), holds_messages('[{"id": 1}]')
    (True, False)
    """
    if _BEGINNING.match(text) is None:
        return False
    value = as_list(text)
    return _FIRST_ROLE.match(text) is not None if value is None else is_conversation(value)


def read_steps(value: Any, where: str, column: str) -> tuple[Material, ...]:
    """Return the turns, calls of tools and their results in a list of messages, numbered in their order."""
    messages = value.get("messages", value) if isinstance(value, dict) else value
    if not isinstance(messages, list):
        raise InputError("error.conversation.not_list", where=where, column=column, found=kind_of(value))
    steps: list[Material] = []
    tools: dict[str, str] = {}
    for number, message in enumerate(messages, start=1):
        role = _role(message)
        if not role:
            found = kind_of(message)
            raise InputError("error.conversation.message", where=where, column=column, number=number, found=found)
        text = _content(message)
        if role == "tool":
            called = tools.get(str(message.get("tool_call_id", "")), "")
            steps.append(_step(MaterialKind.TOOL_RESULT, text, str(message.get("name") or called), steps))
            continue
        calls = _calls(message)
        if text or not calls:
            steps.append(_step(MaterialKind.TURN, text, role, steps))
        for call_id, name, arguments in calls:
            tools[call_id] = name
            steps.append(_step(MaterialKind.TOOL_CALL, arguments, name, steps))
    return tuple(steps)


def judged_parts(steps: tuple[Material, ...], judged: Judged, text: str, where: str) -> list[JudgedPart]:
    """Return what is judged of a conversation; `text` is the output where the table has it apart, and else empty."""
    answers = [place for place, step in enumerate(steps) if _is_answer(step)]
    if text and not (answers and steps[answers[-1]].text == text):
        steps = (*steps, _step(MaterialKind.TURN, text, ASSISTANT, steps))
        answers.append(len(steps) - 1)
    if not answers:
        raise InputError("error.conversation.no_answer", where=where, count=len(steps))
    if judged == "whole":
        return [JudgedPart(transcript(steps), ())]
    if judged == "each":
        return [JudgedPart(steps[place].text, steps[:place]) for place in answers]
    last = answers[-1]
    return [JudgedPart(steps[last].text, (*steps[:last], *steps[last + 1 :]))]


def transcript(steps: Iterable[Material]) -> str:
    """Write a conversation as one text, each step behind who speaks or which tool is called."""
    names = {MaterialKind.TOOL_CALL: "tool call {}", MaterialKind.TOOL_RESULT: "tool result {}"}
    return "\n\n".join(f"{names.get(each.kind, '{}').format(each.role).strip()}: {each.text}" for each in steps)


def _is_answer(step: Material) -> bool:
    return step.kind is MaterialKind.TURN and step.role == ASSISTANT and bool(step.text.strip())


def _step(kind: MaterialKind, text: str, role: str, before: Iterable[Material]) -> Material:
    number = sum(each.kind is kind for each in before) + 1
    return Material(f"{_PREFIXES[kind]}-{number}", kind, text, role)


def _role(message: Any) -> str:
    if not isinstance(message, dict):
        return ""
    role = next((message[key] for key in ("role", "type", "from") if isinstance(message.get(key), str)), "")
    return _ROLES.get(role, role)


def _content(message: dict[str, Any]) -> str:
    """Return the words of a message, whose content may be a text or a list of parts."""
    content = next((message[key] for key in ("content", "value", "text") if message.get(key) is not None), "")
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(_part(part) for part in content)
    return _as_json(content)


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, dict) and isinstance(part.get("text"), str):
        text: str = part["text"]
        return text
    return _as_json(part)  # An image or another part that is no text: shown as it is described.


def _calls(message: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return the calls of tools in a message, each with its id, the tool's name and its arguments."""
    given = message.get("tool_calls") or []
    if not given and message.get("function_call"):
        given = [{"function": message["function_call"]}]
    return [_call(call) for call in given if isinstance(call, dict)] if isinstance(given, list) else []


def _call(call: dict[str, Any]) -> tuple[str, str, str]:
    function = call.get("function")
    about: dict[str, Any] = function if isinstance(function, dict) else call
    name = about.get("name") or (function if isinstance(function, str) else "")
    arguments: Any = next((about[key] for key in ("arguments", "args", "input_parameters") if key in about), {})
    return str(call.get("id", "")), str(name), arguments if isinstance(arguments, str) else _as_json(arguments)


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
