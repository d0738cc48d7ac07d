"""Requests to one judge or target, within its limits and the run's budget: one, or as many as a reply takes."""

from __future__ import annotations

import math
import random
from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import Generic, TypeVar

import msgspec

from venire.domain.canonical import MAX_SAFE_INTEGER
from venire.judges.panel import Price
from venire.judges.prompt_form import count_not_ascii
from venire.judges.provider import Provider, Reply, Request
from venire.ledger.group_commit import GroupCommit
from venire.ledger.store import Ledger
from venire.runner.admission import Admission, Reservation, Used, heard_of
from venire.runner.budget import Tokens
from venire.runner.options import RunnerOptions
from venire.runner.retry import PASSING, RetryPolicy, Tries, decide
from venire.runner.stop import JudgeGivenUpError, JudgePausedError, StopSignal
from venire.words.said import Said, say

Kept = TypeVar("Kept")

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
    of_user = count_not_ascii(request.user) if request.not_ascii is None else request.not_ascii
    length, other = len(request.system) + len(request.user), _not_ascii_in_system(request.system) + of_user
    for each in request.before:
        length, other = length + len(each.text), other + count_not_ascii(each.text)
    words = -(-(length - other) // 3) + -(-other * 3 // 2)
    documents = sum(_DOCUMENT_TOKENS + len(each.data) // _DOCUMENT_BYTES_PER_TOKEN for each in request.attachments)
    return Tokens(_FRAME_TOKENS + words + documents, request.decoding.max_tokens)


_not_ascii_in_system = lru_cache(maxsize=64)(count_not_ascii)  # All requests of a judge begin alike.


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
    used: Used
    """What the leave is given back with."""


class Caller:
    """Sends the requests of one judge."""

    def __init__(self, provider: Provider, price: Price, admission: Admission) -> None:
        self._provider = provider
        self._price = price
        self._admission = admission
        self._unrecorded = 0

    async def call(self, request: Request) -> CallResult:
        """Send a request once it is its turn, and return what it has brought; whoever called then ends the call.

        Raises `StoppedError` if the run is to end or the budget is spent.
        """
        guess, admission = estimate(request), self._admission
        reservation, used = await admission.reserve(guess), None
        try:
            reply = await _ask_safely(self._provider, request)
            billed = count(reply)
            used = Used(billed)
            admission.heard(reservation, heard_of(reply, billed))
        except BaseException:
            admission.release(reservation, used)
            raise
        tokens = billed or guess
        return CallResult(reply, tokens, self._price.cost(tokens.input, tokens.output), reservation, used)

    def end(self, call: CallResult) -> None:
        """Free the place of a call."""
        self._admission.release(call.reservation, call.used)

    async def record(self, call: CallResult, recording: Awaitable[Kept]) -> Kept:
        """Wait until a reply is recorded, and return its record; its place is free before that if it may be.

        So recording holds up no other request, and what must be asked again after a crash is no more than the judge has
        places and spare ones.
        """
        if self._unrecorded >= self._admission.spare:
            try:
                return await recording
            finally:
                self.end(call)
        self.end(call)
        self._unrecorded += 1
        try:
            return await recording
        finally:
            self._unrecorded -= 1


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
    if _types_of(reply) != _USUAL or reply.rate_limits or reply.limited_unit:
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
    if _is_count(reply.status) and _is_duration(reply.retry_after_seconds) and _is_duration(reply.latency_seconds):
        return reply
    return msgspec.structs.replace(
        reply,
        status=reply.status if _is_count(reply.status) else None,
        retry_after_seconds=reply.retry_after_seconds if _is_duration(reply.retry_after_seconds) else None,
        latency_seconds=reply.latency_seconds if _is_duration(reply.latency_seconds) else 0.0,
    )


def _types_of(reply: Reply) -> tuple[type, ...]:
    return (*map(type, msgspec.structs.astuple(reply)),)


_USUAL = _types_of(Reply("", status=200, input_tokens=1, output_tokens=1, finish_reason="stop", model="m"))
"""The types of what most replies hold; with no more in them, these need not be converted to be known."""


def _is_count(number: int | None) -> bool:
    return number is None or 0 <= number <= MAX_SAFE_INTEGER


def _is_duration(seconds: float | None) -> bool:
    return seconds is None or 0 <= seconds < math.inf


class RunServices(msgspec.Struct, frozen=True):
    """What all judges of a run share in one process."""

    ledger: Ledger
    """Where replies are looked up."""
    writer: GroupCommit
    """Where everything is committed."""
    policy: RetryPolicy
    """How patient the run is."""
    reask_invalid: int
    """How often a judge is asked again after an invalid reply."""
    chance: random.Random
    """Where the jitter of pauses comes from."""
    stop: StopSignal
    """How the run waits, and is told to end."""
    run: str
    """The id of the run, which everything that is committed carries."""
    recorded: dict[str, None] = msgspec.field(default_factory=dict)
    """What judges have handed to the writer of late: samples and materials by their keys, so that others need not."""


def make_services(
    ledger: Ledger, writer: GroupCommit, options: RunnerOptions, run: str, stop: StopSignal, place: str = ""
) -> RunServices:
    """Make the services of a run; in several places pauses must not have the same jitter, so each has a name."""
    policy = RetryPolicy(
        options.attempts, options.backoff_seconds, options.backoff_limit_seconds, options.retry_after_limit_seconds
    )
    chance = random.Random(f"{options.seed}{place}")  # noqa: S311 - jitter is no secret
    return RunServices(ledger, writer, policy, options.reask_invalid, chance, stop, run)


class AskOutcome(msgspec.Struct, Generic[Kept]):
    """What became of asking for a task; nothing was kept and nothing failed where the judge was given up meanwhile."""

    kept: Kept | None = None
    """What was committed of the reply; None if none came."""
    failure: str = ""
    """Why none came."""
    cause: str = ""
    """The same in fewer words, so that failures of one cause can be counted together."""
    may_pass: bool = False
    """Whether it failed for a reason that may have passed at the end of the run."""
    calls: int = 0
    """How many requests were made."""
    tokens: int = 0
    """How many tokens they took."""
    cost: float = 0.0
    """What they cost."""
    latency_seconds: float = 0.0
    """How long the last of them took."""
    unreadable: tuple[str, ...] = ()
    """What was wrong with answers that were empty, web pages or otherwise not of the protocol."""


class Asker(Generic[Kept]):
    """Sends the requests of one judge or target, and tries again as far as the run is patient."""

    def __init__(self, provider: Provider, price: Price, services: RunServices, admission: Admission) -> None:
        self._caller = Caller(provider, price, admission)
        self._services = services
        self._admission = admission
        self._earlier_calls: dict[str, int] = {}

    async def ask(
        self,
        task_id: str,
        request: Request,
        keep: Callable[[Reply, int], Awaitable[Kept]],
        keep_failure: Callable[[Reply, int], Awaitable[None]],
    ) -> AskOutcome[Kept]:
        """Ask until a reply came and `keep` has committed it, or there is no further try.

        Each request that brought none is handed to `keep_failure`. Both get the number of the request, counted from 1.
        """
        asked: AskOutcome[Kept] = AskOutcome()
        tries, earlier = Tries(0), self._earlier_calls.pop(task_id, 0)
        while True:
            try:
                result = await self._caller.call(request)
            except JudgeGivenUpError:
                return asked
            reply = result.reply
            asked.calls += 1
            asked.unreadable += _unreadable(reply)
            asked.tokens += result.tokens.total
            asked.cost += result.cost
            asked.latency_seconds = reply.latency_seconds
            number = earlier + asked.calls
            if reply.text is not None:
                asked.kept = await self._caller.record(result, keep(reply, number))
                return asked
            try:
                await keep_failure(reply, number)
                tries = Tries(
                    tries.counted + (reply.error_kind != "rate_limited"),
                    tries.refused_keys + (reply.error_kind == "auth"),
                    result.reservation.is_first,
                    result.reservation.failed_before,
                )
                wait_seconds, failure = self._decide(result, tries)
            finally:
                self._caller.end(result)
            if failure:
                given_up = self._admission.given_up
                status = f"HTTP {reply.status}" if reply.status and reply.status >= 300 else ""
                cause = given_up if given_up == reply.error else status or reply.error or ""
                may_pass = reply.error_kind in PASSING and not given_up
                if may_pass:  # It may be asked again, and its calls go on being counted then.
                    self._earlier_calls[task_id] = earlier + asked.calls
                asked.failure, asked.cause, asked.may_pass = failure, cause, may_pass
                return asked
            await self._services.stop.sleep(wait_seconds)

    def _decide(self, result: CallResult, tries: Tries) -> tuple[float, str]:
        """Return how long to wait for another try, or why there is none; the judge is told what follows for it.

        Raises `JudgePausedError` if the task is left to another run.
        """
        services, reply, admission = self._services, result.reply, self._admission
        decision = decide(reply, tries, services.policy, services.chance.random())
        if decision.action == "retry" and not admission.given_up:
            return decision.wait_seconds, ""
        if decision.action == "pause_judge":
            why = decision.reason
            reason = say("run.paused_because", error=reply.error, why=why) if why else reply.error or ""
            admission.pause(reason)
            raise JudgePausedError(reason)
        reason = say("run.given_up", error=reply.error, tries=tries.counted)
        if decision.action == "give_up_judge":
            admission.give_up(reply.error or "")
        else:
            admission.failed(reason, result.reservation.rests, may_pass=reply.error_kind in PASSING)
        return 0.0, reason


def _unreadable(reply: Reply) -> tuple[str, ...]:
    """Return what was wrong with an answer that is not of the protocol, without what the server says in it."""
    error = reply.error
    if reply.error_kind != "malformed" or error is None:
        return ()
    return (error.values["words"] if isinstance(error, Said) and error.code == "error.judge.explained" else error,)
