"""`venire report` on tables that hold verdicts and no scores: labels of any kind, and winners of two."""

from __future__ import annotations

import random

import pytest

import odd_tables
from venire.cli.decide.compare import compare
from venire.cli.report import report
from venire.errors import InputError, UsageError
from venire.reports.report import Choices
from venire.stats import cohen_kappa, krippendorff_alpha
from venire.stats.ratings.matrix import from_long
from venire.workflows.analyse import analyse
from venire.workflows.evidence.from_table import read_table
from venire.workflows.evidence.label_file import read_labels

JUDGES = {"oak": 0.95, "elm": 0.9, "ash": 0.6}


def drawn(good="PASS", bad="FAIL", outputs=60):
    """Return rows of output, judge, model and verdict by judges that are right with different probabilities."""
    random.seed(7)
    rows, truth = [], {}
    for number in range(outputs):
        truth[f"u{number}"] = good if number % 3 else bad
        for judge, skill in JUDGES.items():
            right = random.random() < skill
            other = bad if truth[f"u{number}"] == good else good
            model = "alder" if number % 2 else "birch"
            rows.append((f"u{number}", judge, model, truth[f"u{number}"] if right else other))
    return rows, truth


def cells_of(path, **choices):
    return {cell.id: cell for cell in analyse(path, Choices(**choices)).cells()}


@pytest.mark.parametrize(
    ("column", "good", "bad"),
    [("verdict", "PASS", "FAIL"), ("score", "C", "I"), ("label", "cat", "dog"), ("Decision", "合格", "不合格")],
)
def test_verdicts_of_any_kind_load_with_kappa_alpha_and_models_of_hidden_verdicts(tmp_path, column, good, bad):
    rows, _ = drawn(good, bad)
    path = odd_tables.write(tmp_path / "verdicts.csv", ("output_id", "judge", "model", column), rows)
    cells = cells_of(path)
    matrix = from_long(*zip(*((unit, judge, verdict) for unit, judge, _, verdict in rows), strict=True))
    assert cells["verdicts.verdict.alpha_nominal"].value == pytest.approx(krippendorff_alpha(matrix, "nominal").value)
    pair = from_long(*zip(*((u, j, v) for u, j, _, v in rows if j in ("oak", "elm")), strict=True))
    assert cells["verdict_pairs.oak.elm"].value == pytest.approx(cohen_kappa(pair).value)
    for model in ("dawid_skene", "mace"):
        assert cells[f"competence.oak.{model}"].value > cells[f"competence.ash.{model}"].value
    share = sum(verdict == good for _, _, model, verdict in rows if model == "alder") / 90
    assert cells[f"verdict_shares_target_model.alder.{good}"].value == pytest.approx(share)


def test_verdicts_are_held_against_labels_in_a_file_or_in_a_column(tmp_path):
    rows, truth = drawn()
    path = odd_tables.write(tmp_path / "v.csv", ("output_id", "judge", "model", "verdict"), rows)
    labels = odd_tables.write(tmp_path / "labels.csv", ("output_id", "verdict"), truth.items())
    beside = odd_tables.write(
        tmp_path / "beside.csv",
        ("output_id", "judge", "model", "verdict", "gold"),
        [(*row, truth[row[0]]) for row in rows],
    )
    right = sum(verdict == truth[unit] for unit, judge, _, verdict in rows if judge == "ash") / 60
    by_file = {cell.id: cell for cell in analyse(path, Choices(), labels=read_labels(labels)).cells()}
    for cells in (by_file, cells_of(beside)):
        assert cells["people_verdicts.ash.same_verdict"].value == pytest.approx(right)
        assert "people_verdicts.ash.kappa" in cells


def test_a_missing_verdict_is_no_verdict_of_its_own(tmp_path):
    rows, _ = drawn()
    holes = [(*row[:3], "" if place == 0 else row[3]) for place, row in enumerate(rows)]
    path = odd_tables.write(tmp_path / "v.csv", ("output_id", "judge", "model", "verdict"), holes)
    material, _ = read_table(path, Choices())
    assert material.primary.excluded == {"without a score": 1}
    assert set(material.levels("verdict")) == {"PASS", "FAIL"}


def compared(leaning):
    """Return comparisons in both orders by a judge that prefers the first place with some probability."""
    random.seed(3)
    rows = []
    for number in range(80):
        for first, second in (("alder", "birch"), ("birch", "alder")):
            won = "A" if random.random() < leaning else ("A" if first == "alder" else "B")
            rows.append((f"q{number}", "oak", first, second, "tie" if number == 0 else won))
    return rows


def test_a_winner_of_two_gives_position_bias_where_the_order_is_given(tmp_path):
    head = ("question_id", "judge", "model_a", "model_b", "winner")
    fair = cells_of(odd_tables.write(tmp_path / "fair.csv", head, compared(0.0)))
    leaning = cells_of(odd_tables.write(tmp_path / "leaning.csv", head, compared(0.8)))
    assert fair["position.oak.first_place"].value == 0
    assert fair["position.oak.flips"].value == 0
    assert leaning["position.oak.first_place"].value > 0.3
    assert leaning["position.oak.both_orders"].value == 80
    assert fair["verdict_shares_rater.oak.alder"].value == pytest.approx(158 / 160)
    assert fair["verdict_shares_rater.oak.alder"].n["clusters"] == 80


def test_a_label_on_a_pair_counts_in_both_orders(tmp_path):
    head = ("question_id", "judge", "model_a", "model_b", "winner", "human_verdict")
    rows = [(*row, "A" if row[2] == "alder" else "B") for row in compared(0.0)]
    cells = cells_of(odd_tables.write(tmp_path / "pairs.csv", head, rows))
    assert cells["people_verdicts.oak.labelled"].value == 160
    assert cells["people_verdicts.oak.same_verdict"].value == pytest.approx(158 / 160)


