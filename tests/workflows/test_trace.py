"""From a number back to what it was computed from."""

import pytest

from report_ledger import design, write_ledger
from venire.errors import UsageError
from venire.reports.report import Choices
from venire.workflows.analyse import analyse
from venire.workflows.trace import find_cell, trace


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    return str(write_ledger(tmp_path_factory.mktemp("trace") / "run.db", design(questions=2)))


@pytest.fixture(scope="module")
def report(ledger):
    return analyse(ledger, Choices())


@pytest.mark.parametrize(
    ("cell", "judgements", "requests"),
    [
        ("leaderboard.alder-1.mean", 16, 0),  # 8 outputs, 2 judges
        ("judges.oak.recorded", 16, 0),
        ("cost.oak.requests", 0, 16),
        ("cost.elm.output_tokens", 0, 16),
    ],
)
def test_a_number_leads_to_the_judgements_or_requests_behind_it(ledger, report, cell, judgements, requests):
    found = trace(report, cell, ledger)
    assert (found.cell.id, found.total) == (cell, judgements + requests)
    assert (len(found.judgements), len(found.requests)) == (judgements, requests)


@pytest.mark.parametrize("cell", ["leaderboard.alder-1.mean", "cost.oak.requests"])
def test_no_more_is_shown_than_was_asked_for_but_all_is_counted(ledger, report, cell):
    found = trace(report, cell, ledger, limit=1)
    assert (found.total, len(found.judgements) + len(found.requests)) == (16, 1)


def test_a_number_that_a_report_does_not_have_is_told_with_the_nearest(report):
    with pytest.raises(UsageError) as told:
        find_cell(report, "leaderboard.alder-1.meen")
    assert "leaderboard.alder-1.mean" in str(told.value) + told.value.hint
