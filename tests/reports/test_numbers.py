"""The numbers of whole reports stay: each cell with its interval and its basis, each note with what it says.

What single sections compute has tests of its own, against second computations; here a change anywhere on the way from
rows to a page is seen. If a number is meant to change, the golden file says which others did.
"""

from __future__ import annotations

import hashlib

import polars as pl
import pytest

from experiment import make_judge
from kept_reports import keep
from report_ledger import rating, ten_categories, write_ledger
from shaped_ledgers import (
    write_claims,
    write_conversation,
    write_judged_and_voted_pairs,
    write_judged_pairs,
    write_repeats,
    write_voted_pairs,
    write_votes,
)
from venire.domain.label import Label
from venire.judges.panel import Price
from venire.protocols.catalogue import find_protocol
from venire.reports.report import Choices
from venire.stats.ratings.rollup import RollupDimension, RollupPlan
from venire.workflows.analyse import analyse


def chance(*parts):
    """Give a number from 0 to 1 that is the same on every machine."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:6]) / 2**48


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Three models and three judges on 24 questions: one judge likes its own model, and long outputs."""
    rows = []
    for question in range(24):
        for place, model in enumerate(("alder", "birch", "cedar")):
            length = 40 + round(400 * chance("length", question, model))
            worth = 6 - place + 3 * chance(question, model) - 2 * chance("hard", question)
            for judge in ("alder", "oak", "elm"):
                likes = 1.5 * (judge == model) + (length / 200) * (judge == "oak")
                score = min(10, max(0, round(worth + likes + chance(judge, question, model), 1)))
                rows.append({
                    "output_id": f"{question}-{model}", "question_id": f"q{question}", "target_model": model,
                    "judge": judge, "score": score, "clarity": round(score / 2) * 2.0, "length": length,
                    "language": "zh" if question % 2 else "en",
                    "prompt_variant": "short" if question % 4 < 2 else "long",
                    "verdict": "PASS" if score > 5 else "FAIL",
                })  # fmt: skip
    path = tmp_path_factory.mktemp("numbers") / "scores.csv"
    pl.DataFrame(rows).write_csv(path)
    return path


def test_the_numbers_of_a_table_with_labels_stay(table):
    frame = pl.read_csv(table).filter(pl.col("judge") == "elm")
    labels = tuple(
        Label(output_id=name, score=min(10.0, score + 0.5), verdict=verdict, rater="p1")
        for name, score, verdict in frame.select("output_id", "score", "verdict").rows()[::2]
    )
    columns = {"unit": "output_id", "rater": "judge", "overall": "score"}
    report = analyse(table, Choices(columns=columns, scale=(0, 10), factors=("language",), include_self=True),
                     labels=labels)  # fmt: skip
    keep("a_table", report)


def test_the_numbers_of_a_quality_report_stay(tmp_path):
    judges = [
        make_judge("oak", weight=0.5, scale="1-5", price=Price(1.0, 2.0)),
        make_judge("elm", weight=0.3, scale="1-5"),
        make_judge("ash", weight=0.2, scale="1-5"),
    ]
    answers = {"oak": rating(), "elm": rating(lambda worth: worth - 0.5, overstated=0.2), "ash": rating(lambda _: 3.0)}
    path = write_ledger(tmp_path / "l.sqlite", ten_categories(), answers, judges, protocol="quality", reask_share=0.3)
    names = [category.id for category in find_protocol("quality").categories]
    plan = RollupPlan({
        "core": RollupDimension({names[0]: 2.0, names[1]: 1.0}, 0.75), "rest": RollupDimension(tuple(names[2:5]), 0.25),
    })  # fmt: skip
    report = analyse(path, Choices(rollup=plan))
    keep("quality", report)


def test_the_numbers_of_a_table_of_verdicts_stay(tmp_path):
    rows = [
        {"output_id": f"{question}-{model}", "question_id": f"q{question}", "target_model": model, "judge": judge,
         "verdict": "PASS" if chance(question, model) + 0.3 * chance(judge, question, model) > bar else "FAIL",
         "language": "zh" if question % 2 else "en"}
        for question in range(16)
        for model, bar in (("alder", 0.4), ("birch", 0.7))
        for judge in ("oak", "elm", "fir")
    ]  # fmt: skip
    pl.DataFrame(rows).write_csv(tmp_path / "verdicts.csv")
    labels = tuple(Label(output_id=f"{question}-alder", verdict="PASS", rater="p1") for question in range(0, 16, 2))
    report = analyse(tmp_path / "verdicts.csv", Choices(factors=("language",)), labels=labels)
    keep("verdicts", report)


def test_the_numbers_of_a_table_of_pairs_stay(tmp_path):
    models = ("alder", "birch", "cedar")
    rows = [
        {"pair_id": f"{question}-{'-'.join(sorted((first, second)))}", "question": f"q{question}", "judge": judge,
         "first": first, "second": second, "winner": winner(question, judge, first, second)}
        for question in range(10)
        for judge in ("oak", "elm")
        for first in models
        for second in models
        if first != second
    ]  # fmt: skip
    pl.DataFrame(rows).write_csv(tmp_path / "pairs.csv")
    report = analyse(tmp_path / "pairs.csv", Choices())
    keep("pairs", report)


def winner(question, judge, first, second):
    """The earlier in the alphabet is better; elm likes what stands first."""
    better = chance(question, judge, *sorted((first, second))) > 0.3
    drawn = first if better == (first < second) else second
    if judge == "elm" and chance(question, first, second) < 0.3:
        return first
    return "tie" if chance("tie", question, judge, first, second) < 0.1 else drawn


@pytest.mark.parametrize(
    "write",
    [
        write_claims,
        write_judged_pairs,
        write_voted_pairs,
        write_judged_and_voted_pairs,
        write_votes,
        write_conversation,
        write_repeats,
    ],
)
def test_the_numbers_of_every_shape_of_record_stay(write, tmp_path):
    report = analyse(str(write(tmp_path / "ledger.sqlite")), Choices())
    keep(write.__name__.removeprefix("write_"), report)
