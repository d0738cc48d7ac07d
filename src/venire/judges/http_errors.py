"""Puts the failures of a request into a kind and a few words that hold no secret. Pure."""

from __future__ import annotations

import asyncio
import math
import ssl
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

import aiohttp
import msgspec

from venire.words.said import say

if TYPE_CHECKING:
    from venire.judges.provider import ErrorKind

MAX_WORDS = 200
"""How many characters of a server's own explanation are repeated."""


def kind_of_status(status: int) -> ErrorKind:
    """Classify an HTTP status that is not 2xx.

    >>> [kind_of_status(status) for status in (429, 503, 401, 408, 422)]
    ['rate_limited', 'server', 'auth', 'timeout', 'bad_request']
    """
    if status == 429:
        return "rate_limited"
    if status in {401, 402, 403, 407}:  # 402 is how some vendors say that the account is empty; 407 is a proxy's 401.
        return "auth"
    if status == 408:
        return "timeout"
    return "server" if status >= 500 else "bad_request"


def say_status(status: int) -> str:
    """Say a status that is not 2xx.

    >>> say_status(307)
    'HTTP 307, a redirect, which is not followed: it could carry the key elsewhere; check base_url'
    """
    if status in {301, 302, 303, 307, 308}:
        return say("error.judge.http_redirect", status=status)
    return f"HTTP {status}"


def retry_after_seconds(value: str | None, now: float) -> float | None:
    """Read a Retry-After header (RFC 9110 §10.2.3): seconds, or a date compared with `now`; None if unreadable.

    >>> retry_after_seconds("120", now=0.0)
    120.0
    >>> retry_after_seconds("Thu, 01 Jan 1970 00:00:30 GMT", now=10.0)
    20.0
    """
    if value is None:
        return None
    try:
        seconds = float(value)  # Fractions are not in the RFC, but servers send them.
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - now
        except (ValueError, OverflowError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def say_connection_error(error: Exception, timeout_seconds: float) -> tuple[ErrorKind, str]:
    """Classify what kept an answer from coming, in our own words: a library's may hold headers."""
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return "timeout", say("error.judge.connect_timeout")
    if isinstance(error, asyncio.TimeoutError):
        return "timeout", say("error.judge.answer_timeout", seconds=timeout_seconds)
    if isinstance(error, aiohttp.ClientConnectorCertificateError | aiohttp.ClientSSLError | ssl.SSLError):
        return "connection", say("error.judge.tls")
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return "connection", say("error.judge.no_host", host=error.host)
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return ("auth" if error.status == 407 else "connection"), say("error.judge.proxy_refused", status=error.status)
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        return "connection", say(
            "error.judge.no_proxy", host=error.host, port=str(error.port), reason=_reason(error.os_error)
        )
    if isinstance(error, aiohttp.ClientConnectorError):
        return "connection", say(
            "error.judge.no_connection", host=error.host, port=str(error.port), reason=_reason(error.os_error)
        )
    if isinstance(error, aiohttp.ServerDisconnectedError | ConnectionError):
        return "connection", say("error.judge.broken_off")
    if isinstance(error, aiohttp.ClientPayloadError):
        return "connection", say("error.judge.answer_broken_off")
    if isinstance(error, aiohttp.ClientResponseError):
        return "malformed", say("error.judge.not_http")
    return "connection", say("error.judge.connection_failed", error=type(error).__name__)


def server_words(body: bytes) -> str:
    """Return what the server says in its error object, shortened and printable; empty if it says nothing.

    >>> server_words(b'{"error": {"message": "model not found", "type": "x"}}')
    'model not found'
    """
    try:
        answer = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    error = answer.get("error", answer) if isinstance(answer, dict) else None
    message = error.get("message") if isinstance(error, dict) else error
    if not isinstance(message, str):
        return ""
    words = " ".join(message.split())
    return "".join(character for character in words[:MAX_WORDS] if character.isprintable())


def is_out_of_credit(body: bytes) -> bool:
    """Tell whether a 429 means an empty account, which waiting does not fill."""
    return b"insufficient_quota" in body


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()
