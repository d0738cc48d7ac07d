import numpy as np
import pytest

from venire.errors import UsageError
from venire.stats.qualification.family_rate import FamilyCount
from venire.stats.qualification.sizes import PlannedTest, chance_to_pass, chance_to_strike, planned_size

RAISED = PlannedTest(limit=0.25, fault=0.65, against="drops", noise=0.1, strike_alpha=0.05 / 18)


def test_the_planned_size_has_the_planned_power_and_a_smaller_one_has_not():
    size = planned_size(RAISED)
    assert chance_to_strike(RAISED, 0.65, size) >= 0.95
    assert chance_to_pass(RAISED, 0.0, size) >= 0.95
    assert min(chance_to_strike(RAISED, 0.65, size - 1), chance_to_pass(RAISED, 0.0, size - 1)) < 0.95


@pytest.mark.parametrize("against", ["nothing", "drops", "repeats"])
def test_chances_are_those_of_simulated_judges(against):
    test = PlannedTest(limit=0.25, fault=0.5, against=against, noise=0.1, strike_alpha=0.01)
    chance = np.random.default_rng(3)
    faulty = chance.random((2000, 40)) < 0.5
    noisy, again = (chance.random((2000, 40)) < 0.1 for _ in range(2))
    rises = chance.random((2000, 40)) < 0.5
    failed, held = {
        "nothing": (faulty, None),
        "drops": (faulty | (noisy & rises), ~faulty & noisy & ~rises),
        "repeats": ((faulty | noisy) & ~again, ~(faulty | noisy) & again),
    }[against]
    struck = 0
    for number in range(2000):
        count = FamilyCount(
            trials=40, failures=int(failed[number].sum()), against=None if held is None else int(held[number].sum())
        )
        struck += count.exceeding_p(0.25) <= 0.01
    assert struck / 2000 == pytest.approx(chance_to_strike(test, 0.5, 40), abs=0.035)


def test_a_limit_that_does_not_lie_between_sound_and_faulty_is_refused():
    with pytest.raises(UsageError, match=r"0\.3"):
        planned_size(PlannedTest(limit=0.3, fault=0.3))
