"""Where people labelled outputs, report, compare and gate speak of the corrected difference first."""

import csv

import numpy as np
import pytest
from bench.stats.corrected import draw
from msgspec.structs import replace

from venire.cli.decide.compare import compare
from venire.errors import InputError
from venire.reports.formats.gate import RuleOutcome
from venire.reports.report import Choices
from venire.reports.words import ReportWords
from venire.workflows.analyse import analyse
from venire.workflows.compare import compare_levels, compare_runs
from venire.workflows.evidence.label_file import read_labels
from venire.workflows.gate import hold_against_rules
from venire.workflows.gates.rules import load_rules

SCALE = (0.0, 10.0)


def write(path, rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Hold the scores of two equal models, one of which the judges favour, and labels on half of the outputs."""
    path, generator = tmp_path_factory.mktemp("people"), np.random.default_rng(11)
    drawn = draw(generator, "normal", 60, 1, 0.0)
    heads = ("output_id", "judge", "score", "target_model", "question_id")
    rows = [
        (f"{'alder' if first else 'birch'}-{question}", "oak", round(5 + stated, 3),
         "alder" if first else "birch", f"q{question}")
        for stated, first, question in zip(*drawn[1:], strict=True)
    ]  # fmt: skip
    write(path / "scores.csv", [heads, *rows])
    for model in ("alder", "birch"):
        write(
            path / f"{model}.csv",
            [heads, *((f"o-{row[4]}", *row[1:]) for row in rows if row[3] == model)],
        )
    labels = [(row[0], round(5 + truth, 3)) for row, truth in zip(rows, drawn.truth, strict=True)]
    write(path / "labels.csv", [("output_id", "score"), *labels[::4], *labels[1::4]])
    return path


def test_the_reports_first_sentence_is_the_corrected_comparison(folder):
    report = analyse(folder / "scores.csv", Choices(scale=SCALE), labels=read_labels(folder / "labels.csv"))
    first, second, *_ = report.section("summary").notes
    assert first.key == "summary.corrected.open"
    assert (first.arguments["count"], second.key) == (60, "summary.corrected.part")
    said = ReportWords("en", {}).sentence(first)
    assert said.startswith("Corrected by 60 labels of people")
    assert "the judges alone see" in said
    assert second.arguments["favoured"] == "alder"


def test_without_labels_nothing_is_corrected(folder):
    report = analyse(folder / "scores.csv", Choices(scale=SCALE))
    assert not [note for note in report.section("summary").notes if note.key.startswith("summary.corrected")]


def test_compare_gives_the_corrected_difference_beside_the_judges_own(folder, capsys):
    options = ["--models", "birch", "alder", "--scale", "0", "10", "--labels", str(folder / "labels.csv")]
    assert compare.main([str(folder / "scores.csv"), *options], standalone_mode=False) == 0
    out = capsys.readouterr().out
    assert out.startswith("judges see +")
    assert "corrected by 60 labels of people" in out
    assert "the judges favour alder" in " ".join(out.split())
    found = compare_levels(
        folder / "scores.csv", "target_model", "birch", "alder", Choices(scale=SCALE),
        labels=read_labels(folder / "labels.csv"),
    ).scores[0]  # fmt: skip
    assert found.difference.test.p_value < 0.001 < 0.05 < found.corrected.p_value


def test_beside_an_interval_for_every_look_the_corrected_one_is_said_to_hold_at_one(folder):
    choices, labels = Choices(scale=SCALE), read_labels(folder / "labels.csv")
    for sequential in (True, False):
        found = compare_levels(
            folder / "scores.csv", "target_model", "birch", "alder", choices, labels=labels, sequential=sequential
        )
        assert ("compare.corrected_one_look" in [note.code for note in found.notes if note]) is sequential


def test_labels_that_name_nothing_that_was_compared_are_told(folder, tmp_path):
    strange = read_labels(write(tmp_path / "labels.csv", [("output_id", "score"), ("nobody", 3)]))
    choices = Choices(scale=SCALE)
    found = compare_levels(folder / "scores.csv", "target_model", "birch", "alder", choices, labels=strange)
    assert found.scores[0].corrected is None
    assert found.notes[0].code == "compare.no_labels_match"


def named(labels, full=True):
    """Return the labels by the names that outputs have in the tables of the two runs."""
    parts = [(label.output_id.split("-"), label) for label in labels]
    return tuple(
        replace(label, output_id=f"{model}/o-q{number}" if full else f"o-q{number}") for (model, number), label in parts
    )


def test_two_runs_are_corrected_by_labels_of_either(folder):
    labels = read_labels(folder / "labels.csv")
    runs = (folder / "birch.csv", folder / "alder.csv", Choices(scale=SCALE))
    apart = compare_runs(*runs, labels=named(labels)).scores[0].corrected
    beside = compare_levels(folder / "scores.csv", "target_model", "birch", "alder", runs[2], labels=labels)
    assert apart.labelled == (30, 30)
    assert apart.corrected.value == pytest.approx(beside.scores[0].corrected.corrected.value)
    assert apart.corrected.low == pytest.approx(beside.scores[0].corrected.corrected.low)


def test_labels_that_outputs_of_both_runs_share_are_left_out(folder):
    labels = named(read_labels(folder / "labels.csv"), full=False)
    found = compare_runs(folder / "birch.csv", folder / "alder.csv", Choices(scale=SCALE), labels=labels)
    assert found.scores[0].corrected is None
    assert (found.notes[0].code, found.notes[0].values) == ("compare.labels_shared", {"count": 60})


def test_a_gate_decides_by_people_where_it_is_asked_to(folder, tmp_path):
    rules = tmp_path / "gate.yaml"
    rules.write_text("rules:\n  - {check: no_drop, margin: 1.5}\n  - {check: no_drop, margin: 1.5, corrected: true}\n")
    labels = read_labels(folder / "labels.csv")

    def held(labels):
        choices = Choices(scale=SCALE)
        return hold_against_rules(
            load_rules(rules), folder / "birch.csv", baseline=folder / "alder.csv", choices=choices, labels=labels
        ).results

    plain, corrected, _ = held(named(labels))
    assert (plain.found.value < -0.5, abs(corrected.found.value) < 0.3) == (True, True)
    assert corrected.outcome is RuleOutcome.PASSED
    assert corrected.found.low > -1.5
    assert "judges and people disagree" in corrected.detail
    for given, why in (((), "--labels"), (named(labels, full=False), "it is unclear which one was labelled")):
        without = held(given)[1]
        assert without.outcome is RuleOutcome.UNKNOWN
        assert without.blocks
        assert why in without.detail


def test_a_single_dimension_that_is_the_overall_score_is_one_row(tmp_path):
    heads = ("output_id", "judge", "dimension", "score", "target_model", "question_id")
    rows = [(f"{m}{q}", "oak", "tone", 3 + (q + len(m)) % 4, m, f"q{q}") for q in range(8) for m in ("alder", "elm")]
    table = write(tmp_path / "one.csv", [heads, *rows])
    found = compare_levels(table, "target_model", "alder", "elm", Choices(scale=(0.0, 10.0)))
    assert [score.name for score in found.scores] == ["overall"]
    assert found.scores[0].adjusted_p == found.scores[0].difference.test.p_value
    both = [*rows, *((*row[:2], "facts", row[3] + row[0].count("1"), *row[4:]) for row in rows)]
    found = compare_levels(write(table, [heads, *both]), "target_model", "alder", "elm", Choices(scale=(0.0, 10.0)))
    assert len(found.scores) == 3


def test_labels_sought_where_outputs_are_bad_are_weighted_by_their_probabilities(tmp_path):
    generator, found = np.random.default_rng(21), {"probability": [], "": []}
    heads = ("output_id", "judge", "score", "target_model", "question_id")
    for _ in range(6):
        drawn = draw(generator, "normal", 120, 1, 0.0)
        chance = np.where(drawn.is_first & (drawn.truth < 0), 0.8, 0.25)
        rows = [(f"o{n}", "oak", 5, "alder" if own else "birch", f"q{n // 2}") for n, own in enumerate(drawn.is_first)]
        scores = write(tmp_path / "scores.csv", [heads, *rows])
        chosen = np.flatnonzero(generator.random(len(chance)) < chance)
        labels = [(f"o{n}", round(5 + drawn.truth[n], 3), chance[n]) for n in chosen]
        for column, differences in found.items():
            given = read_labels(write(tmp_path / "labels.csv", [("output_id", "score", column or "of"), *labels]))
            made = analyse(scores, Choices(scale=SCALE), labels=given)
            (row,) = next(table for table in made.tables() if table.id == "corrected_comparisons").rows
            differences.append(row.cells[0].value * (1 if row.names[0] == "alder" else -1))
    assert abs(np.mean(found["probability"])) < 0.15
    assert np.mean(found[""]) < -0.3


@pytest.mark.parametrize("cells", [["0.5", ""], ["0", "0.5"], ["1.5", "0.5"]])
def test_a_probability_must_be_one_and_stand_beside_every_label(tmp_path, cells):
    rows = [("output_id", "score", "probability"), *((f"o{n}", 3, cell) for n, cell in enumerate(cells))]
    with pytest.raises(InputError, match="probability"):
        read_labels(write(tmp_path / "labels.csv", rows))
