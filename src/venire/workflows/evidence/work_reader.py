"""What asking each judge took, counted from the attempts and replies of a ledger."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from venire.judges.panel import FREE_KINDS, Price
from venire.ledger.entry import Kind
from venire.reports.recorded.judge_work import JudgeWork
from venire.runner.records import LATE
from venire.workflows.evidence.asked_under import AskedUnder


class WorkReader:
    """Counts requests, tokens and costs of each judge, for what was asked under one protocol."""

    def __init__(self, asked: AskedUnder) -> None:
        self.found: dict[str, JudgeWork] = {}
        self._asked = asked
        self._prices: dict[str, Price] = {}
        self._free: set[str] = set()

    def price(self, judge: str, kind: str, price: Price) -> None:
        """Take note of what the last run says that a judge costs, and what kind of judge it is."""
        self._prices[judge] = price
        if kind in FREE_KINDS:
            self._free.add(judge)

    def take(self, kind: Kind, content: Mapping[str, Any]) -> None:
        """Take note of an attempt or a reply."""
        if not self._asked.holds(content):
            return
        if kind is Kind.ATTEMPT:
            self._attempt(content)
        else:
            self._reply(content["task"]["judge"], content)

    def _attempt(self, content: Mapping[str, Any]) -> None:
        if content["outcome"] == LATE:
            self._reply(content["judge"], content)
            return
        work = self.found.setdefault(content["judge"], JudgeWork())
        if content["outcome"] != "not_asked":
            work.requests += 1
            work.latencies.append(content["latency_seconds"])
        work.failures += 1

    def _reply(self, name: str, content: Mapping[str, Any]) -> None:
        work = self.found.setdefault(name, JudgeWork())
        price = self._prices.get(name, Price())
        asked, answered = content["input_tokens"], content["output_tokens"]
        work.requests += 1
        work.latencies.append(content["latency_seconds"])
        work.replies += 1
        work.without_tokens += asked is None and answered is None
        work.input_tokens += asked or 0
        work.output_tokens += answered or 0
        work.priced = price != Price()
        work.free = name in self._free and not work.priced
        work.cost += price.cost(asked or 0, answered or 0)
