"""How surely judges that love a place are found: coverage of both intervals, and how often the exact test finds them.

    python -m bench.stats.position_lovers [TRIALS]

A planted judge takes the first output with probability p, whatever it holds; otherwise it judges: it names the better
one, and is wrong now and then. Each pair is shown in both orders; three pairs share a question, and with it how hard it
is to tell the outputs apart.
"""

from __future__ import annotations

import sys

import numpy as np

from venire.stats import position_bias

PAIRS, LOVES, LEVEL = (20, 50, 100, 300), (0.0, 0.05, 0.1, 0.2, 0.4), 0.95
PER_QUESTION = 3
RIGHT = (0.6, 0.95)
"""Between which bounds the chance to name the better output lies, question by question."""


def judged(generator: np.random.Generator, pairs: int, love: float) -> tuple[np.ndarray, ...]:
    """Draw the outcomes of a planted judge on pairs in both orders; model a is better in half of them."""
    question = np.arange(pairs) // PER_QUESTION
    chance = generator.uniform(*RIGHT, question[-1] + 1)[question]
    a_is_better = generator.random(pairs) < 0.5
    first, second, outcome = [], [], []
    for a_is_first in (True, False):
        right = generator.random(pairs) < chance
        names_a = a_is_better == right
        takes_first = generator.random(pairs) < love
        first.append(np.where(a_is_first, "a", "b").repeat(pairs))
        second.append(np.where(a_is_first, "b", "a").repeat(pairs))
        outcome.append((takes_first | (names_a == a_is_first)).astype(float))
    # The pairs of a question are told apart by the names of their models.
    place = np.char.add("", (np.arange(pairs) % PER_QUESTION).astype(str))
    names = [np.char.add(np.concatenate(side), np.tile(place, 2)) for side in (first, second)]
    return names[0], names[1], np.concatenate(outcome), np.tile(question, 2)


def truth(love: float) -> tuple[float, float]:
    """Return the judge's preference for the first place above ½, and its share of flips."""
    low, high = RIGHT
    wrong_once = 2 * ((low + high) / 2 - (low**2 + low * high + high**2) / 3)  # E[2·c·(1 − c)], c uniform
    # Both orders name the first place, or both the second: each outcome then depends on the order.
    same_place = love**2 + 2 * love * (1 - love) / 2 + (1 - love) ** 2 * wrong_once
    return love / 2, same_place


def found(trials: int, pairs: int, love: float) -> tuple[float, float, float]:
    """Return how often the interval of the preference and that of flips held, and how often p was below 0.05."""
    lean, flips = truth(love)
    held = turned = told = 0
    for trial in range(trials):
        drawn = judged(np.random.default_rng([trial, pairs, int(love * 100)]), pairs, love)
        place, flipped = position_bias(*drawn, level=LEVEL)
        low, high = place.estimate.low, place.estimate.high
        held += low is not None and low <= lean <= high
        turned += flipped.estimate.low <= flips <= flipped.estimate.high
        told += place.details["p_value"] < 1 - LEVEL if "p_value" in place.details else 0
    return held / trials, turned / trials, told / trials


def main() -> None:
    """Print the table."""
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print(f"{trials} trials each, nominal {LEVEL:.0%}, {PER_QUESTION} pairs a question")
    print("| pairs in both orders | takes the first with probability | interval of the preference holds |", end="")
    print(" interval of flips holds | found by the exact test |")
    print("|---|---|---|---|---|")
    for pairs in PAIRS:
        for love in LOVES:
            shares = " | ".join(f"{share:.1%}" for share in found(trials, pairs, love))
            print(f"| {pairs} | {love:g} | {shares} |", flush=True)


if __name__ == "__main__":
    main()
