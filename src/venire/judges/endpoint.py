"""What every judge behind HTTP is configured with, its key, and how failed answers become replies."""

from __future__ import annotations

import codecs
import os
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from venire.errors import ConfigError
from venire.judges.http.errors import is_out_of_credit, limited_unit, server_words
from venire.judges.http.proxy import is_loopback
from venire.judges.provider import Reply
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from venire.judges.http.sender import HttpAnswer


class EndpointOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a server listens and what it may take."""

    base_url: str
    """The address up to the part that the protocol adds."""
    api_key_env: str | None = None
    """The environment variable that holds the key; None for servers that need none."""
    timeout_seconds: float = 120.0
    """How long one answer may take, from connecting to the last byte."""
    max_reply_bytes: int = 4 * 1024 * 1024
    """How many bytes of an answer are read; the rest is cut off."""
    max_connections: int = 100
    """How many connections may be open at once."""
    extra_body: dict[str, Any] = msgspec.field(default_factory=dict)
    """Further fields of every request that the server understands, such as stop sequences or a template's options."""
    insecure_http: bool = False
    """Whether the key may be sent over plain http to another machine."""


def endpoint_url(options: EndpointOptions, path: str) -> str:
    """Return the full address; raises `ConfigError` for one that is not plain http(s) or holds a password."""
    try:
        parts = urlsplit(options.base_url)
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # such as a port beyond 65535
        is_address = False
    if not is_address or any(character.isspace() for character in options.base_url):
        raise ConfigError("error.judge.base_url", found=_without_secrets(options.base_url))
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigError("error.judge.base_url_not_plain", host=parts.hostname)
    return options.base_url.rstrip("/") + path


def check_extra_body(options: EndpointOptions, ours: tuple[str, ...], hint: str) -> None:
    """Raise `ConfigError` if the further fields hold one that requests have already."""
    if taken := [name for name in ours if name in options.extra_body]:
        raise ConfigError("error.judge.extra_body", hint=hint, names=tuple(taken))


def read_key(options: EndpointOptions, environment: Mapping[str, str] = os.environ) -> str | None:
    """Return the key from the environment; raises `ConfigError` that names the variable, never its value."""
    if options.api_key_env is None:
        return None
    if not re.fullmatch(r"[A-Za-z_]\w*", options.api_key_env):
        raise ConfigError("error.judge.key_variable")  # What stands there may be the key itself.
    key = environment.get(options.api_key_env, "").strip()
    if not key:
        raise ConfigError("error.judge.no_key", variable=options.api_key_env)
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ConfigError("error.judge.key_signs", variable=options.api_key_env)
    _check_key_stays_secret(options)
    return key


def _check_key_stays_secret(options: EndpointOptions) -> None:
    """Raise `ConfigError` if anybody on the way to the server could read the key."""
    parts = urlsplit(options.base_url)
    if parts.scheme != "http" or options.insecure_http or is_loopback(parts.hostname or ""):
        return
    raise ConfigError("error.judge.key_over_http", variable=options.api_key_env, host=parts.hostname)


def failed(answer: HttpAnswer, options: EndpointOptions | None = None) -> Reply:
    """Turn an answer with an error into a reply, with the server's own explanation where it is safe to repeat."""
    kind, words = answer.error_kind, answer.error or ""
    if kind in ("rate_limited", "bad_request") and is_out_of_credit(answer.body):
        kind = "quota"
    # Servers like to repeat parts of the key when they refuse it.
    explanation = "" if kind == "auth" else server_words(answer.body)
    if kind == "auth" and options is not None and answer.status in (401, 403):  # 407 is a proxy's, not about our key.
        explanation = _key_advice(options)
    return Reply(
        None,
        body=answer.body,
        status=answer.status,
        error=say("error.judge.explained", words=words, explanation=explanation) if explanation else words,
        error_kind=kind,
        retry_after_seconds=answer.retry_after_seconds,
        limited_unit=limited_unit(answer.body) if kind == "rate_limited" else "",
        rate_limits=answer.rate_limits,
        latency_seconds=answer.latency_seconds,
    )


def _key_advice(options: EndpointOptions) -> str:
    host = urlsplit(options.base_url).netloc
    if options.api_key_env is None:
        return say("error.judge.refused_without_key", host=host)
    return say("error.judge.refused_key", host=host, variable=options.api_key_env)


def malformed(answer: HttpAnswer, words: str) -> Reply:
    """Turn an answer that is not of the protocol into a reply."""
    explanation = server_words(answer.body)
    return Reply(
        None,
        body=answer.body,
        status=answer.status,
        error=say("error.judge.explained", words=words, explanation=explanation) if explanation else words,
        error_kind="malformed",
        latency_seconds=answer.latency_seconds,
    )


def cut_off(answer: HttpAnswer) -> Reply:
    """Turn an answer over the size limit into a reply.

    Its envelope is broken, so its text is all that was read; `finish_reason` says so. The text says it all, so the body
    is not kept beside it, unless there are bytes in it that are no text.
    """
    try:
        text, body = (
            _utf8().decode(answer.body),
            b"",
        )  # The character that the limit fell into is cut off with the rest.
    except UnicodeDecodeError:
        text, body = answer.body.decode("utf-8", "replace"), answer.body
    return Reply(
        text,
        body=body,
        status=answer.status,
        finish_reason="cut",
        latency_seconds=answer.latency_seconds,
    )


def count(usage: object, field: str) -> int | None:
    """Return a token count from a server's usage object, whatever else stands there; None if it has none."""
    value = usage.get(field) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


_utf8 = codecs.getincrementaldecoder("utf-8")


def _without_secrets(url: str) -> str:
    return repr(url.rpartition("@")[2])
