import pytest

from venire.stats.uncertainty.weighted_mean import weighted_mean


def test_criteria_combine_to_the_judges_overall_of_the_source():
    scores = {"accuracy": 4.5, "conciseness": 4.0, "clarity": 4.5}
    overall = weighted_mean(scores, {"accuracy": 0.4, "conciseness": 0.3, "clarity": 0.3})
    assert overall.value == pytest.approx(4.35, abs=1e-12)
