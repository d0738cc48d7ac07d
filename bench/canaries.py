"""How often anchors accuse a judge that never changed, how soon they find one that did, and whom they blame.

Run: python -m bench.canaries [false-alarms|found|attribution] [STREAMS]
Each stream is a judge that scores 200 anchors on 1–5 twice, then 20 of them in each run, with a look after every run.
Its retest noise differs from anchor to anchor. A rolling z-test on the mean score stands beside it, as a foil.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from statistics import NormalDist, median
from typing import NamedTuple

import numpy as np

from venire.runner.canaries.evidence import ALARM, LEVEL, NOISE_LEVEL, TOLERANCE
from venire.stats.comparison.change_attribution import attribute_change, blame
from venire.stats.sequential.anchor_stream import AnchorStream

ANCHORS, IN_A_RUN, RUNS = 200, 20, 40
CHANGED = 0.15
AFTER = 20
Sums = tuple[int, float, float]
Z_LIMIT = NormalDist().inv_cdf(1 - LEVEL / 2)


class Judge:
    """A judge on a scale of 1 to 5 as places from 0 to 1, whose verdicts vary by a step now and then."""

    def __init__(self, noise: float, chance: random.Random) -> None:
        """Make one whose two verdicts on an anchor part with a probability of about `noise`."""
        self._chance = chance
        self._usual = [chance.randrange(5) / 4 for _ in range(ANCHORS)]
        self._slips = [min(0.5, chance.expovariate(2 / noise)) if noise else 0.0 for _ in range(ANCHORS)]

    def verdict(self, anchor: int) -> float:
        """Judge an anchor."""
        usual = self._usual[anchor]
        return self._moved(usual, 0.5) if self._chance.random() < self._slips[anchor] else usual

    def change(self, share: float, down: float = 0.8) -> None:
        """Judge a share of the anchors otherwise from now on, mostly harsher."""
        for anchor in self._chance.sample(range(ANCHORS), round(share * ANCHORS)):
            self._usual[anchor] = self._moved(self._usual[anchor], down)

    def _moved(self, place: float, down: float) -> float:
        if place in (0.0, 1.0):
            return 0.25 if place == 0.0 else 0.75
        return place - 0.25 if self._chance.random() < down else place + 0.25


class Watched(NamedTuple):
    """What became of one stream: in which run each method raised the alarm, and after how many changed anchors."""

    alarm: int | None
    anchors: int
    foil: int | None


def watch(noise: float, changes_in: int | None, chance: random.Random, runs: int = RUNS) -> Watched:
    """Follow one judge over its runs."""
    judge, stream = Judge(noise, chance), AnchorStream(tolerance=TOLERANCE, noise_alpha=NOISE_LEVEL)
    first = [judge.verdict(anchor) for anchor in range(ANCHORS) for _ in range(2)]
    for place, verdict in enumerate(first):
        stream.take(str(place // 2), verdict)
    waiting: list[int] = []
    before = (len(first), sum(first), sum(each * each for each in first))
    found, foil, since = None, None, 0
    for run in range(2, runs + 1):
        if run == changes_in:
            judge.change(CHANGED)
        seen = []
        for _ in range(IN_A_RUN):
            waiting = waiting or chance.sample(range(ANCHORS), ANCHORS)
            anchor = waiting.pop()
            seen.append(judge.verdict(anchor))
            since += changes_in is not None and run >= changes_in and found is None
            stream.take(str(anchor), seen[-1])
            if found is None and stream.e_value >= ALARM:
                found = run
        now = (len(seen), sum(seen), sum(each * each for each in seen))
        foil = foil or (run if _z(before, now) > Z_LIMIT else None)
        before = (before[0] + now[0], before[1] + now[1], before[2] + now[2])
    return Watched(found, since, foil)


def _z(before: Sums, now: Sums) -> float:
    """Return the z value of two means, from how many values there are, their sum, and that of their squares."""
    means = [total / count for count, total, _ in (before, now)]
    variances = [square / count - (total / count) ** 2 for count, total, square in (before, now)]
    error = (variances[0] / before[0] + variances[1] / now[0]) ** 0.5
    return abs(means[1] - means[0]) / error if error else 0.0


def print_false_alarms(streams: int) -> None:
    """Print how often a judge that never changed is accused."""
    print(f"| retest noise | accused of {streams} that never changed | rolling z-test |\n|---|---|---|")
    for noise in (0.0, 0.02, 0.05, 0.1):
        chance = random.Random(f"unchanged {noise}")
        found = [watch(noise, None, chance) for _ in range(streams)]
        accused = sum(each.alarm is not None for each in found) / streams
        foil = sum(each.foil is not None for each in found) / streams
        print(f"| {noise:.0%} | {accused:.2%} | {foil:.1%} |", flush=True)


def print_found(streams: int) -> None:
    """Print how soon a judge that changed is found."""
    print(
        f"\n| retest noise | changed in run | found of {streams} | anchors till then (median) | z-test: found in time |"
    )
    print("|---|---|---|---|---|")
    for noise in (0.0, 0.02, 0.05, 0.1):
        for changes_in in (2, 15):
            chance = random.Random(f"changed {noise} {changes_in}")
            found = [watch(noise, changes_in, chance, changes_in + AFTER) for _ in range(streams)]
            true = [each.anchors for each in found if each.alarm and each.alarm >= changes_in]
            foil = sum(each.foil is not None and changes_in <= each.foil for each in found) / streams
            print(
                f"| {noise:.0%} | {changes_in} | {len(true) / streams:.1%} | {median(true):.0f} | {foil:.1%} |",
                flush=True,
            )


def print_attribution(trials: int) -> None:
    """Print how often the right one is blamed when scores of fresh outputs have moved."""
    print(f"\n| what moved | blamed rightly of {trials} | most often otherwise |\n|---|---|---|")
    cases: dict[str, tuple[float, float]] = {"judge": (-0.5, 0.0), "system": (0.0, -0.5), "both": (-0.5, -0.5)}
    for name, (judge, system) in cases.items():
        blamed = [_blamed(judge, system, np.random.default_rng([trial, len(name)])) for trial in range(trials)]
        wrong = [each for each in blamed if each != name]
        most = max(set(wrong), key=wrong.count) if wrong else "–"
        print(f"| {name} | {1 - len(wrong) / trials:.1%} | {most} |", flush=True)


def _blamed(judge: float, system: float, chance: np.random.Generator) -> str:
    """Score 200 fresh outputs in each of two runs and 100 anchors in both, on 1–5, and say whom the anchors blame."""
    questions = chance.normal(0, 0.6, 200)
    before = 3.2 + questions + chance.normal(0, 0.5, 200)
    after = 3.2 + questions + chance.normal(0, 0.5, 200) + judge + system
    anchors = chance.uniform(1, 5, 100)
    names = np.arange(200)
    old, new = anchors + chance.normal(0, 0.2, 100), anchors + judge + chance.normal(0, 0.4, 100)
    return blame(attribute_change(before, names, after, names, old, new, level=0.99))


PARTS: dict[str, Callable[[int], None]] = {
    "false-alarms": print_false_alarms,
    "found": print_found,
    "attribution": print_attribution,
}
"""What can be asked for."""


def main() -> None:
    """Print the tables that are asked for, or all of them."""
    named = [name for name in sys.argv[1:] if name in PARTS]
    streams = next((int(each) for each in sys.argv[1:] if each.isdigit()), 10_000)
    print(f"{ANCHORS} anchors, {IN_A_RUN} in a run, {RUNS} runs, alarm at e ≥ {ALARM:.0f}, level {LEVEL:.0%}\n")
    for name in named or PARTS:
        PARTS[name](streams)


if __name__ == "__main__":
    main()
