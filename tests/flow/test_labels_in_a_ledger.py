"""Labels in a ledger: brought in, drawn for, put before jurors, and used by report, compare and gate."""

import csv
import re

import msgspec
import pytest

from making_courts import open_bar
from report_ledger import design, scoring, write_ledger
from venire.cli.main import main
from venire.domain.label import LabelMaker
from venire.errors import InputError
from venire.ledger.entry import Kind
from venire.ledger.labels import read_draw
from venire.ledger.location import open_ledger
from venire.reports.formats.gate import RuleOutcome
from venire.reports.report import Choices
from venire.server.court.vote_views import Docket
from venire.server.pages.reply_form import compose_reply, questions
from venire.workflows.analyse import analyse
from venire.workflows.compare import compare_levels
from venire.workflows.evidence.from_source import read_evidence
from venire.workflows.gate import hold_against_rules
from venire.workflows.gates.rules import load_rules
from venire.workflows.labels.import_labels import import_labels
from venire.workflows.labels.next_labels import labels_next


@pytest.fixture
def ledger(tmp_path):
    """A ledger of 80 outputs of two models whose judges part on some of them."""
    answers = {"oak": scoring(), "elm": scoring(severity=1), "ash": parting}
    return write_ledger(tmp_path / "ledger.sqlite", design(questions=10), answers)


def parting(request):
    return scoring(severity=4 if re.search(r"names line [03]\.", request.user) else 0)(request)


def run(*words):
    with pytest.raises(SystemExit) as stop:
        main([str(word) for word in words])
    return stop.value.code


def write(path, rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def worth(text):
    return int(text.split("worth ")[1][0])


def labels_of(samples, **columns):
    rows = [(sample.output_id, worth(sample.text), *columns.values()) for sample in samples]
    return [("output_id", "score", *columns), *rows]


def fill_in(sheet, given=worth):
    """Label the outputs of a sheet as a person would."""
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    return write(sheet, [rows[0].keys(), *({**row, "score": given(row["output"])}.values() for row in rows)]), rows


def cells(report):
    return {cell.id: cell for cell in report.cells()}


def test_imported_labels_are_used_by_report_compare_and_gate_without_a_file(ledger, tmp_path, capsys):
    labels = write(tmp_path / "labels.csv", labels_of(design(questions=10)[::2] + design(questions=10)[1:40:2]))
    assert run("labels", "import", labels, "--ledger", ledger) == 0
    assert "60 labels recorded" in capsys.readouterr().out
    report = analyse(ledger, Choices())
    assert report.section("summary").notes[0].key.startswith("summary.corrected")
    assert report.section("summary").notes[0].arguments["count"] == 60
    found = compare_levels(ledger, "target_model", "alder-1", "birch-2", Choices()).scores[0]
    assert found.corrected is not None
    rules = tmp_path / "gate.yaml"
    rules.write_text("rules:\n  - {check: no_drop, margin: 1, corrected: true}\n")
    held = hold_against_rules(load_rules(rules), ledger, baseline=ledger).results[0]
    # A run beside itself: the labels are found, but say nothing of how far two runs may differ.
    assert held.found.n["labelled"] == 120
    assert held.outcome is RuleOutcome.UNKNOWN


def test_a_file_imported_twice_adds_nothing_and_a_new_score_replaces_the_old(ledger, tmp_path):
    one, *_ = design()
    path = write(tmp_path / "labels.csv", labels_of([one], rater="ann"))
    assert import_labels(path, str(ledger)).added == 1
    assert (import_labels(path, str(ledger)).added, import_labels(path, str(ledger)).known) == (0, 1)
    done = import_labels(write(path, [("output_id", "score", "rater"), (one.output_id, 1, "ann")]), str(ledger))
    assert (done.added, done.changed) == (1, 1)
    assert [label.score for label in read_evidence(ledger, Choices()).labels] == [1]


def test_labels_that_name_no_output_are_told_and_the_others_recorded(ledger, tmp_path, capsys):
    path = write(tmp_path / "labels.csv", [*labels_of(design()[:2]), ("nobody", 3)])
    assert run("labels", "import", path, "--ledger", ledger) == 1
    streams = capsys.readouterr()
    assert "2 labels recorded" in streams.out
    assert "nobody" in streams.err


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("output_id", "score"), ("q0-baseline-explicit-alder-1", 9)], "from 0 to 8, found 9"),
        ([("output_id", "score", "dimension"), ("q0-baseline-explicit-alder-1", 1, "STYLE")], "STYLE"),
        ([("output_id", "score"), *[("q0-baseline-explicit-alder-1", 1)] * 2], "second label"),
        ([("output_id", "score", "made_by"), ("q0-baseline-explicit-alder-1", 1, "robot")], "found robot"),
    ],
)
def test_what_is_wrong_with_a_label_is_named_and_nothing_is_recorded(ledger, tmp_path, rows, said):
    path = write(
        tmp_path / "labels.csv", [*rows[:1], ("q1-baseline-explicit-alder-1", 2, "")[: len(rows[0])], *rows[1:]]
    )
    with pytest.raises(InputError, match=said):
        import_labels(path, str(ledger))
    assert read_evidence(ledger, Choices()).labels == ()


