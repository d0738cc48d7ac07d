"""What a report says of an adaptive jury: each number and note, of one that estimates and of one that decides."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from kept_reports import keep_sections
from venire.reports.recorded.jury_read import JuryMean, JuryRead, JuryRound, JuryStage
from venire.reports.sections.judges.jury import LISTED, jury

ROUNDS = (
    JuryRound(sequence=7, number=0, rule="start", possible=40, chosen=40, lowest=1.0, highest=1.0),
    JuryRound(sequence=90, number=1, rule="where_uncertain", possible=20, chosen=6, lowest=0.05, highest=0.8125),
)
MEANS = (
    JuryMean(model="alder", value=9.5, half_width=0.75, asked=6, whole=20),
    JuryMean(model="birch", value=0.25, half_width=0.5, asked=3, whole=20),
    JuryMean(model="", value=5.0, half_width=None, asked=1, whole=20),
    JuryMean(model="cedar", value=None, half_width=None, asked=0, whole=20),
)
ESTIMATE = JuryRead(
    start=("oak",), then=("elm", "fir"), outputs=20, asked=46, whole=60, finished=True, scale=(0.0, 10.0), level=0.95,
    half_width=0.5, delta=None, rounds=ROUNDS, means=MEANS, selected=("elm", "fir"),
)  # fmt: skip
STAGES = (
    JuryStage(
        judges=("oak",), reached=20, labelled=8, agreeing=7, threshold=0.875, decided={"PASS": 9, "FAIL": 2}, sequence=8
    ),
    JuryStage(judges=("oak", "elm"), reached=9, labelled=0, agreeing=0, threshold=None, decided={}, sequence=91),
)
DECIDE = replace(ESTIMATE, half_width=None, delta=0.2, level=0.9, means=(), stages=STAGES, open=("q1", "q2"))

READ = {
    "it estimates and some means are too wide": ESTIMATE,
    "all means are narrow enough": replace(ESTIMATE, means=MEANS[1:2]),
    "it has not finished": replace(ESTIMATE, finished=False, means=MEANS[3:]),
    "it decides and leaves some to people": DECIDE,
    "it decides nothing": replace(DECIDE, stages=STAGES[1:], open=(), delta=None),
}


def test_what_is_said_of_a_jury_stays():
    keep_sections("jury", {name: jury(read) for name, read in READ.items()})


@pytest.mark.parametrize("count", [1, LISTED, LISTED + 1])
def test_the_first_twenty_open_outputs_are_listed(count):
    section = jury(replace(DECIDE, open=tuple(f"q{number}" for number in range(count))))
    table = next(table for table in section.tables if table.id == "jury_open")
    assert [row.names for row in table.rows] == [(f"q{number}",) for number in range(min(count, 20))]
