"""What exactly is sent to a judge: a template in the judge's language, filled with the protocol and fenced data."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from venire.domain.canonical import digest
from venire.domain.judgement import Method
from venire.domain.protocol import Category, EvalProtocol, Scale
from venire.domain.sample import Bundle, Sample
from venire.judges.blinding import show_controls
from venire.judges.wording import WORDS

LANGUAGES = ("en", "zh")
"""The languages that prompts exist in."""

_HANDLE = "⟦handle⟧"


class Prompt(msgspec.Struct, frozen=True):
    """The two messages of a request."""

    system: str
    """The system message."""
    user: str
    """The user message."""


class Known(msgspec.Struct, frozen=True):
    """What a judge is told about who wrote the output."""

    handle: str
    """The opaque name of the sample; empty for a judge that is not blind."""
    judge: str = ""
    """The judge's own name, for a judge that is not blind."""
    method: Method = Method.CROSS_JUDGE
    """Whether it judges itself, for a judge that is not blind."""


@cache
def template_text(language: str) -> str:
    """Return the template in a language."""
    return files("venire.judges").joinpath("templates", f"judge.{language}.txt").read_text(encoding="utf-8")


def template_digest(language: str) -> str:
    """Return the id of everything that prompts in a language are made of."""
    return digest("prompt", [template_text(language), WORDS[language]])


