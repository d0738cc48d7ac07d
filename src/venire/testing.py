"""For authors of plugins: a scripted judge, a ledger in memory, and what every provider and every store promises.

    from venire.testing import check_provider

    def test_my_provider_keeps_to_the_agreement():
        check_provider(lambda: MyProvider(...))

Each promise is a function in `PROVIDER_PROMISES` or `LEDGER_PROMISES`, so that a test can be made of each.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import closing
from itertools import pairwise

from venire.domain.sample import Sample
from venire.errors import UsageError
from venire.judges.provider import Decoding, Provider, Reply, Request
from venire.ledger.entry import GENESIS_HASH, STORED_ONCE, Draft, Head, Kind
from venire.ledger.hashing import verify_chain
from venire.ledger.memory import MemoryLedger
from venire.ledger.store import Ledger
from venire.protocols.catalogue import find_protocol

__all__ = [
    "LEDGER_PROMISES",
    "PROVIDER_PROMISES",
    "MemoryLedger",
    "ScriptedProvider",
    "check_ledger",
    "check_provider",
    "make_request",
]

Script = Callable[[Request], Reply | Awaitable[Reply]]
"""Says what is replied to a request."""

_AT_ONCE = 20


class ScriptedProvider:
    """Replies what a function says, and remembers what it was asked and how much of it at once."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self.requests: list[Request] = []
        self.under_way = self.most_at_once = 0

    async def ask(self, request: Request) -> Reply:
        """Reply as the script says."""
        self.requests.append(request)
        self.under_way += 1
        self.most_at_once = max(self.most_at_once, self.under_way)
        try:
            reply = self._script(request)
            if isinstance(reply, Reply):
                await asyncio.sleep(0)
                return reply
            return await reply
        finally:
            self.under_way -= 1

    async def close(self) -> None:
        """Let go of nothing."""


def make_request(number: int, text: str = "") -> Request:
    """Make a request of a run under the protocol `drift-sample`; texts, samples and tasks have their number in them."""
    text = text or f"Text number {number}."
    subject = Sample(f"o-{number}", text)
    protocol = find_protocol("drift-sample")
    return Request(
        model="m-1",
        system="Judge.",
        user=text,
        decoding=Decoding(),
        reply_schema={"type": "object"},
        protocol=protocol,
        subject=subject,
        task_id=f"t-{number}",
        handle=f"h-{number}",
    )


def check_provider(make: Callable[[], Provider]) -> None:
    """Raise `AssertionError` for the first promise that a provider breaks; each is tried on a new one.

    It is asked about 50 requests in all; one that needs a server is given one that answers.
    """

    async def try_out(promise: Callable[[Provider], Awaitable[None]]) -> None:
        provider = make()
        try:
            await promise(provider)
        finally:
            await provider.close()

    for promise in PROVIDER_PROMISES:
        asyncio.run(try_out(promise))


def check_ledger(make: Callable[[], Ledger]) -> None:
    """Raise `AssertionError` for the first promise that a store breaks; each is tried on a new, empty ledger."""
    for promise in LEDGER_PROMISES:
        with closing(make()) as ledger:
            promise(ledger)


async def answers(provider: Provider) -> None:
    """An answer has a text and no error."""
    reply = await provider.ask(make_request(1))
    _hold(bool(reply.text), answers, reply)
    _hold((reply.error, reply.error_kind) == (None, None), answers, reply)


async def answers_many_at_once(provider: Provider) -> None:
    """Many requests at once are all answered."""
    replies = await asyncio.gather(*(provider.ask(make_request(number)) for number in range(_AT_ONCE)))
    _hold(all(reply.text for reply in replies), answers_many_at_once, replies)


async def raises_nothing(provider: Provider) -> None:
    """Whatever is judged, a failure is a reply that says its kind, and not an exception."""
    for number, text in enumerate(("\ud800", "\0", "x" * 200_000)):
        try:
            reply = await provider.ask(make_request(number, text))
        except Exception as error:
            raise AssertionError(f"{raises_nothing.__doc__} Found {error!r}") from error
        _hold(reply.text is not None or (bool(reply.error) and bool(reply.error_kind)), raises_nothing, reply)


async def closes_twice(provider: Provider) -> None:
    """Closing twice is harmless, and so is asking again after it."""
    await provider.close()
    await provider.close()
    reply = await provider.ask(make_request(1))
    _hold(reply.error is None, closes_twice, reply)


PROVIDER_PROMISES = (answers, answers_many_at_once, raises_nothing, closes_twice)
"""What every provider promises; each raises `AssertionError` with its own words."""


def begins_empty(ledger: Ledger) -> None:
    """An empty ledger has the genesis head, and nothing to read."""
    _hold(ledger.head() == Head(0, GENESIS_HASH) and not list(ledger.read()), begins_empty, ledger.head())


