"""Whole reports line by line, compared with those that are kept: their numbers, and the pages that show them."""

from __future__ import annotations

import re
from types import SimpleNamespace

from golden_values import assert_as_kept
from venire.reports.page.html_page import html_page
from venire.words.said import Said


def short(value):
    if isinstance(value, Said):
        told = ", ".join(f"{name}={short(each)}" for name, each in value.values.items())
        return f"{value.code}({told})" if told else value.code
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(short, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name}={short(each)}' for name, each in value.items())}}}"
    if hasattr(value, "__struct_fields__"):
        return short([getattr(value, name) for name in value.__struct_fields__ if getattr(value, name)])
    return str(value)


def cell_line(cell):
    parts = [cell.unit, short(cell.word or cell.text or cell.value)]
    parts += [f"{short(cell.low)}…{short(cell.high)}"] if cell.low is not None else []
    parts += [
        f"{name} {short(each)}" for name in ("n", "scale", "reason", "note", "method") if (each := getattr(cell, name))
    ]
    parts += [f"{cell.rows.among} rows {short(dict(cell.rows.where))}"]  # Numbers of entries follow who was quicker.
    return "; ".join(parts)


def lines_of(report):
    for section in report.sections:
        if section.id in {"cost", "run_log"}:  # They tell times.
            continue
        yield section.id
        for note in section.notes:
            marks = "".join(mark for mark, is_so in (("!", note.warning), ("¶", note.begins)) if is_so)
            yield f"  {note.key}{marks} {short(dict(note.arguments))}"
        for table in section.tables:
            yield f"  table {table.id}"
            for row in table.rows[:8]:
                yield f"    {' · '.join(row.names)}"
                for column, cell in list(zip(table.columns, row.cells, strict=True))[:10]:
                    yield f"      {column.id}: {cell_line(cell)}"


def keep(name, report):
    """Compare a report with the one that is kept: its numbers, and the pages that show them."""
    assert_as_kept(f"report_numbers_of_{name}.txt", "".join(f"{line}\n" for line in lines_of(report)))
    assert_as_kept(f"pages/{name}.txt", "".join(f"{line}\n" for line in page_lines(html_page(report, "en"))))


def keep_sections(name, sections):
    """Compare sections, each with the name of its case, with those that are kept; None stands for no section."""
    lines = []
    for case, section in sections.items():
        lines += [f"== {case}", *(lines_of(SimpleNamespace(sections=[section])) if section else ["none"])]
    assert_as_kept(f"sections/{name}.txt", "".join(f"{line}\n" for line in lines))


def page_lines(page):
    """Give the elements of a page with what is written in them, up to its record, which differs from run to run.

    Of each table these are the head and one row; entries and digests are left out too.
    """
    page = page.partition('id="group-record"')[0]
    page = re.sub(r"<(style|script)\b.*?</\1>", "", page, flags=re.DOTALL)
    page = re.sub(r"(<tbody>.*?</tr>).*?(</tbody>)", r"\1\2", page, flags=re.DOTALL)
    page = re.sub(r"\b(?=[0-9a-f]*\d)[0-9a-f]{8,64}\b|(?<=entry |ement-)\d+|(?<=\">)\d+(?=</a>)", "", page)
    found = re.findall(r"<[^/][^>]*>[^<]*|</[^>]*>\s*[^<\s][^<]*", page)
    return [" ".join(each.split()) for each in found]
