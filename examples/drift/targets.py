"""The three fictitious models of the example as targets: each answer is put together from the hand-written passages."""

from __future__ import annotations

from typing import Any

from make_outputs import make_output, read_passages


def answer(request: dict[str, Any]) -> str:
    """Answer as the target that is asked would."""
    passages = read_passages(request["case"]["id"])
    made = make_output(passages, request["variant"], request["factors"]["trigger"], request["target"])
    return made["text"]
