from __future__ import annotations

import asyncio
from threading import Event

import pytest

from venire.errors import LedgerBusyError, LedgerError, UsageError
from venire.ledger.audit import audit_chain
from venire.ledger.entry import Draft, Kind
from venire.ledger.group_commit import GroupCommit, GroupWriter
from venire.ledger.memory import MemoryLedger
from venire.ledger.sqlite.ledger import SqliteLedger


class SlowLedger(MemoryLedger):
    """Counts its commits, and holds the first one up until it is let go."""

    def __init__(self):
        super().__init__()
        self.commits: list[int] = []
        self.entered, self.let_go = Event(), Event()
        self.failure: Exception | None = None

    def append(self, drafts):
        self.commits.append(len(drafts))
        self.entered.set()
        assert self.let_go.wait(30)
        if self.failure is not None:
            raise self.failure
        return super().append(drafts)


def vote(number):
    return Draft(Kind.VOTE, number)


async def appear(event):
    await asyncio.get_running_loop().run_in_executor(None, event.wait, 30)


def test_an_append_is_committed_when_it_returns(tmp_path):
    async def scenario():
        ledger = SqliteLedger(tmp_path / "ledger.db")
        async with GroupCommit(ledger) as writer:
            head = await writer.append([vote(1), vote(2)])
            other = SqliteLedger(tmp_path / "ledger.db", read_only=True)
            assert other.head() == head
            other.close()
        ledger.close()

    asyncio.run(scenario())


def test_what_comes_during_a_commit_goes_into_the_next_one_together_and_in_order():
    async def scenario():
        ledger = SlowLedger()
        async with GroupCommit(ledger) as writer:
            first = asyncio.create_task(writer.append([vote(0)]))
            await appear(ledger.entered)
            others = [asyncio.create_task(writer.append([vote(number)])) for number in range(1, 50)]
            await asyncio.sleep(0)
            ledger.let_go.set()
            assert (await first).sequence == 1
            assert {head.sequence for head in await asyncio.gather(*others)} == {50}
        assert ledger.commits == [1, 49]
        assert [entry.content for entry in ledger.read()] == list(range(50))

    asyncio.run(scenario())


def test_nothing_returns_before_its_commit():
    async def scenario():
        ledger = SlowLedger()
        async with GroupCommit(ledger) as writer:
            waiting = asyncio.create_task(writer.append([vote(0)]))
            await appear(ledger.entered)
            assert not waiting.done()
            ledger.let_go.set()
            await waiting

    asyncio.run(scenario())


def test_a_failed_commit_reaches_everyone_in_it_and_no_one_else():
    async def scenario():
        ledger = SlowLedger()
        async with GroupCommit(ledger) as writer:
            first = asyncio.create_task(writer.append([vote(0)]))
            await appear(ledger.entered)
            others = [asyncio.create_task(writer.append([vote(number)])) for number in range(3)]
            await asyncio.sleep(0)
            ledger.failure = LedgerError("the disk is full")
            ledger.let_go.set()
            results = await asyncio.gather(first, *others, return_exceptions=True)
            assert [str(result) for result in results] == ["the disk is full"] * 4
            ledger.failure = None
            assert (await writer.append([vote(4)])).sequence == 1

    asyncio.run(scenario())


def test_a_bad_payload_fails_its_own_caller_only():
    async def scenario():
        ledger = MemoryLedger()
        async with GroupCommit(ledger) as writer:
            good = asyncio.create_task(writer.append([vote(1)]))
            with pytest.raises(UsageError, match="cannot be stored"):
                await writer.append([vote(float("nan"))])
            assert (await good).sequence == 1

    asyncio.run(scenario())


def test_closing_commits_what_is_waiting():
    async def scenario():
        ledger = SlowLedger()
        writer = GroupCommit(ledger)
        waiting = [asyncio.create_task(writer.append([vote(number)])) for number in range(5)]
        await asyncio.sleep(0)
        closing = asyncio.create_task(writer.close())
        await appear(ledger.entered)
        ledger.let_go.set()
        await closing
        assert ledger.head().sequence == 5
        await asyncio.gather(*waiting)
        await writer.close()

    asyncio.run(scenario())


