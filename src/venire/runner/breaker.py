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
        self._resting_since_success = False
        self.rests = 0
        """How many rests the judge was given; a request carries the number at which it was sent."""
        self.given_up = ""
        """Why nothing more is asked of the judge; empty while it is."""

    def succeeded(self) -> None:
        """Forget earlier failures."""
        self._failures = 0
        self._resting_since_success = False

    def failed(self, reason: str, sent_after_rests: int) -> None:
        """Count a task that failed for good; after too many in a row, rest, and after the rest give up.

        Requests that were under way when the rest began say nothing about whether it has helped.
        """
        if sent_after_rests != self.rests:
            return
        self._failures += 1
        if self._failures < self._stop_after:
            return
        if self._resting_since_success:
            self.give_up(f"{self._failures} tasks failed in a row, a rest did not help; the last: {reason}")
            return
        self._resting_since_success = True
        self.rests += 1
        self._pause(self._rest_seconds)

    def give_up(self, reason: str) -> None:
        """Ask this judge nothing more."""
        self.given_up = self.given_up or reason
