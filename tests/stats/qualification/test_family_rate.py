from venire.stats.qualification.family_rate import FamilyCount, needed_more


def test_within_is_what_the_upper_bound_says():
    for against in (None, 3):
        for failures in range(20):
            count = FamilyCount(trials=40, failures=failures, against=against)
            assert count.is_within(0.25, 0.05) == (count.bounds(0.05)[1] <= 0.25), (failures, against)


def test_it_says_how_many_more_observations_would_decide():
    count = FamilyCount(trials=10, failures=1)
    more = needed_more(count, 0.25, 0.05, 0.01, at_first=30)
    assert more is not None
    assert more > 0
    assert count.grown(10 + more).is_within(0.25, 0.05)
    assert not count.grown(9 + more).is_within(0.25, 0.05)


def test_a_rate_at_its_limit_is_never_decided():
    assert needed_more(FamilyCount(trials=100, failures=25), 0.25, 0.05, 0.01, at_first=30) is None


def test_without_an_observation_the_planned_number_is_needed():
    assert needed_more(FamilyCount(), 0.25, 0.05, 0.01, at_first=30) == 30
