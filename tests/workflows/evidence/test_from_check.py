"""`venire report` and `venire compare` on what `venire check` wrote: its JSON, its JSON Lines and its archive."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from valid_replies import (
    SAMPLE,
    aggregates,
    as_json,
    bundle_entry,
    bundle_reply,
    bundle_text,
    quality_reply,
    sample_reply,
)
from venire.cli.check import check
from venire.cli.decide.compare import compare
from venire.cli.report import report
from venire.errors import InputError, PoolingError, UsageError
from venire.reports.report import Choices
from venire.workflows.analyse import analyse
from venire.workflows.evidence.from_source import read_evidence
from venire.workflows.trace import trace

FORMS = ("json", "jsonl", "archive")
LABELS = [entry["file"] for entry in bundle_reply()["per_file_scores"]]


def run(command, *arguments):
    result = CliRunner().invoke(command, [str(argument) for argument in arguments], standalone_mode=False)
    if result.exception:
        raise result.exception
    return result.output


def reply_on_bundle(lost=()):
    """Return a valid reply on the bundle in which some files have lost their structure and others are perfect."""
    reply = bundle_reply()
    reply["per_file_scores"] = [
        bundle_entry(label, (0, 0, 0, 0, 0) if label in lost else (2, 2, 2, 2, 1)) for label in LABELS
    ]
    reply["aggregates"] = aggregates(reply["per_file_scores"])
    return as_json(reply)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A drift study: two generators with files of equal names, a judge with two versions, and one invalid reply."""
    folder = tmp_path_factory.mktemp("study")
    implicit = [label for label in LABELS if "implicit" in label]
    replies = {
        "judge_oak_bundle_kimi": reply_on_bundle(implicit[:3]),
        "judge_oak_bundle_gemini": reply_on_bundle(),
        "judge_oak_bundle_kimi_v2": reply_on_bundle(implicit[:5]),
        "judge_oak_bundle_gemini_v2": reply_on_bundle(),
        "judge_elm_bundle_kimi": b"I would rather not.",
    }
    (folder / "replies").mkdir()
    for name, reply in replies.items():
        (folder / "replies" / f"{name}.json").write_bytes(reply)
    for generator in ("kimi", "gemini"):
        (folder / "sources" / generator).mkdir(parents=True)
        for label in LABELS:
            path = (folder / "sources" / generator / label).with_suffix(".txt")
            path.write_text(bundle_text(label), encoding="utf-8")
    given = [folder / "replies", "--protocol", "drift-bundle", "--sources", folder / "sources"]
    for form in ("json", "jsonl"):
        (folder / f"checked.{form}").write_text(run(check, *given, "--format", form), encoding="utf-8")
    run(check, *given, "--archive", folder / "checked.archive")
    return folder


@pytest.mark.parametrize("form", FORMS)
def test_a_check_of_bundles_is_reported_by_trigger_with_hard_breaks_and_their_denominators(study, form):
    found = analyse(study / f"checked.{form}", Choices(judge_versions={"*": "v1"}))
    cells = {cell.id: cell for cell in found.cells()}
    assert cells["slices.trigger.implicit.mean"].value == pytest.approx(9 * 13 / 16)
    assert cells["slices.trigger.explicit.mean"].value == 9
    assert cells["slices.trigger.implicit.hard_breaks"].text == "3 / 16"
    assert cells["slices.trigger.explicit.hard_breaks"].text == "0 / 16"
    assert cells["dimension_failures.kimi.A_structure"].value == pytest.approx(3 / 16)
    assert cells["dimension_failures.gemini.E_drift_failure"].value == 1
    assert cells["excluded.invalid.judgements"].value == 1


