"""The mean of each dimension for each model, how often it falls short, and what a mapping makes of it."""

import msgspec
import pytest

from rating_rows import judgement_rows
from valid_replies import DRIFT_SAMPLE
from venire.domain.protocol import CoarserRubric, RubricMapping, VerdictRule
from venire.reports.evidence import ReportEvidence
from venire.reports.report import Choices
from venire.reports.sections.dimensions import dimensions
from venire.stats.ratings.table import RatingsTable

ONTO = CoarserRubric(
    id="one", digest="d" * 64, minimum=0, maximum=2, dimension_ids=("ALL",), names={}, verdict=VerdictRule(0, 2)
)
MAPPED = msgspec.structs.replace(DRIFT_SAMPLE, mapping=RubricMapping(onto=ONTO, dimensions={"ALL": ("A", "B")}))
SCORES = {"alder": [(2, 2), (2, 1), (2, 0), (1, 0)], "birch": [(0, 0), (0, 2)]}


def section(scores=SCORES, **fields):
    rows = [
        row
        for model, given in scores.items()
        for number, (a, b) in enumerate(given)
        for row in judgement_rows(f"{model}{number}", "oak", {"A": a, "B": b}, target_model=model)
    ]
    table = RatingsTable.from_rows(rows)
    return dimensions(ReportEvidence(table=table, primary=table.primary(), choices=Choices(), **fields))


def numbers(found, table_id):
    (table,) = [each for each in found.tables if each.id == table_id]
    return {
        row.names[0]: {column.id: cell.value for column, cell in zip(table.columns, row.cells, strict=True)}
        for row in table.rows
    }


def test_every_model_has_its_means_and_failures():
    found = section()
    assert numbers(found, "dimension_means") == {"alder": {"A": 1.75, "B": 0.75}, "birch": {"A": 0, "B": 1}}
    assert set(numbers(found, "dimension_failures")) == {"alder", "birch"}
    assert len(found.tables) == 2


def test_a_mapping_gives_its_means_and_the_shares_of_its_verdicts():
    found = section(protocol=MAPPED)
    assert numbers(found, "dimension_mapping") == {
        "alder": {"ALL": 0.75, "mean": 0.75, "PASS": 0.25, "PARTIAL": 0.25, "FAIL": 0.5},
        "birch": {"ALL": 0, "mean": 0, "PASS": 0, "PARTIAL": 0, "FAIL": 1},
    }
    assert [note.key for note in found.notes] == ["dimensions.read", "dimensions.mapped", "dimensions.mapped.lowest"]


def test_a_coarser_rubric_without_verdicts_has_no_shares():
    mapping = msgspec.structs.replace(MAPPED.mapping, onto=msgspec.structs.replace(ONTO, verdict=None))
    found = section(protocol=msgspec.structs.replace(MAPPED, mapping=mapping))
    assert set(numbers(found, "dimension_mapping")["alder"]) == {"ALL", "mean"}


@pytest.mark.parametrize("scores", [{}])
def test_without_judgements_nothing_is_shown(scores):
    found = section(scores)
    assert ([note.key for note in found.notes], found.tables) == (["nothing.counts"], ())
