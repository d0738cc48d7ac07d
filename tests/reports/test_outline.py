"""What a report is made of stays: programs find numbers by these names, and readers the notes beside them."""

from __future__ import annotations

from golden_values import assert_as_kept
from venire.words.said import Said


def code_of(text):
    return text.code if isinstance(text, Said) else text


def note(each):
    marks = "".join(mark for mark, is_so in (("!", each.warning), ("¶", each.begins)) if is_so)
    return f"  note {each.key}{marks} ({', '.join(sorted(each.arguments))})"


def lines_of(report):
    for section in report.sections:
        yield section.id
        yield from map(note, section.notes)
        for table in section.tables:
            yield f"  table {table.id} by {', '.join(table.heads)}: {len(table.rows)} rows"
            for place, column in enumerate(table.columns):
                cells = [row.cells[place] for row in table.rows]
                units = sorted({each.unit for each in cells})
                known = sum(each.value is not None for each in cells)
                counted = sorted({name for each in cells for name in each.n})
                scales = sorted({each.scale for each in cells if each.scale})
                among = sorted({each.rows.among for each in cells})
                by = sorted({name for each in cells for name in each.rows.where})
                yield (
                    f"    {column.id}: {known} known, {', '.join(units)} of {', '.join(counted) or 'nothing counted'}; "
                    f"{scales or 'no scale'}; {', '.join(among)} rows by {', '.join(by) or 'nothing'}"
                )


def test_sections_notes_tables_and_columns_of_a_report_stay(report):
    assert_as_kept("report_outline.txt", "".join(f"{line}\n" for line in lines_of(report)))
