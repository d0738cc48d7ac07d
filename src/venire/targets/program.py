"""What targets that are programs get and give: the request as plain values, and an answer as text or values."""

from __future__ import annotations

from typing import Any

import msgspec

from venire.judges.provider import Reply, Request
from venire.words.said import say


def told(request: Request) -> dict[str, Any]:
    """Return what a function or program is told, as JSON has it."""
    planned = request.planned
    assert planned is not None, "only targets are asked for planned outputs"
    place = planned.place
    system = [{"role": "system", "content": request.system}] if request.system else []
    before = [{"role": each.role, "content": each.text} for each in request.before]
    return {
        "prompt": request.user,
        "system": request.system,
        "messages": [*system, *before, {"role": "user", "content": request.user}],
        "case": {"id": planned.case.id, **planned.case.values},
        "materials": [{"id": each.id, "kind": each.kind.value, "text": each.text} for each in planned.case.materials],
        "variant": place.variant,
        "factors": place.factors,
        "target": place.target,
        "model": request.model,
        "parameters": place.parameters,
        "repeat": place.repeat,
    }


class GivenAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a function or program may give back in place of a bare text."""

    text: str
    """The output."""
    model: str | None = None
    """The model that answered."""
    finish_reason: str | None = None
    """Why it stopped: `length` if the output was cut off, `refusal` if it refused."""
    input_tokens: int | None = None
    """Tokens of the request."""
    output_tokens: int | None = None
    """Tokens of the output."""


def reply_from(answer: object, latency_seconds: float) -> Reply:
    """Turn what a function has returned into a reply; what is neither a text nor such values is a failure."""
    try:
        given = GivenAnswer(answer) if isinstance(answer, str) else msgspec.convert(answer, GivenAnswer)
    except msgspec.ValidationError as error:
        words = say("error.target.answer", found=type(answer).__name__, reason=str(error))
        return Reply(None, error=words, error_kind="bad_request", latency_seconds=latency_seconds)
    return Reply(
        given.text,
        body=given.text.encode("utf-8", "surrogatepass"),
        model=given.model,
        finish_reason=given.finish_reason,
        input_tokens=given.input_tokens,
        output_tokens=given.output_tokens,
        latency_seconds=latency_seconds,
    )
