"""One request to one judge, within its limits and the run's budget."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from venire.domain.canonical import MAX_SAFE_INTEGER
from venire.judges.panel import Price
from venire.judges.provider import Provider, Reply, Request
from venire.runner.admission import Admission, Reservation, Used, heard_of
from venire.runner.budget import Tokens
from venire.words.said import say

_FRAME_TOKENS = 16
_DOCUMENT_TOKENS = 3000
_DOCUMENT_BYTES_PER_TOKEN = 16


def estimate(request: Request) -> Tokens:
    """Estimate a request from its length, and its reply by the most that it may have.

    It errs on the high side, because budgets are kept by it: three letters of a Latin script to a token, and three
    tokens to two characters of any other. Documents count by their size, and no less than a page or two.
    Judges that are not models take no tokens.
    """
    if not request.model:
        return Tokens(0, 0)
    text = request.system + request.user
    other = len(text) - len(text.encode("ascii", "ignore"))
    words = -(-(len(text) - other) // 3) + -(-other * 3 // 2)
    documents = sum(_DOCUMENT_TOKENS + len(each.data) // _DOCUMENT_BYTES_PER_TOKEN for each in request.attachments)
    return Tokens(_FRAME_TOKENS + words + documents, request.decoding.max_tokens)


def count(reply: Reply) -> Tokens | None:
    """Return what a request has really taken, as its server says; None where it may have been billed and nobody says.

    A server that refuses a request bills nothing; one that was cut off, or whose answer cannot be read, may.
    """
    if reply.input_tokens is not None or reply.output_tokens is not None:
        return Tokens(reply.input_tokens or 0, reply.output_tokens or 0)
    may_be_billed = reply.text is not None or reply.error_kind in ("timeout", "malformed")
    return None if may_be_billed else Tokens(0, 0)


class CallResult(msgspec.Struct, frozen=True):
    """What one request has brought and taken."""

    reply: Reply
    """What came back."""
    tokens: Tokens
    """What it took."""
    cost: float
    """What it cost."""
    reservation: Reservation
    """The leave that it was sent with."""


class Caller:
    """Sends the requests of one judge."""

    def __init__(self, provider: Provider, price: Price, admission: Admission) -> None:
        self._provider = provider
        self._price = price
        self._admission = admission

    @asynccontextmanager
    async def call(self, request: Request) -> AsyncIterator[CallResult]:
        """Send a request once it is its turn; it is under way until the block ends, in which its outcome is recorded.

        So what must be asked again after a crash is never more than may be under way. Raises `StoppedError` if the run
        is to end or the budget is spent.
        """
        guess = estimate(request)
        reservation = await self._admission.reserve(guess)
        used = None
        try:
            reply = await _ask_safely(self._provider, request)
            billed = count(reply)
            used = Used(billed)
            self._admission.heard(reservation, heard_of(reply, billed))
            tokens = billed or guess
            yield CallResult(reply, tokens, self._price.cost(tokens.input, tokens.output), reservation)
        finally:
            self._admission.release(reservation, used)


async def _ask_safely(provider: Provider, request: Request) -> Reply:
    """Ask; a provider that breaks its promises fails its own task and no one else's."""
    try:
        return _as_promised(await provider.ask(request))
    except msgspec.ValidationError as error:
        return Reply(None, error=say("run.not_a_reply", reason=str(error)), error_kind="bad_request")
    except Exception as error:  # Whatever a plugin raises; its words may hold a key.
        return Reply(None, error=say("run.provider_failed", error=type(error).__name__), error_kind="bad_request")


def _as_promised(reply: Reply) -> Reply:
    """Return a reply that records can hold; what they cannot hold is left out, and text of that kind is a failure.

    Raises `msgspec.ValidationError` for fields of another type.
    """
    reply = msgspec.convert(msgspec.structs.asdict(reply), Reply)
    try:
        "".join((reply.text or "", reply.error or "", reply.model or "", reply.finish_reason or "")).encode()
    except UnicodeEncodeError:
        error = say("run.surrogates")
        reply = msgspec.structs.replace(
            reply, text=None, model=None, finish_reason=None, error=error, error_kind="malformed"
        )
    if reply.text is None and reply.error_kind is None:
        words = reply.error or say("run.no_answer")
        reply = msgspec.structs.replace(reply, error=words, error_kind="bad_request")
    if not (_is_count(reply.input_tokens) and _is_count(reply.output_tokens)):  # One alone would count as both.
        reply = msgspec.structs.replace(reply, input_tokens=None, output_tokens=None)
    return msgspec.structs.replace(
        reply,
        status=reply.status if _is_count(reply.status) else None,
        retry_after_seconds=reply.retry_after_seconds if _is_duration(reply.retry_after_seconds) else None,
        latency_seconds=reply.latency_seconds if _is_duration(reply.latency_seconds) else 0.0,
    )


def _is_count(number: int | None) -> bool:
    return number is None or 0 <= number <= MAX_SAFE_INTEGER


def _is_duration(seconds: float | None) -> bool:
    return seconds is None or 0 <= seconds < math.inf
