"""Which subjects a worker was sent lately, so that a text goes to it once and not once for each judge.

Driver and worker keep the same account: what is added in the same order is forgotten in the same order.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import msgspec

from venire.distributed.dispatcher import Batch

MOST_CHARACTERS = 2**24
"""How much a worker remembers at most."""


class SubjectMemory:
    """Remembers subjects by their digests, up to a number of characters; the one added first is forgotten first."""

    def __init__(self, most_characters: int = MOST_CHARACTERS) -> None:
        self._most = most_characters
        self._known: OrderedDict[str, tuple[Any, int]] = OrderedDict()
        self._characters = 0

    def leave_out_known(self, batch: Batch) -> Batch:
        """Return a batch without the subjects that its worker knows by now; for the driver, who keeps no texts."""
        items = [
            msgspec.structs.replace(item, subject=None) if not self._is_new(item.task, item.subject, None) else item
            for item in batch.items
        ]
        return msgspec.structs.replace(batch, items=items, is_remembered=True)

    def fill_in_known(self, batch: Batch) -> Batch | None:
        """Return a batch with all its subjects; None if one of them is not remembered. For the worker."""
        if not batch.is_remembered:
            return batch
        items = []
        for item in batch.items:
            if item.subject is not None:
                self._is_new(item.task, item.subject, item.subject)
                items.append(item)
                continue
            if item.task.sample_digest not in self._known:
                return None
            items.append(msgspec.structs.replace(item, subject=self._known[item.task.sample_digest][0]))
        return msgspec.structs.replace(batch, items=items)

    def _is_new(self, task: Any, subject: Any, kept: Any) -> bool:
        """Tell whether a subject was not known, and remember it."""
        digest = task.sample_digest
        if digest in self._known:
            return False
        length = sum(len(sample.text) + sum(len(each.text) for each in sample.materials) for sample in subject.samples)
        self._known[digest] = (kept, length)
        self._characters += length
        while self._characters > self._most:
            _, (_, forgotten) = self._known.popitem(last=False)
            self._characters -= forgotten
        return True