class PromptWriter:
    """Writes prompts for one protocol, scale and language; what does not depend on the sample is made once."""

    def __init__(self, protocol: EvalProtocol, scale: Scale, language: str) -> None:
        self._protocol = protocol
        self._scale = scale
        self._language = language
        self._words = WORDS[language]
        system, _, user = template_text(language).partition("[user]\n")
        self._system = system.removeprefix("[system]\n").strip()
        self._pieces = re.split(r"\$(\w+)", user.strip())  # texts, and between them the names of what is filled in
        self._fixed: dict[str, dict[str, str]] = {}

    def write(
        self, subject: Sample | Bundle, known: Known, fence: str, attached: frozenset[str] = frozenset()
    ) -> Prompt:
        """Write the prompt for a sample or bundle; `attached` names the samples that go along as documents instead."""
        filled = {
            **self._filled_once(self._category(subject)),
            "identity": self._identity(subject, known),
            "fence": fence,
            "material": self._material(subject, fence, attached),
        }
        if known.handle:
            filled["example"] = filled["example"].replace(_HANDLE, known.handle)
        else:
            filled["example"] = _json(self._example(subject, known, self._category(subject)))
        user = "".join(filled[piece] if place % 2 else piece for place, piece in enumerate(self._pieces))
        return Prompt(self._system, user)

    def _filled_once(self, category: Category | None) -> dict[str, str]:
        """Return what is the same for all samples of a category, with a mark where a blind judge's handle goes."""
        name = category.id if category else ""
        if name not in self._fixed:
            example = self._blind_example(category)
            self._fixed[name] = {
                "instructions": self._protocol.instructions[self._language],
                "numbers": self._numbers(),
                "dimensions": self._dimensions(category),
                "levels": self._levels(),
                "overall": self._overall(category),
                "example": _json(example),
            }
        return self._fixed[name]

    def _category(self, subject: Sample | Bundle) -> Category | None:
        named = subject.factors.get("category", "") if isinstance(subject, Sample) else ""
        return self._protocol.category(named)

    def _identity(self, subject: Sample | Bundle, known: Known) -> str:
        if known.handle:
            return self._words["blind"].format(handle=known.handle)
        if isinstance(subject, Bundle):
            return self._words["open_bundle"].format(model=_named(subject.target_model), judge=known.judge)
        return self._words["open"].format(
            output_id=_named(subject.output_id),
            model=_named(subject.target_model),
            question=_named(subject.question_id),
            variant=_named(subject.prompt_variant),
            judge=known.judge,
            method=known.method.value,
        )

    def _numbers(self) -> str:
        kind = self._words["integers" if self._scale.integer else "decimals"]
        return kind.format(low=f"{self._scale.minimum:g}", high=f"{self._scale.maximum:g}")

    def _dimensions(self, category: Category | None) -> str:
        lines: list[str] = []
        for dimension in self._protocol.dimensions:
            if category and dimension.id not in category.weights:
                continue
            weight = f" ({category.weights[dimension.id]:.0%})" if category else ""
            name, asks = dimension.name[self._language], dimension.asks[self._language]
            lines.append(f"- {dimension.id} — {name}{weight}: {asks}")
            if self._scale is self._protocol.scales[0]:  # a dimension's own levels are worded for the first scale
                lines += [f"    {level}: {words[self._language]}" for level, words in dimension.levels.items()]
        return "\n".join(lines)

    def _levels(self) -> str:
        return "\n".join(f"{level}: {words[self._language]}" for level, words in self._scale.levels.items())

    def _overall(self, category: Category | None) -> str:
        protocol = self._protocol
        rule = "overall_weighted" if category else "overall_sum"
        lines = [self._words[rule].format(field=protocol.overall.field)]
        if protocol.verdict:
            thresholds = {
                "fail": f"{protocol.verdict.fail_at_most:g}",
                "passing": f"{protocol.verdict.pass_at_least:g}",
            }
            lines.append(self._words["verdict"].format(**thresholds))
        lines += [self._words["gate"].format(dimension=gate.dimension) for gate in protocol.gates]
        return "\n".join(lines)

    def _material(self, subject: Sample | Bundle, fence: str, attached: frozenset[str]) -> str:
        parts = [self._words["attached"]] if attached else []
        if isinstance(subject, Bundle):
            parts += [
                _fenced(self._words["file"].format(label=sample.output_id), sample.text, fence)
                for sample in subject.samples
                if sample.output_id not in attached
            ]
            return "\n\n".join(parts)
        if subject.task:
            parts.append(_fenced(self._words["task"], subject.task, fence))
        if subject.output_id not in attached:
            parts.append(_fenced(self._words["output"], subject.text, fence))
        return "\n\n".join(parts)

    def _blind_example(self, category: Category | None) -> dict[str, Any]:
        subject: Sample | Bundle = Bundle("", ()) if self._protocol.design else Sample("", "")
        return self._example(subject, Known(_HANDLE), category)

    def _example(self, subject: Sample | Bundle, known: Known, category: Category | None) -> dict[str, Any]:
        if isinstance(subject, Bundle):
            return self._bundle_example()
        if self._protocol.shape == "criteria":
            return self._criteria_example(category)
        return self._sample_example(subject, known)

    def _sample_example(self, sample: Sample, known: Known) -> dict[str, Any]:
        meta: dict[str, Any] = {"output_id": known.handle or sample.output_id}
        if not known.handle:
            meta = {
                "judge_model": known.judge,
                "target_model": sample.target_model,
                "question_id": sample.question_id,
                "prompt_variant": sample.prompt_variant,
                "output_id": sample.output_id,
                "method": known.method.value,
                "timestamp": "YYYY-MM-DD",
            }
        dimensions = self._protocol.dimension_ids
        low = int(self._scale.minimum)
        example: dict[str, Any] = {"meta": meta}
        example["scores"] = {**dict.fromkeys(dimensions, low), self._protocol.overall.field: low * len(dimensions)}
        if self._protocol.verdict:
            example["verdict"] = self._protocol.verdict.verdict(low * len(dimensions))
        example["flags"] = []
        example["evidence"] = [
            {"dimension": dimension, "quote": self._words["quote"], "reason": self._words["reason"]}
            for dimension in dimensions
        ]
        return example

    def _criteria_example(self, category: Category | None) -> dict[str, Any]:
        low = self._scale.minimum
        criteria = category.weights if category else self._protocol.dimension_ids
        justification = self._words["reason"]
        return {
            "scores": {criterion: {"score": low, "justification": justification} for criterion in criteria},
            self._protocol.overall.field: low,
            "strengths": [],
            "weaknesses": [],
            "reasoning": justification,
        }

    def _bundle_example(self) -> dict[str, Any]:
        design = self._protocol.design
        if design is None:
            return {}
        dimensions = self._protocol.dimension_ids
        group = {"avg_total": 0.0, "notes": ""}
        return {
            "bundle_meta": {
                "bundle_size": len(design.cells),
                **{field: list(design.factors[factor]) for field, factor in design.meta_fields.items()},
            },
            "per_file_scores": [
                {
                    "file": design.cells[0].label,
                    "scores": dict.fromkeys(dimensions, 0),
                    self._protocol.overall.field: 0,
                    "evidence": dict.fromkeys(dimensions, ""),
                    "notes": self._words["one_each"].format(count=len(design.cells)),
                }
            ],
            "aggregates": {
                "avg_total": 0.0,
                **{field: dict.fromkeys(design.factors[factor], group) for field, factor in design.summaries.items()},
            },
            "final_notes": "",
        }


def _json(example: dict[str, Any]) -> str:
    return json.dumps(example, ensure_ascii=False, indent=2)


def _fenced(title: str, text: str, fence: str) -> str:
    return f"{title}\n{fence}\n{show_controls(text)}\n{fence}"


def _named(name: str) -> str:
    """Quote an identifier, so that nothing in it can pass for a sentence of ours."""
    return json.dumps(show_controls(name), ensure_ascii=False)
