"""Labels by people: how they find their outputs, and what they make of the judges' means."""

from __future__ import annotations

from statistics import fmean

import pytest
from msgspec.structs import replace

from report_ledger import design, labels_of, scoring, write_ledger
from venire.domain.label import Label, LabelMaker, LabelPart
from venire.domain.sample import Sample
from venire.reports.human_labels import match_labels
from venire.reports.page.html_page import html_page
from venire.reports.report import Choices
from venire.workflows.analyse import analyse
from venire.workflows.evidence.from_source import read_evidence


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return write_ledger(tmp_path_factory.mktemp("labels") / "ledger.sqlite", design())


def cells(report):
    return {cell.id: cell for cell in report.cells()}


def test_a_judge_beside_people_shows_its_bias(path):
    found = cells(analyse(path, Choices(), labels=labels_of(design())))
    labelled = design()[::3]
    worth = [int(sample.text.split("worth ")[1][0]) for sample in labelled]
    assert found["people.oak.overall.labelled"].value == len(labelled)
    assert found["people.oak.overall.judge_mean"].value == pytest.approx(fmean(worth))
    assert found["people.oak.overall.human_mean"].value == pytest.approx(fmean(max(0, each - 1) for each in worth))


def test_labels_pull_the_mean_of_a_lenient_judge_down(path):
    labels = [Label(output_id=sample.output_id, score=1 + number % 2) for number, sample in enumerate(design()[::3])]
    found = cells(analyse(path, Choices(), labels=tuple(labels)))
    assert found["corrected.alder-1.corrected"].value < found["corrected.alder-1.naive"].value


def test_several_people_are_averaged_and_verdicts_go_by_majority(path):
    one = design()[0].output_id
    labels = tuple(
        Label(output_id=one, score=score, verdict=verdict, rater=rater)
        for rater, score, verdict in (("a", 8, "PASS"), ("b", 6, "PASS"), ("c", 1, "FAIL"))
    )
    found = cells(analyse(path, Choices(), labels=labels))
    assert found["people.oak.overall.human_mean"].value == pytest.approx(5)
    assert found["confusion.oak.PASS.PASS"].value == 1


def test_an_output_id_that_two_models_share_needs_the_model(tmp_path):
    samples = [
        Sample("same", f"An answer of worth {4 + number}.", "q", "v", model) for number, model in enumerate("ab")
    ]
    path = write_ledger(tmp_path / "l.sqlite", samples, {"oak": scoring()})
    labels = (Label(output_id="same", score=1), Label(output_id="b/same", score=2))
    report = analyse(path, Choices(), labels=labels)
    assert cells(report)["people.oak.overall.labelled"].value == 1
    assert cells(report)["people.oak.overall.judge_mean"].value == 5
    (unmatched,) = [note for note in report.section("people").notes if note.key == "people.unmatched"]
    assert unmatched.arguments == {"count": 1}


def test_labels_of_dimensions_are_compared_with_that_dimension(path):
    labels = tuple(
        Label(output_id=sample.output_id, score=number % 3, dimension="COMPLETENESS")
        for number, sample in enumerate(design())
    )
    found = cells(analyse(path, Choices(), labels=labels))
    assert "people.oak.COMPLETENESS.judge_bias" in found
    assert "people.oak.overall.judge_bias" not in found


def test_labels_of_other_outputs_are_said_to_match_nothing(path):
    report = analyse(path, Choices(), labels=(Label(output_id="nobody", score=1),))
    assert report.section("people").tables == ()
    assert "people.no_match" in [note.key for note in report.section("people").notes]


def labelled_by_a_friend_of_birch():
    """Return labels that agree with a just judge on one model and contradict it on the other."""
    labels = []
    for sample in design():
        worth = int(sample.text.split("worth ")[1][0])
        just = "FAIL" if worth <= 3 else "PASS" if worth >= 7 else "PARTIAL"
        alder = sample.target_model == "alder-1"
        labels.append(
            Label(output_id=sample.output_id, score=worth + (0 if alder else 2), verdict=just if alder else "OTHER")
        )
    return tuple(labels)


def test_slices_show_where_a_judge_and_people_part(path):
    found = cells(analyse(path, Choices(), labels=labelled_by_a_friend_of_birch()))
    assert found["people_slices.oak.target_model.alder-1.judge_bias"].value == pytest.approx(0)
    assert found["people_slices.oak.target_model.birch-2.judge_bias"].value == pytest.approx(-2)
    assert found["people_verdict_slices.oak.target_model.alder-1.same_verdict"].value == 1
    assert found["people_verdict_slices.oak.target_model.birch-2.same_verdict"].value == 0
    assert found["people_verdicts.oak.same_verdict"].value == pytest.approx(0.5)


def test_verdicts_say_how_often_people_say_the_same_and_what_is_found_of_theirs(path):
    found = cells(analyse(path, Choices(), labels=labelled_by_a_friend_of_birch()))
    assert found["confusion.oak.PASS.recall"].value == 1
    assert found["confusion.oak.OTHER.recall"].value == 0
    counts = [found[f"confusion.oak.PASS.{human}"].value for human in ("PASS", "PARTIAL", "FAIL", "OTHER")]
    assert found["confusion.oak.PASS.precision"].value == pytest.approx(counts[0] / sum(counts))


def test_small_slices_are_counted_and_not_shown(path):
    labels = tuple(Label(output_id=sample.output_id, score=1) for sample in design()[:6])
    section = analyse(path, Choices(), labels=labels).section("people")
    (small,) = [note for note in section.notes if note.key == "people.small_slices"]
    assert small.arguments["count"] > 0
    assert not [table for table in section.tables if table.id == "people_verdict_slices"]
    shown = [row.cells[-1].value for table in section.tables if table.id == "people_slices" for row in table.rows]
    assert all(count >= 5 for count in shown)


