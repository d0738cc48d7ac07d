"""CPU of agreement measures beside the peers, as ratios in one run on one thread.

Run: `python -m bench.stats.agreement [ROUNDS]`. The peers live in `.bench-venv`, which this script makes with pip by
name and version. Every measurement is a process of its own; ours and the peer's alternate, and medians are compared.
What is counted is the call alone, from a table in memory to the value; the peak is that of the whole process.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from venire.stats.result import Estimate

PEERS = ("krippendorff==0.9.0", "evalica==0.4.2", "irrCAC==0.4.4")
PEER_SECONDS = 900
ROOT = Path(__file__).resolve().parents[2]
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"), "1")


def ratings(units: int) -> np.ndarray:
    """Five judges, whole scores from 1 to 5, one in ten missing."""
    generator = np.random.default_rng(1)
    quality = generator.normal(3, 1, (units, 1))
    table = np.clip(np.rint(quality + generator.normal(0, 0.8, (units, 5))), 1, 5)
    table[generator.random(table.shape) < 0.1] = np.nan
    return table


def continuous(units: int) -> np.ndarray:
    generator = np.random.default_rng(2)
    return generator.normal(0, 1, (units, 1)) + generator.normal(0, 0.8, (units, 5))


def as_bytes(table: np.ndarray) -> object:
    missing = np.isnan(table)
    return np.ma.MaskedArray(np.where(missing, 0, table).astype(np.int8), mask=missing)


def ours(task: str, table: np.ndarray) -> Callable[[], Estimate]:
    """Return the call that is measured; imports are not part of it, as they are not for the peers."""
    import scipy.special  # noqa: F401 - imported late by what is measured

    from venire.stats.agreement.fleiss_kappa import fleiss_kappa
    from venire.stats.agreement.gwet_ac import gwet_ac
    from venire.stats.agreement.krippendorff_alpha import krippendorff_alpha
    from venire.stats.ratings.matrix import rating_matrix

    if task == "alpha from integers":
        narrow = as_bytes(table)
        return lambda: krippendorff_alpha(narrow)
    if task == "bootstrap":
        return lambda: krippendorff_alpha(table, replicates=1000, seed=1)
    if task == "AC1 and Fleiss":

        def both() -> Estimate:
            matrix = rating_matrix(table)
            fleiss_kappa(matrix)
            return gwet_ac(matrix)

        return both
    return lambda: krippendorff_alpha(table)


def measure_ours(task: str, path: str) -> None:
    call = ours(task, np.load(path))
    start = time.process_time()
    found = call()
    seconds, peak = time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "value": found.value, "peak": peak}))


def peer_python() -> Path:
    """Return the interpreter of the peers' environment, made if it is not there or lacks something."""
    home = ROOT / ".bench-venv"
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
        (home / ".gitignore").write_text("*\n")
    subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *PEERS], check=True)
    return python


def run(command: list[str | Path]) -> dict[str, float] | None:
    """Return seconds and value, or None if the command failed or took too long."""
    environment = {**os.environ, **ONE_THREAD}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=ROOT, env=environment, timeout=PEER_SECONDS, check=True
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return None
    return dict(json.loads(done.stdout.splitlines()[-1]))


def compare(task: str, peer: str | None, data: Path, rounds: int, python: Path, goal: str, size: str) -> None:
    own, others = [], []
    for _ in range(rounds):
        own.append(run([sys.executable, "-m", "bench.stats.agreement", "--ours", task, data]))
        if peer is not None and (not others or others[-1] is not None):
            others.append(run([python, ROOT / "bench" / "stats" / "agreement_peers.py", peer, data]))
    mine = statistics.median(result["seconds"] for result in own if result)
    memory = f"{max(result['peak'] for result in own if result):.0f}"
    start = f"| {task} | {size} | {mine:.3f} | {memory} |"
    if peer is None:
        print(f"{start} none | | | | {goal} | |", flush=True)
        return
    if others[-1] is None:
        print(f"{start} {peer} | failed or over {PEER_SECONDS} s | | | {goal} | |", flush=True)
        return
    theirs = statistics.median(result["seconds"] for result in others if result)
    peak = max(result["peak"] for result in others if result)
    apart = abs(own[0]["value"] - others[0]["value"])
    print(f"{start} {peer} | {theirs:.2f} | {peak:.0f} | {theirs / mine:.0f} × | {goal} | {apart:.0e} |", flush=True)


def main() -> None:
    if sys.argv[1:2] == ["--ours"]:
        measure_ours(sys.argv[2], sys.argv[3])
        return
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    python = peer_python()
    with tempfile.TemporaryDirectory() as folder:
        million, lakh, scores = (Path(folder) / name for name in ("million.npy", "lakh.npy", "scores.npy"))
        np.save(million, ratings(1_000_000))
        np.save(lakh, ratings(100_000))
        np.save(scores, continuous(1_000_000))
        print(
            "| task | units | ours, CPU s | ours, peak MB | peer | CPU s | peak MB | ratio | goal | values differ by |"
        )
        print("|---|---|---|---|---|---|---|---|---|---|")
        compare("alpha from integers", "krippendorff", million, rounds, python, "20 ×", "1e6")
        compare("alpha from integers", "evalica", million, rounds, python, "10 ×", "1e6")
        compare("alpha from floats with NaN", "krippendorff", million, rounds, python, "5 ×", "1e6")
        compare("alpha of continuous scores", None, scores, rounds, python, "under 1 s", "1e6")
        compare("bootstrap", "evalica bootstrap", lakh, 1, python, "100 ×", "1e5")
        compare("AC1 and Fleiss", "irrCAC", million, min(rounds, 3), python, "50 ×", "1e6")


if __name__ == "__main__":
    main()
