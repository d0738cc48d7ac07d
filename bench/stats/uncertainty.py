"""Measure Dawid–Skene, Bradley–Terry, clustered standard errors and PPI++ beside the peers, as ratios of CPU time.

Run from the root: .venv/bin/python bench/stats/uncertainty.py [task …]; with tasks named, it only prints theirs.
It makes .bench-venv-2 for the peers and writes docs/reference/benchmarks/stats-uncertainty.md. Both sides get the same
arrays, run on one thread, and take turns; the least CPU time of a side's turns counts, without imports, as a noisy
machine only adds. With `beside task` both take turns in one process, and the median of the turns' ratios is printed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
PEERS = ROOT / ".bench-venv-2"
NEEDED = ("msgspec", "lazy-loader", "polars")
"""What Venire's statistics need to run beside the peers."""
PACKAGES = ("crowd-kit==1.4.2", "evalica==0.4.2", "statsmodels==0.15.0", "ppi-python==0.2.3")
PAGE = ROOT / "docs" / "reference" / "benchmarks" / "stats-uncertainty.md"
COMMAND = ".venv/bin/python bench/stats/uncertainty.py"
TURNS = 3
TASKS = {
    "dawid_skene": ("Dawid–Skene, 20 iterations, 5 categories, 50 judges", "1e6 votes", "crowd-kit", 8),
    "bradley_terry": (
        "Bradley–Terry with ties, 100 models; ours with covariance, the peer without",
        "1e6 comparisons",
        "evalica",
        40,
    ),
    "bradley_terry_text": ("the same from lists of text; both get the same lists", "1e6 comparisons", "evalica", 5),
    "bradley_terry_polars": (
        "the same from Polars columns of text; the peer gets lists",
        "1e6 comparisons",
        "evalica",
        8,
    ),
    "bradley_terry_categories": ("the same from categoricals; the peer gets lists", "1e6 comparisons", "evalica", 20),
    "bradley_terry_intervals": (
        "the same; the peer with intervals, by its bootstrap with only 10 resamples",
        "1e6 comparisons",
        "evalica",
        40,
    ),
    "clustered": ("clustered standard error, 1e4 clusters", "1e6 values", "statsmodels", 20),
    "prediction_powered": ("PPI++ mean, 1e3 labels", "1e7 judged", "ppi-python", 5),
}


def data(task: str) -> tuple:
    import numpy as np

    generator = np.random.default_rng(11)
    if task == "dawid_skene":
        units, judges = generator.integers(0, 200_000, 1_000_000), generator.integers(0, 50, 1_000_000)
        truth = generator.integers(0, 5, 200_000)
        right = generator.random(1_000_000) < np.linspace(0.4, 0.9, 50)[judges]
        return units, judges, np.where(right, truth[units], generator.integers(0, 5, 1_000_000))
    if task.startswith("bradley_terry"):
        first = generator.integers(0, 100, 1_000_000)
        second = (first + generator.integers(1, 100, 1_000_000)) % 100
        strengths = np.linspace(-1, 1, 100)
        half = (strengths[first] - strengths[second]) / 2
        scale = np.exp(half) + np.exp(-half) + 0.5
        drawn = generator.random(1_000_000) * scale
        return first, second, np.where(drawn < np.exp(half), 1.0, np.where(drawn < np.exp(half) + 0.5, 0.5, 0.0))
    if task == "clustered":
        clusters = generator.integers(0, 10_000, 1_000_000)
        return generator.normal(size=10_000)[clusters] + generator.normal(size=1_000_000), clusters
    truth = generator.normal(size=1000)
    rest = 0.3 + generator.normal(size=10_000_000) * 1.1
    return truth, truth + 0.3 + 0.5 * generator.normal(size=1000), rest


NAME = "model-{:03d}"
IN_TEXT = ("bradley_terry_text", "bradley_terry_polars", "bradley_terry_categories")


def _text(arrays: tuple) -> tuple[list[str], list[str]]:
    """Return the names of both sides as text, each a string of its own, as when they were read from a file."""
    return tuple([NAME.format(number) for number in side.tolist()] for side in arrays[:2])


def _as_ours(task: str, arrays: tuple) -> tuple:
    if task not in IN_TEXT:
        return arrays
    sides = _text(arrays)
    if task == "bradley_terry_text":
        return *sides, arrays[2].tolist()
    import polars as pl

    kind = pl.String if task == "bradley_terry_polars" else pl.Categorical
    return *(pl.Series(side, dtype=kind) for side in sides), pl.Series(arrays[2])


def ours(task: str, arrays: tuple) -> tuple:
    if task == "dawid_skene":
        from venire.stats.latent.dawid_skene import dawid_skene

        return lambda: dawid_skene(*arrays, restarts=0, tolerance=-1e9, max_iterations=20), lambda fit: fit.posteriors[
            0, 0
        ]
    if task.startswith("bradley_terry"):
        from venire.stats.comparison.bradley_terry import bradley_terry
        from venire.stats.comparison.win_matrix import count_wins

        arrays = _as_ours(task, arrays)
        return lambda: bradley_terry(
            count_wins(*arrays)
        ), lambda fit: fit.difference(fit.models[99], fit.models[0]).value
    if task == "clustered":
        from venire.stats.uncertainty.clustered import clustered_mean

        return lambda: clustered_mean(*arrays), lambda estimate: estimate.standard_error
    from venire.stats.uncertainty.prediction_powered import prediction_powered_mean

    return lambda: prediction_powered_mean(*arrays), lambda found: found.corrected.high


