"""Which outputs a report holds, and what of them it counts."""

from __future__ import annotations

import csv
from pathlib import Path

from report_ledger import design, write_ledger
from shaped_ledgers import write_judged_pairs
from venire.reports.outputs.asked import Order, OutputFilter
from venire.reports.outputs.in_report import MOST_OUTPUTS
from venire.reports.page.html_page import html_page
from venire.reports.report import Choices
from venire.workflows.outputs.file_outputs import read_file_outputs
from venire.workflows.outputs.in_report import analyse_with_outputs
from venire.workflows.outputs.listing import list_outputs, read_facets


def write_table(path: Path, outputs: int) -> Path:
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["output_id", "question", "target_model", "judge", "score"])
        rows.writerows((f"o{place}", f"q{place % 7}", "alder", "oak", place % 5 + 1) for place in range(outputs))
    return path


def test_more_outputs_than_one_file_holds_are_left_out_and_the_command_is_named(tmp_path):
    table = write_table(tmp_path / "many.csv", MOST_OUTPUTS + 1)
    report, outputs = analyse_with_outputs(table, Choices(scale=(1, 5)))
    assert not outputs.is_whole
    assert outputs.kept == ()
    page = html_page(report, "en", outputs)
    assert f"venire view {table}" in page
    assert "More than 3\u202f000 outputs" in page
    assert "<script" not in page


def test_outputs_of_a_table_are_scored_as_the_report_scores_them(tmp_path):
    report, outputs = analyse_with_outputs(write_table(tmp_path / "few.csv", 10), Choices(scale=(1, 5)))
    assert [each.row.score for each in outputs.kept] == [0.0, 0.0, 2.5, 2.5, 5.0, 5.0, 7.5, 7.5, 10.0, 10.0]
    assert "This source does not hold the text" in html_page(report, "en", outputs)


def test_the_panel_of_an_output_is_the_leaderboards(tmp_path):
    ledger = write_ledger(tmp_path / "ledger.sqlite", design(questions=2))
    report, outputs = analyse_with_outputs(ledger, Choices())
    board = report.table("leaderboard")
    assert board is not None
    for row, score in zip(board.rows, board.column("score"), strict=True):
        own = [each.row.score for each in outputs.kept if each.row.model == row.names[0]]
        assert None not in own
        assert score.value is not None
        assert abs(sum(own) / len(own) - score.value) < 1e-9
    assert not (tmp_path / "ledger.sqlite.outputs").exists()  # A report leaves nothing beside the ledger.


def test_an_output_says_how_far_its_judges_are_apart_and_how_many_verdicts_it_has(tmp_path):
    given = {"alone": [("oak", 4, "PASS")], "apart": [("oak", 4, "PASS"), ("elm", 1, "FAIL"), ("fir", 3, "PASS")]}
    with (tmp_path / "t.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["output_id", "question", "target_model", "judge", "score", "verdict"])
        rows.writerows((name, "q1", "alder", *each) for name, judged in given.items() for each in judged)
    _, outputs = analyse_with_outputs(tmp_path / "t.csv", Choices(scale=(0, 10)))
    kept = {each.row.output_id: (each.row.apart, each.row.verdicts) for each in outputs.kept}
    assert kept == {"alone": (None, 1), "apart": (3.0, 2)}


def write_verdicts(path: Path, given: dict[str, list[str]]) -> Path:
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["output_id", "question", "target_model", "judge", "verdict"])
        rows.writerows(
            (name, "q1", "alder", f"judge{at}", each) for name, found in given.items() for at, each in enumerate(found)
        )
    return path


def test_verdicts_are_ordered_from_bad_to_good(tmp_path):
    given = {"good": ["PASS", "PASS"], "mixed": ["PASS", "FAIL"], "bad": ["FAIL", "FAIL"]}
    table = write_verdicts(tmp_path / "t.csv", given)
    report, outputs = analyse_with_outputs(table, Choices())
    assert [each.row.output_id for each in outputs.kept] == ["bad", "mixed", "good"]
    index = read_file_outputs(table, Choices()).index
    assert [row.output_id for row in list_outputs(index, OutputFilter()).rows] == ["bad", "mixed", "good"]
    assert [row.output_id for row in list_outputs(index, OutputFilter(), Order.BEST).rows] == ["good", "mixed", "bad"]
    index.close()
    assert "worst first" in html_page(report, "en", outputs)


def test_outputs_whose_order_nobody_knows_are_not_called_worst_first(tmp_path):
    table = write_verdicts(tmp_path / "t.csv", {"first": ["blue", "PASS"], "second": ["green", "green"]})
    report, outputs = analyse_with_outputs(table, Choices())
    assert [each.row.output_id for each in outputs.kept] == ["first", "second"]
    index = read_file_outputs(table, Choices()).index
    assert read_facets(index).orders == outputs.facets().orders == (Order.RECORDED, Order.DISPUTED)
    index.close()
    page = html_page(report, "en", outputs)
    assert "worst first" not in page
    assert ">as recorded</option>" in page


def test_judged_pairs_are_ordered_by_how_many_comparisons_an_output_won(tmp_path):
    _, outputs = analyse_with_outputs(write_judged_pairs(tmp_path / "pairs.sqlite"), Choices())
    shares = [each.row.good for each in outputs.kept]
    assert shares == sorted(shares)
    assert shares[0] < shares[-1]
