"""Bodies of requests are read strictly: a text is no number, and JSON of any depth is answered, not fallen over."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
from litestar import Request
from litestar.exceptions import ClientException, ValidationException

from venire.words.said import say


async def refuse_loose_body(request: Request[Any, Any, Any]) -> None:
    """Raise a 400 unless a JSON body is just what its handler takes; the framework would make 1 of "1"."""
    field = request.route_handler.parsed_data_field
    if field is None or request.content_type[0] != "application/json":
        return
    try:
        _decoder(field.annotation).decode(await request.body())
    except msgspec.ValidationError as error:
        message, _, place = str(error).partition(" - at `$")
        key = place.rstrip("`").lstrip(".")
        raise ValidationException(detail=say("api.body_unexpected"), extra=[{"key": key, "message": message}]) from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise ClientException(detail=say("api.body_unreadable", problem=str(error))) from None


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)