@pytest.mark.parametrize("form", FORMS)
def test_versions_of_a_judge_in_a_check_are_compared_and_not_pooled(study, form, tmp_path):
    source = study / f"checked.{form}"
    with pytest.raises(PoolingError, match=r"v1 \(32\), v2 \(32\)"):
        analyse(source, Choices())
    run(compare, source, "--judge-versions", "v1", "v2", "--json", tmp_path / "out.json")
    [judge] = json.loads((tmp_path / "out.json").read_text())
    assert (judge["migration"]["judge"], judge["migration"]["outputs"]) == ("oak", 32)
    assert judge["migration"]["overall"]["lowered"] == 2
    assert judge["scores"][0]["difference"]["test"]["difference"]["value"] == pytest.approx(-2 * 9 / 32)


def test_a_version_that_no_judge_has_is_refused_with_those_there_are(study):
    with pytest.raises(UsageError, match="found 'v3'") as stop:
        run(report, study / "checked.json", "--judge-version", "v3")
    assert stop.value.hint == "The data has v1, v2."


def test_files_of_equal_names_of_several_generators_do_not_collide(study):
    found = read_evidence(study / "checked.json", Choices(judge_versions={"*": "v1"}))
    assert len(found.outputs) >= 32
    run(compare, study / "checked.json", "--models", "kimi", "gemini", "--judge-version", "v1")


@pytest.mark.parametrize("form", FORMS)
def test_a_number_of_a_check_is_traced_to_its_replies(study, form):
    source = study / f"checked.{form}"
    found = analyse(source, Choices(judge_versions={"*": "v1"}))
    traced = trace(found, "slices.trigger.implicit.mean", str(source))
    assert traced.total == 16
    assert {each.line.judgement.split("/")[0] for each in traced.judgements} == {
        "2 judge_oak_bundle_gemini.json", "4 judge_oak_bundle_kimi.json",
    }  # fmt: skip


def test_a_check_without_sources_says_in_the_report_that_quotes_were_not_compared(study, tmp_path):
    replies = study / "replies" / "judge_oak_bundle_kimi.json"
    (tmp_path / "a.json").write_text(run(check, replies, "--protocol", "drift-bundle", "--format", "json"))
    assert "quotes of 1 reply were not compared" in run(report, tmp_path / "a.json").replace("\n", " ")


def test_a_check_of_samples_knows_question_variant_model_and_judge(tmp_path):
    row = {
        name: getattr(SAMPLE, name) for name in ("output_id", "text", "question_id", "prompt_variant", "target_model")
    }
    (tmp_path / "outputs.jsonl").write_text(json.dumps(row | {"language": "en"}), encoding="utf-8")
    (tmp_path / "reply.json").write_bytes(as_json(sample_reply()))
    given = [tmp_path / "reply.json", "--protocol", "drift-sample", "--format", "jsonl"]
    for name, sources in (("with", ["--sources", tmp_path / "outputs.jsonl"]), ("without", [])):
        path = tmp_path / f"{name}.jsonl"
        path.write_text(run(check, *given, *sources), encoding="utf-8")
        line = read_evidence(path, Choices()).primary.table.frame.row(0, named=True)
        assert (line["question_id"], line["prompt_variant"]) == (SAMPLE.question_id, SAMPLE.prompt_variant)
        assert (line["target_model"], line["rater"]) == (SAMPLE.target_model, sample_reply()["meta"]["judge_model"])


def test_two_valid_replies_of_one_judge_on_one_output_are_not_chosen_between(study, tmp_path):
    for folder in ("first", "second"):
        (tmp_path / "replies" / folder).mkdir(parents=True)
        (tmp_path / "replies" / folder / "judge_oak_bundle_kimi.json").write_bytes(reply_on_bundle())
    (tmp_path / "a.json").write_text(run(check, tmp_path / "replies", "--protocol", "drift-bundle", "--format", "json"))
    with pytest.raises(InputError, match="judge 'oak' has two valid replies") as stop:
        run(report, tmp_path / "a.json")
    assert "_v2" in stop.value.hint


