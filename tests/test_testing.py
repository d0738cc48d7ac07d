"""What authors of plugins test with: it passes what keeps to the agreement, and names what is broken."""

import asyncio
from pathlib import Path

import pytest

from venire.domain.sample import Sample
from venire.judges.provider import Reply
from venire.ledger.entry import Draft, Head, Kind
from venire.testing import MemoryLedger, ScriptedProvider, check_ledger, check_provider, make_request

PACKAGE = Path(__file__).parent / "judges/plugin_package"


def test_the_provider_of_the_example_package_keeps_to_the_agreement(monkeypatch):
    monkeypatch.syspath_prepend(str(PACKAGE))
    import venire_parrot

    check_provider(lambda: venire_parrot.create({}))


def test_a_scripted_provider_remembers_what_it_was_asked_and_how_much_at_once():
    provider = ScriptedProvider(lambda request: Reply(f"about {request.task_id}"))

    async def ask():
        return await asyncio.gather(*(provider.ask(make_request(number)) for number in range(3)))

    assert [reply.text for reply in asyncio.run(ask())] == ["about t-0", "about t-1", "about t-2"]
    assert [request.subject for request in provider.requests] == [
        Sample(f"o-{n}", f"Text number {n}.") for n in range(3)
    ]
    assert (provider.most_at_once, provider.under_way) == (3, 0)


def raise_for_odd_text(request):
    request.user.encode()
    return Reply("fine")


class ForgetfulLedger(MemoryLedger):
    def find(self, kind, key):
        return None


class DeafLedger(MemoryLedger):
    def append_after(self, seen, decide):
        return self.append(decide([]))


class RepeatingLedger(MemoryLedger):
    def _stored_of(self, items):
        return set()


@pytest.mark.parametrize(
    ("script", "promise"),
    [
        (lambda _: Reply(None, error="no", error_kind="server"), "An answer has a text"),
        (raise_for_odd_text, "a failure is a reply that says its kind, and not an exception"),
        (lambda request: Reply("x") if request.user.isprintable() else Reply(None), "a failure is a reply"),
    ],
)
def test_a_promise_that_a_provider_breaks_is_named(script, promise):
    with pytest.raises(AssertionError, match=promise):
        check_provider(lambda: ScriptedProvider(script))


@pytest.mark.parametrize(
    ("store", "promise"),
    [
        (ForgetfulLedger, "The latest entry of a kind and key is found"),
        (DeafLedger, "is shown what came behind what was seen"),
        (RepeatingLedger, "What is stored once is not repeated"),
    ],
)
def test_a_promise_that_a_store_breaks_is_named(store, promise):
    with pytest.raises(AssertionError, match=promise):
        check_ledger(store)


def test_the_ledger_in_memory_keeps_to_the_agreement():
    check_ledger(MemoryLedger)
    assert MemoryLedger().append([Draft(Kind.VOTE, 1)]) != Head()
