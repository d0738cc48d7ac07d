"""A circuit breaker: a judge that keeps failing is given a rest, tried once more, and then given up."""

from __future__ import annotations

from collections.abc import Callable


class Breaker:
    """Counts failures in a row and says when a judge is to be given up."""

    def __init__(self, stop_after: int, rest_seconds: float, pause: Callable[[float], None]) -> None:
        self._stop_after = stop_after
        self._rest_seconds = rest_seconds
        self._pause = pause
        self._failures = 0
        self._rested = False
        self.given_up = ""

    def succeeded(self) -> None:
        """Forget earlier failures."""
        self._failures = 0
        self._rested = False

    def failed(self, reason: str) -> None:
        """Count a task that failed for good; after too many in a row, rest, and the next time give up."""
        self._failures += 1
        if self._failures < self._stop_after:
            return
        if self._rested:
            self.give_up(f"{self._failures} tasks failed in a row; the last: {reason}")
        else:
            self._rested = True
            self._pause(self._rest_seconds)

    def give_up(self, reason: str) -> None:
        """Ask this judge nothing more."""
        self.given_up = self.given_up or reason
