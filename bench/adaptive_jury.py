"""How many calls an adaptive jury saves, and whether what it says holds.

Run: python -m bench.adaptive_jury estimate [TRIALS [contested|gradual|even [START]]] | decide [SPLITS]
Choices, estimates and thresholds are those of `venire judge` with a `jury`; only the asking is left out. `estimate`
puts 600 outputs before one or two cheap judges, and before others where it matters. Beside it stands the uniform jury:
the same asks, each equally likely, and the plain mean; once with the same first judges, and once without any, so that
some outputs may stay unheard. `decide` splits 4,000 simulated outputs again and again into outputs with labels and
outputs without.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from venire.stats.adaptive.cascade import score_and_confidence, try_thresholds
from venire.stats.adaptive.estimate_rounds import PILOT_ASKS, estimates, next_chances
from venire.stats.adaptive.jury_asks import JuryAsks
from venire.stats.adaptive.selected_mean import DrawnRound, selected_mean
from venire.stats.uncertainty.quantile import t_quantile

HALF_WIDTHS = (0.1, 0.05, 0.03)
OUTPUTS, SCALE = 600, 8.0

Chance = np.random.Generator
FloatArray = NDArray[np.float64]


class Jury(NamedTuple):
    """A whole jury of five asks, as `venire.yaml` has it with `most: 5`: who is asked first, and whose each ask is."""

    start: int
    """How many asks every output gets."""
    judges: tuple[int, ...]
    """The judge of each ask: 0 and 1 are cheap, 2 is strong."""

    @property
    def weights(self) -> FloatArray:
        """The weight of each ask: a judge's own, 0.2, 0.2 and 0.6, shared by its asks."""
        return np.array([(0.2, 0.2, 0.6)[judge] / self.judges.count(judge) for judge in self.judges])


JURIES = {"a, b": Jury(2, (0, 1, 2, 2, 2)), "a": Jury(1, (0, 1, 2, 1, 2))}
"""`start: [a, b], then: [strong]` and `start: [a], then: [b, strong]`."""


def contested(chance: Chance, outputs: int, judges: Sequence[int]) -> FloatArray:
    """Make outputs that are mostly judged alike but for slips; of one in six every judge thinks otherwise."""
    hard = chance.random(outputs) < 1 / 6
    good = chance.choice([1.0, 3, 5, 6, 7, 8], outputs, p=[0.1, 0.1, 0.1, 0.2, 0.25, 0.25])
    off = np.where(hard, 2.0, 0.0)
    own = good + 0.8 * off * chance.standard_normal(outputs)
    seen = [(own, 0.6) if judge == 2 else (good, 1.0) for judge in judges]
    columns = [middle + far * off * chance.standard_normal(outputs) for middle, far in seen]
    shape = (outputs, len(judges))
    slips = np.where(chance.random(shape) < 0.05, chance.choice([-1, 1], shape), 0)
    return np.clip(np.round(np.column_stack(columns)) + slips, 0, SCALE)


def gradual(chance: Chance, outputs: int, judges: Sequence[int]) -> FloatArray:
    """Make outputs that are harder or easier by degrees, with cheap judges that share some of their errors."""
    good = chance.uniform(1, 7, outputs)
    off = 0.1 + 2.2 * chance.beta(0.7, 3, outputs)
    shared, own = 0.4 * off * chance.standard_normal(outputs), 0.6 * off * chance.standard_normal(outputs)
    seen = [(good + own, 0.5) if judge == 2 else (good + (0.5, -0.3)[judge] + shared, 1.0) for judge in judges]
    columns = [middle + far * off * chance.standard_normal(outputs) for middle, far in seen]
    return np.clip(np.column_stack(columns), 0, SCALE)


def even(chance: Chance, outputs: int, judges: Sequence[int]) -> FloatArray:
    """Make outputs that are all equally hard: nothing tells where to ask."""
    good = chance.uniform(1, 7, outputs)
    own = good + 0.4 * chance.standard_normal(outputs)
    seen = [(own, 0.3) if judge == 2 else (good + (0.5, -0.3)[judge], 0.6) for judge in judges]
    columns = [middle + far * chance.standard_normal(outputs) for middle, far in seen]
    return np.clip(np.column_stack(columns), 0, SCALE)


