"""Requests of other protocols in the same ledger are not this protocol's."""

import pytest

from experiment import FakeProvider, good_reply, make_samples, run_fakes
from venire.judges.provider import Reply
from venire.ledger.memory import MemoryLedger
from venire.reports.report import Choices
from venire.workflows.evidence.from_ledger import read_ledger


class FailingFirst:
    """Fails the first request about each sample, in a way that passes."""

    def __init__(self):
        self.seen = set()

    def __call__(self, request):
        if request.task_id in self.seen:
            return good_reply(request)
        self.seen.add(request.task_id)
        return Reply(None, error="HTTP 500", error_kind="server", status=500)


@pytest.fixture
def ledger():
    ledger = MemoryLedger()
    run_fakes({"oak": FakeProvider(FailingFirst())}, make_samples(3), ledger=ledger)
    run_fakes({"oak": FakeProvider(FailingFirst())}, make_samples(5), ledger=ledger, protocol="quality")
    return ledger


@pytest.mark.parametrize(("protocol", "samples"), [("drift-sample", 3), ("quality", 5)])
def test_replies_and_failed_requests_are_counted_under_their_own_protocol(ledger, protocol, samples):
    evidence, _ = read_ledger(ledger, Choices(protocol=protocol), "memory:")
    work = evidence.work["oak"]
    assert (work.requests, work.failures, work.replies, len(work.latencies)) == (
        2 * samples,
        samples,
        samples,
        2 * samples,
    )
