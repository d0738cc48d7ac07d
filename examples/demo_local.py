"""What `make demo-local` runs: a small language model on this machine answers, and sits beside the rule judges.

Run: python -m examples.demo_local
The model has 135 million parameters. It can neither answer nor judge; that is what the report should show.
"""

from __future__ import annotations

import json
import shutil
from itertools import takewhile
from pathlib import Path
from typing import Any

import yaml

from examples.demo import OUTPUT, ROOT, Step, title
from venire.cli.arguments.language import language

MODEL = "smollm2-135m"
SAMPLES = 3
TIMEOUT_SECONDS = 1800
"""How long one answer may take: a busy machine decodes slowly, and an answer that is given up begins anew."""
EXAMPLE = ROOT / "examples" / "drift"
BATTERY = {"id": "demo", "families": {"valid": {"limit": 0.5, "fault": 0.99}}}
"""A battery of a few probes, for a model that takes half a minute for each: only the worst judges are struck by it."""


def main() -> None:
    """Collect two outputs from a local model and judge them; judge a few of the example; examine the judges."""
    folder = OUTPUT / "local"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    write_study(folder)
    write_panel(folder)
    title(
        {
            "en": "1. Fetch a small model; it is checked against its pinned SHA-256",
            "zh": "1. 下载小模型，并核对 SHA-256",
        }
    )
    _show(f"local fetch {MODEL}")
    title(
        {
            "en": "2. It answers one question in two wordings; it and the rule judges judge that",
            "zh": "2. 它按两种措辞回答同一个问题，再由它和规则评审评判",
        }
    )
    _show("run demo-output/local/study.yaml --renormalise", until={"en": "Leaderboard", "zh": "排行榜"})
    title({"en": f"3. It judges {SAMPLES} outputs of others", "zh": f"3. 它评判其他模型的 {SAMPLES} 份输出"})
    _show("judge demo-output/local/venire.yaml --renormalise")
    title(
        {
            "en": "4. Would you admit these judges? The standard battery for the rule judges",
            "zh": "4. 这些评审可用吗？规则评审做标准的准入测试",
        }
    )
    _show("voir-dire demo-output/local/rules.yaml --renormalise --quiet")
    title(
        {
            "en": "5. And the model? A few probes only: each takes it half a minute or more",
            "zh": "5. 那么小模型呢？每个探针要半分钟以上，所以只用几个",
        }
    )
    _show("voir-dire demo-output/local/model.yaml --renormalise")
    title({"en": "6. How far to trust it", "zh": "6. 可信程度"})
    _show("report demo-output/local/ledger.sqlite")


def _show(command: str, until: dict[str, str] | None = None) -> None:
    """Run a command and print what it said, up to a line that begins with these words."""
    step = Step(command)
    step.show()
    print(
        *takewhile(lambda line: until is None or not line.startswith(until[language()]), step.lines),
        sep="\n",
        flush=True,
    )


def write_study(folder: Path) -> None:
    """Write what collects two outputs from the model, and puts them to it and to the rule judges."""
    shutil.copy(EXAMPLE / "cases.jsonl", folder)
    shutil.copytree(EXAMPLE / "prompts", folder / "prompts")
    study = yaml.safe_load((EXAMPLE / "study.yaml").read_text(encoding="utf-8"))
    study["collect"] |= {
        "targets": {"small": _local()},
        "parameters": {"temperature": 0, "max_tokens": 120},
        "only": [{"case": "q1", "trigger": "explicit", "variant": name} for name in ("baseline", "weak")],
    }
    _write(folder / "study.yaml", study, "study.sqlite")


def write_panel(folder: Path) -> None:
    """Write what judges a few outputs of the example with the model and the rule judges, and what examines them."""
    rows = [json.loads(line) for line in (EXAMPLE / "outputs.jsonl").read_text(encoding="utf-8").splitlines()]
    chosen = [row for row in rows if row["language"] == "en"][:: len(rows) // 2 // SAMPLES][:SAMPLES]
    (folder / "outputs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in chosen), encoding="utf-8")
    config = yaml.safe_load((EXAMPLE / "venire.yaml").read_text(encoding="utf-8"))
    config["samples"] = {"path": "outputs.jsonl"}
    rules = tuple(config["judges"])
    _write(folder / "venire.yaml", config, "ledger.sqlite")
    whole = {"samples": str(EXAMPLE / "outputs.jsonl"), "voir_dire": {"battery": "standard", "samples": "own"}}
    short = {"voir_dire": {"battery": "battery.yaml", "samples": "bundled"}}
    for name, judges, keys in (("rules", rules, whole), ("model", ("local_model",), short)):
        part = {**config, "judges": {judge: config["judges"][judge] for judge in judges}, **keys}
        (folder / f"{name}.yaml").write_text(yaml.safe_dump(part, sort_keys=False), encoding="utf-8")
    (folder / "battery.yaml").write_text(yaml.safe_dump(BATTERY), encoding="utf-8")


def _local() -> dict[str, Any]:
    """Return the model, as a judge or a target is configured with it."""
    return {"type": "local", "model": MODEL, "limits": {"concurrency": 1}}


def _write(path: Path, config: dict[str, Any], ledger: str) -> None:
    """Write a configuration of the example with the model among its judges."""
    config |= {"ledger": ledger, "runner": {"reask_share": 0, "timeout_seconds": TIMEOUT_SECONDS}}
    for judge in config["judges"].values():
        judge["rules"] = str(EXAMPLE / judge["rules"])
    config["judges"]["local_model"] = {**_local(), "weight": 0.25, "max_tokens": 400}
    path.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")


if __name__ == "__main__":
    main()
