import pytest

from rating_rows import overall_row, primary
from venire.stats.judges.score_compression import score_compression


def test_a_judge_that_gives_one_score_to_everything_is_compressed():
    rows = [overall_row(f"u{n}", "flat", 7) for n in range(40)]
    rows += [overall_row(f"u{n}", "wide", n % 8) for n in range(40)]
    flat, wide = score_compression(primary(rows))
    assert (flat.estimate.value, flat.details["nearly constant"], flat.details["effective scores"]) == (1.0, 1.0, 1.0)
    assert flat.details["ratio to other judges"] == 0.0
    assert (wide.estimate.value, wide.details["nearly constant"]) == (0.125, 0.0)
    assert (wide.details["distinct scores"], wide.details["effective scores"]) == (8.0, pytest.approx(8.0))
