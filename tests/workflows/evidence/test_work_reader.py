"""What asking took: requests, tokens and costs, each counted where it belongs."""

import pytest

from venire.judges.panel import Price
from venire.ledger.entry import Kind
from venire.runner.records import LATE
from venire.workflows.evidence.work_reader import WorkReader


class UnderProtocol:
    """Says that all was asked under the protocol but what names another."""

    def holds(self, content):
        return not content.get("other")


def reply(judge="oak", asked=10, answered=4, **more):
    return {"task": {"judge": judge}, "judge": judge, "input_tokens": asked, "output_tokens": answered,
            "latency_seconds": 0.5, **more}  # fmt: skip


def test_replies_are_counted_with_their_tokens_and_costs():
    reader = WorkReader(UnderProtocol())
    reader.price("oak", "openai_compatible", Price(1.0, 2.0))
    for content in (reply(), reply(asked=None, answered=None), reply(asked=None), reply("elm")):
        reader.take(Kind.REPLY, content)
    oak, elm = reader.found["oak"], reader.found["elm"]
    assert (oak.requests, oak.replies, oak.failures) == (3, 3, 0)
    assert (oak.input_tokens, oak.output_tokens, oak.without_tokens) == (10, 8, 1)
    assert oak.latencies == [0.5, 0.5, 0.5]
    assert oak.priced
    assert oak.cost == pytest.approx(Price(1.0, 2.0).cost(10, 8))
    assert (elm.requests, elm.priced, elm.cost) == (1, False, 0.0)


def test_rules_cost_nothing_but_a_judge_without_a_price_is_not_free():
    reader = WorkReader(UnderProtocol())
    for name, kind in (("oak", "rules"), ("elm", "openai_compatible")):
        reader.price(name, kind, Price())
        reader.take(Kind.REPLY, reply(name, None, None))
    assert [reader.found[name].free for name in ("oak", "elm")] == [True, False]


def test_failures_are_requests_unless_nobody_was_asked():
    reader = WorkReader(UnderProtocol())
    for outcome in ("timeout", "not_asked", "server"):
        reader.take(Kind.ATTEMPT, {"judge": "oak", "outcome": outcome, "latency_seconds": 2.0})
    found = reader.found["oak"]
    assert (found.requests, found.failures, found.replies, found.latencies) == (2, 3, 0, [2.0, 2.0])


def test_a_reply_that_came_too_late_was_paid_for():
    reader = WorkReader(UnderProtocol())
    reader.take(Kind.ATTEMPT, reply(outcome=LATE))
    found = reader.found["oak"]
    assert (found.requests, found.replies, found.failures, found.input_tokens) == (1, 1, 0, 10)


def test_what_was_asked_under_another_protocol_is_not_counted():
    reader = WorkReader(UnderProtocol())
    reader.take(Kind.REPLY, reply(other=True))
    reader.take(Kind.ATTEMPT, {"judge": "oak", "outcome": "timeout", "other": True})
    assert reader.found == {}
