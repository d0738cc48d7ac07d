"""One request to one judge, within its limits and the run's budget."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from venire.domain.canonical import MAX_SAFE_INTEGER
from venire.judges.panel import Price
from venire.judges.provider import Provider, Reply, Request
from venire.runner.admission import Gate, Used
from venire.runner.usage import Tokens, count, estimate


class Outcome(msgspec.Struct, frozen=True):
    """What one request has brought and taken."""

    reply: Reply
    """What came back."""
    tokens: Tokens
    """What it took."""
    cost: float
    """What it cost."""
    sent_after_rests: int
    """How many rests the judge had been given when it was sent."""


class Caller:
    """Sends the requests of one judge."""

    def __init__(self, provider: Provider, price: Price, gate: Gate) -> None:
        self._provider = provider
        self._price = price
        self._gate = gate
        self._stretch = 1.0

    @asynccontextmanager
    async def call(self, request: Request) -> AsyncIterator[Outcome]:
        """Send a request once it is its turn; it is under way until the block ends, in which its outcome is recorded.

        So what must be asked again after a crash is never more than may be under way. Raises `StoppedError` if the run
        is to end or the budget is spent.
        """
        guess = estimate(request)
        expected = Tokens(math.ceil(guess.input * self._stretch), guess.output)
        granted = await self._gate.enter(self._price.cost(expected.input, expected.output), expected.total)
        used = None
        try:
            reply = await _ask_safely(self._provider, request)
            tokens = count(reply, expected)
            cost = self._price.cost(tokens.input, tokens.output)
            used = Used(cost, tokens.total)
            # A server whose tokens are shorter than we guess must not surprise the budget twice.
            self._stretch = max(self._stretch, tokens.input / max(guess.input, 1))
            yield Outcome(reply, tokens, cost, granted.rests)
        finally:
            self._gate.leave(granted, used)


async def _ask_safely(provider: Provider, request: Request) -> Reply:
    """Ask; a provider that breaks its promises fails its own task and no one else's."""
    try:
        return _as_promised(await provider.ask(request))
    except msgspec.ValidationError as error:
        return Reply(None, error=f"the provider's reply is not one: {error}", error_kind="bad_request")
    except Exception as error:  # Whatever a plugin raises; its words may hold a key.
        return Reply(None, error=f"the provider failed with {type(error).__name__}", error_kind="bad_request")


def _as_promised(reply: Reply) -> Reply:
    """Return a reply that records can hold; what they cannot hold is left out, and text of that kind is a failure.

    Raises `msgspec.ValidationError` for fields of another type.
    """
    reply = msgspec.convert(msgspec.structs.asdict(reply), Reply)
    try:
        "".join((reply.text or "", reply.error or "", reply.model or "", reply.finish_reason or "")).encode()
    except UnicodeEncodeError:
        error = "the answer holds lone surrogates, which cannot be kept"
        reply = msgspec.structs.replace(
            reply, text=None, model=None, finish_reason=None, error=error, error_kind="malformed"
        )
    if reply.text is None and reply.error_kind is None:
        words = reply.error or "the provider gave neither a text nor an error"
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
