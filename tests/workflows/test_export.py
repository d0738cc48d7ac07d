"""The archive of a run stands alone: identities, run log, prompts and pages."""

import json

import pytest

from experiment import venire
from venire.domain.canonical import sha256_hex


def records(archive):
    return [json.loads(path.read_bytes()) for path in sorted(archive.rglob("*.record.json"))]


def verify(archive, archived, *options):
    return venire("check", archive, "--sources", archived / "outputs.jsonl", *options)


def test_records_of_blind_judges_name_question_variant_model_judge_and_time(archive):
    for record in records(archive):
        assert record["question_id"]
        assert record["prompt_variant"]
        assert (record["target_model"], record["known_from"]) == ("elm-1", "ledger")
        assert record["judge"] in {"oak", "elm"}
        assert record["time"].endswith("Z")
        assert record["judge_model"]


def test_the_run_log_tells_versions_decoding_tools_times_counts_software_and_seed(archive):
    log = json.loads((archive / "run.json").read_text())
    assert {judge["name"] for judge in log["judges"]} == {"oak", "elm"}
    assert all(judge["digest"] and judge["decoding"] and judge["tools"] is False for judge in log["judges"])
    assert log["counts"]["evaluations"] == 6
    assert log["counts"]["by_status"]["invalid"] == 1
    first, last = log["counts"]["time_range"]
    assert all(first <= record["time"] <= last for record in records(archive))
    (run,) = log["runs"]
    assert run["software"]["venire"]
    assert isinstance(run["seed"], int)
    assert "options" not in str(log["judges"][0].keys())


def test_every_record_has_the_prompt_that_was_sent_and_its_digest(archive):
    for record in records(archive):
        sent = (archive / record["prompt"]).read_bytes()
        assert sha256_hex(sent) == record["request_sha256"]
        assert record["sample"].encode() not in sent
    assert list((archive / "prompts").glob("template-*.txt"))


def test_prompts_can_be_left_out(archived, tmp_path):
    assert venire("export", archived / "ledger.sqlite", tmp_path / "out", "--no-prompts") == 0
    assert {record["prompt"] for record in records(tmp_path / "out")} == {""}
    assert verify(tmp_path / "out", archived) == 0


@pytest.mark.parametrize(
    ("language", "valid", "words"), [("en", "valid_evaluations", "Valid evaluations"), ("zh", "有效评测", "有效评测")]
)
def test_every_folder_has_a_page_in_the_language_of_the_archive(archived, tmp_path, language, valid, words):
    out = tmp_path / "out"
    assert venire("export", archived / "ledger.sqlite", out, "--lang", language) == 0
    pages = {path.parent.relative_to(out).as_posix(): path.read_text() for path in out.rglob("README.md")}
    assert len(pages) == 4
    assert pages[valid].startswith(f"# {words}")
    assert valid in pages["."]
    assert verify(out, archived) == 0
