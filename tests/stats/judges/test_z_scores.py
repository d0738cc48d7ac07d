import pytest

from rating_rows import overall_row, primary
from venire.stats.judges.z_scores import z_score, z_scores


def test_z_scores_are_those_of_the_source():
    assert z_score(4.5, 4.2, 0.5) == pytest.approx(0.6)
    assert z_score(4.2, 3.8, 0.6) == pytest.approx(0.667, abs=5e-4)


def test_z_scores_of_a_table_compare_each_judge_with_itself():
    rows = [overall_row(f"u{place}", "a", score) for place, score in enumerate([2, 4, 6])]
    rows += [overall_row(f"u{place}", "b", 7) for place in range(3)]
    found = z_scores(primary(rows))
    assert found.frame["z"].to_list() == [-1.0, 0.0, 1.0, None, None, None]
    assert (found.judges["a"].deviation, found.judges["b"].reason) == (2.0, "no variation")
