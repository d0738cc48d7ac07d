"""What a judge is told about its reply: an example of the form, and a rule for every field of the contract."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from venire.domain.protocol import Category, EvalProtocol, Scale

UNKNOWN = "unknown"
"""What stands for an identifier that a sample lacks: the contract asks for ones that are not empty."""

_MEANS = "avg_total"


class ReplyRules:
    """Words the form of a reply under one protocol, on one scale, in one language."""

    def __init__(self, protocol: EvalProtocol, scale: Scale, words: dict[str, str], numbers: str) -> None:
        self._protocol = protocol
        self._scale = scale
        self._words = words
        self._numbers = numbers
        self._low = int(scale.minimum) if float(scale.minimum).is_integer() else scale.minimum

    def placeholders(self) -> str:
        """Name everything in the example that has to be replaced."""
        protocol, words = self._protocol, self._words
        names = [words["all_scores"], f"`{protocol.overall.field}`"]
        if protocol.verdict:
            names.append("`verdict`")
        if protocol.design:
            names.append(words["all_means"])
        if protocol.evidence.required != "none":
            names.append(words["all_quotes"])
        if protocol.shape != "bundle" and (protocol.shape == "criteria" or protocol.evidence.required != "none"):
            names.append(words["all_reasons"])
        return self._listed(names)

    def fields(self, category: Category | None, *, blind: bool) -> str:
        """Return the rules of all fields, one a line."""
        if self._protocol.design:
            return "\n".join(self._bundle_fields())
        if self._protocol.shape == "criteria":
            return "\n".join(self._criteria_fields(category))
        return "\n".join(self._sample_fields(blind=blind))

    def example(self, meta: dict[str, str], category: Category | None) -> dict[str, Any]:
        """Return a reply of the right form; `meta` is what a judge is to copy about a single sample."""
        if self._protocol.design:
            return self._bundle_example()
        if self._protocol.shape == "criteria":
            return self._criteria_example(category)
        return self._sample_example(meta)

    def _sample_fields(self, *, blind: bool) -> list[str]:
        protocol, words = self._protocol, self._words
        copied = ("judge_model", "target_model", "question_id", "prompt_variant", "output_id", "method")
        lines = [words["meta_blind"] if blind else words["meta_open"].format(names=self._listed(_code(copied)))]
        lines.append(words["scores"].format(field=protocol.overall.field))
        lines += self._gates()
        if protocol.verdict:
            thresholds = {
                "fail": f"{protocol.verdict.fail_at_most:g}",
                "passing": f"{protocol.verdict.pass_at_least:g}",
            }
            lines.append(words["verdict"].format(field=protocol.overall.field, **thresholds))
        lines.append(words["flags"])
        lines += self._evidence("evidence", "quotes")
        return [*lines, words["notes"]]

    def _criteria_fields(self, category: Category | None) -> list[str]:
        overall, words = self._protocol.overall, self._words
        lines = [words["criteria"].format(numbers=self._numbers)]
        if category:
            rounding = words["rounded"] if overall.tolerance >= 0.005 else ""
            lines.append(words["overall_weighted"].format(field=overall.field, rounding=rounding))
        else:
            lines.append(words["overall_sum"].format(field=overall.field))
        return [*lines, words["strengths"], words["reasoning"]]

    def _bundle_fields(self) -> list[str]:
        design, words, field = self._protocol.design, self._words, self._protocol.overall.field
        if design is None:
            return []
        meta = self._listed(_code(("bundle_size", *design.meta_fields)))
        return [
            words["bundle_meta"].format(names=meta),
            words["per_file"].format(count=len(design.cells)),
            words["file_name"],
            words["file_scores"],
            *self._gates(),
            words["file_total"].format(field=field),
            *self._evidence("file_evidence", "file_quotes"),
            words["file_notes"],
            words["aggregates"].format(field=field, names=self._listed(_code(design.summaries))),
            words["final_notes"],
        ]

    def _gates(self) -> list[str]:
        return [self._words["gate"].format(dimension=gate.dimension, low=self._low) for gate in self._protocol.gates]

    def _evidence(self, rule: str, quotes: str) -> list[str]:
        policy, words = self._protocol.evidence, self._words
        if policy.required == "none":
            return [words[f"{rule}_none"]]
        needed = words[rule if policy.required == "every_dimension" else f"{rule}_nonzero"]
        ellipsis = words["same_ellipsis" if policy.allow_ellipsis else "no_ellipsis"]
        return [needed.format(low=self._low), words[quotes].format(ellipsis=ellipsis)]

    def _sample_example(self, meta: dict[str, str]) -> dict[str, Any]:
        protocol, words = self._protocol, self._words
        dimensions = protocol.dimension_ids
        overall = self._low * len(dimensions)
        example: dict[str, Any] = {"meta": {name: value or UNKNOWN for name, value in meta.items()}}
        example["scores"] = {**dict.fromkeys(dimensions, self._low), protocol.overall.field: overall}
        if protocol.verdict:
            example["verdict"] = protocol.verdict.verdict(overall)
        example["flags"] = []
        if protocol.evidence.required != "none":
            quoted = {"quote": words["quote"], "reason": words["reason"]}
            example["evidence"] = [{"dimension": dimension, **quoted} for dimension in dimensions]
        return example

    def _criteria_example(self, category: Category | None) -> dict[str, Any]:
        criteria = category.weights if category else self._protocol.dimension_ids
        scored = {"score": self._low, "justification": self._words["reason"]}
        return {
            "scores": dict.fromkeys(criteria, scored),
            self._protocol.overall.field: self._low if category else self._low * len(criteria),
            "strengths": [],
            "weaknesses": [],
            "reasoning": self._words["reason"],
        }

    def _bundle_example(self) -> dict[str, Any]:
        protocol, design = self._protocol, self._protocol.design
        if design is None:
            return {}
        dimensions, total = protocol.dimension_ids, self._low * len(protocol.dimensions)
        quote = "" if protocol.evidence.required == "none" else self._words["file_quote"]
        group = {_MEANS: float(total), "notes": ""}
        return {
            "bundle_meta": {
                "bundle_size": len(design.cells),
                **{field: list(design.factors[factor]) for field, factor in design.meta_fields.items()},
            },
            "per_file_scores": [
                {
                    "file": design.cells[0].label,
                    "scores": dict.fromkeys(dimensions, self._low),
                    protocol.overall.field: total,
                    "evidence": dict.fromkeys(dimensions, quote),
                    "notes": "",
                }
            ],
            "aggregates": {
                _MEANS: float(total),
                **{field: dict.fromkeys(design.factors[factor], group) for field, factor in design.summaries.items()},
            },
            "final_notes": "",
        }

    def _listed(self, names: Iterable[str]) -> str:
        *first, last = names
        return self._words["comma"].join(first) + (self._words["and"] if first else "") + last


def _code(names: Iterable[str]) -> list[str]:
    return [f"`{name}`" for name in names]
