"""Reports at their limits: what is listed of as many models, levels, questions or judges as fit, and of one more."""

from __future__ import annotations

import hashlib

import polars as pl
import pytest

from golden_values import assert_as_kept
from venire.domain.label import Label
from venire.reports.report import Choices
from venire.workflows.analyse import analyse


def chance(*parts):
    """Give a number from 0 to 1 that is the same on every machine."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:6]) / 2**48


def rows_of(models=2, questions=6, variants=1, judges=2, verdicts=0):
    for number in range(models * questions * variants):
        model, question, variant = number % models, number // models % questions, number // models // questions
        for judge in range(judges):
            row = {
                "output_id": f"o{number}", "target_model": f"m{model:02}", "question_id": f"q{question:02}",
                "prompt_variant": f"v{variant:02}", "country": "one", "judge": f"j{judge:02}",
            }  # fmt: skip
            score = round(8 - model / 4 + 2 * chance(number) - chance(judge, number), 1)
            said = int(verdicts * chance(number, judge)) if number else judge % max(verdicts, 1)
            yield row | ({"verdict": f"w{said:02}"} if verdicts else {"score": min(10.0, max(0.0, score))})


SIZES = {
    "models": ({"models": 12}, {"models": 13}),
    "levels": ({"variants": 12, "questions": 5}, {"variants": 13, "questions": 4}),
    "questions": ({"questions": 40, "variants": 2}, {"questions": 41, "variants": 2}),
    "judges": ({"judges": 20, "verdicts": 20}, {"judges": 21, "verdicts": 21}),
}
"""What a report can list all of, and one more than that."""


def outline(report):
    for section in report.sections:
        yield f"{section.id}: {', '.join(note.key for note in section.notes) or 'no note'}"
        for table in section.tables:
            first = [] if not table.rows else table.rows[0].names
            yield f"  {table.id}: {len(table.rows)} rows by {len(table.columns)}, first {' · '.join(first)}"


@pytest.mark.parametrize("name", SIZES)
def test_what_a_report_lists_at_its_limits_stays(name, tmp_path):
    kept = []
    for place, size in enumerate(SIZES[name]):
        path = tmp_path / f"{place}.csv"
        pl.DataFrame(list(rows_of(**size))).write_csv(path)
        fields = {"verdict": "w00"} if "verdicts" in size else {"score": 7.0}
        labels = [Label(output_id=f"o{number}", rater="p1", **fields) for number in range(40)]
        scale = None if "verdicts" in size else (0, 10)
        report = analyse(path, Choices(scale=scale, factors=("country",)), labels=tuple(labels))
        kept += [f"== {size}", *outline(report)]
    assert_as_kept(f"report_limits_{name}.txt", "\n".join(kept) + "\n")
