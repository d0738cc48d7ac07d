"""Small collections for tests: cases, prompts, targets that are functions, and a judge that is a rule."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from experiment import QUICK

BOT = '''
def answer(request):
    """Repeat the question in the target's own way."""
    return f"{request['target']} says: {request['case']['question']} ({request['variant']})"


async def slow(request):
    return f"Later: {request['prompt']}"


def broken(request):
    raise ValueError("no such thing")


def silent(request):
    return " "


def patient(request):
    """Count the turns that were said before."""
    return f"answer {len([each for each in request['messages'] if each['role'] == 'user'])} to {request['prompt']}"
'''
CASES = [{"case_id": "q1", "question": "Why is it so?"}, {"case_id": "q2", "question": "How is it done?"}]
PROMPTS = {"plain": "{{question}}", "kind": "Please tell me: {{question}}"}
RULES = {"dimensions": {"*": [{"check": "matches", "pattern": ".", "cap": 0}]}}


def write_collection(folder: Path, collect: dict[str, Any] | None = None, **keys: Any) -> Path:
    """Write cases, functions and a configuration that collects from them; JSON is YAML."""
    (folder / "bot.py").write_text(BOT, encoding="utf-8")
    (folder / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in CASES), encoding="utf-8")
    asked = {
        "cases": "cases.jsonl",
        "prompts": PROMPTS,
        "targets": {"alder": {"type": "python", "function": "bot:answer"}},
        **(collect or {}),
    }
    judges = {"strict": {"type": "rules", "rules": RULES, "weight": 1}}
    config = {"ledger": "ledger.sqlite", "runner": QUICK, "judges": judges, "collect": asked, **keys}
    path = folder / "venire.yaml"
    path.write_text(json.dumps(config, ensure_ascii=False, indent=1), encoding="utf-8")
    return path
