"""The contract of replies on a bundle, in two profiles: all fields, or only what the source document states."""

from __future__ import annotations

from venire.domain import rule
from venire.domain.design import BundleDesign
from venire.validation.contract import Anything, Fields, Items, Node, Number, Text
from venire.validation.terms import Terms


def bundle_contract(terms: Terms, design: BundleDesign, entry: Node) -> Node:
    """Return the contract of a whole reply, whose entries follow another."""
    per_file = Items(entry, count=len(design.cells))
    if terms.profile == "seed":
        return Fields({"per_file_scores": per_file, "aggregates": Anything()}, unknown=None)
    lists: dict[str, Node] = {field: Items(Text()) for field in design.meta_fields}
    group = Fields({"avg_total": Number(), "notes": Text()})
    summaries: dict[str, Node] = {
        field: Fields(dict.fromkeys(design.factors[factor], group)) for field, factor in design.summaries.items()
    }
    return Fields(
        {
            "bundle_meta": Fields({"bundle_size": Number(), **lists}),
            "per_file_scores": per_file,
            "aggregates": Fields({"avg_total": Number(), **summaries}),
            "final_notes": Text(),
        }
    )


def entry_contract(terms: Terms) -> Node:
    """Return the contract of the entry for one file."""
    protocol = terms.protocol
    dimensions = protocol.dimension_ids
    score = Number(terms.scale, missing=rule.SCORE_MISSING)
    total: dict[str, Node] = {protocol.overall.field: Number()}
    scores: dict[str, Node] = dict.fromkeys(dimensions, score)
    unknown = rule.SCORE_UNKNOWN_DIMENSION
    quotes: dict[str, Node] = {dimension: Text() for dimension in dimensions}
    if terms.profile == "seed":
        any_quotes: dict[str, Node] = {dimension: Anything() for dimension in dimensions}
        return Fields(
            {"scores": Fields(scores, total, unknown=unknown)},
            {"evidence": Fields({}, any_quotes, unknown=None)},
            unknown=None,
        )
    return Fields(
        {
            "file": Text(missing=rule.CONTRACT_MISSING_IDENTIFIER),
            "scores": Fields(scores, unknown=unknown),
            **total,
            "evidence": Fields(quotes),
            "notes": Text(),
        }
    )
