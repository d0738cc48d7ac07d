"""The archive of a run stands alone: identities, run log, prompts and pages, each of them verified."""

import json
import shutil

import pytest

from experiment import make_samples, served_judge, serving, venire, write_config, write_samples
from valid_replies import as_json, quality_reply
from venire.domain.canonical import sha256_hex


def records(archive):
    return [json.loads(path.read_bytes()) for path in sorted(archive.rglob("*.record.json"))]


def verify(archive, archived, *options):
    return venire("check", archive, "--sources", archived / "outputs.jsonl", *options)


def forge(archive, path, change):
    """Change a JSON file of the archive, and its digest in the manifest with it."""
    before = path.read_bytes()
    value = json.loads(before)
    change(value)
    path.write_text(json.dumps(value), encoding="utf-8")
    manifest = archive / "manifest.json"
    manifest.write_text(manifest.read_text().replace(sha256_hex(before), sha256_hex(path.read_bytes())))


def test_an_untouched_archive_is_verified_with_every_judgement_derived_again(archive, archived, capsys):
    assert verify(archive, archived, "--require-quotes") == 0
    assert "6 evaluations, 6 judged again, 0 problems" in capsys.readouterr().out


@pytest.mark.parametrize("file", ["run.json", "README.md", "invalid_evaluations/README.md", "prompts/README.md"])
def test_a_changed_byte_in_what_stands_beside_the_evaluations_is_found(archive, archived, capsys, file):
    (archive / file).write_bytes((archive / file).read_bytes() + b" ")
    assert verify(archive, archived) == 1
    assert f"{file} was changed" in capsys.readouterr().out


def test_a_prompt_that_was_not_sent_is_found_though_the_manifest_was_forged_with_it(archive, archived, capsys):
    prompt = archive / records(archive)[0]["prompt"]
    before = sha256_hex(prompt.read_bytes())
    prompt.write_bytes(b"Give it full marks.")
    manifest = archive / "manifest.json"
    text = json.loads(manifest.read_text())
    text["files"][f"prompts/{prompt.name}"] = sha256_hex(prompt.read_bytes())
    manifest.write_text(json.dumps(text))
    assert before != sha256_hex(prompt.read_bytes())
    assert verify(archive, archived) == 1
    assert "names another prompt than the one that was sent" in capsys.readouterr().out


def test_a_file_that_was_put_beside_the_prompts_is_found(archive, archived, capsys):
    (archive / "prompts" / "more.txt").write_text("another")
    assert verify(archive, archived) == 1
    assert "prompts/more.txt is not named in the manifest" in capsys.readouterr().out


FORGED_LOGS = {
    "counts": lambda log: log["counts"]["by_status"].update(valid=6),
    "protocol": lambda log: log["protocol"].update(version="9"),
    "evidence": lambda log: log.update(evidence="exact"),
    "judges": lambda log: log["judges"].pop(),
}


@pytest.mark.parametrize("part", FORGED_LOGS)
def test_a_forged_run_log_is_found_though_the_manifest_was_forged_with_it(archive, archived, capsys, part):
    forge(archive, archive / "run.json", FORGED_LOGS[part])
    assert verify(archive, archived) == 1
    shown = capsys.readouterr().out
    assert f"run.json does not agree with the records: {part} differ" in shown or "method differ" in shown


def test_a_sample_that_is_placed_otherwise_for_reports_is_found(archive, archived, capsys):
    path = next((archive / "valid_evaluations").glob("*.record.json"))
    forge(archive, path, lambda record: record["subject"].update(question_id="q99"))
    assert verify(archive, archived) == 1
    assert "contradicts itself: it places the sample in two ways" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("question_id", "q99", "does not follow from its reply: question_id"),
        ("prompt_variant", "other", "does not follow from its reply: prompt_variant"),
        ("target_model", "birch", "does not follow from its reply: target_model"),
        ("time", "2020-01-01T00:00:00Z", "does not agree with the records: counts"),
        ("quotes", "none", "does not agree with the manifest: quotes"),
    ],
)
def test_a_forged_identity_is_found_though_the_manifest_was_forged_with_it(
    archive, archived, capsys, field, value, problem
):
    path = next((archive / "valid_evaluations").glob("*.record.json"))

    def change(record):
        record[field] = value
        record["subject"] = {name: record[name] if name == field else kept for name, kept in record["subject"].items()}

    forge(archive, path, change)
    assert verify(archive, archived) == 1
    assert problem in capsys.readouterr().out


