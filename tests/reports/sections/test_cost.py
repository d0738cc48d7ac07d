"""What the judges cost, as far as servers and configuration say it."""

import pytest

from rating_rows import overall_row
from venire.reports.evidence import ReportEvidence
from venire.reports.recorded.judge_work import JudgeWork
from venire.reports.report import Choices
from venire.reports.sections.cost import COLUMNS, cost
from venire.stats.ratings.table import RatingsTable

TABLE = RatingsTable.from_rows([overall_row("u", "oak", 5)])


def section(work=None, **fields):
    given = {"oak": work} if work else {}
    return cost(ReportEvidence(table=TABLE, primary=TABLE.primary(), choices=Choices(), work=given, **fields))


def values(work):
    (table,) = section(work).tables
    (row,) = table.rows
    return dict(zip(COLUMNS, ((cell.value, cell.reason) for cell in row.cells), strict=True))


def test_requests_tokens_and_money_are_summed_and_latencies_ranked():
    latencies = [float(second) for second in range(1, 22)]
    work = JudgeWork(requests=21, failures=1, replies=20, latencies=latencies, input_tokens=70, output_tokens=30,
                     without_tokens=19, cost=0.5, priced=True)  # fmt: skip
    found = {name: value for name, (value, _) in values(work).items()}
    assert found == {
        "requests": 21, "failures": 1, "median_seconds": 11.0, "slow_seconds": 20.0, "input_tokens": 70,
        "output_tokens": 30, "cost": 0.5,
    }  # fmt: skip


def test_a_server_that_tells_no_tokens_has_no_cost_not_a_cost_of_nothing():
    found = values(JudgeWork(requests=2, replies=2, without_tokens=2, priced=True))
    assert all(found[name][0] is None and found[name][1] for name in ("input_tokens", "output_tokens", "cost"))
    assert found["median_seconds"][0] is None


def test_without_a_price_tokens_are_known_and_money_is_not():
    found = values(JudgeWork(requests=1, replies=1, input_tokens=7, latencies=[1.0]))
    assert (found["input_tokens"][0], found["cost"][0]) == (7, None)


def test_a_judge_that_asks_no_server_costs_nothing_and_takes_no_tokens():
    found = values(JudgeWork(requests=2, replies=2, without_tokens=2, free=True))
    assert found["cost"] == (0.0, "")
    assert (found["input_tokens"][0], found["input_tokens"][1].code) == (None, "reason.asks_no_server")


@pytest.mark.parametrize(
    ("fields", "note"), [({}, "cost.none"), ({"is_table": True}, "cost.table"), ({"is_check": True}, "cost.check")]
)
def test_where_nobody_was_asked_it_says_why_nothing_is_known(fields, note):
    found = section(**fields)
    assert ([each.key for each in found.notes], found.tables) == ([note], ())
