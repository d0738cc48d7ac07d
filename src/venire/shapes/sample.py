"""Replies on one sample: identifiers, scores, a verdict, flags, and quotes for every dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from venire.domain.material import OUTPUT
from venire.domain.sample import Sample
from venire.shapes.sample_reader import IDENTIFIERS, SampleReader
from venire.shapes.shape import (
    UNKNOWN,
    ScoreSample,
    ShownTexts,
    Signature,
    Telling,
    code,
    form_scores,
    only_sample,
    scored_keys,
    shown_sample,
    summarise,
    tidy,
)
from venire.validation.sentences import split_sentences
from venire.validation.terms import Terms

if TYPE_CHECKING:
    from collections.abc import Mapping

    from venire.domain.protocol import Category, EvalProtocol
    from venire.domain.sample import Bundle

_BLIND = "blind"
"""What a rule judge writes where it cannot know a name."""


class SampleShape:
    """The form of replies on one sample."""

    id = "sample"
    judges = "sample"
    needs_design = False
    uses = frozenset({"verdict", "gates", "materials", "quoted materials", "cited sentences"})
    is_read_without_text = False
    names: Mapping[str, str] = {"blind": "blind", "open": "open"}
    template = "judge"

    def reader(self, terms: Terms) -> SampleReader:
        """Return what reads replies under these terms."""
        return SampleReader(terms)

    def is_form_of(self, value: dict[str, Any]) -> bool:
        """Tell whether a reply has scores as bare numbers, and other parts beside them."""
        scores = value.get("scores")
        has_parts = any(key in value for key in ("meta", "verdict", "evidence"))
        return has_parts and type(scores) is dict and any(type(score) in (int, float) for score in scores.values())

    def scored(self, value: dict[str, Any]) -> set[str]:
        """Return the dimensions that a reply scores."""
        return scored_keys(value)

    def placeholders(self, telling: Telling) -> list[str]:
        """Name what in the example has to be replaced."""
        protocol, words = telling.protocol, telling.words
        quoted = [words["all_quotes"], words["all_reasons"]] if protocol.asks_for_quotes else []
        return [*(["`verdict`"] if protocol.verdict else []), *quoted]

    def fields(self, telling: Telling, category: Category | None, *, blind: bool) -> list[str]:
        """Return the rules of all fields."""
        protocol, words = telling.protocol, telling.words
        copied = ("judge_model", "target_model", "question_id", "prompt_variant", "output_id", "method")
        lines = [words["meta_blind"] if blind else words["meta_open"].format(names=telling.listed(code(copied)))]
        lines.append(words["scores"].format(field=protocol.overall.field))
        lines += telling.gates()
        if protocol.verdict:
            fail, passing = f"{protocol.verdict.fail_at_most:g}", f"{protocol.verdict.pass_at_least:g}"
            lines.append(words["verdict"].format(field=protocol.overall.field, fail=fail, passing=passing))
        rule = "cited_evidence" if telling.cites else "evidence"
        return [*lines, words["flags"], *telling.evidence(rule, "quotes"), words["notes"]]

    def example(self, telling: Telling, meta: Mapping[str, str], category: Category | None) -> dict[str, Any]:
        """Return a reply with what is to be copied filled in."""
        protocol, words = telling.protocol, telling.words
        dimensions = protocol.dimension_ids
        overall = telling.low * len(dimensions)
        example: dict[str, Any] = {"meta": {name: value or UNKNOWN for name, value in meta.items()}}
        example["scores"] = {**dict.fromkeys(dimensions, telling.low), protocol.overall.field: overall}
        if protocol.verdict:
            example["verdict"] = protocol.verdict.verdict(overall)
        example["flags"] = []
        if protocol.asks_for_quotes:
            side: dict[str, Any] = {"sentence": 1} if telling.cites else {"quote": words["quote"]}
            quoted = {**side, "reason": words["reason"]}
            if protocol.quoted_kinds:
                quoted = {"source": OUTPUT, **quoted}
            example["evidence"] = [{"dimension": dimension, **quoted} for dimension in dimensions]
        return example

    def material(self, words: Mapping[str, str], subject: Sample, attached: frozenset[str]) -> ShownTexts:
        """Return the output with its task."""
        return shown_sample(words, subject, attached)

    def compose(
        self, subject: Sample | Bundle, protocol: EvalProtocol, score: ScoreSample, signed: Signature
    ) -> dict[str, Any]:
        """Write the reply of a rule judge."""
        scores = score(only_sample(subject), protocol.dimension_ids)
        overall = tidy(sum(each.score for each in scores))
        reply: dict[str, Any] = {
            "meta": {
                "judge_model": signed.judge,
                **dict.fromkeys(IDENTIFIERS[:-1], _BLIND),
                "output_id": signed.handle or _BLIND,
                "method": "cross_judge",
                "timestamp": signed.date,
            },
            "scores": {each.dimension: each.score for each in scores} | {protocol.overall.field: overall},
        }
        if protocol.verdict is not None:
            reply["verdict"] = protocol.verdict.verdict(overall)
        text = only_sample(subject).text
        quoted = [
            {"dimension": each.dimension, **_quoted(protocol, text, each.quote), "reason": each.reason}
            for each in scores
        ]
        return {**reply, "flags": [], "evidence": quoted, "notes": summarise(scores, signed.words)}

    def from_form(
        self, protocol: EvalProtocol, category: Category | None, item: str, form: Mapping[str, str]
    ) -> dict[str, Any]:
        """Write the reply that a person's form stands for: scores, quotes with reasons, and a remark."""
        scores = form_scores(form, protocol.dimension_ids)
        overall = sum(scores.values())
        # Browsers send line ends of forms as CR LF; the judged text keeps its own.
        quotes = {name: form.get(f"quote.{name}", "").replace("\r\n", "\n").strip() for name in protocol.dimension_ids}
        reply: dict[str, Any] = {
            "meta": {"output_id": item},
            "scores": {**scores, protocol.overall.field: overall},
            "flags": [],
            "evidence": [
                {"dimension": name, **_cited(protocol, quote), "reason": form.get(f"reason.{name}", "")}
                | _source(form, name)
                for name, quote in quotes.items()
                if quote
            ],
        }
        if protocol.verdict is not None:
            reply["verdict"] = protocol.verdict.verdict(overall)
        if form.get("reason"):
            reply["notes"] = form["reason"]
        return reply


def _quoted(protocol: EvalProtocol, text: str, quote: str) -> dict[str, str | int]:
    """Return what a rule judge quotes: words, or the number of the sentence in which they begin."""
    if protocol.evidence.cite != "sentences":
        return {"quote": quote}
    place, sentences = max(text.find(quote), 0), split_sentences(text)
    return {"sentence": next((number for number, each in enumerate(sentences, start=1) if place < each.end), 0)}


def _cited(protocol: EvalProtocol, quote: str) -> dict[str, str | int]:
    """Return what a person quotes: words, or the number of a sentence where the protocol asks for one."""
    if protocol.evidence.cite != "sentences":
        return {"quote": quote}
    return {"sentence": int(quote) if quote.isascii() and quote.isdigit() else quote}


def _source(form: Mapping[str, str], dimension: str) -> dict[str, str]:
    """Return where a person says a quote stands, where the form asks for it."""
    named = form.get(f"source.{dimension}", "")
    return {"source": named} if named else {}
