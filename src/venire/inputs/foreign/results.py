"""What every reader of another tool's results gives: samples, each with the judgements that the tool recorded."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

import msgspec

from venire.domain.material import Material, MaterialKind
from venire.domain.sample import Sample

By = Literal["", "judge", "human", "code", "combined"]
"""Who judged, where the tool tells: a model, a person, a program, or the tool itself by combining other judgements."""


class ForeignJudgement(msgspec.Struct, frozen=True, kw_only=True):
    """One judgement as another tool recorded it."""

    scorer: str
    """What the tool calls the scorer, metric, assertion or assessment."""
    by: By = ""
    """Who judged; judgements of people, models and programs are never put together."""
    judge: str = ""
    """The model or person that judged, by the name in the record; empty if the record names none."""
    scores: Mapping[str, float] = {}
    """The scores by dimension; of a scorer with one score, under the scorer's name."""
    verdict: str = ""
    """What the tool recorded in words, such as `C` or `yes`; empty if it did not."""
    not_scored: str = ""
    """Why there is no score that counts, one of `venire.shapes.recorded.NOT_SCORED`; empty if there is one."""
    detail: str = ""
    """What the tool says of the reason."""
    explanation: str = ""
    """The reason that the judge gave for its score."""
    reply: str = ""
    """The judge's own words; empty if the tool did not keep them."""
    time: str = ""
    """When it was judged, as the tool wrote it."""
    repeat: int = 0
    """How many judgements of the same judge on the same sample stand before it."""
    settings: Mapping[str, Any] = {}
    """What the record says of how the judge was asked, as far as it could change its answers."""
    record: Mapping[str, Any] = {}
    """The part of the tool's record that it was read from."""
    input_tokens: int | None = None
    """Tokens of the request to the judge."""
    output_tokens: int | None = None
    """Tokens of the judge's reply."""


class ForeignSample(msgspec.Struct, frozen=True):
    """One output that another tool judged, with its judgements."""

    sample: Sample
    """The output with everything beside it."""
    judgements: tuple[ForeignJudgement, ...] = ()
    """The judgements, in the order of the record."""
    unjudged: Mapping[str, str] = {}
    """The scorers that were to judge it and have recorded nothing, each with the reason, such as an error."""


class ForeignResults(msgspec.Struct, frozen=True):
    """The results of one file."""

    tool: str
    """The tool that wrote it."""
    version: str
    """The version of the tool, or what the file says instead of it."""
    samples: Callable[[], Iterator[ForeignSample]]
    """Reads the samples, one at a time and from the beginning each time."""
    run: str = ""
    """What the tool calls the run."""
    created: str = ""
    """When the run was made, as the tool wrote it."""


class MaterialList:
    """Collects the materials of a sample; each gets an id of its kind and number."""

    def __init__(self) -> None:
        self._materials: list[Material] = []
        self._counts: dict[MaterialKind, int] = {}

    def add(self, kind: MaterialKind, text: str, role: str = "") -> None:
        """Add a text, unless there is nothing in it."""
        if not text.strip():
            return
        number = self._counts[kind] = self._counts.get(kind, 0) + 1
        name = kind.value.replace("_", "-")
        self._materials.append(Material(f"{name}-{number}", kind, clean(text), clean(role)))

    def add_messages(self, messages: Any) -> None:
        """Add the turns of a conversation as OpenAI writes them, with calls of tools and what these gave back."""
        for message in messages if isinstance(messages, list) else ():
            if not isinstance(message, dict):
                continue
            role, text = str(message.get("role") or ""), text_of(message.get("content"))
            if role == "tool":
                self.add(MaterialKind.TOOL_RESULT, text, str(message.get("function") or message.get("name") or ""))
            else:
                self.add(MaterialKind.TURN, text, role)
            for call in message.get("tool_calls") or ():
                self.add_call(call)

    def add_call(self, call: Any) -> None:
        """Add the call of a tool."""
        call = call if isinstance(call, dict) else {}
        function = call.get("function")
        inner = function if isinstance(function, dict) else call
        name = str(inner.get("name") or (function if isinstance(function, str) else ""))
        arguments = inner.get("arguments", inner.get("inputParameters", {}))
        self.add(MaterialKind.TOOL_CALL, f"{name}({text_of(arguments)})", name)

    def listed(self) -> tuple[Material, ...]:
        """Return the materials in the order in which they were added."""
        return tuple(self._materials)


class Repeats:
    """Numbers what occurs more than once, from 1 on."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def number(self, what: Any) -> int:
        """Return the how-many-eth time it is that this occurs."""
        key = json.dumps(what, sort_keys=True)
        self._seen[key] = self._seen.get(key, 0) + 1
        return self._seen[key]


def text_of(value: Any) -> str:
    r"""Return a value as text: strings as they are, parts of a message one after another, all else as JSON.

    >>> text_of([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]), text_of({"day": 1}), text_of(None)
    ('a\nb', '{"day": 1}', '')
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list) and value and all(isinstance(part, dict) and "type" in part for part in value):
        return "\n".join(part for part in map(_part_text, value) if part)
    return clean(json.dumps(value, ensure_ascii=False))


def _part_text(part: dict[str, Any]) -> str:
    said = part.get("text", part.get("reasoning"))
    return clean(said) if isinstance(said, str) else f"[{part['type']}]"


def clean(text: str) -> str:
    """Return a text that can be stored: halves of characters, which UTF-8 cannot say, are replaced."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def number_of(value: Any) -> float | None:
    """Return a finite number, or None; a truth value counts as 1 or 0."""
    if isinstance(value, (bool, int, float)) and math.isfinite(value):
        return float(value)
    return None


def plain(value: Any) -> Any:
    """Return a value of a record as JSON can keep it exactly: what it cannot say as a number becomes a text."""
    if isinstance(value, dict):
        return {clean(str(key)): plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, str):
        return clean(value)
    is_exact = isinstance(value, (bool, type(None))) or (math.isfinite(value) and abs(value) < 2**53)
    return value if is_exact else str(value)
