"""Drift: what is said where no column is sliced by of itself."""

from __future__ import annotations

from venire.reports.report import Choices
from venire.reports.words import ReportWords
from venire.workflows.analyse import analyse


def test_a_column_of_very_many_values_is_not_said_to_be_one_that_does_not_vary(tmp_path):
    path = tmp_path / "t.csv"
    rows = "".join(f"i{n},q{n},m,j,topic {n // 3},{n % 9}\n" for n in range(600))
    path.write_text("item,question,model,judge,topic,score\n" + rows)
    columns = {"unit": "item", "question_id": "question", "target_model": "model", "rater": "judge"}
    drift = analyse(path, Choices(scale=(0, 10), columns=columns)).section("drift")
    assert [note.key for note in drift.notes] == ["drift.none"]
    assert "`--factor COLUMN`" in ReportWords("en").sentence(drift.notes[0])
    sliced = analyse(path, Choices(scale=(0, 10), columns=columns, sliced_by=("topic",), factors=("topic",)))
    assert "drift.too_small" in {note.key for note in sliced.section("drift").notes}
