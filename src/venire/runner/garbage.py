"""How often Python looks for garbage while many requests are under way."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

COLLECT_AFTER = 10_000
"""How many objects more than before there must be, before Python looks for cycles among them."""


@contextmanager
def rare_collections() -> Iterator[None]:
    """Look for cycles less often: requests under way hold many objects and few cycles, and each look goes through all.

    It saves a run, and a server under votes, a tenth of the CPU. A process that looks more rarely still, or never, is
    left as it is.
    """
    youngest, *older = gc.get_threshold()
    if 0 < youngest < COLLECT_AFTER:
        gc.set_threshold(COLLECT_AFTER, *older)
    try:
        yield
    finally:
        gc.set_threshold(youngest, *older)
