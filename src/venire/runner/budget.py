"""A hard budget: a call that might exceed it is not made.

What a call may take is estimated. How much more than that a judge bills is learnt, for requests and replies apart, and
holds for calls under way too. So a run passes its budget at most by the calls that are under way when a bill is higher
than any before it, and by nothing after that.
"""

from __future__ import annotations

import asyncio
import math

import msgspec

from venire.judges.panel import Price
from venire.runner.options import Budget
from venire.runner.stop import StoppedError
from venire.words.said import say


class Tokens(msgspec.Struct, frozen=True):
    """Tokens of one request and its reply."""

    input: int
    """Of the request."""
    output: int
    """Of the reply."""

    @property
    def total(self) -> int:
        """Both together."""
        return self.input + self.output


class Spending(msgspec.Struct, frozen=True):
    """What has been spent."""

    money: float = 0.0
    """In the currency of the judges' prices."""
    tokens: int = 0
    """Of requests and replies together."""
    calls: int = 0
    """Requests, failed ones counted."""


def left_of(budget: Budget, spent: Spending) -> Budget:
    """Return what is left of a budget; what has no limit still has none."""
    given = {name: getattr(budget, name) for name in ("money", "tokens", "calls")}
    left = {name: max(0, most - getattr(spent, name)) for name, most in given.items() if most is not None}
    return Budget(**left)


def total(spendings: list[Spending]) -> Spending:
    """Add up what was spent; the order makes no difference, to the last digit."""
    return Spending(
        math.fsum(each.money for each in spendings),
        sum(each.tokens for each in spendings),
        sum(each.calls for each in spendings),
    )


class JudgeAccount:
    """What one judge has taken and may still take. It counts tokens: their sum has one price, whatever the order."""

    def __init__(self, price: Price) -> None:
        self._price = price
        self._spent = [0, 0, 0]
        self._open = [0, 0, 0]
        self._bill_over_guess = (1.0, 1.0)

    @property
    def spent(self) -> Spending:
        """What the judge has taken."""
        return self._as_spending(*self._spent)

    def most(self, more: Tokens, *, with_open: bool) -> Spending:
        """Return the most that it will have taken with one more call, and with those under way if they are counted."""
        under_way = self._open if with_open else [0, 0, 0]
        guessed = Tokens(under_way[0] + more.input, under_way[1] + more.output)
        stretched = self.stretched(guessed)
        return self._as_spending(
            self._spent[0] + stretched.input, self._spent[1] + stretched.output, self._spent[2] + under_way[2] + 1
        )

    def with_open(self) -> Spending:
        """Return the most that it will have taken when the calls under way have ended."""
        stretched = self.stretched(Tokens(self._open[0], self._open[1]))
        return self._as_spending(
            self._spent[0] + stretched.input, self._spent[1] + stretched.output, self._spent[2] + self._open[2]
        )

    def stretched(self, guess: Tokens) -> Tokens:
        """Return what a guess comes to by the highest bill so far."""
        of_input, of_output = self._bill_over_guess
        if of_input == of_output == 1:
            return guess
        return Tokens(math.ceil(guess.input * of_input), math.ceil(guess.output * of_output))

    def begin(self, guess: Tokens) -> None:
        """Set aside what a call may take."""
        self._add(self._open, guess, 1)

    def learn(self, guess: Tokens, billed: Tokens) -> None:
        """Expect of every call, those under way included, what the highest bill was over its guess."""
        of_input, of_output = self._bill_over_guess
        if billed.input <= guess.input and billed.output <= guess.output:
            return
        self._bill_over_guess = (
            max(of_input, billed.input / max(guess.input, 1)),
            max(of_output, billed.output / max(guess.output, 1)),
        )

    def end(self, guess: Tokens, billed: Tokens | None, *, was_sent: bool) -> None:
        """Give back what was set aside, and count what was billed, or what was to be expected if nobody says."""
        under_way = self._open
        under_way[0] -= guess.input
        under_way[1] -= guess.output
        under_way[2] -= 1
        if not was_sent:
            return
        if billed is not None:
            self.learn(guess, billed)
        self._add(self._spent, billed or self.stretched(guess), 1)

    def _as_spending(self, input_tokens: int, output_tokens: int, calls: int) -> Spending:
        return Spending(self._price.cost(input_tokens, output_tokens), input_tokens + output_tokens, calls)

    @staticmethod
    def _add(amounts: list[int], tokens: Tokens, calls: int) -> None:
        amounts[0] += tokens.input
        amounts[1] += tokens.output
        amounts[2] += calls


class BudgetMeter:
    """Counts what is spent by judge, and sets aside what calls under way might still cost."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._accounts: dict[str, JudgeAccount] = {}
        self._waiting: list[asyncio.Future[None]] = []
        self.has_limits = budget != Budget()
        """Whether there is a budget at all."""

    def account(self, judge: str, price: Price) -> JudgeAccount:
        """Return the account of a judge."""
        return self._accounts.setdefault(judge, JudgeAccount(price))

    @property
    def spent(self) -> dict[str, Spending]:
        """What was spent, by judge."""
        return {judge: account.spent for judge, account in self._accounts.items()}

    async def reserve(self, account: JudgeAccount, guess: Tokens) -> None:
        """Set aside what a call may take at most.

        While only calls under way stand against it, waits for what they leave over. Raises `StoppedError` that says
        which part of the budget would be exceeded.
        """
        if not self.has_limits:
            account.begin(guess)
            return
        while (name := self._exceeded(account, guess, with_open=False)) is None:
            if self._exceeded(account, guess, with_open=True) is None:
                account.begin(guess)
                return
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn
        raise StoppedError(budget_reached(self._budget, name, total(list(self.spent.values()))))

    def holds(self) -> bool:
        """Tell whether the budget allows everything that is set aside; bills may have become higher since it was."""
        if not self.has_limits:
            return True
        return self._first_exceeded(total([each.with_open() for each in self._accounts.values()])) is None

    def settle(self, account: JudgeAccount, guess: Tokens, billed: Tokens | None, *, was_sent: bool) -> None:
        """Count what a call has taken, and let those who wait for what it leaves over look again."""
        account.end(guess, billed, was_sent=was_sent)
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, []
        for turn in waiting:
            if not turn.done():
                turn.set_result(None)

    def _exceeded(self, account: JudgeAccount, guess: Tokens, *, with_open: bool) -> str | None:
        others = [each for each in self._accounts.values() if each is not account]
        most = total(
            [account.most(guess, with_open=with_open)]
            + [each.with_open() if with_open else each.spent for each in others]
        )
        return self._first_exceeded(most)

    def _first_exceeded(self, most: Spending) -> str | None:
        for name in ("calls", "tokens", "money"):
            limit = getattr(self._budget, name)
            if limit is not None and getattr(most, name) > limit:
                return name
        return None


def budget_reached(budget: Budget, name: str, spent: Spending) -> str:
    """Say that a part of the budget does not allow another call, and what was spent of it."""
    limit, used = getattr(budget, name), getattr(spent, name)
    if name == "money":
        limit, used = shown_money(limit), shown_money(used)
    return say("stop.budget", limit=limit, name=say(f"stop.budget.{name}"), part=name, spent=used)


def shown_money(money: float) -> str:
    """Return an amount with all its digits up to the ten-thousandth of a millionth.

    >>> shown_money(0.1 + 0.2), shown_money(12.0), shown_money(0.00333315)
    ('0.3', '12', '0.00333315')
    """
    return f"{money:.10f}".rstrip("0").rstrip(".")
