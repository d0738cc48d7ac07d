"""What commands print stays where outputs are collected, judges are watched, and a jury is asked as far as needed."""

from __future__ import annotations

import json
import re

import pytest

from asking_juries import graded_samples
from collecting import write_collection
from experiment import write_samples
from printed_sessions import assert_session_as_kept

LENGTHS = {"brief": (5, 30), "mild": (3, 60), "long": (12, 90)}
PRICE = {"input_per_million": 2, "output_per_million": 4}
TARGETS = {
    "alder": {"type": "python", "function": "bot:answer"},
    "birch": {"type": "command", "command": ["cat"], "price": PRICE},
    "cedar": {"type": "python", "function": "bot:silent"},
}
JUDGES = {
    name: {
        "type": "rules", "weight": weight,
        "rules": {"dimensions": {"*": [{"check": "length", "minimum": low, "maximum": high}]}},
    }
    for weight, (name, (low, high)) in zip((0.5, 0.25, 0.25), LENGTHS.items(), strict=True)
}  # fmt: skip
QUICK = {"mode": "sequential", "reask_share": 0}
JURY = {"start": ["brief", "mild"], "then": ["long"], "until": {"half_width": 0.2}, "most": 3}
CONFIGS = {
    "anchored.yaml": {"ledger": "anchored.sqlite", "canaries": {"path": "anchors.csv", "share": 0.5}},
    "jury.yaml": {"ledger": "jury.sqlite", "jury": JURY},
    "poor.yaml": {"ledger": "poor.sqlite", "runner": {**QUICK, "budget": {"calls": 5}}},
    "pairs.yaml": {"ledger": "pairs.sqlite", "protocol": "preference", "pairs": {"order": "both"}},
    "unnamed.yaml": {"ledger": "unnamed.sqlite", "samples": "unnamed.csv"},
    "nowhere.yaml": {"ledger": "nowhere.sqlite", "samples": "nowhere.csv"},
    "wrong.yaml": {"ledger": "wrong.sqlite", "colour": 7, "runner": {"attempts": 0}},
    "light.yaml": {"ledger": "light.sqlite", "judges": {"brief": {**JUDGES["brief"], "weight": 0.4}}},
}
SESSION = (
    "plan venire.yaml",
    "collect venire.yaml --quiet --events events.jsonl",
    "collect venire.yaml --quiet",
    "collect venire.yaml --quiet --events nowhere/events.jsonl",
    "plan venire.yaml",
    "run venire.yaml --quiet --json report.json",
    "plan anchored.yaml",
    "judge anchored.yaml --archive archive --quiet",
    "judge anchored.yaml --quiet",
    "canaries anchored.sqlite",
    "check archive",
    "check archive --sources outputs.jsonl --require-quotes",
    "plan jury.yaml",
    "judge jury.yaml --quiet",
    "plan jury.yaml",
    "audit jury.sqlite --checkpoint checkpoint.json",
    "audit jury.sqlite --against checkpoint.json",
    "judge poor.yaml --quiet",
    "judge poor.yaml --quiet --models alder-1 birch-2",
    "judge poor.yaml --quiet --until decided --models alder-1 nobody",
    "judge light.yaml",
    "judge light.yaml --quiet --renormalise",
    "plan pairs.yaml",
    "plan unnamed.yaml",
    "plan unnamed.yaml --id-from-row --samples",
    "plan nowhere.yaml",
    "plan wrong.yaml",
    "plan absent.yaml",
    "judge venire.yaml --engine ray --address nowhere:1 --quiet",
    "canaries jury.sqlite",
    "voir-dire bare.csv",
    "check outputs.jsonl",
    "check bad.jsonl --protocol drift-sample",
    "check bad.jsonl --protocol drift-sample --format jsonl",
    "check bad.jsonl --protocol drift-sample --format junit",
    "check bad.jsonl --protocol drift-sample --require-quotes",
    "check bad.jsonl --protocol drift-sample --evidence off --require-quotes --sources outputs.jsonl",
    "check bad.jsonl --protocol drift-sample --pdf-limit pages",
    "check --explain nothing",
    "check --explain contract.missing-field",
    "compare ledger.sqlite",
    "compare ledger.sqlite anchored.sqlite jury.sqlite",
    "compare ledger.sqlite --models alder birch --pairwise",
    "compare ledger.sqlite --pairwise --sequential",
    "compare anchored.sqlite jury.sqlite",
    "gate rules.yaml absent.sqlite",
    "report ledger.sqlite --scale 5 1",
    "prompt nothing --judge strict",
    "protocol show nothing",
    "ledger copy memory: copy.sqlite",
    "init venire.yaml",
    "nonsense",
    "judge --nonsense",
)
HIDDEN = (
    (re.compile(r"(?<!\.)\b(?=[0-9a-f]*\d)[0-9a-f]{7,64}\b"), lambda found: f"…{len(found[0])}"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|\+00:00)?"), "…"),
    (re.compile(r"\b\d+(?:\.\d+)? (?:s|ms|KiB|kB|MB|bytes)\b"), "…"),
)
"""What differs from run to run; of digests, how many of their signs are shown stays."""


@pytest.fixture(scope="module", name="folder")
def folder_of_configurations(tmp_path_factory):
    made = tmp_path_factory.mktemp("collecting")
    write_collection(made, {"targets": TARGETS, "factors": {"tone": {"plain": "", "loud": "!"}}})
    write_samples(made, graded_samples(16))
    anchors = [f'a{number},"Anchor {number} {"is long " * number}."' for number in range(24)]
    (made / "anchors.csv").write_text("\n".join(["output_id,text", *anchors]) + "\n")
    (made / "unnamed.csv").write_text("question,answer,length\nWhy?,So.,3\nHow?,Thus.,5\n")
    (made / "bare.csv").write_text("judge,item\noak,i1\n")
    (made / "bad.jsonl").write_text('{"output_id": "s0", "raw": "no reply"}\n{"output_id": "s1", "raw": "{}"}\n')
    (made / "rules.yaml").write_text("rules:\n- {check: completeness}\n")
    usual = {"samples": "outputs.jsonl", "judges": JUDGES, "runner": QUICK}
    for name, config in CONFIGS.items():
        (made / name).write_text(json.dumps({**usual, **config}))
    return made


def test_what_is_printed_where_outputs_are_collected_and_judges_watched_stays(folder, monkeypatch, capsys):
    assert_session_as_kept("collecting", folder, SESSION, HIDDEN, monkeypatch, capsys)
