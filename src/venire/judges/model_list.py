"""Says which models a server has, where the address or the model that was asked for is not there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from venire.judges.endpoint import endpoint_url
from venire.words.said import say

if TYPE_CHECKING:
    from venire.judges.endpoint import EndpointOptions
    from venire.judges.http.sender import HttpSender
    from venire.judges.provider import Reply

_BAD_REQUEST, _NOT_FOUND = 400, 404
NOTHING_THERE = frozenset({_NOT_FOUND, 405, 501})
"""The statuses that tell of an address where nothing answers to POST: there is nothing, or something else."""
_NO_MODEL = re.compile(r"model[\s_]*(does[\s_]*)?not[\s_]*(exist|found)|unknown[\s_]*model|模型不存在", re.IGNORECASE)
"""How servers that answer 400 say that they lack a model: DeepSeek's, GLM's and MiniMax's words among them."""
MODEL_NOT_THERE = "error.judge.model_not_there"
MOST_NAMED = 20
"""How many models are named at most."""


class _Model(msgspec.Struct, gc=False):
    id: str


class _Models(msgspec.Struct):
    data: list[_Model]


def lacks_model(reply: Reply) -> bool:
    """Tell whether a request met nothing at its address, or a server that says it has no such model."""
    return reply.status in NOTHING_THERE or (
        reply.status == _BAD_REQUEST and reply.error is not None and bool(_NO_MODEL.search(reply.error))
    )


async def with_models(reply: Reply, model: str, sender: HttpSender, options: EndpointOptions, path: str) -> Reply:
    """Return the reply to a request that `lacks_model`, with what the server lists at a path."""
    names: tuple[str, ...] = ()
    if reply.status in (_NOT_FOUND, _BAD_REQUEST):
        listed = await sender.get(endpoint_url(options, path))
        names = _names(listed.body) if listed.error is None else ()
    if not names or model in names:
        if reply.status not in NOTHING_THERE:
            return reply
        error = say("error.judge.nothing_there", words=reply.error, url=options.base_url)
    else:
        host = urlsplit(options.base_url).netloc
        error = say(MODEL_NOT_THERE, status=reply.status, model=model, host=host, known=_shown(names))
    return msgspec.structs.replace(reply, error=error)


def _names(body: bytes) -> tuple[str, ...]:
    try:
        return tuple(each.id for each in msgspec.json.decode(body, type=_Models).data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ()


def _shown(names: tuple[str, ...]) -> tuple[str, ...]:
    shown = tuple("".join(filter(str.isprintable, name))[:80] for name in names[:MOST_NAMED])
    return (*shown, "…") if len(names) > MOST_NAMED else shown
