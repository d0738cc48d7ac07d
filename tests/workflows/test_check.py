"""Replies are checked one by one, and counted by what became of them."""

import json

import pytest

from valid_replies import DRIFT_SAMPLE, QUALITY, QUALITY_SAMPLE, SAMPLE, as_json, quality_reply, sample_reply
from venire.domain.judgement import Quotes, Status
from venire.errors import InputError, UsageError
from venire.workflows.check import CheckRun, recognised_protocol
from venire.workflows.checking.options import CheckOptions

ROW = {name: getattr(SAMPLE, name) for name in ("output_id", "text", "question_id", "prompt_variant", "target_model")}


@pytest.fixture
def folder(tmp_path):
    """Replies of every status, some in folders that call them otherwise, and files that are none."""
    replies = {
        "valid_results/good.json": as_json(sample_reply()),
        "invalid_results/good.json": as_json(sample_reply()),
        "valid_results/bad.json": as_json(sample_reply() | {"verdict": "GOOD"}),
        "empty.jsonl": b"",
        "prompt_v2.txt": b"You are a judge.",
    }
    for name, data in replies.items():
        path = tmp_path / "replies" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return tmp_path / "replies"


@pytest.fixture
def sources(tmp_path):
    path = tmp_path / "outputs.jsonl"
    path.write_text(json.dumps(ROW) + "\n" + json.dumps(ROW | {"output_id": "never judged"}), encoding="utf-8")
    return path


def test_replies_are_counted_by_status_rule_folder_and_quotes(folder, sources):
    run = CheckRun(CheckOptions(DRIFT_SAMPLE, sources=sources), on_problem=[].append)
    checked = list(run.check([folder]))
    summary = run.summary
    assert [each.name for each in checked if not each.is_reply] == summary.not_replies == ["prompt_v2.txt"]
    assert summary.by_status == {Status.VALID: 2, Status.INVALID: 1}
    assert (summary.total, summary.unread, summary.misfiled, summary.all_valid) == (4, 1, 2, False)
    assert summary.quotes == {Quotes.COMPARED: 3}
    assert summary.replies_by_rule["scores.verdict-unknown"] <= summary.by_rule["scores.verdict-unknown"]
    assert run.missing_samples() == ("never judged",)


def test_a_recovered_reply_is_counted_as_such_and_is_not_valid(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"```json\n" + as_json(quality_reply()) + b"\n```")
    run = CheckRun(CheckOptions(QUALITY, category=QUALITY_SAMPLE.factors["category"]), on_problem=[].append)
    (checked,) = run.check([tmp_path])
    assert checked.judgement.status is Status.RECOVERED
    assert (run.summary.by_status, run.summary.total) == ({Status.RECOVERED: 1}, 1)
    assert not run.summary.all_valid


def test_all_is_valid_only_if_every_reply_was_read_and_is_valid(folder):
    run = CheckRun(CheckOptions(DRIFT_SAMPLE), on_problem=[].append)
    list(run.check([folder / "valid_results" / "good.json"]))
    assert run.summary.all_valid
    assert run.missing_samples() == ()
    list(run.check([folder / "empty.jsonl"]))
    assert not run.summary.all_valid


def test_a_folder_of_other_files_only_is_an_error_that_names_them(tmp_path):
    (tmp_path / "prompt.txt").write_text("You are a judge.")
    run = CheckRun(CheckOptions(DRIFT_SAMPLE), on_problem=[].append)
    with pytest.raises(InputError, match=r"found only files that are not replies: prompt\.txt"):
        list(run.check([tmp_path]))


def test_a_reply_about_a_sample_that_is_not_among_the_sources_is_invalid(tmp_path, sources):
    reply = sample_reply()
    reply["meta"]["output_id"] = "of nobody"
    (tmp_path / "a.json").write_bytes(as_json(reply))
    run = CheckRun(CheckOptions(DRIFT_SAMPLE, sources=sources), on_problem=[].append)
    (checked,) = run.check([tmp_path / "a.json"])
    assert checked.judgement.status is Status.INVALID
    assert "coverage.unplanned" in {finding.rule for finding in checked.judgement.findings}


def test_the_protocol_is_recognised_by_the_replies_or_has_to_be_named(folder, tmp_path):
    assert recognised_protocol([folder]).id == "drift-sample"
    with pytest.raises(UsageError, match="the replies do not show which one"):
        recognised_protocol([folder / "prompt_v2.txt"])
