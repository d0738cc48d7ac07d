"""Simulate how often the 95 % intervals cover the truth, which should be 93–97 %.

Run from the root: .venv/bin/python bench/stats/coverage.py [repetitions]
It writes docs/reference/benchmarks/stats-coverage.md.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from venire.stats.comparison.bradley_terry import bradley_terry
from venire.stats.comparison.effect_size import cohen_d_z
from venire.stats.comparison.paired import mcnemar_exact
from venire.stats.comparison.win_matrix import count_wins
from venire.stats.judges.many_facet import many_facet
from venire.stats.judges.panel_dependence import panel_dependence
from venire.stats.uncertainty.bootstrap import bootstrap_mean
from venire.stats.uncertainty.clustered import clustered_mean
from venire.stats.uncertainty.clustered_share import clustered_share
from venire.stats.uncertainty.intervals import t_interval, wilson_interval
from venire.stats.uncertainty.prediction_powered import prediction_powered_mean
from venire.stats.uncertainty.rogan_gladen import rogan_gladen

if TYPE_CHECKING:
    from collections.abc import Callable

    from venire.stats.result import Estimate

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "benchmarks" / "stats-coverage.md"
COMMAND = ".venv/bin/python bench/stats/coverage.py"
Draw = tuple["Estimate", float]


def scores(generator: np.random.Generator, n: int) -> np.ndarray:
    """Draw scores on 1–5, skewed as scores of good systems are; their mean is 4.05."""
    return generator.choice([1, 2, 3, 4, 5], p=[0.03, 0.07, 0.15, 0.32, 0.43], size=n).astype(float)


MEAN = float(np.dot([1, 2, 3, 4, 5], [0.03, 0.07, 0.15, 0.32, 0.43]))


def by_question(generator: np.random.Generator, questions: int, per_question: int) -> tuple[np.ndarray, np.ndarray]:
    clusters = np.repeat(np.arange(questions), per_question)
    return generator.normal(size=questions)[clusters] + generator.normal(size=len(clusters)), clusters


def mean_t(generator: np.random.Generator) -> Draw:
    return t_interval(scores(generator, 40)), MEAN


def mean_bootstrap(generator: np.random.Generator) -> Draw:
    return bootstrap_mean(scores(generator, 60), seed=generator, resamples=1000), MEAN


def mean_bca(generator: np.random.Generator) -> Draw:
    return bootstrap_mean(scores(generator, 60), seed=generator, resamples=1000, kind="bca"), MEAN


def share_wilson(generator: np.random.Generator) -> Draw:
    return wilson_interval(int(generator.binomial(50, 0.15)), 50), 0.15


def clustered(generator: np.random.Generator) -> Draw:
    return clustered_mean(*by_question(generator, 25, 8)), 0.0


def rare_share(generator: np.random.Generator) -> Draw:
    """Forty questions of three samples; 5 % fail, and failures of one question are correlated by a half."""
    failures = generator.binomial(3, generator.beta(0.05, 0.95, 40))
    return clustered_share((np.arange(3) < failures[:, None]).ravel(), np.repeat(np.arange(40), 3)), 0.05


def rare_share_of_many(generator: np.random.Generator) -> Draw:
    """Forty questions of eight samples; 5 % fail, with a correlation of a fifth."""
    failures = generator.binomial(8, generator.beta(0.2, 3.8, 40))
    return clustered_share((np.arange(8) < failures[:, None]).ravel(), np.repeat(np.arange(40), 8)), 0.05


def unclustered(generator: np.random.Generator) -> Draw:
    return t_interval(by_question(generator, 25, 8)[0]), 0.0


def clustered_bootstrap(generator: np.random.Generator) -> Draw:
    values, clusters = by_question(generator, 50, 8)
    return bootstrap_mean(values, clusters=clusters, seed=generator, resamples=1000), 0.0


def effect(generator: np.random.Generator) -> Draw:
    return cohen_d_z(generator.normal(0.5, 1, 25), np.zeros(25)), 0.5


def shares_paired(generator: np.random.Generator) -> Draw:
    cells = generator.choice(4, p=[0.6, 0.2, 0.1, 0.1], size=80)
    return mcnemar_exact(cells <= 1, (cells == 0) | (cells == 2)).difference, 0.1


def severity(generator: np.random.Generator) -> Draw:
    samples, judges = (axis.ravel() for axis in np.indices((30, 4)))
    kept = generator.random(120) < 0.7
    values = generator.normal(size=30)[samples] - (judges - 1.5) + generator.normal(size=120)
    return many_facet(values[kept], samples[kept], judges[kept]).judges[0].severity, -1.5


def strength(generator: np.random.Generator) -> Draw:
    truth = np.linspace(-1, 1, 6)
    first = generator.integers(0, 6, 400)
    second = (first + generator.integers(1, 6, 400)) % 6
    half = (truth[first] - truth[second]) / 2
    drawn = generator.random(400) * (np.exp(half) + np.exp(-half) + 0.5)
    outcome = np.where(drawn < np.exp(half), 1.0, np.where(drawn < np.exp(half) + 0.5, 0.5, 0.0))
    return bradley_terry(count_wins(first, second, outcome)).strengths[5], 1.0


def prediction_powered(generator: np.random.Generator) -> Draw:
    truth = scores(generator, 1060)
    judged = np.clip(truth + generator.integers(-1, 2, 1060), 1, 5)
    return prediction_powered_mean(truth[:60], judged[:60], judged[60:]).corrected, MEAN


def naive_judge(generator: np.random.Generator) -> Draw:
    truth = scores(generator, 1060)
    judged = np.clip(truth + generator.integers(-1, 2, 1060), 1, 5)
    return prediction_powered_mean(truth[:60], judged[:60], judged[60:]).naive, MEAN


def corrected_share(generator: np.random.Generator) -> Draw:
    found = rogan_gladen(
        int(generator.binomial(500, 0.3 * 0.85 + 0.7 * 0.1)), 500, true_positives=int(generator.binomial(60, 0.85)),
        human_positives=60, true_negatives=int(generator.binomial(60, 0.9)), human_negatives=60,
    )  # fmt: skip
    return found.corrected, 0.3


def error_correlation(generator: np.random.Generator) -> Draw:
    shared = generator.normal(size=(150, 1))
    errors = shared + generator.normal(size=(150, 4))
    return panel_dependence(errors, np.zeros(150), "abcd", seed=generator, resamples=300).mean_correlation, 0.5


TASKS: dict[str, tuple[Callable[[np.random.Generator], Draw], bool]] = {
    "mean, t, 40 scores": (mean_t, True),
    "mean, bootstrap by unit, percentile, 60 scores": (mean_bootstrap, True),
    "mean, bootstrap by unit, BCa, 60 scores": (mean_bca, True),
    "share, Wilson, 50 trials": (share_wilson, True),
    "share of 5 %, clustered, 40 questions of 3, correlation 0.5": (rare_share, True),
    "share of 5 %, clustered, 40 questions of 8, correlation 0.2": (rare_share_of_many, True),
    "mean, clustered, 25 questions of 8": (clustered, True),
    "mean, bootstrap by cluster, 50 questions of 8": (clustered_bootstrap, True),
    "Cohen's d_z, 25 pairs": (effect, True),
    "paired risk difference, 80 pairs": (shares_paired, True),
    "severity, 30 samples, 4 judges, 30 % missing": (severity, True),
    "Bradley–Terry strength, 6 models, 400 comparisons": (strength, True),
    "PPI++ mean, 60 labels, 1000 judged": (prediction_powered, True),
    "Rogan–Gladen share, 500 verdicts, 120 labels": (corrected_share, True),
    "mean error correlation, 4 judges, 150 units": (error_correlation, True),
    "for contrast: mean, t, clusters ignored": (unclustered, False),
    "for contrast: naive judge mean": (naive_judge, False),
}


def main() -> None:
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    lines = ["| interval | coverage | within 93–97 % | not known |", "|---|---|---|---|"]
    outside = 0
    for name, (draw, wanted) in TASKS.items():
        generator = np.random.default_rng(2024)
        hits = known = 0
        for _ in range(repetitions):
            estimate, truth = draw(generator)
            if estimate.low is not None and estimate.high is not None:
                known += 1
                hits += estimate.low <= truth <= estimate.high
        share = hits / known
        good = 0.93 <= share <= 0.97
        outside += wanted and not good
        lines.append(f"| {name} | {100 * share:.1f} % | {'yes' if good else 'no'} | {repetitions - known} |")
        print(lines[-1], flush=True)
    page = [
        "# Coverage of the 95 % intervals", "",
        f"Printed by `{COMMAND}`: {repetitions} simulated tables each, so that a coverage is known to about",
        f"±{196 * (0.95 * 0.05 / repetitions) ** 0.5:.1f} points. The last two rows show what the others avoid.", "",
        *lines, "",
    ]  # fmt: skip
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text("\n".join(page), encoding="utf-8")
    sys.exit(1 if outside else 0)


if __name__ == "__main__":
    main()
