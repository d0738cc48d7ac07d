from venire.stats.qualification.decide import FamilyLimit, VoirDireOutcome, decide
from venire.stats.qualification.family_rate import FamilyCount

LIMITS = {name: FamilyLimit(limit=0.2, planned=40) for name in ("one", "two", "three")}
CLEAN = FamilyCount(trials=40, failures=0)


def test_a_judge_qualifies_only_if_every_upper_bound_is_within():
    outcome, rates = decide(dict.fromkeys(LIMITS, CLEAN), LIMITS)
    assert outcome is VoirDireOutcome.QUALIFIED
    assert {rate.standing for rate in rates} == {"within"}


def test_an_estimate_within_the_limit_is_not_enough():
    outcome, rates = decide({**dict.fromkeys(LIMITS, CLEAN), "two": FamilyCount(trials=10, failures=1)}, LIMITS)
    assert outcome is VoirDireOutcome.UNDECIDED
    assert rates[1].rate == 0.1
    assert rates[1].standing == "open"
    assert rates[1].more


def test_a_family_beyond_its_limit_strikes():
    outcome, rates = decide({**dict.fromkeys(LIMITS, CLEAN), "two": FamilyCount(trials=40, failures=20)}, LIMITS)
    assert outcome is VoirDireOutcome.STRUCK
    assert [rate.standing for rate in rates] == ["within", "beyond", "within"]


def test_striking_is_adjusted_for_the_number_of_families():
    odd = FamilyCount(trials=40, failures=14)
    assert odd.exceeding_p(0.2) < 0.05
    alone, _ = decide({"two": odd}, {"two": LIMITS["two"]})
    many = {f"family {number}": FamilyLimit(limit=0.2, planned=40) for number in range(20)}
    among, _ = decide({**dict.fromkeys(many, FamilyCount(trials=40, failures=8)), "family 0": odd}, many)
    assert alone is VoirDireOutcome.STRUCK
    assert among is VoirDireOutcome.UNDECIDED


def test_a_family_that_was_never_observed_leaves_it_undecided():
    outcome, rates = decide({"one": CLEAN, "two": CLEAN}, LIMITS)
    assert outcome is VoirDireOutcome.UNDECIDED
    assert (rates[2].rate, rates[2].more) == (None, 40)
