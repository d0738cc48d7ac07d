"""The loop that asynchronous work goes on."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

Result = TypeVar("Result")


def run_async(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end in this thread; on uvloop where there is one, where a run takes a tenth less CPU."""
    try:
        import uvloop
    except ImportError:  # There is none for Windows.
        return asyncio.run(work)
    return uvloop.run(work)
