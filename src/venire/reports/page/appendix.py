"""The end of the page: the source of every number, and every judgement with its entry in the ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venire.reports.page.links import cell_anchor, line_anchor
from venire.reports.page.markup import Markup, join, tag
from venire.reports.rows_text import rows_text

if TYPE_CHECKING:
    from venire.reports.judgement_line import JudgementLine
    from venire.reports.report import Cell, Report
    from venire.reports.wording import Words

LINKED = 40
"""How many judgements are linked from one number; `venire trace` walks to all."""


def source_list(report: Report, words: Words) -> Markup:
    """Return a table with a row for each number."""
    heads = ("trace.cell", "trace.value", "trace.method", "trace.rests_on", "trace.rows")
    rows = [_source(cell, report, words) for cell in report.cells() if cell.unit != "word"]
    made = tag(
        "table", tag("thead", tag("tr", *(tag("th", words(head), scope="col") for head in heads))), tag("tbody", *rows)
    )
    return tag("div", made, class_="scroll sources")


def judgement_list(report: Report, words: Words) -> Markup:
    """Return all judgements with scores, quotes and the hash of their entry."""
    return join(*(_judgement(place, line, words) for place, line in enumerate(report.lines)))


def _source(cell: Cell, report: Report, words: Words) -> Markup:
    value = " ".join(filter(None, (words.value(cell), words.interval(cell))))
    method = words.method(cell.method)
    made = join(method, tag("br"), words.reason(cell.reason)) if cell.reason else join(method)
    return tag(
        "tr",
        tag("td", tag("code", cell.id)),
        tag("td", value),
        tag("td", made),
        tag("td", words.counts(cell.n)),
        tag("td", rows_text(cell.rows, words), _links(cell, report)),
        id=cell_anchor(cell),
    )


def _links(cell: Cell, report: Report) -> Markup:
    if cell.rows.among not in ("counted", "recorded") or not report.lines:
        return Markup("")
    places = [place for place, line in enumerate(report.lines) if cell.rows.holds(line)]
    linked = [
        tag("a", f"{report.lines[place].sequence or place + 1}", href=f"#{line_anchor(place)}")
        for place in places[:LINKED]
    ]
    more = f" … +{len(places) - LINKED}" if len(places) > LINKED else ""
    pieces = [piece for each in linked for piece in (" ", each)]
    return join(tag("br"), f"{len(places)}:", *pieces, more)


def _judgement(place: int, line: JudgementLine, words: Words) -> Markup:
    mark = "✓" if line.counted else "✗"
    about = " · ".join(
        filter(
            None,
            (
                line.output_id or line.unit,
                line.target_model,
                line.question_id,
                line.prompt_variant,
                *line.factors.values(),
            ),
        )
    )
    scores = ", ".join(f"{words.name(name)} {score:g}" for name, score in line.scores.items())
    result = " · ".join(
        filter(
            None,
            (f"{line.overall:g}" if line.overall is not None else words("unknown"), line.verdict, scores, line.status),
        )
    )
    entry = (
        tag("p", f"{words('page.entry')} {line.sequence} ", tag("code", line.entry_hash), class_="soft")
        if line.sequence
        else ""
    )
    quotes = [
        tag("blockquote", tag("span", f"{words.name(quote.dimension)}: ", class_="soft"), quote.text,
            "" if quote.found else f" ({words('trace.not_found')})")
        for quote in line.quotes
        if quote.text
    ]  # fmt: skip
    return tag(
        "div",
        tag("p", f"{mark} ", tag("strong", about), f" · {words('page.judged_by')} {line.rater} ({line.repeat})"),
        tag("p", result),
        entry,
        *quotes,
        class_="judgement",
        id=line_anchor(place),
    )
