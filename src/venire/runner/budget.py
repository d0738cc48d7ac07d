"""A hard budget: a call that might exceed it is not made."""

from __future__ import annotations

import asyncio

import msgspec

from venire.runner.options import Budget
from venire.runner.stop import StoppedError
from venire.words.said import say


class Spending(msgspec.Struct):
    """What has been spent."""

    money: float = 0.0
    """In the currency of the judges' prices."""
    tokens: int = 0
    """Of requests and replies together."""
    calls: int = 0
    """Requests, failed ones counted."""

    def add(self, money: float, tokens: int, calls: int) -> None:
        """Add to all three."""
        self.money += money
        self.tokens += tokens
        self.calls += calls


class BudgetMeter:
    """Counts what is spent, and sets aside what calls under way might still cost."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._set_aside = Spending()
        self._waiting: list[asyncio.Future[None]] = []
        self.spent = Spending()

    async def reserve(self, money: float, tokens: int) -> None:
        """Set aside what a call may cost at most.

        While only calls under way stand against it, waits for what they leave over. Raises `StoppedError` that says
        which part of the budget would be exceeded.
        """
        while self._exceeded(money, tokens, Spending()) is None:
            if self._exceeded(money, tokens, self._set_aside) is None:
                self._set_aside.add(money, tokens, 1)
                return
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn
        name = self._exceeded(money, tokens, Spending())
        limit, spent = getattr(self._budget, str(name)), getattr(self.spent, str(name))
        raise StoppedError(say("stop.budget", limit=limit, name=say(f"stop.budget.{name}"), spent=spent))

    def spend(self, money: float, tokens: int) -> None:
        """Count a call that was made."""
        self.spent.add(money, tokens, 1)

    def release(self, money: float, tokens: int) -> None:
        """Give back what was set aside for a call, and let those who wait for it look again."""
        self._set_aside.add(-money, -tokens, -1)
        if not self._set_aside.calls:
            self._set_aside = Spending()  # without the rounding of many additions
        waiting, self._waiting = self._waiting, []
        for turn in waiting:
            if not turn.done():
                turn.set_result(None)

    def _exceeded(self, money: float, tokens: int, set_aside: Spending) -> str | None:
        for name, amount in (("calls", 1), ("tokens", tokens), ("money", money)):
            limit = getattr(self._budget, name)
            used = getattr(self.spent, name) + getattr(set_aside, name)
            if limit is not None and used + amount > limit:
                return name
        return None
