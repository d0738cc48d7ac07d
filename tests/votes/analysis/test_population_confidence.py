import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import betabinom

from drawing import draws
from making_votes import vote_frame, vote_row
from venire.errors import UsageError
from venire.votes.analysis.population_confidence import population_confidence


def test_confidence_grows_with_voters_and_is_certain_when_all_have_voted():
    def confidence(voted, population):
        frame = vote_frame([vote_row(1, voter=str(number)) for number in range(voted)])
        return population_confidence(frame, range(population)).frame["confidence"][0]

    assert confidence(1, 10) < confidence(3, 10) < confidence(5, 10) < confidence(6, 10) == pytest.approx(1.0)
    assert confidence(10, 10) == 1.0


@settings(max_examples=draws(60), deadline=None)
@given(st.integers(1, 12), st.data())
def test_confidence_is_the_chance_that_the_leader_leads_in_the_population(population, data):
    voted = data.draw(st.integers(0, population))
    in_favour = data.draw(st.integers(0, voted))
    rows = [vote_row(float(number < in_favour), voter=str(number)) for number in range(voted)]
    frame = vote_frame([*rows, vote_row(None, voter="0", day=1)])
    found = population_confidence(frame, range(population)).frame.row(0, named=True)
    others = population - voted
    chance = 0.0
    for more in range(others + 1):
        likely = betabinom.pmf(more, others, in_favour + 1, voted - in_favour + 1) if others else 1.0
        total = 2 * (in_favour + more)
        chance += likely * (1.0 if total > population else 0.5 if total == population else 0.0)
    expected = chance if 2 * in_favour > voted else 1 - chance if 2 * in_favour < voted else max(chance, 1 - chance)
    assert found["confidence"] == pytest.approx(expected, abs=1e-9)


def test_a_population_of_nobody_is_refused():
    with pytest.raises(UsageError, match="empty"):
        population_confidence(vote_frame([vote_row(1)]), [])
