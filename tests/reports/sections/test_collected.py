"""What was collected is counted by target and by how outputs ended."""

from venire.domain.output import OutputState
from venire.reports.evidence import CollectedForm
from venire.reports.sections.collected import collected
from venire.stats.drift.text_form import form_of


def test_outputs_are_counted_by_how_they_ended():
    states = [OutputState.COMPLETE, OutputState.COMPLETE, OutputState.CUT_OFF, OutputState.REFUSED]
    forms = [
        CollectedForm(f"q{number}", "plain", "birch" if number else "alder", (), 1, form_of("12345"), state)
        for number, state in enumerate(states)
    ]
    section = collected(forms, is_judged=False)
    rows = {row.names[0]: [cell.value for cell in row.cells] for row in section.tables[0].rows}
    assert rows == {"alder": [1, 1, 0, 0, 0, 5], "birch": [3, 1, 0, 1, 1, 5]}
    assert section.notes[0].arguments == {"outputs": 4, "targets": 2, "cases": 4}
    assert collected(forms, is_judged=True).notes == ()
