"""What was collected is counted by target and by how outputs ended."""

from kept_reports import keep_sections
from rating_rows import overall_row
from venire.domain.completeness import TargetCompleteness
from venire.domain.output import OutputState
from venire.reports.evidence import ReportEvidence
from venire.reports.recorded.outputs_read import CollectedForm
from venire.reports.report import Choices, ReportSection
from venire.reports.sections.collected import collected, collection_notes
from venire.stats.drift.text_form import form_of
from venire.stats.ratings.table import RatingsTable

TABLE = RatingsTable.from_rows([overall_row("u", "oak", 5)])
STATES = [OutputState.COMPLETE, OutputState.COMPLETE, OutputState.CUT_OFF, OutputState.REFUSED]


def evidence(states, *collection):
    forms = tuple(
        CollectedForm(f"q{number}", "plain", "birch" if number else "alder", (), 1, form_of("12345"), state)
        for number, state in enumerate(states)
    )
    given = {"forms": forms, "collection": tuple(TargetCompleteness(*each) for each in collection)}
    return ReportEvidence(table=TABLE, primary=TABLE.primary(), choices=Choices(), **given)


def test_outputs_are_counted_by_how_they_ended():
    section = collected(evidence(STATES), is_judged=False)
    rows = {row.names[0]: [cell.value for cell in row.cells] for row in section.tables[0].rows}
    assert rows == {"alder": [1, None, 1, 0, 0, 0, 5], "birch": [3, None, 1, 0, 1, 1, 5]}
    assert section.notes[0].arguments == {"outputs": 4, "targets": 2, "cases": 4}
    assert collected(evidence(STATES), is_judged=True).notes == ()


def test_what_was_planned_and_is_not_there_has_a_row_and_a_warning():
    found = evidence([*STATES, OutputState.EMPTY], ("alder", 2, 1), ("birch", 4, 4), ("cedar", 3, 0))
    rows = {row.names[0]: [cell.value for cell in row.cells] for row in collected(found, is_judged=True).tables[0].rows}
    assert [row[1] for row in rows.values()] == [1, 0, 3]
    assert rows["cedar"] == [0, 3, 0, 0, 0, 0, None]
    incomplete, empty = collection_notes(found)
    assert incomplete.arguments == {"collected": 5, "planned": 9, "missing": ("alder 1", "cedar 3")}
    assert empty.arguments == {"count": 1, "targets": ("birch 1",)}
    assert [incomplete.warning, empty.warning] == [True, True]


def test_what_is_said_of_what_was_collected_stays():
    every = [OutputState.COMPLETE, *OutputState]
    keep_sections("collected", {
        "every state": collected(evidence(every), is_judged=False),
        "planned and judged": collected(evidence(every, ("alder", 2, 1), ("birch", 4, 4), ("cedar", 3, 0)),
                                        is_judged=True),
        "all that was planned": collected(evidence(every, ("alder", 1, 1)), is_judged=False),
    })  # fmt: skip
    noted = ReportSection("collected", tuple(collection_notes(evidence([OutputState.EMPTY] * 3, ("alder", 2, 1)))))
    keep_sections("collection_notes", {"empty outputs and one that is missing": noted})
