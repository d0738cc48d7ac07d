"""What a report of many judges takes: CPU seconds and memory from a table of scores to the finished report.

Run: python -m bench.report [JUDGES] [OUTPUTS]

By default 20 judges score 5,000 outputs of five models, ten to each question, so that every interval is clustered by
question. Each judge leaves out one output in fifty. Measured is a process of its own, with the reading of the table.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.votes import peak_megabytes

MODELS, PER_QUESTION = 5, 10


def write_table(path: Path, judges: int, outputs: int) -> None:
    """Write scores from 1 to 5 in which questions, models and judges differ."""
    import numpy as np

    generator = np.random.default_rng(5)
    questions, ease = np.arange(outputs) // PER_QUESTION, generator.normal(size=outputs // PER_QUESTION + 1)
    quality = ease[questions] + 0.2 * (np.arange(outputs) % MODELS) + 0.5 * generator.normal(size=outputs)
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["output_id", "judge", "score", "target_model", "prompt_variant", "question_id"])
        for judge in range(judges):
            scores = np.clip(np.rint(3 + quality + 0.7 * generator.normal(size=outputs)), 1, 5).astype(int)
            for place in np.flatnonzero(generator.random(outputs) > 0.02):
                variant = "ab"[place % PER_QUESTION // MODELS]
                model, question = f"model-{place % MODELS}", f"q{questions[place]}"
                rows.writerow([f"o{place}", f"judge-{judge:02}", scores[place], model, variant, question])


def measure_here(path: str) -> None:
    """Make the report, and print what it took."""
    from venire.reports.report import Choices
    from venire.workflows.analyse import analyse

    begin = time.process_time()
    made = analyse(path, Choices(scale=(1, 5)))
    spent = time.process_time() - begin
    print(json.dumps({"cpu": spent, "megabytes": peak_megabytes(), "tables": sum(1 for _ in made.tables())}))


def main(judges: int = 20, outputs: int = 5_000, turns: int = 3) -> None:
    """Print the least CPU time of some turns."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.csv"
        write_table(path, judges, outputs)
        command = [sys.executable, "-m", "bench.report", "measure", str(path)]
        runs = [json.loads(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(turns)]
    least = min(runs, key=lambda run: float(run["cpu"]))
    print(f"{judges} judges × {outputs:,} outputs, {least['tables']} tables")
    print(f"CPU {least['cpu']:.2f} s (of {turns} turns), peak {least['megabytes']:.0f} MB")


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"]:
        measure_here(sys.argv[2])
    else:
        main(*map(int, sys.argv[1:]))
