"""How few comparisons an order hangs on."""

import msgspec

from venire.stats.comparison.bradley_terry import bradley_terry
from venire.stats.comparison.deciding import deciding_comparisons
from venire.stats.comparison.win_matrix import count_wins


def compared(wins):
    """Return the comparisons that these counts stand for."""
    rows = [pair for pair, count in wins.items() for _ in range(count)]
    return count_wins([first for first, _ in rows], [second for _, second in rows], [1.0] * len(rows))


def test_a_lead_of_one_win_hangs_on_that_win():
    outcomes = compared({("a", "b"): 11, ("b", "a"): 10})
    found = deciding_comparisons(outcomes, bradley_terry(outcomes), "a", "b")
    assert (found.leader, found.follower, found.count, found.comparisons) == ("a", "b", 1, 21)


def test_as_many_must_go_as_the_lead_has():
    outcomes = compared({("a", "b"): 25, ("b", "a"): 20})
    assert deciding_comparisons(outcomes, bradley_terry(outcomes), "a", "b").count == 5


def test_an_order_that_a_fifth_cannot_turn_does_not_hang_on_a_few():
    outcomes = compared({("a", "b"): 90, ("b", "a"): 10})
    assert deciding_comparisons(outcomes, bradley_terry(outcomes), "a", "b").count is None


def test_ties_and_other_models_pull_too_and_what_is_found_was_refitted():
    rows = [("a", "c", 1.0)] * 12 + [("c", "a", 1.0)] * 8 + [("b", "c", 1.0)] * 11 + [("c", "b", 1.0)] * 9
    rows += [("a", "b", 0.5)] * 6 + [("a", "b", 1.0)] * 5 + [("b", "a", 1.0)] * 4
    outcomes = count_wins(*([row[place] for row in rows] for place in range(3)))
    fit = bradley_terry(outcomes)
    found = deciding_comparisons(outcomes, fit, "a", "b")
    assert found.count == 3

    def lead_without(count):  # a's wins against b pull hardest
        wins = outcomes.wins.copy()
        wins[outcomes.models.index("a"), outcomes.models.index("b")] -= count
        return bradley_terry(msgspec.structs.replace(outcomes, wins=wins)).difference("a", "b").value

    assert lead_without(3) <= 0 < lead_without(2)
