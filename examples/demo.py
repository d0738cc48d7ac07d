"""What `make demo` runs: the example experiment, judged offline, checked, reported, traced, archived and audited.

At the end, answers of a retrieval bot are held against its documents, and outputs are collected first and judged then.

Run: python -m examples.demo
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "demo-output"


def step(title: str, *arguments: str, since: str = "", until: str = "") -> None:
    """Run one command as a user would, and show it; only some lines if it is known what the rest begins with."""
    print(f"\n\033[1m{title}\033[0m\n$ venire {' '.join(arguments)}", end="", flush=True)
    if not until:
        print(flush=True)
    command = [sys.executable, "-m", "venire", *arguments]
    done = subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.PIPE if until else None)
    if done.returncode not in (0, 1):
        raise SystemExit(done.returncode)
    if until:
        said = done.stdout.decode().splitlines()
        last = next((place for place, line in enumerate(said) if line.startswith(until)), len(said))
        first = next((place for place, line in enumerate(said) if since and line.startswith(since)), 0)
        pipe = f" | sed -n {first + 1},{last}p" if first else f" | head -n {last}"
        print(pipe, *said[first:last], sep="\n", flush=True)


def main() -> None:
    """Show the main job from samples to an audited ledger."""
    shutil.rmtree(OUTPUT, ignore_errors=True)
    step(
        "1. Which judge replies, found in the wild, can be admitted?",
        *("check", "examples/drift/replies", "--protocol", "drift-sample"),
        *("--sources", "examples/drift/outputs.jsonl"),
    )
    step(
        "2. A panel of three rule judges hears 96 outputs of three models, blind",
        *("judge", "examples/drift/venire.yaml", "--archive", "demo-output/archive"),
    )
    step(
        "3. What it says, and how far to trust it",
        *("report", "demo-output/ledger.sqlite"),
        until="Differences between models",
    )
    step(
        "   All of it, as a page and for programs",
        *("report", "demo-output/ledger.sqlite", "--html", "demo-output/report.html"),
        *("--json", "demo-output/report.json"),
    )
    step(
        "   中文报告",
        *("report", "demo-output/ledger.sqlite", "--lang", "zh", "--html", "demo-output/report.zh.html"),
    )
    step(
        "4. Which words in which output is that number made of?",
        *("trace", "demo-output/report.json", "leaderboard.alder-1.score", "--limit", "1"),
    )
    step(
        "5. Is every entry still as it was written, and does every judgement follow from its reply?",
        *("audit", "demo-output/ledger.sqlite", "--checkpoint", "demo-output/checkpoint.json"),
        *("--key", "demo-output/audit.key"),
    )
    step(
        "6. Can others check the archive again?",
        *("check", "demo-output/archive", "--sources", "examples/drift/outputs.jsonl"),
    )
    step(
        "7. Do the answers of a retrieval bot rest on the documents it was given? A weak judge, without a model",
        *("judge", "examples/grounded/venire.yaml"),
    )
    step(
        "   Which claims do the documents contradict?",
        *("report", "demo-output/grounded.sqlite"),
        since="Claims and their documents",
        until="Dimensions",
    )
    step(
        "8. The whole way: prompts are put to three scripted models, and what they say is judged and reported",
        *("run", "examples/drift/study.yaml", "--html", "demo-output/study.html"),
    )
    step(
        "   Take the outputs along",
        *("export", "demo-output/study.sqlite", "--outputs", "demo-output/outputs.jsonl"),
    )
    print(f"\nOpen in a browser: {OUTPUT / 'report.html'} (中文: report.zh.html)")
    print("Beside it: ledger.sqlite, archive/, report.json, checkpoint.json. Next: docs/tutorial/from-csv-to-report.md")


if __name__ == "__main__":
    main()
