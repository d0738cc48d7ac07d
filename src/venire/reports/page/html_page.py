"""The report as one self-contained page: nothing is loaded from elsewhere, and no script is needed to read it."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from venire.reports.page.appendix import judgement_list, source_list
from venire.reports.page.figures import figures
from venire.reports.page.links import cell_link
from venire.reports.page.markup import Markup, join, tag
from venire.reports.wording import Words

if TYPE_CHECKING:
    from venire.reports.report import Cell, Note, Report, Section, Table

LONG = 24
"""From how many characters on words may be broken anywhere, as digests have no blanks."""

TRACE = "venire trace REPORT.json CELL"
"""How a number is followed on the command line."""


def html_page(report: Report, language: str) -> str:
    """Return the page in a language; the same report gives the same bytes."""
    words = Words(language, report.names)
    style = files("venire.reports.page").joinpath("style.css").read_text("utf-8")
    title = f"{words('title')} · {report.origin.name}"
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", http_equiv="Content-Security-Policy", content="default-src 'none'; style-src 'unsafe-inline'"),
        tag("title", title),
        tag("style", Markup(style)),
    )
    body = tag(
        "body", _header(report, words), *(_section(each, words) for each in report.sections), _appendix(report, words)
    )
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='zh-Hans' if language == 'zh' else 'en')}\n"


def _header(report: Report, words: Words) -> Markup:
    origin, choices = report.origin, report.choices
    listed = [tag("li", tag("a", words(f"section.{each.id}"), href=f"#{each.id}")) for each in report.sections]
    return tag(
        "header",
        tag("h1", words("title")),
        tag("p", words("subtitle", name=origin.name, digest=origin.digest or "–"), class_="soft"),
        tag("p", words("made_by", version=report.software, seed=choices.seed), " ",
            words("interval_note", level=f"{choices.level:.0%}".replace("%", " %")), class_="soft"),
        tag("nav", tag("ul", *listed), aria_label=words("contents")),
    )  # fmt: skip


def _section(section: Section, words: Words) -> Markup:
    pictures = figures(section, words)
    return tag(
        "section",
        tag("h2", words(f"section.{section.id}")),
        _paragraphs(section.notes, words),
        *pictures,
        *(_table(table, words) for table in section.tables),
        id=section.id,
        class_="lead" if section.id == "summary" else None,
    )


def _paragraphs(notes: tuple[Note, ...], words: Words) -> Markup:
    between = "" if words.language == "zh" else " "
    paragraphs: list[list[str]] = [[]]
    for note in notes:
        if note.begins:
            paragraphs.append([])
        if not note.warning:
            paragraphs[-1].append(words.sentence(note))
    plain = [tag("p", between.join(sentences)) for sentences in paragraphs if sentences]
    return join(*plain, *(tag("p", words.sentence(note), class_="warning") for note in notes if note.warning))


def _table(table: Table, words: Words) -> Markup:
    if not table.rows:
        return Markup("")
    head = [
        *(tag("th", words.head(head), scope="col") for head in table.heads),
        *(
            tag("th", words.column(column), scope="col", class_="number" if _is_number(table, place) else None)
            for place, column in enumerate(table.columns)
        ),
    ]
    rows = [
        tag(
            "tr",
            *(
                tag("th", words.row_name(head, name), scope="row")
                for head, name in zip(table.heads, row.names, strict=True)
            ),
            *(_cell(cell, words, number=_is_number(table, place)) for place, cell in enumerate(row.cells)),
        )
        for row in table.rows
    ]
    made = tag("table", tag("caption", words.table(table.id)), tag("thead", tag("tr", *head)), tag("tbody", *rows))
    return tag("div", made, class_="scroll")


def _is_number(table: Table, place: int) -> bool:
    return any(row.cells[place].unit != "word" for row in table.rows)


def _cell(cell: Cell, words: Words, *, number: bool) -> Markup:
    if cell.unit == "word" and (cell.text or cell.word):
        shown = words.value(cell)
        return tag("td", shown, class_="number" if number else "long" if len(shown) > LONG else None)
    if cell.value is None:
        target = cell_link(cell) if cell.unit != "word" else None
        shown = tag("a", words("unknown"), href=target, class_="unknown", title=words.reason(cell.reason))
        return tag("td", shown, class_="number" if number else None)
    interval = words.interval(cell)
    return tag(
        "td",
        tag("a", words.value(cell), href=cell_link(cell)),
        tag("span", interval, class_="range") if interval else "",
        tag("span", words.band(cell), class_="range") if words.band(cell) else "",
        class_="number",
    )


def _appendix(report: Report, words: Words) -> Markup:
    return tag(
        "footer",
        tag(
            "section",
            tag("h2", words("section.sources")),
            tag("p", words("contained", command=TRACE)),
            tag("details", tag("summary", words("page.sources_read")), source_list(report, words)),
            id="sources",
        ),
        tag(
            "section",
            tag("h2", words("section.judgements")),
            tag("details", tag("summary", words("page.judgements_read")), judgement_list(report, words))
            if report.lines
            else tag("p", words("page.judgements_many", command=TRACE)),
            id="judgements",
        ),
        class_="screen",
    )
