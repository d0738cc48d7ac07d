"""An actor without Ray: its methods are called as Ray's are, in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any


class FakeActor:
    """Wraps an object so that `actor.method.remote(…)` gives something to wait for."""

    def __init__(self, wrapped: Any) -> None:
        self.wrapped = wrapped

    def __getattr__(self, name: str) -> _Method:
        return _Method(getattr(self.wrapped, name))


class _Method:
    def __init__(self, method: Callable[..., Any]) -> None:
        self._method = method

    def remote(self, *arguments: Any) -> asyncio.Task[Any]:
        return asyncio.ensure_future(self._method(*arguments))
