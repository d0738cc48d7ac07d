"""A hard budget: a call that might exceed it is not made."""

from __future__ import annotations

import msgspec

from venire.runner.options import Budget


class Spending(msgspec.Struct):
    """What has been spent."""

    money: float = 0.0
    """In the currency of the judges' prices."""
    tokens: int = 0
    """Of requests and replies together."""
    calls: int = 0
    """Requests, failed ones counted."""


class BudgetMeter:
    """Counts what is spent, and reserves what calls under way might still cost."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._reserved = Spending()
        self.spent = Spending()

    def reserve(self, money: float, tokens: int) -> str | None:
        """Set aside what a call may cost at most; returns what would be exceeded, or None if it may be made."""
        for name, amount in (("calls", 1), ("tokens", tokens), ("money", money)):
            limit = getattr(self._budget, name)
            used = getattr(self.spent, name) + getattr(self._reserved, name)
            if limit is not None and used + amount > limit:
                return f"the budget of {limit:g} {name} is reached: {getattr(self.spent, name):g} spent"
        self._reserved.money += money
        self._reserved.tokens += tokens
        self._reserved.calls += 1
        return None

    def settle(self, reserved_money: float, reserved_tokens: int, money: float, tokens: int) -> None:
        """Replace a reservation by what the call has really cost."""
        self._reserved.money -= reserved_money
        self._reserved.tokens -= reserved_tokens
        self._reserved.calls -= 1
        self.spent.money += money
        self.spent.tokens += tokens
        self.spent.calls += 1
