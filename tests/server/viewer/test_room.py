"""The room of outputs: pages come before what is still to be read."""

import asyncio
from threading import Event

from venire.server.viewer.room import OutputsRoom

BATCHES = 60


class LongSource:
    """A source of many batches, which notes whether two of them were read while somebody waited for an answer."""

    def __init__(self):
        self.read, self.asked_at, self.overtaken = 0, BATCHES, Event()

    def catch_up(self):
        self.read += 1
        if self.read >= self.asked_at + 2:  # One may have begun before the question came.
            self.overtaken.set()
        return self.read < BATCHES

    def progress(self):
        self.asked_at = self.read
        was_overtaken = self.overtaken.wait(0.2)
        self.asked_at = BATCHES
        return was_overtaken

    def close(self):
        pass


def test_nothing_more_is_read_before_a_question_is_answered():
    source = LongSource()

    async def look():
        room = OutputsRoom(lambda: source, "long")
        reading = asyncio.create_task(room.catch_up())
        await asyncio.sleep(0)
        answers = [await room.progress() for _ in range(3)]
        await reading
        while source.read < BATCHES:
            await room.catch_up()
        await room.close()
        return answers

    assert asyncio.run(look()) == [False, False, False]
    assert source.read == BATCHES


def test_several_pages_wait_for_one_reading():
    source = LongSource()

    async def look():
        room = OutputsRoom(lambda: source, "long")
        await asyncio.gather(*(room.catch_up() for _ in range(3)))
        await room.close()

    asyncio.run(look())
    assert source.read == BATCHES