def test_self_judging_that_is_forged_to_be_cross_judging_is_found(archive, archived, capsys):
    path = next(
        path
        for path in (archive / "valid_evaluations").glob("*.record.json")
        if json.loads(path.read_bytes())["method"] == "self_judge"
    )
    forge(archive, path, lambda record: record.update(method="cross_judge"))
    assert verify(archive, archived) == 1
    assert "does not follow from its reply: method differ" in capsys.readouterr().out


def test_an_archive_without_sources_says_that_quotes_were_not_compared(archived, tmp_path, capsys):
    replies, archive = tmp_path / "replies", tmp_path / "archive"
    shutil.copytree(archived / "archive" / "valid_evaluations", replies)
    for reply in replies.glob("*.reply"):
        reply.rename(reply.with_suffix(".json"))
    venire("check", replies, "--protocol", "drift-sample", "--profile", "seed", "--archive", archive, "--lang", "zh")
    assert "引文未比对" in (archive / "README.md").read_text()
    capsys.readouterr()
    venire("check", archive, "--sources", archived / "outputs.jsonl")
    shown = capsys.readouterr().out
    assert "quotes not compared: those of 5 evaluations" in shown
    assert "0 problems" in shown
    assert venire("check", archive, "--sources", archived / "outputs.jsonl", "--require-quotes") == 1


def test_a_run_whose_replies_lack_several_criteria_is_audited_and_verified(tmp_path):
    reply = quality_reply()
    for criterion in list(reply["scores"])[:3]:
        del reply["scores"][criterion]
    write_samples(tmp_path, make_samples(1))
    samples = {"path": "outputs.jsonl", "category": "qa_simple"}
    with serving(reply_for=lambda _: as_json(reply).decode()) as server:
        config = write_config(tmp_path, {"oak": served_judge(server.base_url)}, protocol="quality", samples=samples)
        assert venire("judge", config, "--quiet", "--archive", tmp_path / "archive") == 1
    assert venire("audit", tmp_path / "ledger.sqlite") == 0
    assert venire("check", tmp_path / "archive", "--sources", tmp_path / "outputs.jsonl") == 0


def test_a_whole_bundle_is_kept_under_the_name_that_says_who_judged_whom(tmp_path, capsys):
    config = tmp_path / "venire.yaml"
    shutil.copytree("examples/drift/bundle", tmp_path / "bundle")
    rules = json.dumps(str(tmp_path / "bundle.yaml"))
    shutil.copy("examples/drift/rules/bundle.yaml", tmp_path / "bundle.yaml")
    judge = f"{{type: rules, rules: {rules}, model: alder-1}}"
    config.write_text(f"samples: bundle\nprotocol: drift-bundle\nlanguage: zh\njudges: {{alder-1: {judge}}}\n")
    venire("judge", config, "--quiet", "--archive", tmp_path / "archive")
    valid = tmp_path / "archive" / "valid_evaluations"
    names = {path.name for path in valid.glob("*.json") if not path.name.endswith(".record.json")}
    assert names == {"self_judge_alder-1.json", "judge_alder-1_bundle_cedar-mini.json"}
    record = json.loads((valid / "self_judge_alder-1.json.record.json").read_bytes())
    assert record["entries"][0]["factors"] == {"question": "q3", "version": "baseline", "trigger": "implicit"}
    capsys.readouterr()
    sources = ("--sources", tmp_path / "bundle")
    assert venire("check", tmp_path / "archive", *sources) == 0
    assert "2 judged again, 0 problems" in capsys.readouterr().out
    assert venire("check", valid, *sources) == 0
