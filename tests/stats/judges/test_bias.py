import pytest

from rating_rows import overall_row, primary
from venire.stats.judges.group_bias import group_bias
from venire.stats.judges.halo import halo
from venire.stats.judges.length_bias import length_bias
from venire.stats.judges.score_compression import score_compression
from venire.stats.judges.self_preference import self_preference


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [overall_row("u", "j", 1)],
        [
            overall_row(f"u{n}", "j", 4, question_id=str(n // 2), length=9, factors={"language": "zh"})
            for n in range(60)
        ],
        [
            overall_row(
                f"u{n}", judge, 4, question_id=str(n // 2), length=n + 1, factors={"language": "zz"[: n % 2 + 1]}
            )
            for n in range(60)
            for judge in "jk"
        ],
    ],
)
def test_degenerate_tables_give_values_or_reasons(rows):
    found = primary(rows, include_self=True)
    measures = [
        *self_preference(found),
        *length_bias(found),
        *group_bias(found),
        *score_compression(found),
        *halo(found),
    ]
    assert len(measures) >= 5
    for each in measures:
        assert each.estimate.low is not None or each.estimate.reason
