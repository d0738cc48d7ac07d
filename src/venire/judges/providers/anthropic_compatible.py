"""Judges behind an Anthropic-compatible server: `POST {base_url}/v1/messages`."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from venire.judges.endpoint import (
    EndpointOptions,
    check_extra_body,
    count,
    cut_off,
    endpoint_url,
    failed,
    malformed,
    read_key,
)
from venire.judges.http.errors import say_no_json
from venire.judges.http.sender import HttpAnswer, HttpSender
from venire.judges.model_list import lacks_model, with_models
from venire.judges.options import read_options
from venire.judges.provider import Attachment, Reply, Request
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Mapping

VERSION = "2023-06-01"
"""The version of the messages protocol that requests declare."""

PREFILL = "{"
"""How a prefilled reply begins."""


class AnthropicCompatibleOptions(EndpointOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an Anthropic-compatible judge is configured with. The protocol has no seed, so none is sent."""

    auth: Literal["x-api-key", "bearer"] = "x-api-key"
    """The header that carries the key."""
    prefill: bool = False
    """Whether the reply is begun with an opening brace, for servers without constrained decoding; some refuse it."""


class _Block(msgspec.Struct, gc=False):
    type: str
    text: str | None = None


class _AnthropicReply(msgspec.Struct):
    content: list[_Block]
    stop_reason: str | None = None
    model: str | None = None
    usage: Any = None


_decoder = msgspec.json.Decoder(_AnthropicReply)
_OURS = ("model", "messages", "system", "max_tokens", "temperature", "top_p")


def create(options: Mapping[str, Any]) -> AnthropicCompatibleProvider:
    """Make the provider from configuration; raises `ConfigError` for wrong options or a missing key."""
    read = read_options(options, AnthropicCompatibleOptions, "anthropic_compatible")
    check_extra_body(read, _OURS, "error.judge.extra_body_anthropic")
    return AnthropicCompatibleProvider(read)


class AnthropicCompatibleProvider:
    """Asks one Anthropic-compatible server."""

    def __init__(self, options: AnthropicCompatibleOptions) -> None:
        key = read_key(options)
        self._options = options
        self._sender = HttpSender(
            endpoint_url(options, "/v1/messages"),
            {"anthropic-version": VERSION, **_key_header(key, options.auth)},
            key=key,
            timeout_seconds=options.timeout_seconds,
            max_reply_bytes=options.max_reply_bytes,
            max_connections=options.max_connections,
        )

    async def ask(self, request: Request) -> Reply:
        """Ask once and return what came back."""
        answer = await self._sender.post(self._payload(request))
        reply = _reply(answer, self._options, request)
        if not lacks_model(reply):
            return reply
        return await with_models(reply, request.model, self._sender, self._options, "/v1/models")

    async def close(self) -> None:
        """Close all connections."""
        await self._sender.close()

    def _payload(self, request: Request) -> dict[str, Any]:
        decoding = request.decoding
        messages: list[dict[str, Any]] = [{"role": each.role, "content": each.text} for each in request.before]
        messages.append({"role": "user", "content": _content(request)})
        if _has_prefill(request, self._options):
            messages.append({"role": "assistant", "content": PREFILL})
        payload: dict[str, Any] = {
            **self._options.extra_body,
            "model": request.model,
            "max_tokens": decoding.max_tokens,
            **({"system": request.system} if request.system or not request.may_be_empty else {}),
            "messages": messages,
        }
        for name in ("temperature", "top_p"):
            if (value := getattr(decoding, name)) is not None:
                payload[name] = value
        return payload


def _has_prefill(request: Request, options: AnthropicCompatibleOptions) -> bool:
    return options.prefill and bool(request.reply_schema)  # Only a reply in JSON begins as JSON does.


def _key_header(key: str | None, auth: str) -> dict[str, str]:
    if key is None:
        return {}
    return {"Authorization": f"Bearer {key}"} if auth == "bearer" else {"x-api-key": key}


def _content(request: Request) -> str | list[dict[str, Any]]:
    if not request.attachments:
        return request.user
    return [*map(_document_block, request.attachments), {"type": "text", "text": request.user}]


def _document_block(attachment: Attachment) -> dict[str, Any]:
    data = base64.b64encode(attachment.data).decode("ascii")
    source = {"type": "base64", "media_type": attachment.media_type, "data": data}
    return {"type": "document", "source": source, "title": attachment.name}


def _reply(answer: HttpAnswer, options: AnthropicCompatibleOptions, request: Request) -> Reply:
    if answer.error is not None:
        return failed(answer, options)
    if answer.cut:
        return cut_off(answer)
    try:
        message = _decoder.decode(answer.body)
    except msgspec.ValidationError:
        return malformed(answer, say("error.judge.no_readable_content"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return malformed(answer, say_no_json(answer.body))
    text = "".join(block.text for block in message.content if block.text and block.type == "text")
    is_refusal = message.stop_reason == "refusal"  # A refusal may be empty; it is an answer all the same.
    if not text and not is_refusal and not request.may_be_empty:
        return malformed(answer, say("error.judge.no_text", reason=message.stop_reason))
    if text and _has_prefill(request, options) and not text.lstrip().startswith(PREFILL):
        text = PREFILL + text  # The judge's turn begins with what we wrote for it; some servers repeat it.
    return Reply(
        text,
        body=answer.body,
        status=answer.status,
        input_tokens=count(message.usage, "input_tokens"),
        output_tokens=count(message.usage, "output_tokens"),
        finish_reason=message.stop_reason,
        model=message.model,
        latency_seconds=answer.latency_seconds,
        rate_limits=answer.rate_limits,
    )
