"""One function over many shards: in this process, in processes of this machine, or on a Ray cluster.

Results come as they are ready, each with the number of its task. Only a few tasks are under way at a time, so that
neither their arguments nor their results pile up. A function that raises ends the whole, with its own error.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from enum import StrEnum
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, Protocol, TypeVar

from venire.distributed.cluster import joined, pack, unpack
from venire.errors import ConfigError, UsageError, VenireError

Argument = TypeVar("Argument")
Result = TypeVar("Result")

RETRIES = 3
"""How often a task is done again whose worker or machine was lost."""

_WAITING = 1  # How many tasks wait for each worker, so that none is idle.


class Engine(StrEnum):
    """Who does the work."""

    LOCAL = "local"
    """This process, one shard after the other."""
    PROCESSES = "processes"
    """As many processes on this machine as it has processors."""
    RAY = "ray"
    """The workers of a Ray cluster, which must all be able to read the files."""


class Workers(Protocol):
    """Those who do the work."""

    count: int
    """How many there are."""

    def map(
        self, function: Callable[[Argument], Result], tasks: Iterable[tuple[str, Argument]]
    ) -> Iterator[tuple[int, Result]]:
        """Yield the number of each task and what the function makes of its argument, in the order of completion.

        A task is a name, which errors tell, and an argument. Function, arguments and results must be picklable.
        """


@contextmanager
def open_workers(engine: Engine | str, *, address: str = "", count: int | None = None) -> Iterator[Workers]:
    """Start workers, or join a cluster, and end or leave them at the end, also if the user interrupts.

    `count` is how many tasks are done at a time; without it, one for each processor. Raises `UsageError` for an engine
    that does not exist or has no address, `ConfigError` if Ray is not installed or nobody answers at the address.
    """
    if engine not in list(Engine):
        raise UsageError("error.ray.engine", known=tuple(Engine), found=engine)
    if address and engine != Engine.RAY:
        raise UsageError("error.ray.no_address", engine=engine)
    if engine == Engine.LOCAL:
        yield _ThisProcess()
    elif engine == Engine.PROCESSES:
        with _processes(count or _processors()) as workers:
            yield workers
    else:
        with joined(address) as ray:
            yield _Cluster(ray, count or max(1, int(ray.cluster_resources().get("CPU", 1))))


def _processors() -> int:
    """Return how many processors this process may use, or how many there are where a system does not tell."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _ThisProcess:
    count = 1

    def map(
        self, function: Callable[[Argument], Result], tasks: Iterable[tuple[str, Argument]]
    ) -> Iterator[tuple[int, Result]]:
        for number, (_, argument) in enumerate(tasks):
            yield number, function(argument)


@contextmanager
def _processes(count: int) -> Iterator[_Processes]:
    # A new interpreter each: a fork of a process with threads, as Polars has, may hang.
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    pool = ProcessPoolExecutor(count, mp_context=context, initializer=_begin_worker, initargs=(theirs, count))
    try:
        yield _Processes(pool, count)
    except BaseException:
        ours.close()  # Workers leave at once, whatever they are doing, when our end closes; so they do when we die.
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        ours.close()
        theirs.close()


def _begin_worker(lifeline: Connection, count: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The parent decides what an interrupt means.
    _share_processors(count)
    threading.Thread(target=_leave_with_parent, args=(lifeline,), daemon=True).start()


def _leave_with_parent(lifeline: Connection) -> None:
    try:
        lifeline.recv()
    except (EOFError, OSError):
        os._exit(1)


def _share_processors(count: int) -> None:
    """Keep the libraries of one worker from using the processors of all; read when they are imported."""
    threads = str(max(1, _processors() // count))
    for name in ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, threads)


class _Processes:
    def __init__(self, pool: ProcessPoolExecutor, count: int) -> None:
        self._pool = pool
        self.count = count

    def map(
        self, function: Callable[[Argument], Result], tasks: Iterable[tuple[str, Argument]]
    ) -> Iterator[tuple[int, Result]]:
        waiting = enumerate(tasks)
        running: dict[Future[Result], tuple[int, str]] = {}
        while True:
            for number, (name, argument) in islice(waiting, self.count + _WAITING - len(running)):
                running[self._pool.submit(function, argument)] = (number, name)
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                names = ", ".join(name for _, name in running.values())
                number, name = running.pop(future)
                try:
                    result = future.result()
                except BrokenProcessPool:
                    raise ConfigError("error.ray.process_killed", where=names) from None
                except Exception as error:
                    error.add_note(f"while working on {name}")
                    raise
                yield number, result


class _Cluster:
    def __init__(self, ray: Any, count: int) -> None:
        self._ray = ray
        self.count = count

    def map(
        self, function: Callable[[Argument], Result], tasks: Iterable[tuple[str, Argument]]
    ) -> Iterator[tuple[int, Result]]:
        remote = self._ray.remote(_run_on_cluster).options(num_cpus=1, max_retries=RETRIES)
        work = pack(function)
        waiting = enumerate(tasks)
        running: dict[Any, tuple[int, str]] = {}
        # What is under way when a task fails is let be, and ends with the driver: a cancellation that meets the end of
        # its task can take the driver's process down (Ray's pull requests 54116 and 54798 tell of such races).
        while True:
            for number, (name, argument) in islice(waiting, self.count + _WAITING - len(running)):
                running[remote.remote(work, argument)] = (number, name)
            if not running:
                return
            ready, _ = self._ray.wait(list(running), num_returns=1)
            for reference in ready:
                number, name = running.pop(reference)
                yield number, self._result(reference, name)

    def _result(self, reference: Any, name: str) -> Any:
        try:
            return self._ray.get(reference)
        except self._ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, VenireError):
                raise error.cause from None
            error.add_note(f"while working on {name}")
            raise
        except self._ray.exceptions.RayError as error:
            raise ConfigError(
                "error.ray.shard_lost", where=name, times=RETRIES + 1, reason=str(error).strip().splitlines()[0]
            ) from error


def _run_on_cluster(work: bytes, argument: Any) -> Any:
    _share_processors(os.cpu_count() or 1)
    return unpack(work)(argument)
