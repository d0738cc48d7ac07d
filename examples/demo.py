"""What `make demo` runs: the example experiment, judged offline, checked, archived and audited.

Run: python -m examples.demo
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "demo-output"


def step(title: str, *arguments: str) -> None:
    """Run one command as a user would, and show it."""
    print(f"\n\033[1m{title}\033[0m\n$ venire {' '.join(arguments)}", flush=True)
    code = subprocess.run([sys.executable, "-m", "venire", *arguments], cwd=ROOT, check=False).returncode
    if code not in (0, 1):
        raise SystemExit(code)


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
        "report",
        "demo-output/ledger.sqlite",
        "--html",
        "demo-output/report.html",
    )
    step(
        "4. Is every entry still as it was written, and does every judgement follow from its reply?",
        *("audit", "demo-output/ledger.sqlite", "--checkpoint", "demo-output/checkpoint.json"),
        *("--key", "demo-output/audit.key"),
    )
    step(
        "5. Can others check the archive again?",
        *("check", "demo-output/archive", "--sources", "examples/drift/outputs.jsonl"),
    )
    print("\nIn demo-output/: ledger.sqlite, archive/, report.html, checkpoint.json")


if __name__ == "__main__":
    main()
