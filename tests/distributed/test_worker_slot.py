"""A slot makes a new worker for one that is lost, but not for ever."""

from __future__ import annotations

import asyncio

import pytest

from venire.distributed.worker import Worker
from venire.distributed.worker_slot import WorkerSlot
from venire.errors import ConfigError, UsageError


class LostError(Exception):
    """What Ray raises for a worker that has died."""


def make_slot(*lives):
    """Return a slot whose workers are these; an exception is raised instead of one."""
    made, dismissed, left = [], [], list(lives)

    async def make(name):
        made.append(name)
        worker = left.pop(0)
        if isinstance(worker, Exception):
            raise worker
        return worker

    async def dismiss(name, worker):
        dismissed.append((name, worker))

    return WorkerSlot("worker-1", make, dismiss, LostError), made, dismissed


def test_many_who_ask_at_once_get_the_same_worker():
    async def run():
        slot, made, _ = make_slot("ann")
        return await asyncio.gather(slot.ready(), slot.ready(), slot.ready()), made

    assert asyncio.run(run()) == (["ann"] * 3, ["worker-1-1"])


def test_a_lost_worker_is_dismissed_once_and_replaced():
    async def run():
        slot, made, dismissed = make_slot("ann", "bob")
        await slot.ready()
        await asyncio.gather(slot.lose("ann", LostError()), slot.lose("ann", LostError()))
        return await slot.ready(), made, dismissed

    assert asyncio.run(run()) == ("bob", ["worker-1-1", "worker-1-2"], [("worker-1-1", "ann")])


def test_workers_that_never_last_are_told_of_and_not_made_for_ever():
    async def run():
        slot, made, _ = make_slot(LostError("out of memory"), LostError("out of memory"), LostError("out of memory"))
        with pytest.raises(UsageError, match=r"3 workers in a row exited unexpectedly .* out of memory"):
            await slot.ready()
        return len(made)

    assert asyncio.run(run()) == 3


def test_a_worker_that_has_answered_is_trusted_again():
    async def run():
        slot, _, _ = make_slot(LostError(), LostError(), "ann", LostError(), "bob")
        worker = await slot.ready()
        slot.has_answered()
        await slot.lose(worker, LostError())
        return await slot.ready()

    assert asyncio.run(run()) == "bob"


def test_an_error_of_the_configuration_is_not_tried_again():
    async def run():
        slot, made, _ = make_slot(ConfigError("no such model"), "ann")
        with pytest.raises(ConfigError):
            await slot.ready()
        return len(made)

    assert asyncio.run(run()) == 1


def test_a_worker_with_other_software_than_the_driver_refuses_to_begin():
    with pytest.raises(ConfigError, match=r"the run was started with Venire 0\.0\.1 on Python 3\.11\.0") as caught:
        asyncio.run(Worker().open(("0.0.1", "3.11.0"), b"what another version has packed", None, "worker-1-1"))
    assert caught.value.where.startswith("node ")
