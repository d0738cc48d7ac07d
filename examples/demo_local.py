"""What `make demo-local` runs: a small language model on this machine sits beside the rule judges.

Run: python -m examples.demo_local
The model has 135 million parameters. It cannot judge; that is what the report should show.
"""

from __future__ import annotations

import json
import shutil

import yaml

from examples.demo import OUTPUT, ROOT, step

MODEL = "smollm2-135m"
SAMPLES = 3
BATTERY = {"id": "demo", "families": {"valid": {"limit": 0.4, "fault": 0.95}, "keys": {"limit": 0.5, "fault": 0.99}}}
"""A battery of some thirty probes, for a model that takes seconds for each: only the worst judges are struck by it."""


def main() -> None:
    """Judge a few samples of the example with a local model and the rule judges."""
    folder = OUTPUT / "local"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    example = ROOT / "examples" / "drift"
    rows = [json.loads(line) for line in (example / "outputs.jsonl").read_text(encoding="utf-8").splitlines()]
    few = [row for row in rows if row["language"] == "en"][:: len(rows) // 2 // SAMPLES][:SAMPLES]
    (folder / "outputs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in few), encoding="utf-8")
    config = yaml.safe_load((example / "venire.yaml").read_text(encoding="utf-8"))
    config["samples"] = {"path": "outputs.jsonl"}
    config["ledger"] = "ledger.sqlite"
    config["voir_dire"] = {"battery": "battery.yaml", "samples": "bundled"}
    config["runner"] = {"reask_share": 0}
    for judge in config["judges"].values():
        judge["rules"] = str(example / judge["rules"])
    config["judges"]["local_model"] = {
        "type": "local",
        "model": MODEL,
        "weight": 0.25,
        "max_tokens": 400,
        "limits": {"concurrency": 1},
    }
    (folder / "venire.yaml").write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    (folder / "battery.yaml").write_text(yaml.safe_dump(BATTERY), encoding="utf-8")
    step("1. Fetch a small model; it is checked against its pinned SHA-256", "local", "fetch", MODEL)
    step(
        f"2. It judges {len(few)} outputs beside the rule judges",
        *("judge", "demo-output/local/venire.yaml", "--renormalise"),
    )
    step(
        "3. Would you admit these judges? A few probes of the voir dire",
        *("voir-dire", "demo-output/local/venire.yaml", "--renormalise"),
    )
    step("4. How far to trust it", "report", "demo-output/local/ledger.sqlite")


if __name__ == "__main__":
    main()
