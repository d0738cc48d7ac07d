"""What was left out and why."""

import msgspec

from rating_rows import overall_row
from venire.domain.judgement import Status
from venire.reports.evidence import ReportEvidence
from venire.reports.recorded.judge_work import BrokenRule
from venire.reports.report import Choices
from venire.reports.sections.invalid import LISTED, invalid
from venire.stats.ratings.table import RatingsTable


def section(rows, **fields):
    table = RatingsTable.from_rows(rows)
    return invalid(ReportEvidence(table=table, primary=table.primary(), choices=Choices(), **fields))


def rows_of(found, table_id):
    (table,) = [each for each in found.tables if each.id == table_id]
    return {row.names: row.cells for row in table.rows}


def test_what_counts_and_what_does_not_is_counted_with_its_share():
    given = [overall_row(f"u{n}", "oak", 5) for n in range(3)]
    given.append(overall_row("u9", "oak", 5, status=Status.INVALID))
    cells = rows_of(section(given), "excluded")
    assert {heads[0]: (one.value, two.value) for heads, (one, two) in cells.items()} == {
        "counted": (3, 0.75),
        "invalid": (1, 0.25),
    }


def test_rules_stand_by_how_many_replies_broke_them():
    broken = {
        "rare": BrokenRule(findings=9, sequences=[4]),
        "often": BrokenRule(findings=2, sequences=[1, 2]),
        "also": BrokenRule(findings=1, sequences=[3]),
    }
    cells = rows_of(section([overall_row("u", "oak", 5)], broken=broken), "broken_rules")
    assert [(heads[0], row[0].value, row[1].value) for heads, row in cells.items()] == [
        ("often", 2, 2),
        ("also", 1, 1),
        ("rare", 1, 9),
    ]


def test_scores_of_a_table_outside_of_their_scale_are_listed_up_to_a_number():
    def told(count, **fields):
        return section([overall_row(f"u{n}", "oak", 11) for n in range(count)], is_table=True, **fields)

    assert len(rows_of(told(LISTED), "off_scale")) == LISTED
    assert "off_scale.many" not in [note.key for note in told(LISTED).notes]
    many = told(LISTED + 1)
    assert len(rows_of(many, "off_scale")) == LISTED
    assert {note.key: note.arguments for note in many.notes}["off_scale.many"] == {
        "listed": LISTED,
        "count": LISTED + 1,
    }


def test_a_ledger_tells_of_scores_outside_of_their_scale_by_its_rules():
    assert [table.id for table in section([overall_row("u", "oak", 11)]).tables] == ["excluded"]


def test_shares_allow_for_replies_to_one_question():
    given = [
        overall_row(f"u{q}-{n}", "oak", 5, question_id=f"q{q}", status=Status.INVALID if q < 3 else Status.VALID)
        for q in range(10)
        for n in range(6)
    ]
    alone = [msgspec.structs.replace(row, question_id="") for row in given]
    clustered, plain = (rows_of(section(rows), "excluded")["invalid",][1] for rows in (given, alone))
    assert clustered.value == plain.value == 0.3
    assert clustered.high - clustered.low > 1.5 * (plain.high - plain.low)
