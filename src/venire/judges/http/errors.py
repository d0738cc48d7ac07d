"""Puts failures of a request into a kind and a few words that hold no secret, and reads limits from headers. Pure."""

from __future__ import annotations

import math
import os
import re
import ssl
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Literal

import msgspec

from venire.errors import os_reason
from venire.judges.http.failures import (
    BrokenOffError,
    ConnectTimeoutError,
    HungUpError,
    NoHostError,
    NotConnectedError,
    NotHttpError,
    NoTlsError,
    ProxyRefusedError,
)
from venire.judges.provider import LimitLeft
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from venire.judges.provider import ErrorKind

MAX_WORDS = 200
"""How many characters of a server's own explanation are repeated."""


def kind_of_status(status: int) -> ErrorKind:
    """Classify an HTTP status that is not 2xx.

    >>> [kind_of_status(status) for status in (429, 503, 401, 402, 408, 422)]
    ['rate_limited', 'server', 'auth', 'quota', 'timeout', 'bad_request']
    """
    if status == 429:
        return "rate_limited"
    if status == 402:  # This is how some vendors say that the account is empty.
        return "quota"
    if status in {401, 403, 407}:  # 407 is a proxy's 401.
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
    if isinstance(error, ConnectTimeoutError):
        return "timeout", say("error.judge.connect_timeout")
    if isinstance(error, TimeoutError):
        return "timeout", say("error.judge.answer_timeout", seconds=timeout_seconds)
    if isinstance(error, NoTlsError):
        return "connection", _say_no_tls(error)
    if isinstance(error, NoHostError):
        return "connection", say("error.judge.no_host", host=error.host)
    if isinstance(error, ProxyRefusedError):
        return ("auth" if error.status == 407 else "connection"), say("error.judge.proxy_refused", status=error.status)
    if isinstance(error, NotConnectedError):
        code = "error.judge.no_proxy" if error.is_proxy else "error.judge.no_connection"
        number = error.reason.errno  # What asyncio says beside it is an address.
        reason = os_reason(OSError(number, os.strerror(number)) if number else error.reason)
        return "connection", say(code, host=error.host, port=str(error.port), reason=reason)
    if isinstance(error, HungUpError | ConnectionError):
        return "connection", say("error.judge.broken_off")
    if isinstance(error, BrokenOffError):
        return "connection", say("error.judge.answer_broken_off")
    if isinstance(error, NotHttpError):
        return "malformed", say("error.judge.not_http")
    return "connection", say("error.judge.connection_failed", error=type(error).__name__)


def _say_no_tls(error: NoTlsError) -> str:
    """Say whether a certificate is not trusted, or why TLS is not spoken."""
    if isinstance(error.reason, ssl.SSLCertVerificationError):
        reason = getattr(error.reason, "verify_message", "")  # Such as "certificate has expired".
        words: str = say("error.judge.certificate", authority=error.authority, reason=reason)
        return words
    reason = (getattr(error.reason, "reason", "") or type(error.reason).__name__).replace("_", " ").lower()
    return say("error.judge.tls", authority=error.authority, reason=reason)


def server_words(body: bytes) -> str:
    """Return what the server says in its error object, shortened and printable; empty if it says nothing.

    >>> server_words(b'{"error": {"message": "model not found.", "type": "x"}}')
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
    shown = "".join(character for character in words[:MAX_WORDS] if character.isprintable())
    return shown.rstrip(".。")  # It stands in a sentence of ours.


_OUT_OF_CREDIT = tuple(
    words.encode()
    for words in ("insufficient_quota", "credit balance is too low", "exceeded_current_quota", "余额不足")
)


def is_out_of_credit(body: bytes) -> bool:
    """Tell whether a refusal means an empty account, which waiting does not fill."""
    return any(words in body for words in _OUT_OF_CREDIT)


def limited_unit(body: bytes) -> Literal["", "requests", "tokens"]:
    """Return what a server that refuses has too much of, by the type or the words of its error; empty if unknown.

    >>> limited_unit(b'{"error": {"type": "tokens", "message": "Rate limit reached"}}')
    'tokens'
    """
    if re.search(rb'"type": ?"tokens"|tokens per min|input tokens|output tokens', body):
        return "tokens"
    return "requests" if re.search(rb'"type": ?"requests"|requests per min', body) else ""


def say_no_json(body: bytes) -> str:
    """Say what an answer is that should be JSON and is not."""
    if not body.strip():
        return say("error.judge.answer_empty")
    if re.match(rb"(?i)\s*<(!doctype|html|\?xml)", body):
        return say("error.judge.answer_html")
    return say("error.judge.answer_not_json")


_HEADERS: tuple[tuple[Literal["requests", "tokens"], str, str], ...] = (
    ("requests", "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
    ("tokens", "x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
    ("requests", "anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"),
    ("tokens", "anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"),
)
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_DURATION = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+")
_EPOCH_SECONDS = 1e9  # No wait is that long: larger numbers are dates.


def rate_limits(headers: Mapping[str, str], now: float) -> tuple[LimitLeft, ...]:
    """Return what is left of requests and tokens; headers that cannot be read are left out.

    >>> rate_limits({"x-ratelimit-remaining-tokens": "900", "x-ratelimit-reset-tokens": "6m0s"}, now=0.0)
    (LimitLeft(unit='tokens', remaining=900.0, reset_seconds=360.0),)
    """
    found = []
    for unit, remaining_name, reset_name in _HEADERS:
        if (left := headers.get(remaining_name)) is None:
            continue
        remaining, reset = _number(left), reset_seconds(headers.get(reset_name, ""), now)
        if remaining is not None and reset is not None:
            found.append(LimitLeft(unit, remaining, reset))
    return tuple(found)


def reset_seconds(value: str, now: float) -> float | None:
    """Read when a limit begins anew: seconds, a duration, a date, or seconds since 1970; None if it is none of these.

    >>> [reset_seconds(each, now=10.0) for each in ("2.5", "1m30s", "120ms", "1970-01-01T00:00:30Z", "soon")]
    [2.5, 90.0, 0.12, 20.0, None]
    """
    if _DURATION.fullmatch(value):
        parts = re.findall(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)", value)
        return sum(float(amount) * _UNITS[unit] for amount, unit in parts)
    number = _number(value)
    if number is not None:
        return max(0.0, number - now) if number >= _EPOCH_SECONDS else number
    try:
        moment = datetime.fromisoformat(value)
        return max(0.0, moment.timestamp() - now) if moment.tzinfo else None
    except (ValueError, OverflowError):
        return None


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None
