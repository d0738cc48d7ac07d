"""The files of other tools that tests read, and copies of them that are changed a little."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from venire.inputs.foreign.recognise import read_foreign

if TYPE_CHECKING:
    from collections.abc import Callable

    from venire.inputs.foreign.results import ForeignJudgement, ForeignSample

FOLDER = Path(__file__).parent / "foreign"
BY_TOOL = {
    "inspect": "inspect-panel.eval",
    "promptfoo": "promptfoo-museum.json",
    "deepeval": "deepeval-run.json",
    "mlflow": "mlflow-traces.json",
    "openai-evals": "openai-evals-fact.jsonl",
}
"""One file of each tool."""


def foreign(name: str) -> Path:
    """Return a file by its name."""
    return FOLDER / name


def samples_of(path: Path) -> dict[str, ForeignSample]:
    """Return the samples of a file by the question, and the repeat where there are several."""
    found = {}
    for each in read_foreign(path).samples():
        repeat = each.sample.factors.get("epoch") or each.sample.factors.get("repeat") or ""
        model = each.sample.target_model if each.sample.target_model.startswith("bot") else ""
        found[" ".join(filter(None, (each.sample.question_id, model, repeat)))] = each
    return found


def by_judge(each: ForeignSample, scorer: str) -> dict[str, ForeignJudgement]:
    """Return the judgements of a scorer by judge; of several by one judge the last."""
    return {judgement.judge: judgement for judgement in each.judgements if judgement.scorer == scorer}


def changed(name: str, folder: Path, change: Callable[[Any], object]) -> Path:
    """Write a copy of a JSON file of another tool with something changed."""
    content = json.loads(foreign(name).read_text(encoding="utf-8"))
    change(content)
    copy = folder / name
    copy.write_text(json.dumps(content), encoding="utf-8")
    return copy
