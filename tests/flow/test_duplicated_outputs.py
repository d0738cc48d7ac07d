"""Copies of outputs within their question tell nothing new: no interval of a report, comparison or gate gets narrower.

An interval that took outputs for independent would be half as wide with four copies of each.
"""

from __future__ import annotations

import csv
import hashlib

import pytest

from venire.domain.label import Label
from venire.reports.report import Choices
from venire.workflows.analyse import analyse
from venire.workflows.compare import compare_levels, compare_runs
from venire.workflows.gate import hold_against_rules
from venire.workflows.gates.rules import load_rules

COPIES = 4
LEAST = 0.75
"""How much of its width an interval must keep; the square root of four copies would leave half."""
ONE_QUESTION = "clusters are outputs"
"""What the method line says where all outputs are of one question: there outputs stand for themselves."""
COLUMNS = {"unit": "output_id", "rater": "judge"}


def chance(*parts):
    """Give a number from 0 to 1 that is the same on every machine."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:6]) / 2**48


def rows(copies, questions, shift=0.0):
    """Give scores of two models by three judges, on questions that differ more than the models do."""
    for question in range(questions):
        for variant in ("baseline", "long"):
            for model in ("alder", "birch"):
                hard = 6 * chance("hard", question)
                worth = 2 + hard + 2 * chance("own", question, model) + (model == "birch") + shift
                for judge in ("alder", "oak", "elm"):
                    taste = 2 * chance("taste", judge, question) + chance(judge, question, model, variant)
                    score = min(10, max(0, round(worth + taste - 1)))
                    for copy in range(copies):
                        yield {
                            "output_id": f"{question}-{model}-{variant}#{copy}", "question_id": f"q{question}",
                            "target_model": model, "prompt_variant": variant, "judge": judge, "score": score,
                            "verdict": "FAIL" if score < 6 else "PASS", "length": 40 + round(300 * chance(question)),
                            "language": "zh" if question % 2 else "en",
                            "status": "invalid" if chance("bad", question) < 0.2 else "valid",
                        }  # fmt: skip


def write(path, copies, questions=16, drop=(), shift=0.0):
    kept = [{name: cell for name, cell in row.items() if name not in drop} for row in rows(copies, questions, shift)]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(kept[0]))
        writer.writeheader()
        writer.writerows(kept)
    return path


def labels(copies, questions=16):
    """Label the outputs to half of all questions as people might, and all copies alike."""
    for row in rows(copies, questions):
        number = int(row["question_id"][1:])
        if row["judge"] == "elm" and number % 2:
            worth = min(10.0, max(0.0, row["score"] + 3 * chance("people", number) - 1))
            yield Label(output_id=row["output_id"], score=worth, verdict="FAIL" if worth < 6 else "PASS", rater="p1")


def estimates_of(report):
    return {cell.id: cell for table in report.tables() for row in table.rows for cell in row.cells}


def narrowed(once, copied):
    """Name the numbers that stayed the same while their interval, or p value, shrank."""
    for name, before in once.items():
        after = copied.get(name)
        if after is None or before.value is None or after.value is None:
            continue  # Some numbers are of outputs by name.
        if name.endswith((".p", ".p_adjusted")):
            assert after.value > LEAST * before.value, (name, before.value, after.value)
        if after.value != pytest.approx(before.value, abs=1e-2):
            continue  # Agreement allows for how many ratings there are, and MACE learns from how many votes.
        if before.low is None or ONE_QUESTION in before.method:
            continue
        assert after.low is not None, (name, after.reason)
        if after.high - after.low < LEAST * (before.high - before.low):
            yield name, (after.high - after.low) / (before.high - before.low), before.method, before.n, after.n


@pytest.mark.parametrize(
    ("drop", "questions", "least"),
    [(("status",), 16, 200), (("score", "status"), 16, 60), (("status",), 6, 100)],
    ids=["scores", "verdicts", "few questions"],
)
def test_no_interval_of_a_report_is_narrower_with_copies(tmp_path, drop, questions, least):
    found = []
    for copies in (1, COPIES):
        path = write(tmp_path / f"{copies}.csv", copies, questions, drop)
        choices = Choices(columns=COLUMNS, scale=(0, 10), factors=("language",), include_self=True)
        found.append(estimates_of(analyse(path, choices, labels=tuple(labels(copies, questions)))))
    assert list(narrowed(*found)) == []
    assert sum(cell.low is not None for cell in found[0].values()) >= least


def test_no_interval_of_a_comparison_is_narrower_with_copies(tmp_path):
    choices = Choices(columns=COLUMNS, scale=(0, 10), include_self=True)
    found = []
    for copies in (1, COPIES):
        old, new = (
            write(tmp_path / f"{copies}-{shift}.csv", copies, drop=("status",), shift=shift) for shift in (0, 1)
        )
        given = tuple(labels(copies))
        compared = [
            compare_levels(old, "target_model", "alder", "birch", choices, labels=given, sequential=True),
            compare_runs(old, new, choices, labels=given, sequential=True),
        ]
        found.append({
            f"{place} {score.name} {what}": estimate
            for place, each in enumerate(compared)
            for score in each.scores
            for what, estimate in (
                ("first", score.first), ("second", score.second), ("difference", score.difference.test.difference),
                ("sequential", score.sequential.difference), ("needed", score.needed),
                ("corrected", score.corrected.corrected if score.corrected else score.needed),
            )
        })  # fmt: skip
    assert list(narrowed(*found)) == []
    assert sum(each.low is not None for each in found[0].values()) >= 10


RULES = """
rules:
  - {check: minimum_score, at_least: 5, confident: true}
  - {check: share_below, score: 5, at_most: 0.5, confident: true}
  - {check: verdict_share, at_most: 0.5, confident: true}
  - {check: invalid_share, at_most: 0.5, confident: true}
  - {check: agreement, at_least: 0.5, confident: true}
  - {check: no_drop, margin: 0.5}
  - {check: no_drop, margin: 0.5, sequential: true}
  - {check: non_inferiority, margin: 0.5}
  - {check: equivalence, margin: 0.5}
"""


@pytest.mark.parametrize("questions", [16, 6])
def test_no_interval_of_a_gate_is_narrower_with_copies(tmp_path, questions):
    (tmp_path / "rules.yaml").write_text(RULES)
    loaded = load_rules(tmp_path / "rules.yaml")
    found = []
    for copies in (1, COPIES):
        old, new = (write(tmp_path / f"{copies}-{shift}.csv", copies, questions, shift=shift) for shift in (0, 1))
        choices = Choices(columns=COLUMNS, scale=(0, 10), include_self=True)
        given = tuple(labels(copies, questions))
        result = hold_against_rules(loaded, new, baseline=old, choices=choices, labels=given)
        found.append({f"{each.line} {each.check}": each.found for each in result.results})
    assert list(narrowed(*found)) == []
    # A table holds neither replies nor a plan: how many are invalid or missing is not known.
    unknown = [name.split()[-1] for name, each in found[0].items() if each.low is None]
    assert (len(found[0]), unknown) == (10, ["invalid_share", "completeness"])
