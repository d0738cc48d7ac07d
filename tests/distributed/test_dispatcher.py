"""Batches are dealt once, come back from the lost, and end when all is done."""

from __future__ import annotations

import asyncio

from experiment import make_judge, make_samples
from venire.distributed.dispatcher import BatchSize, Dispatcher
from venire.protocols.catalogue import find_protocol
from venire.runner.claimed_work import ClaimedWork
from venire.runner.stop import StopSignal
from venire.runner.task import plan_tasks


class FreeClaims:
    """Claims that nobody else has."""

    def __init__(self):
        self.let_go_of = []

    def take(self, names):
        return {}

    def let_go(self, names):
        self.let_go_of += names


def dispatcher_of(count, size, *, stop=None, claims=None, held=None, look_up=lambda _: {}):
    finished, held = [], [] if held is None else held
    work = plan_tasks(make_judge(), find_protocol("drift-sample"), make_samples(count), 0.0)
    dispatcher = Dispatcher(
        ClaimedWork(work, size, claims or FreeClaims(), look_up),
        BatchSize(size, size),
        documents=None,
        stop=stop or StopSignal(),
        on_finished=lambda: finished.append(True),
        on_held=held.extend,
    )
    return dispatcher, finished


def names(batch):
    return [item.subject.output_id for item in batch.items]


def test_all_tasks_are_dealt_once_and_the_end_is_told_once():
    async def run():
        dispatcher, finished = dispatcher_of(5, 2)
        batches = [await dispatcher.next() for _ in range(3)]
        for batch in batches:
            assert not finished
            dispatcher.done(batch)
        assert await dispatcher.next() is None
        return [names(batch) for batch in batches], finished

    assert asyncio.run(run()) == ([["s0", "s1"], ["s2", "s3"], ["s4"]], [True])


def test_a_batch_that_comes_back_is_dealt_again_to_one_who_waited():
    async def run():
        dispatcher, finished = dispatcher_of(2, 2)
        batch = await dispatcher.next()
        waiting = asyncio.create_task(dispatcher.next())
        await asyncio.sleep(0)
        assert not waiting.done()
        dispatcher.give_back(batch)
        again = await asyncio.wait_for(waiting, 60)
        assert not finished
        dispatcher.done(again)
        return names(again), finished

    assert asyncio.run(run()) == (["s0", "s1"], [True])


def test_what_the_ledger_knows_of_or_a_lost_worker_may_have_done_is_not_new():
    async def run():
        dispatcher, _ = dispatcher_of(
            4, 2, look_up=lambda tasks: {"known": 1} if tasks[0].sample_digest in seen else {}
        )
        first, second = await dispatcher.next(), await dispatcher.next()
        dispatcher.give_back(first)
        again = await dispatcher.next()
        assert (first.is_returned, second.is_returned, again.is_returned) == (False, False, True)
        return first.is_new, second.is_new, again.is_new, names(again)

    seen = {make_samples(4)[2].digest}
    assert asyncio.run(run()) == (True, False, False, ["s0", "s1"])


def test_what_another_run_is_asking_is_told_and_not_dealt_and_claims_end_with_their_batch():
    class HeldClaims(FreeClaims):
        def take(self, names):
            return dict.fromkeys(names[:2], "somebody")

    async def run():
        claims, held = HeldClaims(), []
        dispatcher, finished = dispatcher_of(5, 3, claims=claims, held=held)
        first = await dispatcher.next()  # Of the second batch nothing is left.
        assert claims.let_go_of == []
        dispatcher.done(first)
        assert await dispatcher.next() is None
        return names(first), [each.subject.output_id for each in held], claims.let_go_of, finished

    dealt, held, let_go_of, finished = asyncio.run(run())
    assert (dealt, held, len(let_go_of), finished) == (["s2"], ["s0", "s1", "s3", "s4"], 1, [True])


def test_after_a_stop_nothing_is_dealt_and_the_end_waits_for_what_is_under_way():
    async def run():
        stop = StopSignal()
        dispatcher, finished = dispatcher_of(9, 2, stop=stop)
        first, second = await dispatcher.next(), await dispatcher.next()
        stop.request("interrupted")
        waiting = asyncio.create_task(dispatcher.next())
        await asyncio.sleep(0)
        dispatcher.done(first)
        assert not finished
        dispatcher.give_back(second)
        return await asyncio.wait_for(waiting, 60), finished

    assert asyncio.run(run()) == (None, [True])


def test_a_stop_while_nothing_is_under_way_ends_the_dealing_when_it_is_looked_for():
    async def run():
        stop = StopSignal()
        dispatcher, finished = dispatcher_of(9, 2, stop=stop)
        stop.request("interrupted")
        dispatcher.look()
        dispatcher.look()
        return finished

    assert asyncio.run(run()) == [True]


def test_those_who_wait_for_the_last_batches_do_not_wake_each_other():
    async def run():
        dispatcher, _ = dispatcher_of(2, 2)
        looks = []
        fetch = dispatcher._claimed.next_batch

        async def counted(most):
            looks.append(most)
            return await fetch(most)

        dispatcher._claimed.next_batch = counted
        batch = await dispatcher.next()
        waiting = [asyncio.create_task(dispatcher.next()) for _ in range(4)]
        for _ in range(100):
            await asyncio.sleep(0)
        count = len(looks)
        dispatcher.done(batch)
        return count, await asyncio.wait_for(asyncio.gather(*waiting), 60)

    count, ended = asyncio.run(run())
    assert count <= 1 + 2 * 4
    assert ended == [None] * 4


def test_batches_grow_while_they_are_answered_quickly_and_shrink_when_they_are_not():
    size = BatchSize(8, 64)
    sizes = [size.size]
    for seconds in (0.1, 0.1, 0.1, 0.1, 2.0, 9.0, 9.0, 9.0, 9.0):
        size.learn(seconds)
        sizes.append(size.size)
    assert sizes == [8, 16, 32, 64, 64, 64, 32, 16, 8, 8]
