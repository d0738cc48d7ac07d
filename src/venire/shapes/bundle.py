"""Replies on a bundle: scores and evidence for each file, and means that can be recomputed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import TYPE_CHECKING, Any

from venire.domain.design import BundleDesign
from venire.errors import RuleError, UsageError
from venire.shapes.bundle_reader import BundleReader, design_of
from venire.shapes.shape import ScoreSample, ShownTexts, Signature, Telling, code, scored_keys, summarise, tidy
from venire.validation.terms import Terms
from venire.words.language import Words

if TYPE_CHECKING:
    from venire.domain.protocol import Category, EvalProtocol
    from venire.domain.sample import Bundle, Sample

_MEANS = "avg_total"


class BundleShape:
    """The form of replies on a whole bundle."""

    id = "bundle"
    judges = "bundle"
    needs_design = True
    uses = frozenset({"gates"})
    is_read_without_text = False
    names: Mapping[str, str] = {"blind": "blind_bundle", "open": "open_bundle"}
    template = "judge"

    def reader(self, terms: Terms) -> BundleReader:
        """Return what reads replies under these terms."""
        return BundleReader(terms)

    def is_form_of(self, value: dict[str, Any]) -> bool:
        """Tell whether a reply has scores for each file."""
        return type(value.get("per_file_scores")) is list

    def scored(self, value: dict[str, Any]) -> set[str]:
        """Return the dimensions that the first entry of a reply scores."""
        return scored_keys(next(iter(value["per_file_scores"]), None))

    def placeholders(self, telling: Telling) -> list[str]:
        """Name what in the example has to be replaced."""
        words, protocol = telling.words, telling.protocol
        return [words["all_means"], *([words["all_quotes"]] if protocol.asks_for_quotes else [])]

    def fields(self, telling: Telling, category: Category | None, *, blind: bool) -> list[str]:
        """Return the rules of all fields."""
        design, words, field = design_of(telling.protocol), telling.words, telling.protocol.overall.field
        return [
            words["bundle_meta"].format(names=telling.listed(code(("bundle_size", *design.meta_fields)))),
            words["per_file"].format(count=len(design.cells)),
            words["file_name"],
            words["file_scores"],
            *telling.gates(),
            words["file_total"].format(field=field),
            *telling.evidence("file_evidence", "file_quotes"),
            words["file_notes"],
            words["aggregates"].format(field=field, names=telling.listed(code(design.summaries))),
            words["final_notes"],
        ]

    def example(self, telling: Telling, meta: Mapping[str, str], category: Category | None) -> dict[str, Any]:
        """Return a reply with its first entry."""
        protocol, design = telling.protocol, design_of(telling.protocol)
        dimensions, total = protocol.dimension_ids, telling.low * len(protocol.dimensions)
        group = {_MEANS: float(total), "notes": ""}
        entry = {
            "file": design.cells[0].label,
            "scores": dict.fromkeys(dimensions, telling.low),
            protocol.overall.field: total,
            "evidence": dict.fromkeys(dimensions, telling.words["file_quote"] if protocol.asks_for_quotes else ""),
            "notes": "",
        }
        groups = {field: dict.fromkeys(design.factors[factor], group) for field, factor in design.summaries.items()}
        return _framed(design, [entry], {_MEANS: float(total), **groups}, "")

    def material(self, words: Mapping[str, str], subject: Bundle, attached: frozenset[str]) -> ShownTexts:
        """Return the files, each with its label."""
        shown = [sample for sample in subject.samples if sample.output_id not in attached]
        texts = tuple((words["file"].format(label=sample.output_id), sample.text) for sample in shown)
        return ShownTexts("judged_files", texts)

    def compose(
        self, subject: Sample | Bundle, protocol: EvalProtocol, score: ScoreSample, signed: Signature
    ) -> dict[str, Any]:
        """Write the reply of a rule judge, each file scored for itself."""
        if subject.kind != self.judges or protocol.design is None:
            raise RuleError("error.rules.needs_bundle")
        design = protocol.design
        labelled = _label_samples(subject.samples, design)
        entries = {label: score(sample, protocol.dimension_ids) for label, sample in labelled.items()}
        totals = {label: tidy(sum(each.score for each in scores)) for label, scores in entries.items()}
        per_file = [
            {
                "file": label,
                "scores": {each.dimension: each.score for each in scores},
                protocol.overall.field: totals[label],
                "evidence": {each.dimension: each.quote for each in scores},
                "notes": summarise(scores, signed.words),
            }
            for label, scores in entries.items()
        ]
        groups = {field: _groups(totals, design, factor, signed.words) for field, factor in design.summaries.items()}
        aggregates = {_MEANS: tidy(fmean(totals.values())), **groups}
        return _framed(design, per_file, aggregates, signed.words("check.by_rules"))

    def from_form(
        self, protocol: EvalProtocol, category: Category | None, item: str, form: Mapping[str, str]
    ) -> dict[str, Any]:
        """Raise `UsageError`: a person judges one output at a time."""
        raise UsageError("error.reply.one_at_a_time", protocol=protocol.id)


def _framed(
    design: BundleDesign, entries: list[dict[str, Any]], aggregates: dict[str, Any], notes: str
) -> dict[str, Any]:
    meta = {field: list(design.factors[factor]) for field, factor in design.meta_fields.items()}
    return {
        "bundle_meta": {"bundle_size": len(design.cells), **meta},
        "per_file_scores": entries,
        "aggregates": aggregates,
        "final_notes": notes,
    }


def _label_samples(samples: Iterable[Sample], design: BundleDesign) -> dict[str, Sample]:
    """Return samples by the design's labels, in its order; raises `RuleError` if they do not match."""
    found: dict[str, Sample] = {}
    for sample in samples:
        names = (sample.source.name if sample.source else "", sample.output_id)
        cell = next(filter(None, map(design.cell, names)), None) or next(
            (cell for cell in design.cells if cell.factors.items() <= sample.factors.items()), None
        )
        if cell is None or cell.label in found:
            raise RuleError("error.rules.no_place", sample=sample.output_id)
        found[cell.label] = sample
    missing = [cell.label for cell in design.cells if cell.label not in found]
    if missing:
        raise RuleError("error.rules.files_missing", count=len(missing), first=missing[0])
    return {cell.label: found[cell.label] for cell in design.cells}


def _groups(totals: Mapping[str, float], design: BundleDesign, factor: str, words: Words) -> dict[str, Any]:
    groups: dict[str, Any] = {}
    for value in design.factors[factor]:
        members = [totals[cell.label] for cell in design.cells if cell.factors[factor] == value]
        groups[value] = {_MEANS: tidy(fmean(members)), "notes": words("check.mean_of", count=len(members))}
    return groups
