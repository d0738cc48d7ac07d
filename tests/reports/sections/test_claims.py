"""Claims in a report: shares by finding, and the claims that do not hold, with both sides."""

import pytest

from rating_rows import overall_row
from venire.domain.claim import ClaimFinding
from venire.reports.evidence import ReportEvidence
from venire.reports.recorded.claims_read import ClaimsRead, ListedClaim
from venire.reports.report import Choices
from venire.reports.sections import claims as section
from venire.reports.sections.claims import claims
from venire.stats.ratings.table import RatingsTable

ROWS = [
    overall_row("o1", "oak", 5.0, target_model="alder", question_id="q1"),
    overall_row("o2", "oak", 5.0, target_model="birch", question_id="q1"),
    overall_row("o1", "elm", 5.0, target_model="alder", question_id="q2"),
]
KEYS = [row.judgement for row in ROWS]


def evidence(rows=ROWS):
    table = RatingsTable.from_rows(rows)
    return ReportEvidence(table=table, primary=table.primary(), choices=Choices())


def listed(judgement, finding, **fields):
    values = {"sequence": 7, "output_id": "o1", "judge": "oak", "words": "w", "source": "d", "passage": "p"}
    return ListedClaim(judgement=judgement, finding=finding, **{**values, **fields})


def cells(table):
    return {row.names: row.cells for row in table.rows}


def test_shares_are_of_claims_for_each_model_and_each_judge():
    made = claims(evidence(), ClaimsRead(counts=dict(zip(KEYS, [(3, 1, 0), (0, 0, 4), (1, 0, 0)], strict=True))))
    by_model, by_judge = made.tables
    assert (by_model.id, by_judge.id) == ("claims_target_model", "claims_rater")
    alder = cells(by_model)["alder",]
    assert [cell.value for cell in alder] == pytest.approx([0.8, 0.2, 0.0, 5, 2])
    assert [cell.unit for cell in alder] == ["share"] * 3 + ["count"] * 2
    assert alder[0].rows.where == {"target_model": ("alder",)}
    assert [cell.value for cell in cells(by_judge)["oak",]] == pytest.approx([3 / 8, 1 / 8, 4 / 8, 8, 2])
    assert [column.id for column in by_model.columns] == ["supported", "contradicted", "absent", "claims", "judgements"]


def test_one_judge_has_no_table_of_judges():
    made = claims(evidence(ROWS[:2]), ClaimsRead(counts={KEYS[0]: (1, 0, 0), KEYS[1]: (1, 0, 0)}))
    assert [table.id for table in made.tables] == ["claims_target_model"]
    assert [note.key for note in made.notes] == ["claims.read"]


def test_claims_that_do_not_hold_are_listed_contradicted_ones_first():
    read = ClaimsRead(
        counts={KEYS[0]: (0, 1, 1), "elsewhere": (0, 0, 0)},
        contradicted=[listed(KEYS[0], ClaimFinding.CONTRADICTED, reason="9, not 10")],
        absent=[
            listed(KEYS[0], ClaimFinding.ABSENT, source="", passage="", sequence=None),
            listed("x", ClaimFinding.ABSENT),
        ],
    )
    made = claims(evidence(), read)
    table = made.tables[-1]
    assert (table.id, table.heads) == ("claims_not_supported", ("output", "rater"))
    assert [column.id for column in table.columns] == ["finding", "claim", "document", "passage", "differs"]
    first, second = table.rows
    assert first.names == ("o1", "oak")
    assert [cell.word or cell.text for cell in first.cells] == ["claim.contradicted", "w", "d", "p", "9, not 10"]
    assert [cell.word or cell.text for cell in second.cells] == ["claim.absent", "w", "–", "–", "–"]
    assert (first.cells[0].rows.sequences, second.cells[0].rows.sequences) == ((7,), None)
    assert [(note.key, note.arguments) for note in made.notes] == [
        ("claims.read", {}),
        ("claims.none_in", {"count": 1}),
    ]


def test_without_reasons_there_is_no_column_for_them():
    made = claims(
        evidence(), ClaimsRead(counts={KEYS[0]: (0, 1, 0)}, contradicted=[listed(KEYS[0], ClaimFinding.CONTRADICTED)])
    )
    assert [column.id for column in made.tables[-1].columns] == ["finding", "claim", "document", "passage"]


def test_a_long_list_is_cut_and_says_so(monkeypatch):
    monkeypatch.setattr(section, "LISTED", 2)
    several = [listed(KEYS[0], ClaimFinding.ABSENT) for _ in range(3)]
    made = claims(evidence(), ClaimsRead(counts={KEYS[0]: (5, 1, 2)}, absent=several))
    assert len(made.tables[-1].rows) == 2
    assert made.notes[-1].arguments == {"shown": 2, "total": 3}


def test_where_no_judgement_counts_nothing_is_shown():
    made = claims(evidence(), ClaimsRead(counts={"elsewhere": (1, 0, 0)}))
    assert ([note.key for note in made.notes], made.tables) == (["nothing.counts"], ())