def keeps_everything(ledger: Ledger) -> None:
    """Entries come back in order with everything that was put in."""
    ledger.append([Draft(Kind.RUN_OPENED, {"b": 1, "a": "é"}), Draft(Kind.REPLY, {"status": 200}, "t", b"\xff\x00{")])
    found = [(each.sequence, each.kind, each.key, each.payload, each.blob) for each in ledger.read()]
    expected = [
        (1, Kind.RUN_OPENED, "", '{"a":"é","b":1}'.encode(), b""),
        (2, Kind.REPLY, "t", b'{"status":200}', b"\xff\x00{"),
    ]
    _hold(found == expected, keeps_everything, found)


def links_entries(ledger: Ledger) -> None:
    """Every entry names the one before it, and appending returns the head that the ledger then has."""
    ledger.append(_attempts(3))
    head = ledger.append(_attempts(300, first=3))
    entries = list(ledger.read())
    _hold(head == ledger.head() == Head(303, entries[-1].hash), links_entries, head)
    linked = all(later.previous_hash == earlier.hash for earlier, later in pairwise(entries))
    _hold(linked and verify_chain(entries).first_broken is None, links_entries, entries)


def reads_from_anywhere(ledger: Ledger) -> None:
    """Reading begins behind a sequence, and yields only the kinds that were asked for."""
    ledger.append([Draft(Kind.DECISION if number % 3 == 0 else Kind.VOTE, number) for number in range(900)])
    found = [entry.content for entry in ledger.read(after=10, kinds={Kind.DECISION})]
    _hold(found == list(range(12, 900, 3)) and not list(ledger.read(kinds=())), reads_from_anywhere, found)


def finds_the_latest(ledger: Ledger) -> None:
    """The latest entry of a kind and key is found, and each key of a kind is listed once."""
    ledger.append([Draft(Kind.ATTEMPT, number, f"task-{number % 2}") for number in range(4)])
    ledger.append([Draft(Kind.VOTE, "other", "task-0"), Draft(Kind.ATTEMPT, "without a key")])
    found = ledger.find(Kind.ATTEMPT, "task-0")
    _hold(found is not None and found.content == 2, finds_the_latest, found)
    _hold(ledger.find(Kind.REPLY, "task-0") is None, finds_the_latest, ledger.find(Kind.REPLY, "task-0"))
    _hold(sorted(ledger.keys(Kind.ATTEMPT)) == ["task-0", "task-1"], finds_the_latest, list(ledger.keys(Kind.ATTEMPT)))


def stores_once(ledger: Ledger) -> None:
    """What is stored once is not repeated; what is to be recorded instead of a repeat takes its place."""
    for kind in sorted(STORED_ONCE):
        ledger.append([Draft(kind, "first", "key"), Draft(kind, "same call", "key")])
        ledger.append([Draft(kind, "later", "key", instead=lambda: Draft(Kind.ATTEMPT, "late", "key"))])
    found = [(entry.kind, entry.content) for entry in ledger.read()]
    _hold(found == [each for kind in sorted(STORED_ONCE) for each in _once(kind)], stores_once, found)


def appends_all_or_nothing(ledger: Ledger) -> None:
    """A payload that cannot be stored keeps the whole call out, and nobody else."""
    try:
        ledger.append([*_attempts(2), Draft(Kind.VOTE, float("nan"))])
    except UsageError:
        _hold(ledger.append(_attempts(1)).sequence == 1, appends_all_or_nothing, ledger.head())
    else:
        _hold(False, appends_all_or_nothing, ledger.head())


def decides_at_the_end(ledger: Ledger) -> None:
    """Who decides at the end is shown what came behind what was seen, and appends before anyone else."""
    seen = ledger.append(_attempts(2)).sequence
    ledger.append(_attempts(1, first=2))
    head = ledger.append_after(seen, lambda news: [Draft(Kind.VOTE, [entry.key for entry in news])])
    last = list(ledger.read(after=head.sequence - 1))
    _hold(head.sequence == 4 and [entry.content for entry in last] == [["task-2"]], decides_at_the_end, last)


LEDGER_PROMISES = (
    begins_empty,
    keeps_everything,
    links_entries,
    reads_from_anywhere,
    finds_the_latest,
    stores_once,
    appends_all_or_nothing,
    decides_at_the_end,
)
"""What every store promises of an empty ledger; each raises `AssertionError` with its own words."""


def _hold(is_kept: bool, promise: Callable[..., object], found: object) -> None:
    if not is_kept:
        raise AssertionError(f"{promise.__doc__} Found {found!r}")


def _attempts(count: int, first: int = 0) -> list[Draft]:
    return [Draft(Kind.ATTEMPT, {"number": number}, f"task-{number}") for number in range(first, first + count)]


def _once(kind: Kind) -> tuple[tuple[Kind, str], ...]:
    return (kind, "first"), (Kind.ATTEMPT, "late")
