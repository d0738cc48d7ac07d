import csv
import json

import pytest

from experiment import venire
from venire.errors import InputError
from venire.workflows.instruments.from_records import RecordLimits, examine_records


def _pairs(path, choose, count=60):
    """Write pairs in both orders, where the better of the two is known; `choose` says who wins in an order."""
    rows = []
    for number in range(count):
        better, worse = f"b{number}", f"w{number}"
        for first, second in ((better, worse), (worse, better)):
            won = choose(number, first, better)
            rows.append(
                {"judge": "oak", "item": f"q{number}", "first": first, "second": second, "winner": won, "gold": better}
            )
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return path


def _outcome(path):
    (found,) = examine_records(path, RecordLimits())
    return found.outcome, {each.family: (each.failures, each.trials, each.standing) for each in found.rates}


def test_a_judge_that_is_right_in_both_orders_qualifies(tmp_path):
    outcome, rates = _outcome(_pairs(tmp_path / "t.csv", lambda number, first, better: better))
    assert outcome == "qualified"
    assert rates == {"wrong": (0, 60, "within"), "flipped": (0, 60, "within")}


def test_a_judge_that_loves_the_first_is_struck_for_its_flips(tmp_path):
    outcome, rates = _outcome(_pairs(tmp_path / "t.csv", lambda number, first, better: "A"))
    assert outcome == "struck"
    assert rates["flipped"] == (60, 60, "beyond")


def test_few_pairs_decide_nothing_and_it_says_how_many_more(tmp_path, capsys):
    table = _pairs(tmp_path / "t.csv", lambda number, first, better: better, count=5)
    assert venire("voir-dire", table) == 1
    said = capsys.readouterr().out
    assert "oak is undecided" in said
    assert "more observations" in said


def test_verdicts_without_pairs_are_held_against_labels_alone(tmp_path):
    table = tmp_path / "t.jsonl"
    rows = [
        {
            "judge": "oak",
            "output_id": f"o{n}",
            "verdict": "PASS" if n % 4 else "FAIL",
            "gold": "pass" if n % 2 else "fail",
        }
        for n in range(80)
    ]
    table.write_text("".join(json.dumps(row) + "\n" for row in rows))
    outcome, rates = _outcome(table)
    assert rates == {"wrong": (20, 80, "open")}
    assert outcome == "undecided"


def test_rows_without_a_judge_a_verdict_or_a_label_are_not_counted(tmp_path):
    table = tmp_path / "t.jsonl"
    whole = [
        {"judge": "oak", "output_id": f"o{n}", "verdict": "pass", "gold": "fail" if n else "pass"} for n in range(4)
    ]
    lacking = [whole[0] | {"output_id": f"x {name}", name: ""} for name in ("judge", "verdict", "gold")]
    table.write_text("".join(json.dumps(row) + "\n" for row in (*lacking, *whole)))
    assert _outcome(table)[1] == {"wrong": (3, 4, "open")}


def test_labels_of_one_class_only_are_refused(tmp_path, capsys):
    table = tmp_path / "t.csv"
    table.write_text("judge,item,verdict,gold\noak,1,PASS,PASS\noak,2,FAIL,PASS\n")
    with pytest.raises(InputError, match="'pass'"):
        examine_records(table, RecordLimits())
    assert venire("voir-dire", table) == 2


def test_a_table_without_labels_is_refused_with_what_to_do(tmp_path, capsys):
    table = tmp_path / "t.csv"
    table.write_text("judge,item,verdict\noak,1,PASS\n")
    assert venire("voir-dire", table) == 2
    assert "gold" in capsys.readouterr().err
