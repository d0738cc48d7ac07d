"""What was chosen among many says among how many, and its interval allows for it."""

from __future__ import annotations

import numpy as np
import pytest

from venire.reports.sections.power import power_table
from venire.stats.comparison.paired import paired_t
from venire.stats.drift.contrasts import Contrast
from venire.stats.uncertainty.multiplicity import family_level


def section(report, name):
    return next(each for each in report.sections if each.id == name)


def test_bias_rows_hold_their_level_together(report):
    found = section(report, "bias")
    estimates = [row.cells[0] for row in found.tables[0].rows]
    looked = [cell for cell in estimates if cell.low is not None]
    (note,) = [note for note in found.notes if note.key == "bias.many"]
    assert note.arguments["count"] == len(looked)
    assert all(cell.level == pytest.approx(family_level(0.95, len(looked))) for cell in looked)


def test_worst_slices_and_cliffs_say_among_how_many_they_were_chosen(report):
    found = section(report, "drift")
    keys = {note.key: note.arguments for note in found.notes}
    tables = {table.id: table for table in found.tables}
    for table, key, place in (("worst_slices", "drift.worst", 0), ("cliffs", "drift.cliffs", 2)):
        count = keys[key]["count"]
        levels = [row.cells[place].level for row in tables[table].rows if row.cells[place].low is not None]
        assert count >= len(tables[table].rows)
        assert levels
        assert all(level == pytest.approx(family_level(0.95, count)) for level in levels)


@pytest.mark.parametrize(("shift", "is_open"), [(0.1, True), (1.5, False)])
def test_questions_to_settle_have_a_range_or_say_that_none_may_be_enough(shift, is_open):
    first = np.random.default_rng(3).normal(shift, 1, 40)
    test = paired_t(first, np.zeros(40), clusters=range(40))
    contrast = Contrast(
        factor="target_model", first="a", second="b", clustered_by="question", total=test, unmatched=0, where=({}, {})
    )
    needed = power_table([contrast], 0.95).rows[0].cells[3]
    if is_open:
        assert (needed.low, "at least" in needed.note) == (None, True)
    else:
        assert needed.low < needed.value < needed.high
