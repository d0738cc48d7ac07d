"""Two runs side by side: what got worse and better, and when runs are not compared at all."""

from pathlib import Path

import msgspec
import pytest

from experiment import make_judge
from report_ledger import design, rating, scoring, ten_categories, write_ledger
from venire.ledger.location import open_ledger
from venire.workflows.outputs.ledger_outputs import LedgerOutputs
from venire.workflows.outputs.run_changes import MatchedBy, RunChanges, compare_runs, side_of


def compared(path: Path) -> RunChanges:
    ledger = open_ledger(str(path), read_only=True)
    outputs = LedgerOutputs(ledger, str(path))
    while outputs.catch_up():
        pass
    after, before = outputs.runs()[:2]
    planned = {run["id"]: outputs.planned(run) for run in (before, after)}
    found = compare_runs(outputs.index, side_of(before), side_of(after), planned)
    outputs.close()
    ledger.close()
    return found


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return write_ledger(tmp_path / "ledger.sqlite", design(questions=2), {"oak": scoring()})


def test_outputs_that_were_written_anew_are_found_by_name_and_listed_both_ways(ledger):
    worth = {"q0-baseline-explicit-alder-1": 1, "q1-conflict-implicit-birch-2": 8}
    anew = [
        msgspec.structs.replace(each, text=f"An answer of worth {worth[each.output_id]}.")
        if each.output_id in worth
        else each
        for each in design(questions=2)
    ]
    write_ledger(ledger, anew, {"oak": scoring()})
    found = compared(ledger)
    assert (found.matched_by, found.common, found.rewritten) == (MatchedBy.NAME, 16, 2)
    assert [(each.name, each.score_after) for each in found.worse] == [("q0 · baseline · en · explicit", 1.25)]
    assert [(each.name, each.score_after) for each in found.better] == [("q1 · conflict · zh · implicit", 10.0)]
    assert found.flips == {("PASS", "FAIL"): 1, ("FAIL", "PASS"): 1}
    assert found.judges_changed == ()


def test_what_a_run_took_over_from_an_earlier_one_counts_as_its_own(ledger):
    write_ledger(ledger, design(questions=3), {"oak": scoring()})
    found = compared(ledger)
    assert (found.common, found.only_before, found.only_after) == (16, 0, 8)
    assert (found.worse, found.better, found.rewritten) == ((), (), 0)


def test_a_judge_of_another_version_is_named(ledger):
    judge = make_judge("oak", weight=1.0, prompt_version="second")
    write_ledger(ledger, design(questions=2), {"oak": scoring(severity=1)}, [judge])
    found = compared(ledger)
    assert found.judges_changed == ("oak",)
    assert found.worse_count > 10
    assert found.better_count == 0


def test_another_model_is_found_by_question_and_variant(tmp_path):
    path = write_ledger(tmp_path / "ledger.sqlite", design(["alder-1"], questions=1), {"oak": scoring()})
    write_ledger(path, design(["birch-2"], questions=1), {"oak": scoring()})
    found = compared(path)
    assert (found.matched_by, found.common, found.worse_count) == (MatchedBy.QUESTION, 4, 4)


def test_runs_of_different_protocols_are_not_compared(ledger):
    write_ledger(ledger, ten_categories(["alder-1"], 1), {"oak": rating()}, protocol="quality")
    found = compared(ledger)
    assert not found.is_comparable
    assert (found.common, found.worse, found.better) == (0, (), ())