def test_drawn_outputs_are_listed_with_probabilities_and_disputed_ones_are_likelier(ledger, tmp_path, capsys):
    sheet = tmp_path / "sheet.csv"
    assert run("labels", "next", ledger, "--n", 20, "--csv", sheet) == 0
    said = capsys.readouterr().out
    assert "20 outputs drawn now" in said
    assert "judges disagree" in said
    opened = open_ledger(str(ledger), read_only=True)
    (entry,) = opened.read(kinds=[Kind.LABEL_DRAW])
    draw = read_draw(entry.payload)
    assert len(draw.drawn) == len(set(draw.drawn)) == 20
    assert sum(draw.chances.values()) == pytest.approx(20, abs=0.01)
    digests = {sample.digest: sample for sample in design(questions=10)}
    likely = {sample.question_id: draw.chances[digest] for digest, sample in digests.items() if worth(sample.text) > 4}
    assert min(likely["q0"], likely["q3"]) > 1.5 * likely["q5"]
    text = sheet.read_text("utf-8-sig")
    assert "An answer of worth" in text
    assert "probability" not in text


def test_outputs_that_wait_for_a_label_come_before_new_ones(ledger, tmp_path):
    first = labels_next(str(ledger), 20)
    again = labels_next(str(ledger), 20)
    assert [each.output_id for each in again.outputs] == [each.output_id for each in first.outputs]
    assert (first.fresh, again.fresh) == (20, 0)
    more = labels_next(str(ledger), 30)
    assert (more.fresh, len({each.output_id for each in more.outputs})) == (10, 30)
    assert [each.probability for each in more.outputs[:20]] == [each.probability for each in first.outputs]


def test_labels_of_two_draws_weigh_by_the_chance_of_either(ledger, tmp_path):
    for _ in range(2):
        sheet = tmp_path / "sheet.csv"
        assert run("labels", "next", ledger, "--n", 20, "--random", "--csv", sheet) == 0
        filled, _ = fill_in(sheet)
        assert run("labels", "import", filled, "--ledger", ledger) == 0
    labels = read_evidence(ledger, Choices()).labels
    assert len(labels) == 40
    assert {round(label.probability, 3) for label in labels} == {round(1 - (1 - 20 / 80) * (1 - 20 / 60), 3)}
    report = analyse(ledger, Choices())
    assert "people.weighted" in [note.key for note in report.section("people").notes]


def test_a_draw_that_was_labelled_in_part_counts_as_so_much_smaller(ledger, tmp_path):
    sheet = tmp_path / "sheet.csv"
    run("labels", "next", ledger, "--n", 20, "--random", "--csv", sheet)
    fill_in(sheet, lambda text: worth(text) if worth(text) % 2 else "")
    done = import_labels(sheet, str(ledger))
    labels = read_evidence(ledger, Choices()).labels
    assert 0 < done.added < 20
    assert {round(label.probability, 6) for label in labels} == {round(20 / 80 * done.added / 20, 6)}


def test_labels_from_before_the_first_draw_count_as_random_and_others_beside_draws_are_left_out(ledger, tmp_path):
    samples = design(questions=10)
    import_labels(write(tmp_path / "before.csv", labels_of(samples[:8])), str(ledger))
    found = labels_next(str(ledger), 10)
    assert found.before == 8
    drawn = {each.output_id for each in found.outputs}
    assert drawn.isdisjoint(sample.output_id for sample in samples[:8])
    taken = [sample for sample in samples[8:] if sample.output_id not in drawn][:5]
    import_labels(write(tmp_path / "taste.csv", labels_of(taken)), str(ledger))
    evidence = read_evidence(ledger, Choices())
    assert (len(evidence.labels), evidence.undrawn_labels) == (8, 5)
    assert all(label.probability == pytest.approx(8 / 80) for label in evidence.labels)
    again = labels_next(str(ledger), 10)
    assert (again.before, again.left_out) == (8, 5)
    assert "people.undrawn" in [note.key for note in analyse(ledger, Choices()).section("people").notes]


def test_labels_of_a_model_never_stand_for_people(ledger, tmp_path):
    path = write(tmp_path / "labels.csv", labels_of(design(questions=10)[::2]))
    done = import_labels(path, str(ledger), by_model="big-model")
    assert (done.added, done.by_models) == (40, 40)
    evidence = read_evidence(ledger, Choices())
    assert evidence.labels == ()
    assert {(label.rater, label.made_by) for label in evidence.model_labels} == {("big-model", LabelMaker.MODEL)}
    report = analyse(ledger, Choices())
    notes = {note.key for section in report.sections for note in section.notes}
    assert "limits.no_people" in notes
    assert not [key for key in notes if key.startswith("summary.corrected")]
    assert cells(report)["trust.people.state"].word == "state.poor"
    assert labels_next(str(ledger), 5).labelled == 0


def test_the_server_puts_exactly_the_drawn_outputs_before_jurors_and_their_answers_are_labels(ledger, tmp_path):
    found = labels_next(str(ledger), 6)
    drawn = {each.unit for each in found.outputs}
    with open_bar(tmp_path, samples=0, vote_scale="protocol", drawn=True) as bar:
        seen = set()
        while (docket := msgspec.convert(bar.ask("juror", "GET", "/api/v1/docket").json(), Docket)).ballot:
            ballot = docket.ballot
            assert (docket.done, docket.total) == (len(seen), 6)
            seen.add(ballot.item)
            form = {}
            for question in questions(ballot):
                form |= {f"score.{question.id}": "1", f"quote.{question.id}": "An answer", f"reason.{question.id}": "."}
            given = {"item": ballot.item, "reply": compose_reply(ballot, form)}
            answer = bar.ask("juror", "POST", "/api/v1/votes/judgement", json=given)
            assert answer.json()["status"] == "valid"
    assert len(seen) == 6
    labels = [label for label in read_evidence(ledger, Choices()).labels if not label.dimension]
    assert {label.unit for label in labels} == drawn
    assert {label.score for label in labels} == {4}
    chances = {each.unit: each.probability for each in found.outputs}
    assert all(label.probability == pytest.approx(chances[label.unit]) for label in labels)