def test_a_check_under_a_protocol_of_ones_own_asks_for_its_file(tmp_path):
    protocol = tmp_path / "own.yaml"
    protocol.write_text("extends: quality\nid: own\nversion: '2'\n", encoding="utf-8")
    (tmp_path / "reply.json").write_bytes(as_json(quality_reply()))
    given = [tmp_path / "reply.json", "--protocol", protocol, "--category", "qa_simple", "--format", "json"]
    (tmp_path / "a.json").write_text(run(check, *given), encoding="utf-8")
    with pytest.raises(UsageError, match="does not come with Venire") as stop:
        run(report, tmp_path / "a.json")
    assert "--protocol" in stop.value.hint
    assert "under the protocol own" in run(report, tmp_path / "a.json", "--protocol", protocol)


def test_a_table_of_scores_in_json_is_still_a_table(tmp_path):
    rows = [{"output_id": f"u{n}", "judge": "oak", "score": n % 3, "results": "x"} for n in range(4)]
    (tmp_path / "scores.json").write_text(json.dumps(rows), encoding="utf-8")
    assert analyse(tmp_path / "scores.json", Choices()).origin.kind == "table"


def test_the_claims_of_checked_replies_are_counted_and_listed_with_both_sides(tmp_path):
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "hours.txt").write_text("It closes at six.")
    row = {"id": "a", "model": "m", "question": "q", "answer": "It closes at seven.", "documents": ["hours.txt"]}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n")
    (tmp_path / "replies").mkdir()
    claim = {"words": "It closes at seven.", "finding": "contradicted", "source": "hours.txt"}
    reply = {"claims": [{**claim, "passage": "It closes at six."}], "nothing_to_check": []}
    (tmp_path / "replies" / "a.json").write_text(json.dumps(reply))
    told = ("--sources", tmp_path / "rows.jsonl", "--documents", tmp_path / "documents")
    shown = run(check, tmp_path / "replies", *told, "--format", "json")
    (tmp_path / "check.json").write_text(shown)
    evidence = read_evidence(str(tmp_path / "check.json"), Choices())
    (listed,) = evidence.claims.contradicted
    assert list(evidence.claims.counts.values()) == [(0, 1, 0)]
    assert (listed.output_id, listed.words, listed.source) == ("a", "It closes at seven.", "hours.txt")
    assert "It closes at six." in run(report, tmp_path / "check.json")


def test_replies_on_each_answer_of_a_conversation_are_held_against_that_answer(tmp_path):
    messages = [{"role": role, "content": text} for role, text in (
        ("user", "When?"), ("assistant", "At six."), ("user", "Sure?"), ("assistant", "At seven."))]  # fmt: skip
    (tmp_path / "rows.jsonl").write_text(json.dumps({"id": "a", "messages": messages}) + "\n")
    replies = tmp_path / "replies.jsonl"
    lines = [sample_reply() for _ in range(2)]
    for number, (line, quote) in enumerate(zip(lines, ("At six.", "At seven."), strict=True), start=1):
        line["meta"]["output_id"] = f"a/{number}"
        line["evidence"] = [{**each, "quote": quote} for each in line["evidence"]]
    replies.write_text("".join(json.dumps(line) + "\n" for line in lines))
    result = CliRunner().invoke(check, [str(replies), "--sources", str(tmp_path / "rows.jsonl"), "--judged", "each"])
    assert "2 replies: 2 valid" in result.output
    result = CliRunner().invoke(check, [str(replies), "--sources", str(tmp_path / "rows.jsonl")])
    assert "0 valid, 2 invalid" in result.output


def test_a_reply_that_could_not_be_read_is_an_invalid_judgement_without_scores(tmp_path):
    (tmp_path / "replies").mkdir()
    (tmp_path / "replies" / "good.json").write_bytes(as_json(sample_reply()))
    (tmp_path / "replies" / "lost.json").symlink_to(tmp_path / "nowhere.json")
    path = tmp_path / "checked.jsonl"
    path.write_text(run(check, tmp_path / "replies", "--protocol", "drift-sample", "--format", "jsonl"))
    rows = read_evidence(path, Choices()).table.frame.filter(status="invalid").rows(named=True)
    assert [(row["unit"], row["overall"], row["sequence"]) for row in rows] == [("lost.json", None, 2)]
