"""A protocol as a page of Markdown for people: one row is a dimension, one column a level; it can be read back."""

from __future__ import annotations

import re
from collections.abc import Iterator

from venire.domain.protocol import Dimension, EvalProtocol, EvidencePolicy, in_language
from venire.protocols.plain import default_name, default_verdict
from venire.protocols.rubric_file import ANY_DIMENSION


def markdown_text(protocol: EvalProtocol, language: str) -> str:
    """Return the page, in one language."""
    return "\n".join(_page(protocol, language)) + "\n"


def left_out(protocol: EvalProtocol) -> tuple[str, ...]:
    """Return the keys of a protocol that its page cannot hold: whoever reads the page back has to add them."""
    scale = protocol.scale()
    found = {
        "scales": len(protocol.scales) > 1 or scale.bands or not scale.integer,
        "shape": protocol.shape != "sample",
        "overall": protocol.overall.rule != "sum",
    }
    also = ("gates", "categories", "design", "salvage", "mapping", "materials")
    return tuple(key for key, is_left in found.items() if is_left) + tuple(
        key for key in also if getattr(protocol, key)
    )


def _page(protocol: EvalProtocol, language: str) -> Iterator[str]:
    scale = protocol.scale()
    yield f"# {' '.join(in_language(protocol.title, language).split())}"
    yield ""
    for line in in_language(protocol.instructions, language).splitlines():
        yield f"\\{line}" if re.match(r"[\\#|+*-]", line.strip()) else line
    yield ""
    ends = (f"{scale.minimum:g}", f"{scale.maximum:g}")
    scores = sorted(
        {*ends, *scale.levels, *(level for each in protocol.dimensions for level in each.levels)}, key=float
    )
    yield _row(["dimension", "question", *scores])
    yield _row(["---"] * (len(scores) + 2))
    for each in protocol.dimensions:
        levels = [in_language(each.levels.get(score, {}), language) for score in scores]
        yield _row([_named(each, language), _cell(in_language(each.asks, language)), *map(_cell, levels)])
    meanings = [in_language(scale.levels.get(score, {}), language) for score in scores]
    yield _row([ANY_DIMENSION, "", *map(_cell, meanings)])
    yield ""
    yield from _settings(protocol)


def _settings(protocol: EvalProtocol) -> Iterator[str]:
    scale, verdict = protocol.scale(), protocol.verdict
    yield f"- id: {protocol.id}"
    if protocol.version != "1":
        yield f'- version: "{protocol.version}"'
    policy = protocol.evidence
    if policy == EvidencePolicy("none"):
        yield "- evidence: no"
    elif policy != EvidencePolicy("every_dimension"):
        unusual = {"required": policy.required, "allow_ellipsis": str(policy.allow_ellipsis).lower()}
        unusual |= {"cite": policy.cite} if policy.cite != EvidencePolicy("none").cite else {}
        yield f"- evidence: {{{', '.join(f'{key}: {value}' for key, value in unusual.items())}}}"
    usual = default_verdict(int(scale.minimum), int(scale.maximum), len(protocol.dimensions))
    if verdict is None:
        yield "- verdict: no"
    elif (verdict.fail_at_most, verdict.pass_at_least) != (usual["fail_at_most"], usual["pass_at_least"]):
        yield f"- verdict: {{fail_at_most: {verdict.fail_at_most:.12g}, pass_at_least: {verdict.pass_at_least:.12g}}}"


def _named(dimension: Dimension, language: str) -> str:
    name = in_language(dimension.name, language)
    return dimension.id if name == default_name(dimension.id) else f"{_cell(name)} (`{dimension.id}`)"


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    return re.sub(r"([\\|<])", r"\\\1", text.strip()).replace("\n", "<br>")
