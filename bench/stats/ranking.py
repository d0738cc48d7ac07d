"""How often the intervals and ranges of ranks of a ranking hold, and what clustered errors cost.

    python -m bench.stats.ranking [TRIALS | cost]

Simulates 50 models that meet at random on 500 questions; outcomes to one question share a taste, so that they are not
independent.
"""

from __future__ import annotations

import math
import resource
import sys
import time

import numpy as np

from venire.stats import bradley_terry, bradley_terry_clustered, count_wins, rank_models
from venire.stats.comparison.win_matrix import WinMatrix

MODELS, QUESTIONS, COMPARISONS = 50, 500, 30_000
COST_COMPARISONS, COST_QUESTIONS, ROUNDS = 1_000_000, 20_000, 25


def simulate(generator: np.random.Generator, truth: np.ndarray, spread: float) -> tuple[np.ndarray, ...]:
    """Draw comparisons; `spread` is how much each question favours each model."""
    one = generator.integers(0, MODELS, COMPARISONS)
    two = (one + generator.integers(1, MODELS, COMPARISONS)) % MODELS
    question = generator.integers(0, QUESTIONS, COMPARISONS)
    taste = generator.normal(0, spread, (QUESTIONS, MODELS))
    odds = truth[one] - truth[two] + taste[question, one] - taste[question, two]
    outcome = (generator.random(COMPARISONS) < 1 / (1 + np.exp(-odds))).astype(float)
    return one, two, outcome, question


def population(truth: np.ndarray, spread: float) -> np.ndarray:
    """Return what a fit to endlessly many questions would give: tastes draw strengths together a little."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    apart = truth[:, None] - truth[None, :]
    odds = apart[None] + np.sqrt(2) * spread * nodes[:, None, None]
    share = np.average(1 / (1 + np.exp(-odds)), axis=0, weights=weights)
    np.fill_diagonal(share, 0)
    fit = bradley_terry(WinMatrix(models=tuple(range(MODELS)), wins=share * 1e6, ties=np.zeros((MODELS, MODELS))))
    return np.array([each.value for each in fit.strengths])


def coverage(trials: int, spread: float) -> tuple[float, float, float]:
    """Return how often all strengths, all ranks, and all strengths without clusters held."""
    truth = np.linspace(1.2, -1.2, MODELS)
    target = population(truth, spread) if spread else truth
    held = ranked = naive = 0
    for trial in range(trials):
        one, two, outcome, question = simulate(np.random.default_rng(trial), truth, spread)
        found = rank_models(one, two, outcome, clusters=question)
        held += all(each.strength.low <= target[each.model] <= each.strength.high for each in found.models)
        ranked += all(each.best <= 1 + each.model <= each.worst for each in found.models)
        alone = rank_models(one, two, outcome)
        naive += all(each.strength.low <= target[each.model] <= each.strength.high for each in alone.models)
    return held / trials, ranked / trials, naive / trials


def comparisons(count: int) -> tuple[np.ndarray, ...]:
    """Draw comparisons of integer codes, with ties, on 20 000 questions in no order."""
    generator = np.random.default_rng(1)
    one = generator.integers(0, MODELS, count)
    two = (one + generator.integers(1, MODELS, count)) % MODELS
    return one, two, generator.integers(0, 3, count) / 2, generator.integers(0, COST_QUESTIONS, count)


def cost() -> list[float]:
    """Return the CPU seconds of a fit to a million comparisons, with errors by question, and with joint intervals."""
    one, two, outcome, question = comparisons(COST_COMPARISONS)
    in_order = np.sort(question)
    works = (
        lambda: bradley_terry(count_wins(one, two, outcome)),
        lambda: bradley_terry_clustered(one, two, outcome, question),
        lambda: bradley_terry_clustered(one, two, outcome, in_order),
        lambda: rank_models(one, two, outcome, clusters=question),
    )
    times = [math.inf] * len(works)
    for _ in range(ROUNDS):  # In turn, so that other work on the machine meets all of them alike.
        for place, work in enumerate(works):
            begin = time.process_time()
            work()
            times[place] = min(times[place], time.process_time() - begin)
    return times


def peak_megabytes(count: int) -> float:
    """Return the peak memory of this process after ranking so many comparisons, which it holds too."""
    rank_models(*comparisons(count)[:3], clusters=comparisons(count)[3])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def print_cost() -> None:
    """Print what a million comparisons take, and how much memory ten million."""
    plain, clustered, in_order, whole = cost()
    print(f"1e6 comparisons of integer codes, {COST_QUESTIONS:,} questions: fit {plain * 1e3:.1f} ms of CPU,")
    print(
        f"with errors by question {clustered * 1e3:.1f} ms ({in_order * 1e3:.1f} ms if rows come question by question),"
    )
    shares = [(each - plain) / plain for each in (clustered, in_order)]
    print(f"so the errors take {shares[0]:.1f} times as long as the fit ({shares[1]:.1f} times question by question);")
    print(f"with joint intervals and ranges of ranks {whole * 1e3:.1f} ms")
    print(f"1e7 comparisons in one process: at most {peak_megabytes(10_000_000):,.0f} MB")


def main() -> None:
    """Print the table."""
    if sys.argv[1:] == ["cost"]:
        print_cost()
        return
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    print(f"{MODELS} models, {QUESTIONS} questions, {COMPARISONS:,} comparisons, {trials} trials, nominal 95 %")
    print("| tastes of questions | all strengths hold | all ranks hold | all strengths hold if clusters are ignored |")
    print("|---|---|---|---|")
    for spread in (0.0, 1.0):
        print(f"| {spread:g} | " + " | ".join(f"{share:.1%}" for share in coverage(trials, spread)) + " |")
    print_cost()


if __name__ == "__main__":
    main()
