"""Judges behind an OpenAI-compatible server: `POST {base_url}/chat/completions`."""

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


class OpenAICompatibleOptions(EndpointOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an OpenAI-compatible judge is configured with."""

    structured: Literal["schema", "object", "none"] = "none"
    """What the server can be asked to keep to: a JSON schema, any JSON object, or nothing."""
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    """The name under which the server takes the limit of tokens."""


class _ChatPart(msgspec.Struct, gc=False):
    type: str = ""
    text: str | None = None


class _ChatMessage(msgspec.Struct):
    content: str | list[_ChatPart] | None = None
    refusal: str | None = None


class _ChatChoice(msgspec.Struct):
    message: _ChatMessage
    finish_reason: str | None = None


class _Completion(msgspec.Struct):
    choices: list[_ChatChoice]
    model: str | None = None
    usage: Any = None


_decoder = msgspec.json.Decoder(_Completion)
_OURS = ("model", "messages", "max_tokens", "max_completion_tokens", "temperature", "top_p", "seed", "response_format")


def create(options: Mapping[str, Any]) -> OpenAICompatibleProvider:
    """Make the provider from configuration; raises `ConfigError` for wrong options or a missing key."""
    read = read_options(options, OpenAICompatibleOptions, "openai_compatible")
    check_extra_body(read, _OURS, "error.judge.extra_body_openai")
    return OpenAICompatibleProvider(read)


class OpenAICompatibleProvider:
    """Asks one OpenAI-compatible server."""

    def __init__(self, options: OpenAICompatibleOptions) -> None:
        key = read_key(options)
        self._options = options
        self._last_schema: tuple[dict[str, Any], msgspec.Raw] = ({}, msgspec.Raw(b"{}"))
        self._sender = HttpSender(
            endpoint_url(options, "/chat/completions"),
            {"Authorization": f"Bearer {key}"} if key else {},
            key=key,
            timeout_seconds=options.timeout_seconds,
            max_reply_bytes=options.max_reply_bytes,
            max_connections=options.max_connections,
        )

    async def ask(self, request: Request) -> Reply:
        """Ask once and return what came back."""
        answer = await self._sender.post(self._payload(request))
        reply = _reply(answer, self._options, may_be_empty=request.may_be_empty)
        if not lacks_model(reply):
            return reply
        return await with_models(reply, request.model, self._sender, self._options, "/models")

    async def close(self) -> None:
        """Close all connections."""
        await self._sender.close()

    def _payload(self, request: Request) -> dict[str, Any]:
        decoding, options = request.decoding, self._options
        payload: dict[str, Any] = {
            **options.extra_body,
            "model": request.model,
            "messages": _messages(request),
            options.max_tokens_field: decoding.max_tokens,
        }
        for name in ("temperature", "top_p", "seed"):
            if (value := getattr(decoding, name)) is not None:
                payload[name] = value
        if options.structured == "schema" and request.reply_schema:
            payload["response_format"] = self._schema_format(request.reply_schema)
        elif options.structured == "object" and request.reply_schema:
            payload["response_format"] = {"type": "json_object"}
        return payload

    def _schema_format(self, schema: dict[str, Any]) -> msgspec.Raw:
        """Return how a schema is asked for, encoded once for all requests that share it."""
        known, encoded = self._last_schema
        if known is not schema:
            asked = {"name": "reply", "strict": True, "schema": schema}
            encoded = msgspec.Raw(msgspec.json.encode({"type": "json_schema", "json_schema": asked}))
            self._last_schema = (schema, encoded)
        return encoded


def _messages(request: Request) -> list[dict[str, Any]]:
    system = [{"role": "system", "content": request.system}] if request.system or not request.may_be_empty else []
    before = [{"role": each.role, "content": each.text} for each in request.before]
    return [*system, *before, {"role": "user", "content": _content(request)}]


def _content(request: Request) -> str | list[dict[str, Any]]:
    if not request.attachments:
        return request.user
    return [*map(_file_part, request.attachments), {"type": "text", "text": request.user}]


def _file_part(attachment: Attachment) -> dict[str, Any]:
    data = base64.b64encode(attachment.data).decode("ascii")
    return {
        "type": "file",
        "file": {"filename": attachment.name, "file_data": f"data:{attachment.media_type};base64,{data}"},
    }


def _reply(answer: HttpAnswer, options: OpenAICompatibleOptions, *, may_be_empty: bool) -> Reply:
    if answer.error is not None:
        return failed(answer, options)
    if answer.cut:
        return cut_off(answer)
    try:
        completion = _decoder.decode(answer.body)
    except msgspec.ValidationError:
        return malformed(answer, say("error.judge.no_readable_choices"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return malformed(answer, say_no_json(answer.body))
    if not completion.choices:
        return malformed(answer, say("error.judge.no_choices"))
    choice = completion.choices[0]
    text = _text(choice.message)
    is_refusal = choice.finish_reason == "content_filter"  # A filtered answer is a refusal, not a fault.
    if not text and not is_refusal and not may_be_empty:
        return malformed(answer, say("error.judge.no_content", reason=choice.finish_reason))
    return Reply(
        text,
        body=answer.body,
        status=answer.status,
        input_tokens=count(completion.usage, "prompt_tokens"),
        output_tokens=count(completion.usage, "completion_tokens"),
        finish_reason="refusal" if choice.message.refusal and may_be_empty else choice.finish_reason,
        model=completion.model,
        latency_seconds=answer.latency_seconds,
        rate_limits=answer.rate_limits,
    )


def _text(message: _ChatMessage) -> str:
    content = message.content
    if isinstance(content, list):
        content = "".join(part.text for part in content if part.text and part.type in {"", "text", "output_text"})
    return content or message.refusal or ""
