"""How often anchors accuse a judge that never changed, how soon they find one that did, and whom they blame.

Run: python -m bench.canaries [false-alarms|found|attribution] [STREAMS]
Each stream is a judge that scores 200 anchors on 1–5 twice, then 20 of them in each run, with a look after every
verdict. Its retest noise differs from anchor to anchor. A rolling z-test on the mean score stands beside it, as a foil.
All streams go through the very bets of `venire canaries` at once; one of them is held against one that goes alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from venire.runner.canaries.evidence import ALARM, LEVEL, TOLERANCE
from venire.stats.comparison.change_attribution import attribute_change, blame
from venire.stats.sequential.anchor_stream import AnchorStream
from venire.stats.sequential.contradiction_bets import ContradictionBets

ANCHORS, IN_A_RUN, RUNS = 200, 20, 40
CHANGED = 0.15
AFTER = 20
AT_ONCE = 2_500
"""How many streams are followed at once, for the sake of memory."""
Z_LIMIT = NormalDist().inv_cdf(1 - LEVEL / 2)
Chance = np.random.Generator
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int_]


class Judges:
    """Judges on a scale of 1 to 5 as places from 0 to 1, whose verdicts vary by a step now and then."""

    def __init__(self, streams: int, noise: float, chance: Chance) -> None:
        """Make some whose two verdicts on an anchor part with a probability of about `noise`."""
        shape = (streams, ANCHORS)
        self._chance = chance
        self._usual = chance.integers(0, 5, shape) / 4
        self._slips = np.minimum(0.5, chance.exponential(noise / 2, shape)) if noise else np.zeros(shape)

    def first(self) -> FloatArray:
        """Judge all anchors."""
        return self._slipped(self._usual, self._slips)

    def verdicts(self, anchors: IntArray) -> FloatArray:
        """Judge one anchor each."""
        rows = np.arange(len(anchors))
        return self._slipped(self._usual[rows, anchors], self._slips[rows, anchors])

    def change(self, share: float, down: float = 0.8) -> None:
        """Judge a share of the anchors otherwise from now on, mostly harsher."""
        some = np.argsort(self._chance.random(self._usual.shape), axis=1)[:, : round(share * ANCHORS)]
        rows = np.arange(len(some))[:, None]
        self._usual[rows, some] = self._moved(self._usual[rows, some], down)

    def _slipped(self, usual: FloatArray, slips: FloatArray) -> FloatArray:
        return np.where(self._chance.random(usual.shape) < slips, self._moved(usual, 0.5), usual)

    def _moved(self, places: FloatArray, down: float) -> FloatArray:
        step = np.where(self._chance.random(places.shape) < down, -0.25, 0.25)
        return np.where(places == 0, 0.25, np.where(places == 1, 0.75, places + step))


class Watched(NamedTuple):
    """What became of some streams: after how many later verdicts each method raised the alarm; 0 if it did not."""

    alarm: IntArray
    foil: IntArray


def watch(streams: int, noise: float, changes_in: int | None, chance: Chance, runs: int = RUNS) -> Watched:
    """Follow some judges over their runs."""
    judges, bets = Judges(streams, noise, chance), ContradictionBets(streams)
    rows, usual, second = np.arange(streams), judges.first(), judges.first()
    agree = usual == second
    bets.enrol((~agree).sum(axis=1).astype(float), np.full(streams, float(ANCHORS)))
    alone = _Alone(usual[0], second[0])
    contradicted = np.zeros_like(agree)
    alarm, foil = np.zeros(streams, dtype=int), np.zeros(streams, dtype=int)
    sums = _Sums(np.concatenate([usual, second], axis=1))
    count = 0
    for run in range(2, runs + 1):
        if run == changes_in:
            judges.change(CHANGED)
        seen = []
        for _ in range(IN_A_RUN):
            if count % ANCHORS == 0:
                order = np.argsort(chance.random((streams, ANCHORS)), axis=1)
            anchors = order[:, count % ANCHORS]
            seen.append(judges.verdicts(anchors))
            failed = seen[-1] != usual[rows, anchors]
            bets.bet(failed, agree[rows, anchors] & ~contradicted[rows, anchors])
            contradicted[rows, anchors] |= failed
            count += 1
            evidence = bets.logs().min(axis=1)
            alone.check(int(anchors[0]), float(seen[-1][0]), float(evidence[0]))
            alarm = np.where((alarm == 0) & (evidence >= np.log(ALARM)), count, alarm)
        foil = np.where((foil == 0) & (sums.z(np.column_stack(seen)) > Z_LIMIT), count, foil)
    return Watched(alarm, foil)


class _Alone:
    """The first judge as `venire canaries` follows it, to be held against the one among many."""

    def __init__(self, first: FloatArray, second: FloatArray) -> None:
        self._stream = AnchorStream(tolerance=TOLERANCE)
        for anchor in range(ANCHORS):
            for verdict in (first[anchor], second[anchor]):
                self._stream.take(str(anchor), float(verdict))

    def check(self, anchor: int, verdict: float, evidence: float) -> None:
        """Raise if the evidence among many is another."""
        self._stream.take(str(anchor), verdict)
        if self._stream.observations and not np.isclose(np.log(self._stream.e_value), evidence):
            raise ValueError(f"{self._stream.e_value} alone, {np.exp(evidence)} among many")


class _Sums:
    """All verdicts before a run: how many there are, their sum, and that of their squares."""

    def __init__(self, verdicts: FloatArray) -> None:
        self._count, self._total, self._square = self._of(verdicts)

    def z(self, now: FloatArray) -> FloatArray:
        """Return the z value of the mean of a run against all before it, and count the run in."""
        count, total, square = self._of(now)
        means = total / count, self._total / self._count
        variances = square / count - means[0] ** 2, self._square / self._count - means[1] ** 2
        error = np.sqrt(variances[0] / count + variances[1] / self._count)
        found = np.divide(abs(means[0] - means[1]), error, out=np.zeros(len(error)), where=error > 0)
        self._count, self._total, self._square = self._count + count, self._total + total, self._square + square
        return found

    @staticmethod
    def _of(verdicts: FloatArray) -> tuple[int, FloatArray, FloatArray]:
        return verdicts.shape[1], verdicts.sum(axis=1), (verdicts**2).sum(axis=1)


def watch_all(streams: int, noise: float, changes_in: int | None, runs: int = RUNS) -> Watched:
    """Follow any number of judges, some at a time."""
    parts = []
    for begin in range(0, streams, AT_ONCE):
        chance = np.random.default_rng([round(100 * noise), changes_in or 0, begin])
        parts.append(watch(min(AT_ONCE, streams - begin), noise, changes_in, chance, runs))
    return Watched(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def print_false_alarms(streams: int) -> None:
    """Print how often a judge that never changed is accused."""
    print(f"| retest noise | accused of {streams} that never changed | rolling z-test |\n|---|---|---|")
    for noise in (0.0, 0.02, 0.05, 0.1):
        found = watch_all(streams, noise, None)
        print(f"| {noise:.0%} | {(found.alarm > 0).mean():.2%} | {(found.foil > 0).mean():.1%} |", flush=True)


def print_found(streams: int) -> None:
    """Print how soon a judge that changed is found."""
    print(
        f"\n| retest noise | changed in run | found of {streams} | anchors till then (median) | z-test: found in time |"
    )
    print("|---|---|---|---|---|")
    for noise in (0.0, 0.02, 0.05, 0.1):
        for changes_in in (2, 15):
            found = watch_all(streams, noise, changes_in, changes_in + AFTER)
            since = found.alarm - (changes_in - 2) * IN_A_RUN
            in_time = found.foil > (changes_in - 2) * IN_A_RUN
            true = since > 0
            print(
                f"| {noise:.0%} | {changes_in} | {true.mean():.1%} | {np.median(since[true]):.0f} "
                f"| {in_time.mean():.1%} |",
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
