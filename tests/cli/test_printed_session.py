"""What commands print stays from the plan of a run to its archive: one folder, one command after the other."""

from __future__ import annotations

import json
import re

import pytest

from printed_sessions import assert_session_as_kept

MODELS = ("alder", "birch")
QUESTIONS = 6
RULES = {
    "brief": {"dimensions": {"*": [{"check": "length", "minimum": 5, "maximum": 12}]}},
    "thorough": {"dimensions": {"*": [{"check": "length", "minimum": 9}]}},
}
CONFIG = {
    "samples": "outputs.jsonl",
    "ledger": "ledger.sqlite",
    "runner": {"reask_share": 0.25, "mode": "sequential"},
    "judges": {name: {"type": "rules", "weight": 0.5, "rules": rules} for name, rules in RULES.items()},
}
SESSION = (
    "plan --samples --difference 1 --spread 2",
    "prompt q1-alder --judge brief",
    "judge --quiet",
    "judge",
    "plan",
    "audit ledger.sqlite --checkpoint checkpoint.json --key key.pem",
    "audit ledger.sqlite --checkpoint checkpoint.json",
    "report --json report.json",
    "trace report.json leaderboard.alder.score --limit 2",
    "trace report.json nothing.here",
    "export ledger.sqlite archive",
    "check archive",
    "check archive --format junit",
    "labels next ledger.sqlite --n 3 --seed 1",
    "labels next ledger.sqlite --n 2 --random --csv next.csv",
    "labels import labels.csv --ledger ledger.sqlite",
    "labels import labels.csv --ledger ledger.sqlite",
    "report ledger.sqlite",
    "weights ledger.sqlite --out weights.yaml",
    "canaries ledger.sqlite",
    "compare ledger.sqlite --models alder birch",
    "votes from-judgements ledger.sqlite votes.sqlite --rule verdict",
    "votes export votes.sqlite",
    "votes queue votes.sqlite",
    "ledger copy ledger.sqlite copy.sqlite",
    "ledger export ledger.sqlite parts",
    "ledger import parts again.sqlite",
    "keys list --ledger ledger.sqlite",
    "protocol list",
    "protocol check own.yaml",
    "protocol check broken.yaml",
    "init venire.yaml",
    "rank ledger.sqlite",
    "gate rules.yaml ledger.sqlite",
)
HIDDEN = (
    (re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,64}\b"), lambda found: f"…{len(found[0])}"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|\+00:00)?"), "…"),
    (re.compile(r"\b\d+(?:\.\d+)? (?:s|ms|KiB|kB|MB|bytes)\b"), "…"),
)
"""What differs from run to run; of digests, how many of their signs are shown stays."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("session")
    rows = [
        {"output_id": f"q{question}-{model}", "question_id": f"q{question}", "target_model": model,
         "task": f"Question {question}?", "text": f"{model} answers {'at length ' * (question + place)}to {question}."}
        for question in range(QUESTIONS)
        for place, model in enumerate(MODELS)
    ]  # fmt: skip
    (made / "outputs.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (made / "venire.yaml").write_text(json.dumps(CONFIG))
    labels = [f"q{number}-{model},ann,{4 + number % 5}" for number in range(QUESTIONS) for model in MODELS]
    (made / "labels.csv").write_text("\n".join(["output_id,rater,score", *labels]))
    (made / "own.yaml").write_text("extends: quality\nid: own\n")
    (made / "broken.yaml").write_text("id: broken\ndimensions: 7\n")
    (made / "rules.yaml").write_text("rules:\n- {check: minimum_score, at_least: 5}\n- {check: completeness}\n")
    return made


def test_what_a_session_prints_stays(folder, monkeypatch, capsys):
    assert_session_as_kept("session", folder, SESSION, HIDDEN, monkeypatch, capsys)