def test_nothing_can_be_appended_after_closing():
    async def scenario():
        writer = GroupCommit(MemoryLedger())
        await writer.close()
        with pytest.raises(LedgerError, match="closed"):
            await writer.append([vote(1)])

    asyncio.run(scenario())


def test_what_is_left_shares_the_next_commit_and_keeps_its_place():
    async def scenario():
        ledger = SlowLedger()
        ledger.let_go.set()
        async with GroupCommit(ledger) as writer:
            writer.leave([vote(0)])
            writer.leave([vote(1)])
            assert (await writer.append([vote(2)])).sequence == 3
        assert ledger.commits == [3]
        assert [entry.content for entry in ledger.read()] == [0, 1, 2]

    asyncio.run(scenario())


def test_closing_commits_what_was_left_also_after_an_error():
    async def scenario(ledger):
        async with GroupCommit(ledger) as writer:
            writer.leave([vote(0)])
            raise KeyError("elsewhere")

    ledger = MemoryLedger()
    with pytest.raises(KeyError, match="elsewhere"):
        asyncio.run(scenario(ledger))
    assert ledger.head().sequence == 1


def test_settling_waits_for_all_that_was_left():
    async def scenario():
        ledger = MemoryLedger()
        async with GroupCommit(ledger) as writer:
            writer.leave([vote(0)])
            await writer.settle()
            assert ledger.head().sequence == 1

    asyncio.run(scenario())


def test_settling_waits_for_the_commit_that_is_under_way():
    async def scenario():
        ledger = SlowLedger()
        async with GroupCommit(ledger) as writer:
            appending = asyncio.create_task(writer.append([vote(0)]))
            await appear(ledger.entered)
            settling = asyncio.create_task(writer.settle())
            await asyncio.sleep(0)
            assert not settling.done()
            ledger.let_go.set()
            await settling
            assert ledger.head().sequence == 1
            await appending

    asyncio.run(scenario())


def test_settling_commits_nothing_where_nothing_was_left():
    async def scenario():
        ledger = SlowLedger()
        async with GroupCommit(ledger) as writer:
            await writer.settle()
        assert ledger.commits == []

    asyncio.run(scenario())


def test_losing_what_was_left_is_said_to_whoever_comes_next_and_when_closing():
    async def scenario():
        ledger = SlowLedger()
        ledger.let_go.set()
        ledger.failure = LedgerError("the disk is full")
        writer = GroupCommit(ledger)
        writer.leave([vote(0)])
        with pytest.raises(LedgerError, match="full"):
            await writer.append([vote(1)])
        ledger.failure = None
        with pytest.raises(LedgerError, match="full"):
            await writer.append([vote(2)])
        with pytest.raises(LedgerError, match="full"):
            await writer.settle()
        with pytest.raises(LedgerError, match="full"):
            await writer.close()
        await writer.close()
        assert ledger.head().sequence == 0

    asyncio.run(scenario())


def test_an_error_in_the_block_is_not_hidden_by_one_of_the_ledger():
    async def scenario():
        ledger = SlowLedger()
        ledger.let_go.set()
        ledger.failure = LedgerError("the disk is full")
        async with GroupCommit(ledger) as writer:
            writer.leave([vote(0)])
            raise KeyError("elsewhere")

    with pytest.raises(KeyError, match="elsewhere"):
        asyncio.run(scenario())


def test_a_cancelled_caller_does_not_disturb_the_others():
    async def scenario():
        ledger = SlowLedger()
        async with GroupCommit(ledger) as writer:
            cancelled = asyncio.create_task(writer.append([vote(0)]))
            await appear(ledger.entered)
            other = asyncio.create_task(writer.append([vote(1)]))
            await asyncio.sleep(0)
            cancelled.cancel()
            ledger.let_go.set()
            assert (await other).sequence == 2
            assert cancelled.cancelled()

    asyncio.run(scenario())