def test_agreement_on_pairs_allows_for_two_outputs_that_can_win_and_not_for_all_models(tmp_path):
    random.seed(5)
    head, rows = ("question_id", "judge", "model_a", "model_b", "winner", "human_verdict"), []
    for number in range(300):
        first, second = random.sample([f"m{model}" for model in range(12)], 2)
        truth = random.choice("AB")
        for judge in ("oak", "elm"):
            said = truth if random.random() < 0.75 else "AB"[truth == "A"]
            rows.append((f"q{number}", judge, first, second, said, truth))
    cells = cells_of(odd_tables.write(tmp_path / "pairs.csv", head, rows))
    same = sum(row[4] == row[5] for row in rows if row[1] == "oak") / 300
    assert cells["people_verdicts.oak.same_verdict"].value == pytest.approx(same)
    # A judge that says either place half the time is right half the time: kappa is about 2 · 0.75 − 1.
    assert cells["people_verdicts.oak.kappa"].value == pytest.approx(2 * same - 1, abs=0.01)
    assert 0.45 < cells["people_verdicts.oak.base_rate"].value < 0.6
    one, two = ([row[4] for row in rows if row[1] == judge] for judge in ("oak", "elm"))
    by_place = cohen_kappa([["AB".index(said), "AB".index(other)] for said, other in zip(one, two, strict=True)])
    assert cells["verdict_pairs.oak.elm"].value == pytest.approx(by_place.value)
    assert "confusion.oak.first.first" in cells


def test_a_verdict_that_names_neither_output_is_undecided(tmp_path):
    head = ("question_id", "judge", "first", "second", "winner")
    rows = [("q1", "oak", "x", "y", "unclear"), ("q1", "oak", "y", "x", "first")]
    options = {"columns": {"first": "first", "second": "second"}}
    material, _ = read_table(odd_tables.write(tmp_path / "p.csv", head, rows), Choices(**options))
    assert [(pair.first, pair.outcome) for pair in material.pairs] == [("y", 1.0)]
    assert set(material.levels("verdict")) == {"unclear", "y"}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_report_on_verdicts_says_nothing_about_scores_it_does_not_have(tmp_path, capsys, language):
    path = odd_tables.write(tmp_path / "v.csv", ("output_id", "judge", "model", "verdict"), drawn()[0])
    report.main([str(path), "--lang", language], standalone_mode=False)
    shown = capsys.readouterr().out
    assert "PASS" in shown
    assert ("Leaderboard" if language == "en" else "排行榜") not in shown
    assert not any(mark in shown for mark in ("section.", "table.", "column.", "verdicts."))


def test_verdicts_are_not_compared_as_if_they_were_scores(tmp_path):
    path = odd_tables.write(tmp_path / "v.csv", ("output_id", "judge", "model", "verdict"), drawn()[0])
    with pytest.raises(UsageError, match="found verdicts only"):
        compare.main([str(path), "--models", "alder", "birch"], standalone_mode=False)


def test_a_table_with_neither_scores_nor_verdicts_is_refused(tmp_path):
    path = odd_tables.write(tmp_path / "v.csv", ("output_id", "judge", "remark"), [("u1", "oak", "fine")])
    with pytest.raises(InputError, match="no column holds the score"):
        read_table(path, Choices())


def test_pairs_without_a_judge_are_sent_to_rank_and_no_column_is_taken_for_one(tmp_path):
    path = odd_tables.write(tmp_path / "p.csv", ("prompt", "first", "second", "winner"), [("Why?", "a", "b", "first")])
    with pytest.raises(InputError, match="no column that names the judge") as stop:
        read_table(path, Choices())
    assert "`venire rank p.csv`" in stop.value.hint
    assert "prompt" not in stop.value.hint


def test_only_a_column_of_few_names_is_proposed_for_the_judge(tmp_path):
    rows = [(f"u{n}", f"What is {n}?", "oak" if n % 2 else "elm", n) for n in range(8)]
    path = odd_tables.write(tmp_path / "s.csv", ("output_id", "prompt", "who", "score"), rows)
    with pytest.raises(InputError, match="no column holds the judge") as stop:
        read_table(path, Choices())
    assert "--column judge=who" in stop.value.hint
    path = odd_tables.write(tmp_path / "s.csv", ("output_id", "prompt", "score"), [(u, p, s) for u, p, _, s in rows])
    assert read_table(path, Choices())[0].assumed_judge == "score"


def test_a_table_as_rank_reads_it_is_reported_with_accuracy_in_both_orders(tmp_path):
    rows = ["pair_id,first,second,winner,judge,order,question,gold"]
    for number in range(30):
        for judge, loves_first in (("oak", number % 10 == 0), ("elm", number % 2 == 0)):
            for order, (first, second) in enumerate((("alder", "birch"), ("birch", "alder"))):
                won = "first" if loves_first else "alder"  # People prefer alder throughout.
                rows.append(f"p{number},{first},{second},{won},{judge},{order},q{number},alder")
    path = tmp_path / "pairs.csv"
    path.write_text("\n".join(rows) + "\n")
    tables = {table.id: table for section in analyse(path, Choices()).sections for table in section.tables}
    found = {row.names[0]: [cell.value for cell in row.cells] for row in tables["people_orders"].rows}
    assert found == {"oak": [0.9, 1.0, 30], "elm": [0.5, 1.0, 30]}
    position = {row.names[0]: row.cells[1].value for row in tables["position"].rows}
    assert position == {"oak": pytest.approx(0.1), "elm": pytest.approx(0.5)}
    assert [row.names[0] for row in tables["ranking"].rows] == ["alder", "birch"]
