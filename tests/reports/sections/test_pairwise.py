"""The pairwise section of a report: who beats whom, from scores on the same questions and factors."""

import pytest

from report_ledger import design, scoring, write_ledger
from venire.reports.report import Choices
from venire.reports.sections.pairwise import model_comparisons, pairwise
from venire.workflows.evidence.from_source import read_evidence


@pytest.fixture(scope="module")
def material(tmp_path_factory):
    path = write_ledger(tmp_path_factory.mktemp("pairwise") / "l.sqlite", design(questions=6))
    return read_evidence(path, Choices())


def test_models_meet_once_in_each_cell_and_errors_are_clustered_by_question(material):
    found = model_comparisons(material)
    assert found.wins.models == ("alder-1", "birch-2")
    assert found.wins.comparisons == 24  # six questions, two variants, two triggers
    assert found.clusters == 6


def test_the_section_shows_strengths_and_the_shares_that_the_row_won(material):
    section = pairwise(material)
    strengths, matrix = section.tables
    assert [row.names for row in strengths.rows] == [("alder-1",), ("birch-2",)]
    won = {row.names[0]: row.cells for row in matrix.rows}
    shares = won["alder-1"][1].value, won["birch-2"][0].value
    assert sum(shares) == pytest.approx(1)
    assert shares[0] > 0.5
    assert won["alder-1"][0].text == "–"
    counts = [cell.value for cell in strengths.rows[0].cells[2:]]
    assert sum(counts) == 24


def test_a_cell_points_to_the_judgements_of_the_two_models(material):
    matrix = pairwise(material).tables[1]
    assert matrix.rows[0].cells[1].rows.where == {"target_model": ("alder-1", "birch-2")}


def test_a_fit_that_does_not_exist_is_said_and_not_shown_as_a_number(material):
    section = pairwise(material)
    [fit_note] = [note for note in section.notes if note.key == "pairwise.no_fit"]
    assert "only won or only lost" in fit_note.arguments["reason"]
    assert section.tables[0].rows[0].cells[0].value is None


def test_one_model_alone_has_nobody_to_beat(tmp_path):
    path = write_ledger(tmp_path / "l.sqlite", design(models=["alder-1"], questions=2), {"oak": scoring()})
    section = pairwise(read_evidence(path, Choices()))
    assert [note.key for note in section.notes] == ["pairwise.one_model"]
    assert not section.tables


def test_outputs_without_anything_in_common_never_meet(tmp_path):
    table = tmp_path / "scores.csv"
    rows = [f"u{n},oak,{n % 5 + 1},{'ab'[n % 2]},1,5" for n in range(10)]
    table.write_text("unit,rater,score,target_model,minimum,maximum\n" + "\n".join(rows), encoding="utf-8")
    found = model_comparisons(read_evidence(table, Choices()))
    assert found.wins.comparisons == 0
    assert "no comparisons" in found.fit.reason