def theirs(task: str, arrays: tuple) -> tuple:
    import numpy as np

    if task == "dawid_skene":
        import pandas as pd
        from crowdkit.aggregation import DawidSkene

        frame = pd.DataFrame(dict(zip(("task", "worker", "label"), arrays, strict=True)))
        return lambda: DawidSkene(n_iter=20, tol=-np.inf).fit(frame), lambda fit: fit.probas_.loc[0, 0]
    if task.startswith("bradley_terry"):
        import evalica

        first, second, outcome = arrays
        kinds = {1.0: evalica.Winner.X, 0.5: evalica.Winner.Draw, 0.0: evalica.Winner.Y}
        winners = [kinds[value] for value in outcome.tolist()]
        sides = _text(arrays) if task in IN_TEXT else (first.tolist(), second.tolist())
        names = *sides, winners
        last, lowest = (NAME.format(99), NAME.format(0)) if task in IN_TEXT else (99, 0)

        def strength(scores: object) -> float:
            return float(np.log(scores[last] / scores[lowest]))

        # Its model with ties is Newman's; it gives no covariance other than by bootstrap.
        if task != "bradley_terry_intervals":
            return lambda: evalica.newman(*names), lambda fit: strength(fit.scores)
        options = {"n_resamples": 10, "bootstrap_method": "percentile", "random_state": 0, "tie_weight": 1.0}
        return lambda: evalica.bootstrap(evalica.newman, *names, **options), lambda fit: strength(fit.result.scores)
    if task == "clustered":
        import statsmodels.api as sm

        values, clusters = arrays
        groups = {"groups": clusters}
        return lambda: sm.OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds=groups), lambda fit: float(
            fit.bse[0]
        )
    from ppi_py import ppi_mean_ci

    return lambda: ppi_mean_ci(*arrays, alpha=0.05), lambda ends: float(ends[1][0])


def turn(side: str, task: str) -> None:
    """Run one task of one side in this process and print its CPU seconds, a number to compare, and peak memory."""
    import resource
    import warnings

    warnings.simplefilter("ignore")
    arrays = data(task)
    work, answer = (ours if side == "ours" else theirs)(task, arrays)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        result = work()
        best = min(best, time.process_time() - start)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(json.dumps({"seconds": best, "answer": float(answer(result)), "megabytes": grown}))


def beside(task: str, turns: int = 11) -> None:
    """Let both sides take turns in this process, after a call each, and print what each turn took."""
    from statistics import median

    arrays = data(task)
    works = [side(task, arrays)[0] for side in (ours, theirs)]
    spent: list[list[float]] = [[], []]
    for _ in range(turns + 1):
        for times, work in zip(spent, works, strict=True):
            start = time.process_time()
            work()
            times.append(time.process_time() - start)
    mine, other = (times[1:] for times in spent)
    ratios = [theirs / ours for ours, theirs in zip(mine, other, strict=True)]
    print(f"{task}: ours {' '.join(f'{each:.3f}' for each in mine)} CPU s")
    print(f"peer {' '.join(f'{each:.3f}' for each in other)} CPU s")
    print(f"ratios {' '.join(f'{each:.1f}' for each in ratios)}; their median {median(ratios):.2f}")


def run(side: str, task: str) -> dict:
    python = ROOT / ".venv" / "bin" / "python" if side == "ours" else PEERS / "bin" / "python"
    done = subprocess.run(
        [str(python), __file__, "turn", side, task], env=one_thread(), check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def one_thread() -> dict[str, str]:
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS", "POLARS_MAX_THREADS")
    return {**os.environ, **dict.fromkeys(names, "1"), "PYTHONPATH": str(ROOT / "src")}


def main() -> None:
    if not (PEERS / "bin" / "python").exists():
        subprocess.run([sys.executable, "-m", "venv", str(PEERS)], check=True)
    subprocess.run(
        [str(PEERS / "bin" / "python"), "-m", "pip", "install", "--quiet", "--quiet", "--quiet", *PACKAGES, *NEEDED],
        check=True,
    )
    if sys.argv[1:2] == ["beside"]:
        command = [str(PEERS / "bin" / "python"), __file__, "turns", *sys.argv[2:]]
        subprocess.run(command, env=one_thread(), check=True)
        return
    lines = [
        "| task | size | ours, CPU s | peer | peer, CPU s | ratio | wanted | MB, ours / peer | an answer of each |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    chosen = sys.argv[1:] or list(TASKS)
    for task, (title, size, peer, wanted) in TASKS.items():
        if task not in chosen:
            continue
        turns = [(run("ours", task), run("theirs", task)) for _ in range(TURNS)]
        mine, other = (min((pair[side] for pair in turns), key=lambda found: found["seconds"]) for side in (0, 1))
        lines.append(
            f"| {title} | {size} | {mine['seconds']:.4f} | {peer} | {other['seconds']:.3f} "
            f"| {other['seconds'] / mine['seconds']:.0f}× | {wanted}× "
            f"| {mine['megabytes']:.0f} / {other['megabytes']:.0f} | {mine['answer']:.6g} / {other['answer']:.6g} |"
        )
        print(lines[-1], flush=True)
    page = [
        "# Uncertainty and reliability beside the peers", "",
        f"Printed by `{COMMAND}`: both sides in one run, on one thread, least CPU time of {3 * TURNS} calls each,",
        f"without imports; peers {', '.join(PACKAGES)}. MB is the growth of peak memory; the last column shows",
        "one number of each result.", "", *lines, "",
    ]  # fmt: skip
    if len(chosen) < len(TASKS):
        return
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text("\n".join(page), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] == ["turn"]:
        turn(*sys.argv[2:])
    elif sys.argv[1:2] == ["turns"]:
        beside(sys.argv[2])
    else:
        main()
