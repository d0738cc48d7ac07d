"""One experiment for all tests of reports; making it once keeps them quick."""

from __future__ import annotations

import pytest

from report_ledger import design, labels_of, scoring, write_ledger
from venire.reports.report import Choices
from venire.workflows.analyse import analyse


@pytest.fixture(scope="session")
def ledger_path(tmp_path_factory):
    """A ledger with retests, and with invalid replies of one judge on one question."""
    path = tmp_path_factory.mktemp("report") / "ledger.sqlite"
    answers = {"oak": scoring(), "elm": scoring(severity=1), "fir": scoring(broken_at="names line 3")}
    return write_ledger(path, design(), answers, reask_share=0.5)


@pytest.fixture(scope="session")
def report(ledger_path):
    """The report of that ledger, with labels by people."""
    return analyse(ledger_path, Choices(), labels=labels_of(design()))
