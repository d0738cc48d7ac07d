"""How many calls an adaptive jury saves, and whether what it says holds.

Run: python -m bench.adaptive_jury estimate [TRIALS [contested|gradual|even]] | decide [SPLITS]
Choices, estimates and thresholds are those of `venire judge` with a `jury`; only the asking is left out. `estimate`
puts 600 outputs before two cheap judges, and before a strong one up to three times where it matters. Beside it stands
the uniform jury: the same asks, each equally likely, and the plain mean. `decide` splits 4,000 simulated outputs again
and again into outputs with labels and outputs without.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from venire.stats.adaptive.cascade import score_and_confidence, try_thresholds
from venire.stats.adaptive.estimate_rounds import estimates, next_chances
from venire.stats.adaptive.jury_asks import JuryAsks
from venire.stats.adaptive.selected_mean import DrawnRound
from venire.stats.uncertainty.quantile import t_quantile

OUTPUTS, START, SCALE = 600, 2, 8.0
WEIGHTS = np.full(5, 0.2)
JUDGES = np.array([0, 1, 2, 2, 2])

Chance = np.random.Generator
FloatArray = NDArray[np.float64]


def contested(chance: Chance, outputs: int) -> FloatArray:
    """Make outputs that are mostly judged alike but for slips; of one in six every judge thinks otherwise."""
    hard = chance.random(outputs) < 1 / 6
    good = chance.choice([1.0, 3, 5, 6, 7, 8], outputs, p=[0.1, 0.1, 0.1, 0.2, 0.25, 0.25])
    off = np.where(hard, 2.0, 0.0)
    strong = good + 0.8 * off * chance.standard_normal(outputs)
    columns = [good + off * chance.standard_normal(outputs) for _ in range(2)]
    columns += [strong + 0.6 * off * chance.standard_normal(outputs) for _ in range(3)]
    slips = np.where(chance.random((outputs, 5)) < 0.05, chance.choice([-1, 1], (outputs, 5)), 0)
    return np.clip(np.round(np.column_stack(columns)) + slips, 0, SCALE)


def gradual(chance: Chance, outputs: int) -> FloatArray:
    """Make outputs that are harder or easier by degrees, with cheap judges that share some of their errors."""
    good = chance.uniform(1, 7, outputs)
    off = 0.1 + 2.2 * chance.beta(0.7, 3, outputs)
    shared, own = 0.4 * off * chance.standard_normal(outputs), 0.6 * off * chance.standard_normal(outputs)
    columns = [good + bias + shared + off * chance.standard_normal(outputs) for bias in (0.5, -0.3)]
    columns += [good + own + 0.5 * off * chance.standard_normal(outputs) for _ in range(3)]
    return np.clip(np.column_stack(columns), 0, SCALE)


def even(chance: Chance, outputs: int) -> FloatArray:
    """Make outputs that are all equally hard: nothing tells where to ask."""
    good = chance.uniform(1, 7, outputs)
    columns = [good + bias + 0.6 * chance.standard_normal(outputs) for bias in (0.5, -0.3)]
    own = 0.4 * chance.standard_normal(outputs)
    columns += [good + own + 0.3 * chance.standard_normal(outputs) for _ in range(3)]
    return np.clip(np.column_stack(columns), 0, SCALE)


WORLDS: dict[str, Callable[[Chance, int], FloatArray]] = {"contested": contested, "gradual": gradual, "even": even}


def adaptive(scores: FloatArray, half_width: float, chance: Chance, *, alike: bool = False) -> tuple[float, float, int]:
    """Return the estimate, its half width and the calls; with `alike` every open ask is equally likely."""
    drawn = np.zeros(scores.shape, dtype=bool)
    drawn[:, :START] = True
    rounds: list[DrawnRound] = []
    groups = np.zeros(len(scores), dtype=np.intp)
    while True:
        asks = JuryAsks(
            values=np.where(drawn, scores, np.nan), answered=drawn.copy(), weights=WEIGHTS, judges=JUDGES,
            start=START, groups=groups, span=SCALE,
        )  # fmt: skip
        chances = next_chances(asks, rounds, half_width)
        if chances is None:
            break
        likely = chances.probabilities
        if alike:
            likely = np.where(asks.open, likely[asks.open].mean(), 0.0)
        now = chance.random(scores.shape) < likely
        rounds.append(DrawnRound(probabilities=likely, expected=chances.expected, drawn=now, shares=chances.shares))
        drawn |= now
    found = estimates(asks, rounds)[0]
    assert found is not None
    return found.value, found.half_width, int(drawn.sum())


def uniform(scores: FloatArray, half_width: float, chance: Chance) -> tuple[float, float, int]:
    """Return what a uniform jury estimates: further asks at random, their plain mean, until it is narrow enough."""
    later = scores[:, START:].ravel()[chance.permutation(scores[:, START:].size)]
    share = float(WEIGHTS[START:].sum())
    first = float((scores[:, :START] @ WEIGHTS[:START]).mean())
    asked, width = 120, np.inf
    while width > half_width and asked < len(later):
        asked = min(len(later), int(asked * 1.02) + 1)
        said = later[:asked]
        error = said.std(ddof=1) / np.sqrt(asked) * np.sqrt(1 - asked / len(later))
        width = t_quantile(0.95, asked - 1) * share * error
    return first + share * float(later[:asked].mean()), width, len(scores) * START + asked


def estimate(trials: int, only: str = "") -> None:
    """Print coverage and calls of both juries, for all kinds of outputs or only one."""
    print(
        "| outputs | half width | adaptive: calls | uniform: calls | saved | of the strong judge's "
        "| same, equally likely | coverage |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name, world in WORLDS.items() if not only else [(only, WORLDS[only])]:
        for half_width in (0.1, 0.05, 0.03):
            calls, covered = [], 0
            for trial in range(trials):
                chance = np.random.default_rng([trial, OUTPUTS])
                scores = world(chance, OUTPUTS)
                truth = float((scores @ WEIGHTS).mean())
                value, width, asked = adaptive(scores, half_width, chance)
                covered += abs(value - truth) <= width + 1e-9
                alike = adaptive(scores, half_width, chance, alike=True)[2] if trial < trials // 4 else np.nan
                calls.append((asked, uniform(scores, half_width, chance)[2], alike))
            ours, theirs, alike = np.nanmean(calls, axis=0)
            first = START * OUTPUTS
            strong = 1 - (ours - first) / (theirs - first)
            print(
                f"| {name} | {half_width} | {ours:.0f} | {theirs:.0f} | {1 - ours / theirs:.0%} | {strong:.0%} "
                f"| {alike:.0f} | {covered / trials:.1%} |",
                flush=True,
            )


LEVELS, DELTA = (0.85, 0.92), 0.1
BOUNDS = (3.5, 6.5)
PRICES = (0.05, 0.05, 1.0)
LABELS, ALL = 400, 4000
CASCADE = np.array([0.2, 0.2, 0.6])


def _scored(good: FloatArray, off: tuple[FloatArray, FloatArray, FloatArray]) -> FloatArray:
    return np.clip(np.round(np.column_stack([good + each for each in off])), 0, SCALE)


def independent(chance: Chance) -> tuple[FloatArray, FloatArray]:
    """Make judges that err each for themselves, and people who slip in one of twenty cases."""
    good = chance.choice([0.0, 1, 2, 5, 5, 8, 8, 8], ALL)
    noise = chance.standard_normal((3, ALL)) * np.array([[1.3], [1.3], [1.0]])
    return _scored(good, tuple(noise)), _people(chance, good, 0.05)  # type: ignore[arg-type]


def shared(chance: Chance) -> tuple[FloatArray, FloatArray]:
    """Make cheap judges that are taken in together by one output in ten, and are sure of it."""
    good = chance.choice([0.0, 1, 2, 5, 5, 8, 8, 8], ALL)
    taken_in = np.where(chance.random(ALL) < 0.1, 7.0 - good, 0.0)
    noise = chance.standard_normal((3, ALL)) * np.array([[1.2], [1.2], [1.0]])
    return _scored(good, (noise[0] + taken_in, noise[1] + taken_in, noise[2])), _people(chance, good, 0.05)


def borderline(chance: Chance) -> tuple[FloatArray, FloatArray]:
    """Make outputs of any quality, many of them near the scores at which the verdict changes."""
    good = chance.uniform(-1, 9, ALL)
    noise = chance.standard_normal((3, ALL)) * np.array([[1.0], [1.0], [0.5]])
    return _scored(good, tuple(noise)), _people(chance, good, 0.03)  # type: ignore[arg-type]


KINDS = {"independent": independent, "shared": shared, "borderline": borderline}


def verdicts(means: FloatArray) -> FloatArray:
    """Return 0 for FAIL, 1 for PARTIAL and 2 for PASS."""
    return np.where(means <= BOUNDS[0], 0.0, np.where(means >= BOUNDS[1], 2.0, 1.0))


def _people(chance: Chance, good: FloatArray, slips: float) -> FloatArray:
    said = verdicts(np.round(good))
    return np.where(chance.random(len(said)) < slips, chance.choice([0.0, 1.0, 2.0], len(said)), said)


def decide_one(
    scores: FloatArray, people: FloatArray, chance: Chance, level: float
) -> tuple[float, float, float, float]:
    """Return the agreement among what was decided and not labelled, its share, the price, and the strong one's."""
    order = chance.permutation(len(scores))
    labelled, rest = order[:LABELS], order[LABELS:]
    stage = chance.integers(0, 2, len(scores))
    waiting = np.ones(len(scores), dtype=bool)
    right = np.zeros(len(scores), dtype=bool)
    price = 0.0
    for number, columns in enumerate((2, 3)):
        price += float(sum(PRICES[:2] if number == 0 else PRICES[2:])) * float(waiting.mean())
        means, sure = score_and_confidence(scores[:, :columns], CASCADE[:columns], BOUNDS, SCALE)
        agrees = verdicts(means) == people
        own = labelled[(stage[labelled] == number) & waiting[labelled]]
        tests = try_thresholds(sure[own], agrees[own], level=level, delta=DELTA / 2)
        threshold = next((test.threshold for test in reversed(tests) if test.holds), np.inf)
        now = waiting & (sure >= threshold)
        right[now] = agrees[now]
        waiting &= ~now
    decided = rest[~waiting[rest]]
    alone = float((verdicts(scores[:, 2]) == people)[rest].mean())
    agreement = float(right[decided].mean()) if len(decided) else 1.0
    return agreement, len(decided) / len(rest), price / PRICES[2], alone


def decide(splits: int) -> None:
    """Print how often the guarantee is missed, and what a cascade costs."""
    print(f"delta {DELTA}, {LABELS} labels of {ALL} outputs, {splits} splits of each kind\n")
    print("| outputs | level | missed | agreement | decided | strong alone: agreement | price, of the strong judge's |")
    print("|---|---|---|---|---|---|---|")
    for level in LEVELS:
        for name, kind in KINDS.items():
            found = []
            for split in range(splits):
                chance = np.random.default_rng([split, ALL])
                found.append(decide_one(*kind(chance), chance, level))
            agreement, share, price, alone = (np.array(each) for each in zip(*found, strict=True))
            print(
                f"| {name} | {level} | {(agreement < level).mean():.1%} | {agreement.mean():.1%} | {share.mean():.1%} "
                f"| {alone.mean():.1%} | {price.mean():.2f} |",
                flush=True,
            )


def main() -> None:
    """Run one of the two programmes."""
    name, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    if name == "decide":
        decide(count)
    else:
        estimate(count, *sys.argv[3:4])


if __name__ == "__main__":
    main()
