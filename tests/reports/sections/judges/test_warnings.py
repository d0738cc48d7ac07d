"""What a reader must know of a judge, and from where on."""

import pytest

from rating_rows import overall_row
from venire.reports.cells import make_table
from venire.reports.evidence import ReportEvidence
from venire.reports.recorded.judge_work import StatedOverall
from venire.reports.report import Choices, ReportCell, ReportSection
from venire.reports.sections.judges.warnings import (
    REPEATED,
    SHARED,
    judge_warnings,
    misstated_overalls,
    retest_warnings,
)
from venire.stats.judges.retest_reliability import RELIABLE, RetestReliability
from venire.stats.ratings.table import RatingsTable
from venire.stats.result import Estimate


def evidence(rows=(), **fields):
    table = RatingsTable.from_rows(rows)
    return ReportEvidence(table=table, primary=table.primary(), choices=Choices(), **fields)


def correlations(*values, high=0.1, units=SHARED):
    """Return the section on agreement, with the correlations of one judge with others."""
    cells = [ReportCell(id="", unit="correlation", value=value, high=high, n={"units": units}) for value in values]
    others = [f"other{number}" for number in range(len(values))]
    return ReportSection("agreement", (), (make_table("pairs", ("rater",), others, [(("oak",), cells)]),))


def keys(notes):
    return [note.key for note in notes]


@pytest.mark.parametrize(
    ("agreed", "told"),
    [
        (correlations(0.1, 0.2, high=0.5), ["judges.apart"]),
        (correlations(0.1, 0.5, high=0.6), []),
        (correlations(0.1, 0.2, high=0.7), []),
        (correlations(0.1, 0.2, high=0.5, units=SHARED - 1), []),
        (correlations(-0.5, -0.2, high=-0.1), ["judges.against"]),
        (correlations(-0.5, -0.2, high=0.0), ["judges.apart"]),
        (correlations(0.1, high=0.5), ["judges.two_apart"]),
        (correlations(None, high=None), []),
        (ReportSection("agreement", ()), []),
    ],
)
def test_a_judge_that_goes_with_no_other_is_told_of_only_where_that_is_sure(agreed, told):
    assert keys(judge_warnings(evidence(), agreed)) == told


def test_the_nearest_judge_is_named():
    (note,) = judge_warnings(evidence(), correlations(0.1, 0.2, -0.3, high=0.5))
    assert {name: note.arguments[name] for name in ("judge", "other", "value", "outputs")} == {
        "judge": "oak",
        "other": "other1",
        "value": "0.20",
        "outputs": SHARED,
    }
    assert note.warning


@pytest.mark.parametrize(("severity", "told"), [(3, ["judges.severe", "judges.lenient"]), (1, [])])
def test_judges_far_apart_are_told_of_with_their_side(severity, told):
    rows = [
        overall_row(f"u{n}", judge, 4 + n % 3 + lift + n % 2 * lift / 8, question_id=str(n))
        for n in range(20)
        for judge, lift in (("elm", 0), ("oak", 2 * severity))
    ]
    found = keys(judge_warnings(evidence(rows), ReportSection("agreement", ())))
    assert sorted(found) == sorted(told)


def test_overall_scores_that_do_not_follow_are_counted():
    stated = {"oak": StatedOverall(compared=9, sequences=[3, 4], largest=0.456), "elm": StatedOverall(compared=9)}
    (note,) = misstated_overalls(evidence(stated=stated))
    assert note.arguments == {"judge": "oak", "count": 2, "compared": 9, "points": 0.46}


@pytest.mark.parametrize(
    ("pairs", "icc", "told"),
    [
        (REPEATED - 1, 0.1, ["retests.few"]),
        (REPEATED, 0.1, ["retests.low"]),
        (REPEATED, RELIABLE, []),
        (REPEATED, None, ["retests.unknown"]),
    ],
)
def test_a_judge_that_repeats_itself_poorly_is_told_of_once_enough_was_asked_twice(pairs, icc, told):
    exact = Estimate(value=0.5, method="m", n={"values": pairs})
    reliability = Estimate(value=icc, method="m", reason="" if icc else "no variation")
    values = dict.fromkeys(RetestReliability.__struct_fields__, exact) | {"icc": reliability}
    assert keys(retest_warnings({"oak": RetestReliability(**values)})) == told