World = Callable[[Chance, int, Sequence[int]], FloatArray]
WORLDS: dict[str, World] = {"contested": contested, "gradual": gradual, "even": even}


class Estimated(NamedTuple):
    """What a jury came to."""

    value: float
    """The mean."""
    half_width: float
    """Half the width of its interval."""
    calls: int
    """How many asks it took."""
    bare: float
    """Half the width if it could be narrower than expectations may be off: without the floor."""


def adaptive(jury: Jury, scores: FloatArray, half_width: float, chance: Chance, *, alike: bool = False) -> Estimated:
    """Return what an adaptive jury estimates; with `alike` every open ask is equally likely."""
    drawn = np.zeros(scores.shape, dtype=bool)
    drawn[:, : jury.start] = True
    rounds: list[DrawnRound] = []
    groups = np.zeros(len(scores), dtype=np.intp)
    while True:
        asks = JuryAsks(
            values=np.where(drawn, scores, np.nan), answered=drawn.copy(), weights=jury.weights,
            judges=np.array(jury.judges), start=jury.start, groups=groups, span=SCALE,
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
    found, bare = estimates(asks, rounds)[0], selected_mean(asks, rounds, 0, np.zeros(scores.shape))
    assert found is not None
    assert bare is not None
    return Estimated(found.value, found.half_width, int(drawn.sum()), bare.half_width)


def uniform(jury: Jury, scores: FloatArray, half_width: float, chance: Chance) -> Estimated:
    """Return what a uniform jury estimates: further asks at random, judge by judge, until it is narrow enough."""
    outputs, weights = len(scores), jury.weights
    later = np.column_stack([chance.permutation(column) for column in scores[:, jury.start :].T])
    asked, width = PILOT_ASKS // later.shape[1], np.inf
    while width > half_width and asked < outputs:
        asked = min(outputs, int(asked * 1.01) + 1)
        variances = later[:asked].var(axis=0, ddof=1) / asked * (1 - asked / outputs)
        error = float(np.sqrt(weights[jury.start :] ** 2 @ variances))
        width = t_quantile(0.95, (asked - 1) * later.shape[1]) * error
    means = np.concatenate([scores[:, : jury.start].mean(axis=0), later[:asked].mean(axis=0)])
    calls = jury.start * outputs + asked * later.shape[1]
    return Estimated(float(means @ weights), width, calls, width)


def estimate(trials: int, only: str = "", first: str = "") -> None:
    """Print coverage and calls of both juries, for all kinds of outputs or only one, and for all juries or only one."""
    print(
        "| outputs | `start` | half width | adaptive: calls | uniform: calls | saved | of the further ones "
        "| likely alike | from no output on | coverage | without floor |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name, world in WORLDS.items() if not only else [(only, WORLDS[only])]:
        for start, jury in JURIES.items() if not first else [(first, JURIES[first])]:
            for half_width in HALF_WIDTHS:
                _print_row(f"| {name} | {start} | {half_width} |", world, jury, half_width, trials)


def _print_row(begins: str, world: World, jury: Jury, half_width: float, trials: int) -> None:
    calls, covered, bare = [], 0, 0
    for trial in range(trials):
        chance = np.random.default_rng([trial, OUTPUTS])
        scores = world(chance, OUTPUTS, jury.judges)
        truth = float((scores @ jury.weights).mean())
        ours = adaptive(jury, scores, half_width, chance)
        covered += abs(ours.value - truth) <= ours.half_width + 1e-9
        bare += abs(ours.value - truth) <= ours.bare + 1e-9
        is_some = trial < trials // 4
        alike = adaptive(jury, scores, half_width, chance, alike=True).calls if is_some else np.nan
        by_lot = uniform(jury._replace(start=0), scores, half_width, chance).calls if is_some else np.nan
        calls.append((ours.calls, uniform(jury, scores, half_width, chance).calls, alike, by_lot))
    ours, theirs, alike, by_lot = np.nanmean(calls, axis=0)
    first = jury.start * OUTPUTS
    further = 1 - (ours - first) / (theirs - first)
    print(
        f"{begins} {ours:.0f} | {theirs:.0f} | {1 - ours / theirs:.0%} | {further:.0%} | {alike:.0f} | {by_lot:.0f} "
        f"| {covered / trials:.1%} | {bare / trials:.1%} |",
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
        estimate(count, *sys.argv[3:5])


if __name__ == "__main__":
    main()
