"""How often 95 % intervals of agreement cover the true value, in simulation.

Run: `python -m bench.stats.coverage_agreement [SIMULATIONS]`. The true value is that of two million simulated units.
With 2000 simulations, the share itself is uncertain by about ±1 percentage point.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

from venire.stats.agreement.fleiss_kappa import fleiss_kappa
from venire.stats.agreement.gwet_ac import gwet_ac
from venire.stats.agreement.icc import icc
from venire.stats.agreement.krippendorff_alpha import krippendorff_alpha

if TYPE_CHECKING:
    from collections.abc import Callable

    from venire.stats.result import Estimate

REPLICATES = 1000
QUESTIONS = np.repeat(np.arange(40), 5)


def scores(generator: np.random.Generator, units: int, noise: float, questions: int = 0) -> np.ndarray:
    """Five judges on 1 to 5, one rating in ten missing; questions share half of their units' variance."""
    quality = generator.normal(0, 1, (units, 1))
    if questions:
        shared = generator.normal(0, 1, (questions, 1))
        quality = (quality + np.repeat(shared, units // questions, axis=0)) / np.sqrt(2)
    table = np.clip(np.rint(3 + quality + noise * generator.normal(0, 1, (units, 5))), 1, 5)
    table[generator.random(table.shape) < 0.1] = np.nan
    return table


def complete(generator: np.random.Generator, units: int, noise: float) -> np.ndarray:
    """Five judges, continuous and complete, as the F-based intervals assume."""
    return generator.normal(0, 1, (units, 1)) + noise * generator.normal(0, 1, (units, 5))


def covered(found: Estimate, truth: float) -> bool:
    return found.low is not None and found.high is not None and found.low <= truth <= found.high


def row(
    name: str,
    size: str,
    truth: float,
    simulations: int,
    simulate: Callable[[np.random.Generator, int], Estimate],
) -> None:
    generator = np.random.default_rng(11)
    share = np.mean([covered(simulate(generator, seed), truth) for seed in range(simulations)])
    print(f"| {name} | {size} | {truth:.3f} | {100 * share:.1f} % |", flush=True)


def main() -> None:
    simulations = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print("| interval | sample | true value | covered |")
    print("|---|---|---|---|")
    for noise in (0.4, 0.8):
        large = scores(np.random.default_rng(5), 2_000_000, noise)
        for metric in ("nominal", "ordinal", "interval"):
            truth = krippendorff_alpha(large, metric).value
            for units in (30, 50, 200):
                row(
                    f"alpha {metric}, unit bootstrap", f"{units} units", truth, simulations,
                    lambda generator, seed, units=units, noise=noise, metric=metric: krippendorff_alpha(
                        scores(generator, units, noise), metric, replicates=REPLICATES, seed=seed
                    ),
                )  # fmt: skip
        for measure, units in ((gwet_ac, 50), (gwet_ac, 200), (fleiss_kappa, 50), (fleiss_kappa, 200)):
            row(
                f"{measure.__name__}, {'t' if measure is gwet_ac else 'jackknife t'} over units", f"{units} units",
                measure(large).value, simulations,
                lambda generator, _, noise=noise, measure=measure, units=units: measure(
                    scores(generator, units, noise), categories=[1, 2, 3, 4, 5]
                ),
            )  # fmt: skip
        clustered = krippendorff_alpha(scores(np.random.default_rng(5), 2_000_000, noise, 400_000)).value
        row(
            "alpha interval, cluster bootstrap", "40 questions of 5 units", clustered, simulations,
            lambda generator, seed, noise=noise: krippendorff_alpha(
                scores(generator, 200, noise, 40), replicates=REPLICATES, seed=seed, clusters=QUESTIONS
            ),
        )  # fmt: skip
        row(
            "ICC(3,1), F", "30 units", 1 / (1 + noise**2), simulations,
            lambda generator, _, noise=noise: icc(complete(generator, 30, noise), "3,1"),
        )  # fmt: skip


if __name__ == "__main__":
    main()
