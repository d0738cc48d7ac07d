"""Ledgers for tests of reports: a small experiment whose scores are written into its outputs."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec

from experiment import QUICK, FakeProvider, good_reply, make_judge
from venire.domain.label import Label
from venire.domain.sample import Sample
from venire.judges.panel import Judge, Price
from venire.judges.provider import Reply, Request
from venire.ledger.location import open_ledger
from venire.protocols.catalogue import find_protocol
from venire.runner.context import RunSpec
from venire.runner.executor import LocalEngine
from venire.runner.options import RunnerOptions
from venire.runner.run import run_panel

DIMENSIONS = ("FORMAT_COMPLIANCE", "INSTRUCTION_COMPLIANCE", "SEMANTIC_FIDELITY", "COMPLETENESS")
LOSS = {"alder-1": 0, "birch-2": 2, "baseline": 0, "conflict": 3, "explicit": 0, "implicit": 1}


def design(models: Iterable[str] = ("alder-1", "birch-2"), questions: int = 4) -> list[Sample]:
    """Return an output for every model, question, variant and trigger; each text says what it is worth."""
    return [
        Sample(
            f"q{number}-{variant}-{trigger}-{model}",
            f"An answer of worth {_worth(number, model, variant, trigger)}. It names line {number}.",
            question_id=f"q{number}",
            prompt_variant=variant,
            target_model=model,
            factors={"trigger": trigger, "language": "zh" if number % 2 else "en"},
        )
        for number in range(questions)
        for variant in ("baseline", "conflict")
        for trigger in ("explicit", "implicit")
        for model in models
    ]


def write_ledger(
    path: Path,
    samples: Iterable[Sample],
    answers: dict[str, Callable[[Request], Reply]] | None = None,
    judges: Iterable[Judge] = (),
    protocol: str = "drift-sample",
    **options: Any,
) -> Path:
    """Run judges over samples and return the path of the ledger; by default `oak` is just and `elm` severe."""
    given = tuple(judges)
    answers = answers or ({judge.name: scoring() for judge in given} or {"oak": scoring(), "elm": scoring(severity=1)})
    kept = list(samples)
    panel = given or tuple(make_judge(name, weight=1 / len(answers), price=Price(1.0, 2.0)) for name in answers)
    spec = RunSpec(find_protocol(protocol), panel, lambda: iter(kept), RunnerOptions(**{**QUICK, **options}))
    ledger = open_ledger(str(path))
    providers = {name: FakeProvider(answer) for name, answer in answers.items()}
    asyncio.run(run_panel(spec, ledger, LocalEngine(providers)))
    ledger.close()
    return path


def scoring(severity: int = 0, *, broken_at: str = "") -> Callable[[Request], Reply]:
    """Return a judge that gives an output its worth, less its severity; texts that hold `broken_at` get no JSON."""

    def answer(request: Request) -> Reply:
        reply = good_reply(request)
        if broken_at and broken_at in request.user:
            return msgspec.structs.replace(reply, text="I would rather not say.", body=b"I would rather not say.")
        found = re.search(r"An answer of worth (\d)", request.user)
        total = min(8, max(0, int(found.group(1)) - severity)) if found else 8
        content = json.loads(reply.text)
        shares = [min(2, max(0, total - 2 * place)) for place in range(4)]
        content["scores"] = dict(zip(DIMENSIONS, shares, strict=True)) | {"overall_score": total}
        content["verdict"] = "FAIL" if total <= 3 else "PASS" if total >= 7 else "PARTIAL"
        text = json.dumps(content)
        return msgspec.structs.replace(reply, text=text, body=text.encode())

    return answer


def ten_categories(models: Iterable[str] = ("alder-1", "birch-2"), per_category: int = 2) -> list[Sample]:
    """Return outputs for every category of `quality`; each text says its category and what it is worth on 1–5."""
    return [
        Sample(
            f"{category.id}-{number}-{model}",
            f"In {category.id} an answer of worth {1 + (3 * place + 2 * number + 5 * (model == 'alder-1')) % 9 / 2}.",
            question_id=f"{category.id}-{number}",
            target_model=model,
            factors={"category": category.id},
        )
        for place, category in enumerate(find_protocol("quality").categories)
        for number in range(per_category)
        for model in models
    ]


def rating(
    of_worth: Callable[[float], float] = lambda worth: worth, *, overstated: float = 0.0
) -> Callable[[Request], Reply]:
    """Return a judge of `quality` on 1–5 that makes a score of an output's worth, and states an overall beside it."""
    protocol = find_protocol("quality")

    def answer(request: Request) -> Reply:
        found = re.search(r"In (\w+) an answer of worth ([\d.]+)\.", request.user)
        category = protocol.category(found.group(1)) if found else None
        score = min(5.0, max(1.0, of_worth(float(found.group(2))))) if found else 3.0
        content = {
            "scores": {name: {"score": score, "justification": "So."} for name in category.weights} if category else {},
            "overall_score": score + overstated,
            "strengths": [],
            "weaknesses": [],
            "reasoning": "So.",
        }
        text = json.dumps(content)
        return Reply(text, text.encode(), 200, finish_reason="stop", model=request.model)

    return answer


def labels_of(samples: Iterable[Sample]) -> tuple[Label, ...]:
    """Return a label by a person for every third output: its worth, less one."""
    labels = []
    for sample in list(samples)[::3]:
        score = max(0, int(sample.text.split("worth ")[1][0]) - 1)
        verdict = "FAIL" if score <= 3 else "PASS" if score >= 7 else "PARTIAL"
        labels.append(Label(output_id=sample.output_id, score=score, verdict=verdict, rater="p1"))
    return tuple(labels)


def _worth(number: int, model: str, variant: str, trigger: str) -> int:
    loss = sum(LOSS.get(name, 1) for name in (model, variant, trigger)) + number % 2
    return max(0, 8 - loss)