def many_labels():
    """Return labels on all outputs of 20 questions, by people who are one point more severe than oak."""
    return tuple(
        Label(output_id=sample.output_id, score=max(0, int(sample.text.split("worth ")[1][0]) - 1))
        for sample in design(questions=20)
    )


@pytest.fixture(scope="module")
def long_path(tmp_path_factory):
    return write_ledger(tmp_path_factory.mktemp("many") / "ledger.sqlite", design(questions=20))


def test_each_judge_has_a_reliability_diagram_with_bands_and_is_recalibrated_on_other_labels(long_path):
    report = analyse(long_path, Choices(), labels=many_labels())
    found = cells(report)
    tables = {table.id: table for table in report.section("people").tables}
    assert {row.names[0] for row in tables["reliability"].rows} == {"oak", "elm"}
    assert all(row.cells[2].value for row in tables["reliability"].rows)
    assert any(row.cells[1].low is not None for row in tables["reliability"].rows)
    fitted, tested = (found[f"recalibration.oak.{name}"].value for name in ("fitted", "tested"))
    assert fitted + tested == len(many_labels())
    assert found["recalibration.oak.error_recalibrated"].value < 0.2 < found["recalibration.oak.error"].value
    assert found["recalibration.oak.error_constant"].value > found["recalibration.oak.error"].value
    page = html_page(report, "en")
    assert page.count("mean of people against the judge") >= 2
    assert 'class="enclosed"' in page


def test_all_labels_on_one_question_are_in_one_part(long_path):
    labels = match_labels(read_evidence(long_path, Choices()).with_labels(many_labels()))
    parts = {}
    for unit, part in labels.parts.items():
        parts.setdefault(labels.questions[unit], set()).add(part)
    assert all(len(each) == 1 for each in parts.values())
    assert {part for each in parts.values() for part in each} == set(LabelPart)


def test_accuracy_stands_beside_a_guess_that_is_always_the_same(path):
    labels = tuple(
        Label(output_id=sample.output_id, verdict="PASS" if number % 4 else "FAIL")
        for number, sample in enumerate(design())
    )
    found = cells(analyse(path, Choices(), labels=labels))
    assert found["people_verdicts.oak.base_rate"].value == pytest.approx(0.75)
    same = found["people_verdicts.oak.same_verdict"].value
    assert found["people_verdicts.oak.over_guess"].value == pytest.approx(same - 0.75)


def test_labels_of_a_model_have_a_table_of_their_own_and_correct_nothing(path):
    labels = tuple(
        Label(output_id=sample.output_id, score=4, rater="big", made_by=LabelMaker.MODEL) for sample in design()
    )
    report = analyse(path, Choices(), labels=labels)
    tables = {table.id for table in report.tables()}
    assert "model_labels" in tables
    assert not tables & {"people", "corrected", "corrected_comparisons", "reliability", "recalibration"}
    assert "people.by_models" in [note.key for note in report.section("people").notes]


def test_weighted_labels_correct_the_means_by_their_weights(long_path):
    samples = [sample for number, sample in enumerate(design(questions=20)) if number % 5]
    labels = tuple(
        Label(output_id=each.output_id, score=8 if number % 4 else 0, probability=0.9 if number % 4 else 0.3)
        for number, each in enumerate(samples)
    )
    found = cells(analyse(long_path, Choices(), labels=labels))
    mine = [(label.score, 1 / label.probability) for label, each in zip(labels, samples, strict=True)
            if each.target_model == "alder-1"]  # fmt: skip
    expected = sum(score * weight for score, weight in mine) / sum(weight for _, weight in mine)
    assert found["corrected.alder-1.labels_only"].value == pytest.approx(expected)
    assert found["corrected.alder-1.corrected"].low is not None


def test_means_are_corrected_by_variant_where_labels_allow(long_path):
    labels = tuple(
        replace(label, score=min(8, label.score + number * 7 % 11 % 3))
        for number, label in enumerate(many_labels())
        if number % 3
    )
    found = cells(analyse(long_path, Choices(), labels=labels))["corrected.alder-1.corrected"]
    assert "slices by prompt_variant" in found.method
    few = cells(analyse(long_path, Choices(), labels=labels[:30]))["corrected.alder-1.corrected"]
    assert "slices by" not in few.method


def test_labels_on_one_of_several_questions_have_no_interval(path):
    question = design()[0].question_id
    labels = tuple(
        Label(output_id=each.output_id, score=4 + number % 3)
        for number, each in enumerate(each for each in design() if each.question_id == question)
    )
    shown = cells(analyse(path, Choices(), labels=labels))["people.oak.overall.human_mean"]
    assert shown.value is not None
    assert (shown.low, shown.reason) == (None, "only one cluster: how clusters differ is not known")


def test_scores_of_people_beside_a_table_of_verdicts_alone_correct_nothing(tmp_path):
    lines = [f"{number}-{model},{model},q{number},oak,PASS" for number in range(4) for model in "ab"]
    (tmp_path / "verdicts.csv").write_text("\n".join(["output_id,model,question,judge,verdict", *lines]))
    labels = tuple(Label(output_id=f"{number}-a", score=3.0, verdict="FAIL") for number in range(4))
    report = analyse(tmp_path / "verdicts.csv", Choices(), labels=labels)
    assert "confusion" in {table.id for table in report.tables()}
    assert "corrected" not in {table.id for table in report.tables()}
