"""Works through tasks with many coroutines; holds no more tasks than are under way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Protocol

from venire.domain.sample import Bundle, Sample
from venire.runner.answer import Answer
from venire.runner.stop import StoppedError, StopSignal
from venire.runner.task import Task

Work = Iterator[tuple[Task, Sample | Bundle]]
"""Tasks with what they are about, read as they are needed."""
Answering = Callable[[Task, Sample | Bundle], AsyncIterator[Answer]]
"""How a task is answered: once, or several times where invalid replies are asked for again."""


class Executor(Protocol):
    """Whoever works through tasks."""

    def run(self, work: Work, answer: Answering, concurrency: int) -> AsyncIterator[Answer]:
        """Yield the answers as they come, in no particular order."""


class LocalExecutor:
    """Works through tasks in this process."""

    def __init__(self, stop: StopSignal) -> None:
        self._stop = stop

    async def run(self, work: Work, answer: Answering, concurrency: int) -> AsyncIterator[Answer]:
        """Yield the answers as they come; ends early, with all that was under way, when a stop is asked for."""
        answers: asyncio.Queue[Answer | None] = asyncio.Queue()
        workers = [asyncio.create_task(self._work(work, answer, answers)) for _ in range(concurrency)]
        working = concurrency
        try:
            while working:
                each = await answers.get()
                if each is None:
                    working -= 1
                else:
                    yield each
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)

    async def _work(self, work: Work, answer: Answering, answers: asyncio.Queue[Answer | None]) -> None:
        try:
            while not self._stop.reason:
                item = next(work, None)
                if item is None:
                    break
                async for each in answer(*item):
                    answers.put_nowait(each)
        except StoppedError as stopped:
            self._stop.request(str(stopped))
        except Exception:
            self._stop.request("an error has ended the run")  # the others must not go on paying for nothing
            raise
        finally:
            answers.put_nowait(None)
