"""What a pair counts for that a judge saw in both orders."""

import numpy as np
import pytest

from venire.stats.comparison.both_orders import settle_orders

ROWS = [
    ("a", "b", 1.0, "ab"),  # the same winner in both orders
    ("b", "a", 0.0, "ab"),
    ("a", "c", 1.0, "ac"),  # whichever came first
    ("c", "a", 1.0, "ac"),
    ("b", "c", 0.5, "bc"),  # a tie one way only
    ("c", "b", 0.0, "bc"),
    ("a", "d", 0.0, "ad"),  # one order only
]


def judged(flipped, judges=("j", "j", "j", "j", "j", "j", "j")):
    first, second, outcome, names = zip(*ROWS, strict=True)
    found = settle_orders(judges, names, first, np.array(outcome), flipped)
    return found, [(first[place], second[place], won) for place, won in zip(found.kept, found.outcome, strict=True)]


@pytest.mark.parametrize(
    ("flipped", "counted"),
    [
        ("tie", [("a", "b", 1.0), ("a", "c", 0.5), ("b", "c", 0.5), ("a", "d", 0.0)]),
        ("none", [("a", "b", 1.0), ("a", "d", 0.0)]),
        (
            "each",
            [("a", "b", 1.0), ("a", "c", 1.0), ("c", "a", 1.0), ("b", "c", 0.5), ("c", "b", 0.0), ("a", "d", 0.0)],
        ),
    ],
)
def test_a_pair_in_both_orders_is_one_comparison_unless_it_flips(flipped, counted):
    orders, settled = judged(flipped)
    assert settled == counted
    assert (orders.both, orders.one, orders.flips, orders.flipped) == (3, 1, 2, flipped)


def test_orders_of_two_judges_are_not_put_together():
    judges = ["j"] * len(ROWS)
    judges[1] = "other"
    assert judged("tie", judges)[0].both == 2
