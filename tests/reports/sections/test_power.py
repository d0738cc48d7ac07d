"""What a comparison could have found."""

import pytest

from rating_rows import overall_row, primary
from venire.reports.sections.power import COLUMNS, POWER, power_table
from venire.stats.drift.contrasts import paired_contrasts
from venire.stats.uncertainty.power import minimum_detectable_effect, samples_needed


def cells(first, second, level=0.95):
    rows = [
        overall_row(f"{model}{number}", "oak", score, question_id=str(number), target_model=model)
        for model, scores in (("alder", first), ("birch", second))
        for number, score in enumerate(scores)
    ]
    contrasts = paired_contrasts(primary(rows), "target_model", match=("question_id",))
    (row,) = power_table(contrasts, level).rows
    return row.names, dict(zip(COLUMNS, row.cells, strict=True))


def test_the_spread_between_questions_says_what_could_be_found_and_what_is_needed():
    names, found = cells([5.0, 7.0, 6.0, 9.0, 8.0], [4.0, 7.0, 5.0, 6.0, 8.0])
    spread = 1.224744871391589  # of the differences 1, 0, 1, 3, 0
    assert names == ("alder", "birch")
    assert (found["difference"].value, found["questions"].value) == (pytest.approx(1.0), 5)
    smallest = minimum_detectable_effect(spread, 5, alpha=0.05, power=POWER).value
    assert found["detectable"].value == pytest.approx(smallest)
    assert found["questions_needed"].value == samples_needed(1.0, spread, alpha=0.05, power=POWER).value


def test_questions_that_all_differ_alike_have_no_spread_to_reckon_with():
    _, found = cells([5.0, 6.0, 7.0], [4.0, 5.0, 6.0])
    assert (found["detectable"].value, found["questions_needed"].value) == (None, None)
    assert found["detectable"].reason
