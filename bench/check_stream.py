"""Memory and speed of `venire check` on JSON Lines files of growing size.

Run: python -m bench.check_stream [MEGABYTES ...]
Each size is checked by the real command in a process of its own; its peak memory and CPU time are printed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.validation import ENGLISH, example

SAMPLES = 1000


def write_files(folder: Path, megabytes: int) -> int:
    """Write sources and a file of replies of about the given size; return how many replies it holds."""
    sample, raw, _ = example(ENGLISH, 2048, 60)
    reply = json.loads(raw)
    with (folder / "sources.jsonl").open("w", encoding="utf-8") as file:
        for number in range(SAMPLES):
            row = {"output_id": f"out-{number}", "text": sample.text, "question_id": sample.question_id}
            row |= {"prompt_variant": sample.prompt_variant, "target_model": sample.target_model}
            file.write(json.dumps(row) + "\n")
    lines = []
    for number in range(SAMPLES):
        reply["meta"]["output_id"] = f"out-{number}"
        lines.append(json.dumps(reply) + "\n")
    block = "".join(lines).encode()
    blocks = max(1, megabytes * 1_000_000 // len(block))
    with (folder / "replies.jsonl").open("wb") as replies:
        for _ in range(blocks):
            replies.write(block)
    return blocks * SAMPLES


def measure(megabytes: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        count = write_files(folder, megabytes)
        command = [sys.executable, "-m", "venire", "check", "replies.jsonl", "--protocol", "drift-sample"]
        process = subprocess.Popen([*command, "--sources", "sources.jsonl"], cwd=folder, stdout=subprocess.PIPE)
        output, _ = process.communicate() if process.stdout is None else (process.stdout.read(), None)
        _, _, usage = os.wait4(process.pid, 0)
        if f"{count} replies: {count} valid".encode() not in output:
            raise SystemExit(f"not all replies are valid: {output[-300:]!r}")
        cpu = usage.ru_utime + usage.ru_stime
        print(f"| {megabytes:,} | {count:,} | {usage.ru_maxrss / 1024:.0f} | {count / cpu:,.0f} |", flush=True)


def main() -> None:
    print("| file, MB | replies | peak memory, MB | replies a CPU second |")
    print("|---|---|---|---|")
    for megabytes in [int(each) for each in sys.argv[1:]] or [10, 100, 1000]:
        measure(megabytes)


if __name__ == "__main__":
    main()