def test_a_loop_that_ended_does_not_stop_the_writer():
    ledger = SlowLedger()

    async def give_up():
        writer = GroupCommit(ledger)
        waiting = asyncio.create_task(writer.append([vote(0)]))
        await appear(ledger.entered)
        waiting.cancel()
        return writer

    async def go_on(writer):
        head = await writer.append([vote(1)])
        await writer.close()
        return head

    writer = asyncio.run(give_up())
    ledger.let_go.set()
    assert asyncio.run(go_on(writer)).sequence == 2


def test_many_coroutines_make_one_whole_chain(tmp_path):
    async def scenario(ledger):
        async with GroupCommit(ledger) as writer:

            async def work(name):
                for number in range(10):
                    await writer.append([Draft(Kind.REPLY, number, f"{name}-{number}")])

            await asyncio.gather(*(work(name) for name in range(32)))

    ledger = SqliteLedger(tmp_path / "ledger.db")
    asyncio.run(scenario(ledger))
    assert audit_chain(ledger).count == 320
    assert len(set(ledger.keys(Kind.REPLY))) == 320
    ledger.close()


def test_what_a_commit_came_to_is_taken_in_before_anyone_goes_on_and_before_the_next_is_staged():
    told = []

    def stage(changes):
        told.append(("staged", *changes))
        return lambda: sum(changes)

    async def scenario():
        async with GroupWriter(stage, finish=lambda result: told.append(("finished", result))) as writer:

            async def work():
                result = await writer.append([1, 2])
                told.append(("goes on", result))
                await writer.append([3])

            await work()

    asyncio.run(scenario())
    assert told == [("staged", 1, 2), ("finished", 3), ("goes on", 3), ("staged", 3), ("finished", 3)]


def test_those_who_wait_hear_that_a_commit_could_not_be_taken_in_and_the_writer_goes_on():
    async def scenario():
        async with GroupWriter(lambda changes: lambda: changes[0], finish=lambda result: 1 // result) as writer:
            with pytest.raises(ZeroDivisionError):
                await writer.append([0])
            assert await writer.append([1]) == 1

    asyncio.run(scenario())


class BusyLedger(MemoryLedger):
    """Another process keeps it busy for the first few looks."""

    def __init__(self, looks):
        super().__init__()
        self.looks = looks

    def stage(self, drafts):
        self.looks -= 1
        if self.looks >= 0:
            raise LedgerBusyError("error.ledger.file_locked", where="here", doing="appending")
        return super().stage(drafts)


def test_a_ledger_that_another_process_keeps_busy_is_waited_for_and_it_is_said_once(monkeypatch):
    monkeypatch.setattr("venire.ledger.group_commit.LOOK_SECONDS", 0.0)
    told = []

    async def scenario(ledger):
        async with GroupCommit(ledger, told.append) as writer:
            await asyncio.gather(writer.append([vote(0)]), writer.append([vote(1)]))
        return [entry.content for entry in ledger.read()]

    assert asyncio.run(scenario(BusyLedger(3))) == [0, 1]
    assert [str(error.message) for error in told] == ["appending failed: another program holds the file locked"]
    monkeypatch.setattr("venire.ledger.group_commit.BUSY_SECONDS", 0.0)
    with pytest.raises(LedgerBusyError):
        asyncio.run(scenario(BusyLedger(1)))


def test_changes_that_are_left_at_the_end_wait_for_another_process_too(monkeypatch):
    monkeypatch.setattr("venire.ledger.group_commit.LOOK_SECONDS", 0.0)

    async def scenario(ledger):
        async with GroupCommit(ledger) as writer:
            writer.leave([vote(0)])
        return [entry.content for entry in ledger.read()]

    assert asyncio.run(scenario(BusyLedger(3))) == [0]
    monkeypatch.setattr("venire.ledger.group_commit.BUSY_SECONDS", 0.0)
    with pytest.raises(LedgerBusyError):
        asyncio.run(scenario(BusyLedger(1)))
