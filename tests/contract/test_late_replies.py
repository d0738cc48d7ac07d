"""Two workers that ask the same: the first reply answers the task, and the second, which was paid for, is kept too."""

from __future__ import annotations

import pytest

from experiment import FakeProvider, contents, make_judge, make_samples, run_fakes
from postgres_server import WRITER
from venire.judges.panel import Price
from venire.judges.provider import Reply
from venire.ledger.entry import Draft, Kind
from venire.ledger.memory import MemoryLedger
from venire.ledger.postgres.ledger import PostgresLedger
from venire.ledger.sqlite.ledger import SqliteLedger
from venire.reports.report import Choices
from venire.workflows.audit import audit
from venire.workflows.evidence.from_ledger import read_ledger

JUDGE = make_judge(price=Price(input_per_million=1e6, output_per_million=1e6))
LATE_BODY = b"\x00 not the first"


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def ledger(request, tmp_path, postgres):
    opened = {
        "memory": MemoryLedger,
        "sqlite": lambda: SqliteLedger(tmp_path / "ledger.db"),
        "postgres": lambda: PostgresLedger(postgres.url(postgres.new_ledger(), WRITER)),
    }[request.param]()
    yield opened
    opened.close()


@pytest.fixture
def overtaken(ledger):
    """Run one sample while another worker, which asks the same, is faster and dies before it judges its reply."""
    _, other = run_fakes({"oak": FakeProvider()}, make_samples(1), judges=[JUDGE])
    first = [Draft(entry.kind, entry.content, entry.key, entry.blob) for entry in other.read(kinds=[Kind.REPLY])]

    def answer(_):
        ledger.append(first)
        return Reply("no", LATE_BODY, 200, input_tokens=3, output_tokens=4, model="oak-large")

    result, _ = run_fakes({"oak": FakeProvider(answer)}, make_samples(1), judges=[JUDGE], ledger=ledger)
    return result


def test_the_first_reply_stays_and_the_late_one_is_kept_whole(ledger, overtaken):
    (reply,) = contents(ledger, Kind.REPLY)
    assert reply["text"] != "no"
    (late,) = ledger.read(kinds=[Kind.ATTEMPT])
    assert (late.content["outcome"], late.content["text"], late.blob) == ("late", "no", LATE_BODY)
    assert late.key == late.content["task"] == reply["task"]["id"]


def test_the_judgement_follows_from_the_first_reply_whoever_judges_it(ledger, overtaken):
    assert (overtaken.counts["oak"].valid, overtaken.counts["oak"].invalid) == (1, 0)
    audited = audit(ledger)
    assert audited.intact
    assert audited.judged_again == 1


def test_both_replies_are_paid_for_in_the_run_and_in_reports(ledger, overtaken):
    assert (overtaken.spent.calls, overtaken.spent.tokens, overtaken.spent.money) == (1, 7, 7.0)
    work = read_ledger(ledger, Choices(), "ledger")[0].work["oak"]
    assert (work.requests, work.failures) == (2, 0)
    assert work.cost == 15 + 7
