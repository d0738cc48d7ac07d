"""One experiment for all tests of reports; making it once keeps them quick."""

from __future__ import annotations

import polars as pl
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


@pytest.fixture(scope="session")
def compared(tmp_path_factory):
    """The report of a table: twelve questions on 0–8, oak a little better, and one output that judges dispute."""
    rows = [
        {"question": f"q{question}", "model": model, "judge": judge, "output_id": f"{model}-q{question}",
         "score": 7 + shift + 0.2 * (question % 3) - better}
        for question in range(12)
        for model, better in (("oak", 0.0), ("elm", 0.2 + 0.1 * (question % 4)))
        for judge, shift in (("a", 0.0), ("b", -6.0 if (question, model) == (5, "elm") else 0.0))
    ]  # fmt: skip
    path = tmp_path_factory.mktemp("compared") / "scores.csv"
    pl.DataFrame(rows).write_csv(path)
    return analyse(path, Choices(columns={"unit": "output_id"}, scale=(0, 8)))
