"""`venire check` as a user runs it: files in, findings and exit codes out."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest
from click.testing import CliRunner, Result

from making_pdfs import make_encrypted_pdf, make_image_only_pdf, make_pdf, make_truncated_pdf
from valid_replies import (
    DRIFT_BUNDLE,
    DRIFT_SAMPLE,
    SAMPLE,
    as_json,
    bundle_reply,
    bundle_text,
    quality_reply,
    sample_reply,
)
from venire.cli.check import check
from venire.config import load_settings
from venire.domain.canonical import canonical_json, sha256_hex
from venire.errors import UsageError, VenireError
from venire.workflows.judge import read_subjects


def run(*arguments: object) -> Result:
    return CliRunner().invoke(check, [str(argument) for argument in arguments], standalone_mode=False)


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    path = tmp_path / "outputs.jsonl"
    row = {
        "output_id": SAMPLE.output_id,
        "text": SAMPLE.text,
        "question_id": SAMPLE.question_id,
        "prompt_variant": SAMPLE.prompt_variant,
        "target_model": SAMPLE.target_model,
    }
    path.write_text(json.dumps(row, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def replies(tmp_path: Path) -> Path:
    folder = tmp_path / "replies"
    folder.mkdir()
    (folder / "good.json").write_bytes(as_json(sample_reply()))
    return folder


def records(result: Result) -> dict[str, dict[str, object]]:
    return {record["name"]: record for record in map(json.loads, result.stdout.splitlines())}


def test_a_folder_of_valid_replies_gives_exit_code_0(replies: Path, sources: Path) -> None:
    result = run(replies, "--protocol", "drift-sample", "--sources", sources)
    assert result.return_value == 0
    assert "1 reply: 1 valid, 0 invalid" in result.stdout


def test_an_invalid_reply_gives_exit_code_1_and_names_the_rule_and_the_place(replies: Path, sources: Path) -> None:
    reply = sample_reply()
    reply["scores"]["overall_score"] = 8
    (replies / "wrong_sum.json").write_bytes(as_json(reply))
    result = run(replies, "--protocol", "drift-sample", "--sources", sources)
    assert result.return_value == 1
    assert "overall.mismatch at /scores/overall_score" in result.stdout
    assert "INTERNAL_INCONSISTENCY" in result.stdout


def test_without_a_protocol_it_is_recognised_by_the_structure_of_the_replies(
    replies: Path, sources: Path, bundle_artifact: Path, tmp_path: Path
) -> None:
    quality = tmp_path / "quality.json"
    quality.write_bytes(as_json(quality_reply()))
    assert "protocol drift-sample" in run(replies, "--sources", sources).stdout
    assert "protocol drift-bundle" in run(bundle_artifact).stdout
    assert "protocol quality" in run(quality, "--category", "qa_simple").stdout


def test_without_a_protocol_a_declared_id_decides(tmp_path: Path) -> None:
    (tmp_path / "reply.json").write_bytes(as_json({"protocol": "drift-bundle", **sample_reply()}))
    assert "protocol drift-bundle" in run(tmp_path).stdout


def test_replies_to_several_protocols_are_wrong_usage_that_names_them(replies: Path, bundle_artifact: Path) -> None:
    result = run(replies, bundle_artifact)
    assert isinstance(result.exception, UsageError)
    assert "drift-sample" in str(result.exception)
    assert "drift-bundle" in str(result.exception)


def test_a_whole_bundle_under_a_protocol_for_single_samples_is_said_to_be_one(bundle_artifact: Path) -> None:
    record = json.loads(run(bundle_artifact, "--protocol", "drift-sample", "--format", "jsonl").stdout)
    (finding,) = record["findings"]
    assert (finding["rule"], finding["found"]) == ("reply.other-protocol", "a reply on a whole bundle")
    assert record["flags"] == ["PROTOCOL_VIOLATION"]


@pytest.mark.parametrize("config", [False, True])
def test_an_alias_makes_a_judge_the_same_model_as_its_target(
    replies: Path, sources: Path, tmp_path: Path, config: bool
) -> None:
    reply = sample_reply()
    reply["meta"] |= {"judge_model": "openai/alder-1", "target_model": SAMPLE.target_model, "method": "self_judge"}
    (replies / "good.json").write_bytes(as_json(reply))
    arguments = [replies, "--protocol", "drift-sample", "--sources", sources, "--format", "jsonl"]
    assert records(run(*arguments))["good.json"]["rules_broken"] == ["method.mismatch"]
    if config:
        judge = f"{{type: rules, model: {SAMPLE.target_model}, aliases: [openai/alder-1]}}"
        (tmp_path / "venire.yaml").write_text(f"samples: outputs.jsonl\njudges: {{oak: {judge}}}\n")
        arguments += ["--config", tmp_path / "venire.yaml"]
    else:
        arguments += ["--alias", f"openai/alder-1={SAMPLE.target_model}"]
    record = records(run(*arguments))["good.json"]
    assert (record["status"], record["method"]) == ("valid", "self_judge")


def test_a_whole_number_may_be_written_with_a_point_in_scores_and_totals(replies: Path, sources: Path) -> None:
    raw = as_json(sample_reply())
    assert re.search(rb'"COMPLETENESS": ?\d', raw)
    pointed = re.sub(rb'("(?:COMPLETENESS|overall_score)": ?\d)', rb"\1.0", raw)
    (replies / "good.json").write_bytes(pointed)
    record = records(run(replies, "--protocol", "drift-sample", "--sources", sources, "--format", "jsonl"))["good.json"]
    assert (record["status"], record["findings"]) == ("valid", [])
    assert type(record["scores"]["COMPLETENESS"]) is int


def test_without_a_protocol_the_error_says_where_to_look(replies: Path) -> None:
    (replies / "good.json").write_text("No.")
    result = run(replies)
    assert isinstance(result.exception, VenireError)
    assert "venire protocol list" in str(result.exception)


def test_a_path_that_does_not_exist_is_named(tmp_path: Path) -> None:
    result = run(tmp_path / "nowhere", "--protocol", "drift-sample")
    assert isinstance(result.exception, VenireError)
    assert "nowhere" in str(result.exception)


def test_a_folder_without_any_artifact_says_what_is_looked_for(tmp_path: Path) -> None:
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    result = run(tmp_path, "--protocol", "drift-sample")
    assert isinstance(result.exception, VenireError)
    assert ".jsonl" in str(result.exception)


BAD_FILES = {
    "empty.json": (b"", "json.empty"),
    "deep.json": (b'{"a":' + b"[" * 10_000, "json.too-deep"),
    "utf16.json": ('{"a": 1}'.encode("utf-16"), "json.encoding"),
    "surrogate.json": (as_json(sample_reply()).replace(b"It shows it.", b"\\ud800", 1), "json.encoding"),
    "duplicate.json": (as_json(sample_reply()).replace(b'"flags"', b'"flags": [], "flags"', 1), "json.duplicate-key"),
    "huge_number.json": (as_json(sample_reply()).replace(b"6", b"1e999"), "json.not-finite"),
    "not_a_number.json": (as_json(sample_reply()).replace(b"6", b"NaN"), "json.not-finite"),
    "prose.txt": (b"I cannot judge this.", "judge.no-scores"),
    "array.json": (b"[1, 2]", "json.not-an-object"),
    "truncated.json": (as_json(sample_reply())[:200], "json.syntax"),
}  # fmt: skip


def test_every_bad_file_gets_its_finding_and_the_others_are_still_checked(replies: Path, sources: Path) -> None:
    for name, (raw, _) in BAD_FILES.items():
        (replies / name).write_bytes(raw)
    result = run(replies, "--protocol", "drift-sample", "--sources", sources, "--format", "jsonl")
    found = records(result)
    assert result.return_value == 1
    assert found["good.json"]["status"] == "valid"
    for name, (_, rule) in BAD_FILES.items():
        assert rule in found[name]["rules_broken"], name


def test_a_byte_order_mark_is_only_a_note(replies: Path, sources: Path) -> None:
    (replies / "good.json").write_bytes(b"\xef\xbb\xbf" + as_json(sample_reply()))
    result = run(replies, "--protocol", "drift-sample", "--sources", sources, "--format", "jsonl")
    assert result.return_value == 0
    assert [finding["rule"] for finding in records(result)["good.json"]["findings"]] == ["json.byte-order-mark"]


def test_a_line_of_200_megabytes_is_reported_and_the_next_line_is_checked(tmp_path: Path, sources: Path) -> None:
    path = tmp_path / "replies.jsonl"
    with path.open("wb") as file:
        for _ in range(200):
            file.write(b"x" * 1_000_000)
        file.write(b"\n" + json.dumps(sample_reply(), ensure_ascii=False).encode() + b"\n")
    result = run(path, "--protocol", "drift-sample", "--sources", sources, "--format", "jsonl")
    found = records(result)
    assert found["replies.jsonl:2"]["status"] == "valid"
    assert found["replies.jsonl:1"]["status"] == "unread"
    assert "200000000" in str(found["replies.jsonl:1"]["problem"]).replace(",", "")


@pytest.mark.parametrize("make", [make_encrypted_pdf, make_truncated_pdf, None])
def test_a_broken_source_is_reported_and_the_other_files_of_the_bundle_are_checked(
    tmp_path: Path, make: object
) -> None:
    folder = tmp_path / "pdfs"
    folder.mkdir()
    assert DRIFT_BUNDLE.design is not None
    for cell in DRIFT_BUNDLE.design.cells:
        make_pdf(folder / cell.label, [bundle_text(cell.label)])
    broken = folder / DRIFT_BUNDLE.design.cells[0].label
    broken.unlink()
    if callable(make):
        make(broken, ["secret"])
    else:
        make_image_only_pdf(broken)
    artifact = tmp_path / "judge_glm_bundle_deepseek-v3.json"
    artifact.write_bytes(as_json(bundle_reply()))
    result = run(artifact, "--protocol", "drift-bundle", "--sources", folder, "--format", "jsonl")
    record = json.loads(result.stdout)
    assert broken.name in result.stderr
    assert record["judge"] == "glm"
    assert (record["entries"][0]["evidence_level"], record["entries"][0]["status"]) == ("off", "invalid")
    assert record["entries"][1]["evidence"][0]["page"] == 1


@pytest.fixture
def bundles(tmp_path: Path) -> Path:
    """A folder `google_deepseek-v3` with the sixteen texts of a bundle, and one of another model."""
    folder = tmp_path / "bundles" / "google_deepseek-v3"
    folder.mkdir(parents=True)
    assert DRIFT_BUNDLE.design is not None
    for cell in DRIFT_BUNDLE.design.cells:
        (folder / cell.label).with_suffix(".txt").write_text(bundle_text(cell.label), encoding="utf-8")
    (tmp_path / "bundles" / "kimi").mkdir()
    return folder.parent


@pytest.fixture
def bundle_artifact(tmp_path: Path) -> Path:
    path = tmp_path / "judge_glm_bundle_deepseek-v3.json"
    path.write_bytes(as_json(bundle_reply()))
    return path


AS_BUNDLE = ("--protocol", "drift-bundle")


def test_a_bundle_whose_folder_has_another_name_is_not_valid_and_the_mapping_is_proposed(
    bundles: Path, bundle_artifact: Path
) -> None:
    result = run(bundle_artifact, *AS_BUNDLE, "--sources", bundles, "--format", "jsonl")
    record = json.loads(result.stdout)
    assert result.return_value == 1
    assert (record["status"], record["quotes"], record["flags"]) == ("invalid", "not compared", ["INCOMPLETE_COVERAGE"])
    found = record["findings"][0]["found"]
    assert "no folder named like 'deepseek-v3', only 'google_deepseek-v3', 'kimi'" in found
    assert "--source-name deepseek-v3=google_deepseek-v3" in found
    assert "--source-name deepseek-v3=google_deepseek-v3" in result.stderr
    assert not any(entry["status"] == "valid" for entry in record["entries"])


def test_self_judging_is_told_by_the_file_name_where_no_sources_are_given(bundle_artifact: Path) -> None:
    self_judged = bundle_artifact.rename(bundle_artifact.with_name("self_judge_deepseek-v3.json"))
    record = json.loads(run(self_judged, *AS_BUNDLE, "--format", "jsonl").stdout)
    assert (record["method"], record["entries"][0]["method"]) == ("self_judge", "self_judge")


def test_a_source_name_leads_to_the_folder_of_a_target(bundles: Path, bundle_artifact: Path) -> None:
    mapped = ("--source-name", "deepseek-v3=google_deepseek-v3")
    result = run(bundle_artifact, *AS_BUNDLE, "--sources", bundles, *mapped, "--format", "json")
    document = json.loads(result.stdout)
    assert result.return_value == 0
    assert document["summary"]["quotes"] == {"compared": 1}


def test_source_names_are_read_from_a_configuration_too(bundles: Path, bundle_artifact: Path, tmp_path: Path) -> None:
    config = tmp_path / "venire.yaml"
    names = "source_names: {deepseek-v3: google_deepseek-v3}"
    config.write_text(
        f"samples: {{path: bundles, {names}}}\nprotocol: drift-bundle\njudges: {{glm: {{type: rules}}}}\n"
    )
    assert run(bundle_artifact, *AS_BUNDLE, "--sources", bundles, "--config", config).return_value == 0
    (subject,) = read_subjects(load_settings(config))
    assert subject.target_model == "deepseek-v3"


@pytest.mark.parametrize(
    ("protocol", "name", "message"),
    [
        ("drift-bundle", "deepseek-v3=gemini", "expected a folder 'gemini'"),
        ("drift-bundle", "deepseek-v3", "expected TARGET=FOLDER"),
        ("drift-sample", "deepseek-v3=kimi", "judges single samples"),
    ],
)
def test_a_source_name_that_leads_nowhere_is_wrong_usage(
    bundles: Path, bundle_artifact: Path, protocol: str, name: str, message: str
) -> None:
    result = run(bundle_artifact, "--protocol", protocol, "--sources", bundles, "--source-name", name)
    assert message in str(result.exception)


@pytest.mark.parametrize("damage", ["missing", "empty", "link"])
def test_a_bundle_with_a_file_that_cannot_be_read_is_not_valid(
    bundles: Path, bundle_artifact: Path, damage: str, tmp_path: Path
) -> None:
    folder = (bundles / "google_deepseek-v3").rename(bundles / "deepseek-v3")
    file = folder / "q3 baseline implicit.txt"
    (tmp_path / "elsewhere.txt").write_bytes(file.read_bytes())
    file.unlink()
    if damage == "empty":
        file.write_bytes(b"")
    if damage == "link":
        file.symlink_to(tmp_path / "elsewhere.txt")
    result = run(bundle_artifact, *AS_BUNDLE, "--sources", bundles, "--format", "junit")
    assert result.return_value == 1
    suite = ElementTree.fromstring(result.stdout)
    assert (suite.get("failures"), suite.get("skipped")) == ("1", "0")
    assert "evidence.no-source at /per_file_scores/0/evidence" in result.stdout
    sarif = json.loads(run(bundle_artifact, *AS_BUNDLE, "--sources", bundles, "--format", "sarif").stdout)
    levels = {each["ruleId"]: each["level"] for each in sarif["runs"][0]["results"]}
    assert levels["evidence.no-source"] == "error"


def test_a_sample_whose_text_cannot_be_read_is_said_to_have_no_source(replies: Path, tmp_path: Path) -> None:
    (tmp_path / "outputs").mkdir()
    (tmp_path / "outputs" / "q3-a.pdf").write_bytes(b"no PDF at all")
    result = run(replies, "--protocol", "drift-sample", "--sources", tmp_path / "outputs", "--format", "jsonl")
    record = records(result)["good.json"]
    assert result.return_value == 1
    assert record["rules_broken"] == ["evidence.no-source"]
    assert "q3-a.pdf" in record["findings"][-1]["found"]


def test_without_sources_every_format_says_that_quotes_were_not_compared(replies: Path, tmp_path: Path) -> None:
    def shown(*arguments: object) -> str:
        result = run(replies, "--protocol", "drift-sample", *arguments)
        assert result.return_value == 0
        return result.stdout

    assert "1 reply: 1 valid, 0 invalid, quotes not compared\n" in shown()
    assert "共 1 条回复：有效 1，无效 0，引文未比对\n" in shown("--lang", "zh")
    document = json.loads(shown("--format", "json"))
    (record,) = document["results"].values()
    assert document["summary"]["quotes"] == {"not compared": 1}
    assert document["summary"]["evidence"] == record["evidence_level"] == "off"
    assert json.loads(shown("--format", "jsonl"))["quotes"] == "not compared"
    suite = ElementTree.fromstring(shown("--format", "junit"))
    assert (suite.get("skipped"), suite[0][0].get("message")) == ("1", "quotes not compared")
    (note,) = json.loads(shown("--format", "sarif"))["runs"][0]["results"]
    assert (note["level"], note["message"]["text"][:19]) == ("note", "Quotes not compared")


def test_evidence_off_is_shown_as_quotes_not_compared(replies: Path, sources: Path) -> None:
    arguments = (replies, "--protocol", "drift-sample", "--sources", sources, "--evidence", "off")
    assert "evidence off: quotes not compared" in run(*arguments).stdout
    assert records(run(*arguments, "--format", "jsonl"))["good.json"]["quotes"] == "not compared"


def test_where_a_protocol_asks_for_no_quotes_nothing_is_said_about_comparing_them(tmp_path: Path) -> None:
    (tmp_path / "reply.json").write_bytes(as_json(quality_reply()))
    arguments = (tmp_path, "--protocol", "quality", "--category", "qa_simple")
    assert "not compared" not in run(*arguments).stdout
    suite = ElementTree.fromstring(run(*arguments, "--format", "junit").stdout)
    assert (suite.get("tests"), suite.get("skipped")) == ("1", "0")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--protocol", "drift-sample"), "needs the judged outputs"),
        (("--protocol", "drift-sample", "--evidence", "off", "--sources", "."), "contradict"),
        (("--protocol", "quality", "--sources", "."), "asks for no quotes"),
    ],
)
def test_required_quotes_that_would_not_be_compared_are_wrong_usage(
    replies: Path, options: tuple[str, ...], message: str
) -> None:
    result = run(replies, *options, "--require-quotes")
    assert isinstance(result.exception, UsageError)
    assert message in str(result.exception)


def test_required_quotes_that_are_compared_pass(replies: Path, sources: Path) -> None:
    assert run(replies, "--protocol", "drift-sample", "--sources", sources, "--require-quotes").return_value == 0


def test_an_unreadable_file_is_reported_and_does_not_stop_the_others(replies: Path, sources: Path) -> None:
    (replies / "dangling.json").symlink_to(replies / "gone.json")
    result = run(replies, "--protocol", "drift-sample", "--sources", sources, "--format", "jsonl")
    found = records(result)
    assert found["good.json"]["status"] == "valid"
    assert found["dangling.json"]["status"] == "unread"


def test_a_link_out_of_the_folder_is_not_followed(replies: Path, sources: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_bytes(as_json(sample_reply()))
    (replies / "link.json").symlink_to(Path("..") / "secret.json")
    result = run(replies, "--protocol", "drift-sample", "--sources", sources, "--format", "jsonl")
    assert records(result)["link.json"]["status"] == "unread"


def test_machine_output_is_keyed_by_the_digest_of_each_reply(replies: Path, sources: Path) -> None:
    result = run(replies, "--protocol", "drift-sample", "--sources", sources, "--format", "json")
    document = json.loads(result.stdout)
    ((digest, record),) = document["results"].items()
    assert record["reply_sha256"] == digest
    assert document["summary"]["by_status"] == {"valid": 1}


def test_junit_has_a_failure_for_each_invalid_reply(replies: Path, sources: Path) -> None:
    (replies / "prose.txt").write_text("No \x00 \x1b thanks & <bye>")
    result = run(replies, "--protocol", "drift-sample", "--sources", sources, "--format", "junit")
    suite = ElementTree.fromstring(result.stdout)
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")


def test_sarif_names_the_rules_it_uses(replies: Path, sources: Path) -> None:
    (replies / "array.json").write_text("[]")
    result = run(replies, "--protocol", "drift-sample", "--sources", sources, "--format", "sarif")
    (log,) = json.loads(result.stdout)["runs"]
    assert "json.not-an-object" in [rule["id"] for rule in log["tool"]["driver"]["rules"]]
    assert log["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "array.json"


def test_a_sample_without_any_reply_is_a_finding_of_the_set(replies: Path, sources: Path) -> None:
    with sources.open("a") as file:
        file.write(json.dumps({"output_id": "lonely", "text": "nobody judged me"}) + "\n")
    (replies / "again.json").write_bytes(as_json(sample_reply()))
    result = run(replies, "--protocol", "drift-sample", "--sources", sources)
    assert result.return_value == 1
    assert "'lonely'" in result.stdout


def test_a_reply_on_a_sample_that_is_not_planned_is_incomplete_coverage(replies: Path, sources: Path) -> None:
    reply = sample_reply()
    reply["meta"]["output_id"] = "another"
    (replies / "good.json").write_bytes(as_json(reply))
    result = run(replies, "--protocol", "drift-sample", "--sources", sources, "--format", "jsonl")
    assert records(result)["good.json"]["flags"] == ["INCOMPLETE_COVERAGE"]


@pytest.mark.parametrize("output_id", ["基线 甲", 'the "first"', "a\\b", "a/b"])
def test_a_sample_is_found_however_its_id_is_escaped_in_the_reply(tmp_path: Path, output_id: str) -> None:
    sources, reply = tmp_path / "outputs.json", tmp_path / "reply.json"
    named = sample_reply()
    named["meta"]["output_id"] = output_id
    sources.write_text(json.dumps([{"output_id": output_id, "text": SAMPLE.text}]))
    reply.write_text(json.dumps(named).replace("a/b", r"a\/b"))
    result = run(reply, "--protocol", "drift-sample", "--sources", sources)
    assert result.return_value == 0, result.output


def test_samples_without_a_reply_are_listed_by_their_ids(replies: Path, tmp_path: Path) -> None:
    rows = [{"output_id": output_id, "text": SAMPLE.text} for output_id in (SAMPLE.output_id, "it's", "基线")]
    (tmp_path / "outputs.json").write_text(json.dumps(rows))
    arguments = (replies, "--protocol", "drift-sample", "--sources", tmp_path / "outputs.json", "--format", "json")
    assert json.loads(run(*arguments).stdout)["summary"]["samples_without_reply"] == ["it's", "基线"]


def test_names_in_square_brackets_are_shown_as_they_are(replies: Path, tmp_path: Path) -> None:
    folder = tmp_path / "["
    folder.mkdir()
    rows = [{"output_id": output_id, "text": SAMPLE.text} for output_id in (SAMPLE.output_id, "[/bold]")]
    (folder / "red].json").write_text(json.dumps(rows))
    arguments = (replies, "--protocol", "drift-sample", "--sources", folder / "red].json")
    result = run(*arguments, "--archive", folder / "blue]")
    assert result.exception is None
    assert "for example '[/bold]'" in result.stdout
    assert "[/red].json" in result.stdout.replace("\n", "")
    assert "[/blue]" in result.stdout.replace("\n", "")


def test_what_a_terminal_would_obey_is_spelt_out(replies: Path, sources: Path) -> None:
    (replies / "red\x1b[31m.json").write_bytes(b"{}")
    result = run(replies, "--protocol", "drift-sample", "--sources", sources)
    assert "red⟨U+001B⟩[31m.json" in result.stdout
    assert "\x1b[31m" not in result.stdout


def test_quality_replies_take_their_category_from_the_option(tmp_path: Path) -> None:
    (tmp_path / "reply.json").write_bytes(as_json(quality_reply()))
    result = run(tmp_path, "--protocol", "quality", "--category", "qa_simple", "--format", "jsonl")
    assert json.loads(result.stdout)["overall"] == pytest.approx(4.35)


def test_columns_are_mapped_by_the_option(replies: Path, tmp_path: Path) -> None:
    table = tmp_path / "outputs.csv"
    table.write_text('key,answer\nq3-a.txt,"' + SAMPLE.text + '"\n', encoding="utf-8")
    result = run(
        *(replies, "--protocol", "drift-sample", "--sources", table),
        *("--column", "output_id=key", "--column", "text=answer", "--format", "jsonl"),
    )
    assert records(result)["good.json"]["evidence_level"] == "nfkc"


NO_REPLIES = {
    "judge_prompt_v2.md": b"# You are a judge",
    "run_meta.json": b'{"judge_model": "glm", "temperature": 0}',
    "system-prompt.txt": b"Judge strictly.",
}


def test_files_that_are_not_replies_are_listed_and_not_counted(replies: Path, sources: Path) -> None:
    for name, data in NO_REPLIES.items():
        (replies / name).write_bytes(data)
    arguments = (replies, "--protocol", "drift-sample", "--sources", sources)
    result = run(*arguments)
    assert result.return_value == 0
    assert "1 reply: 1 valid, 0 invalid" in result.stdout
    assert "3 files are not replies: judge_prompt_v2.md, run_meta.json, system-prompt.txt" in result.stdout
    assert json.loads(run(*arguments, "--format", "json").stdout)["summary"]["not_replies"] == sorted(NO_REPLIES)
    found = records(run(*arguments, "--format", "jsonl"))
    assert found["run_meta.json"]["status"] == "not a reply"
    suite = ElementTree.fromstring(run(*arguments, "--format", "junit").stdout)
    assert (suite.get("failures"), suite.get("skipped")) == ("0", "3")
    levels = {each["level"] for each in json.loads(run(*arguments, "--format", "sarif").stdout)["runs"][0]["results"]}
    assert levels == {"note"}


@pytest.mark.parametrize("name", ["judge_prompt_v2.md", "prose.txt", "a-prompt-of-ours.json"])
def test_a_name_alone_excuses_neither_a_reply_with_scores_nor_a_refusal(
    replies: Path, sources: Path, name: str
) -> None:
    bad = as_json(sample_reply()).replace(b"}", b"", 1) if "v2" in name else b"I cannot judge this."
    (replies / name).write_bytes(bad)
    result = run(replies, "--protocol", "drift-sample", "--sources", sources)
    assert result.return_value == 1
    assert "2 replies: 1 valid, 1 invalid" in result.stdout


def test_a_folder_of_nothing_but_prompts_is_an_error_and_not_a_pass(tmp_path: Path) -> None:
    (tmp_path / "prompt.md").write_text("Judge!")
    result = run(tmp_path, "--protocol", "drift-sample")
    assert "only files that are not replies: prompt.md" in str(result.exception)
    assert run(tmp_path / "prompt.md", "--protocol", "drift-sample").return_value == 1


CUT = as_json(sample_reply())[:-40].decode()
OPENAI = {"choices": [{"message": {"content": CUT}, "finish_reason": "length"}], "usage": {"completion_tokens": 700}}
ANTHROPIC = {
    "role": "assistant",
    "content": [{"type": "text", "text": CUT}],
    "stop_reason": "max_tokens",
    "usage": {"output_tokens": 700},
}


@pytest.mark.parametrize(
    ("line", "ending"),
    [
        ({"output_id": "q3-a.txt", "reply": CUT, "finish_reason": "length", "output_tokens": 700}, "jsonl"),
        ({"output_id": "q3-a.txt", "reply": CUT, "stop_reason": "max_tokens", "output_tokens": 700}, "jsonl"),
        ({"output_id": "q3-a.txt", "reply": CUT, "finish_reason": "length", "usage": OPENAI["usage"]}, "jsonl"),
        ({"output_id": "q3-a.txt", "response": OPENAI}, "jsonl"),
        (OPENAI, "jsonl"),
        (ANTHROPIC, "jsonl"),
        (OPENAI, "json"),
        (ANTHROPIC, "json"),
    ],
)
def test_a_reply_that_was_cut_off_says_so_beside_its_syntax_error(
    tmp_path: Path, sources: Path, line: dict[str, object], ending: str
) -> None:
    path, archive = tmp_path / f"replies.{ending}", tmp_path / "archive"
    path.write_text(json.dumps(line, ensure_ascii=False) + "\n", encoding="utf-8")
    result = run(path, "--protocol", "drift-sample", "--sources", sources, "--format", "jsonl", "--archive", archive)
    record = json.loads(result.stdout)
    assert record["rules_broken"] == ["json.syntax", "judge.cut-off"]
    assert record["findings"][0]["found"] == "the reply was cut off at 700 tokens"
    assert run(archive, "--sources", sources).return_value == 0


def test_a_reply_that_is_whole_although_it_reached_the_limit_of_tokens_stays_valid(
    tmp_path: Path, sources: Path
) -> None:
    wrapped = {"output_id": "q3-a.txt", "reply": sample_reply(), "finish_reason": "length"}
    path = tmp_path / "replies.jsonl"
    path.write_text(json.dumps(wrapped, ensure_ascii=False) + "\n", encoding="utf-8")
    record = json.loads(run(path, "--protocol", "drift-sample", "--sources", sources, "--format", "jsonl").stdout)
    assert record["status"] == "valid"
    assert [(each["rule"], each["severity"]) for each in record["findings"]] == [("judge.cut-off", "note")]


def test_what_a_pdf_may_cost_is_told_by_an_option(replies: Path, tmp_path: Path) -> None:
    folder = tmp_path / "outputs"
    make_pdf(folder / "q3-a.pdf", [SAMPLE.text, "a second page"])
    command = (replies, "--protocol", "drift-sample", "--sources", folder)
    assert "has 2 pages" not in run(*command).stderr
    assert "has 2 pages, more than the 1 allowed" in run(*command, "--pdf-limit", "pages=1").stderr
    for wrong in ("page=1", "pages=0", "pages"):
        refused = run(*command, "--pdf-limit", wrong)
        assert "expected NAME=NUMBER with one of memory_mib, seconds, pages, characters" in str(refused.exception)


ENGLISH_WORDS = re.compile(r"(?<![\w./'\"-])[a-z]{3,}(?![\w./'\"-])")


def test_the_table_is_chinese_throughout_where_it_is_asked_for(replies: Path, sources: Path) -> None:
    for name, (raw, _) in BAD_FILES.items():
        (replies / name).write_bytes(raw)
    result = run(replies, "--protocol", "drift-sample", "--sources", sources, "--lang", "zh")
    assert "共 11 条回复：有效 1，无效 10" in result.stdout
    named = {"contract", "nfkc"}  # values of options, which are typed as they stand
    lines = [line for line in result.stdout.splitlines() if "I cannot judge" not in line]
    assert {word for line in lines for word in ENGLISH_WORDS.findall(line)} <= named


def test_an_archive_is_verified_in_chinese_where_it_is_asked_for(replies: Path, sources: Path, tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    run(replies, "--protocol", "drift-sample", "--sources", sources, "--archive", archive)
    next(archive.rglob("*.reply")).write_bytes(b"{}")
    result = run(archive, "--sources", sources, "--lang", "zh")
    assert "已被改动：SHA-256 应为" in result.stdout
    assert "共 1 条评判，复算 0 条，发现 1 处问题" in result.stdout


@pytest.mark.parametrize(
    ("lang", "line"), [("en", "and 2 more such replies; --format jsonl"), ("zh", "另有 2 条此类回复；--format jsonl")]
)
def test_replies_that_are_not_listed_are_counted(tmp_path: Path, lang: str, line: str) -> None:
    for number in range(12):
        (tmp_path / f"{number}.json").write_bytes(b"{}")
    assert line in run(tmp_path, "--protocol", "drift-sample", "--lang", lang).stdout
    (tmp_path / "0.json").unlink()
    (tmp_path / "1.json").unlink()
    assert "--format jsonl" not in run(tmp_path, "--protocol", "drift-sample", "--lang", lang).stdout


def test_a_wrong_overall_is_explained_as_what_it_is_under_quality() -> None:
    shown = run("--explain", "overall.mismatch").stdout
    assert "Under `quality` a difference above 0.05 is a note" in shown
    assert "在 `quality` 下，相差超过 0.05 只作提醒" in shown


def test_a_rule_is_explained_with_its_source_in_both_languages() -> None:
    result = run("--explain", "evidence.not-verbatim")
    assert "a paraphrase is not a quote" in result.stdout
    assert "转述不是引文" in result.stdout
    assert "source: sample §4" in result.stdout


def test_an_archive_holds_the_untouched_reply_and_verifies(replies: Path, sources: Path, tmp_path: Path) -> None:
    (replies / "prose.txt").write_bytes(b"no\r\n\xff")
    archive = tmp_path / "archive"
    run(replies, "--protocol", "drift-sample", "--sources", sources, "--archive", archive)
    kept = {path.read_bytes() for path in archive.rglob("*.reply")}
    assert kept == {b"no\r\n\xff", as_json(sample_reply())}
    assert sorted(path.parent.name for path in archive.rglob("*.reply")) == ["invalid_evaluations", "valid_evaluations"]
    again = run(archive, "--sources", sources)
    assert again.return_value == 0
    assert "2 evaluations, 2 judged again, 0 problems" in again.stdout


def test_an_archive_of_a_bundle_with_several_findings_verifies(tmp_path: Path, bundles: Path) -> None:
    reply, archive = tmp_path / "judge_glm_bundle_google_deepseek-v3.json", tmp_path / "archive"
    short = bundle_reply()
    del short["per_file_scores"][:6]
    reply.write_bytes(as_json(short))
    assert run(reply, *AS_BUNDLE, "--sources", bundles, "--archive", archive).return_value == 1
    assert run(archive, "--sources", bundles).return_value == 0


def test_an_archive_with_a_reply_that_was_not_planned_verifies(replies: Path, sources: Path, tmp_path: Path) -> None:
    reply = sample_reply()
    reply["meta"]["output_id"] = "another"
    (replies / "unplanned.json").write_bytes(as_json(reply))
    archive = tmp_path / "archive"
    run(replies, "--protocol", "drift-sample", "--sources", sources, "--archive", archive)
    assert run(archive, "--sources", sources).return_value == 0


@pytest.mark.parametrize("ending", [".reply", ".record.json"])
def test_a_changed_byte_in_an_archive_is_found(replies: Path, sources: Path, tmp_path: Path, ending: str) -> None:
    archive = tmp_path / "archive"
    run(replies, "--protocol", "drift-sample", "--sources", sources, "--archive", archive)
    (changed,) = archive.rglob(f"*{ending}")
    data = bytearray(changed.read_bytes())
    data[10] ^= 1
    changed.write_bytes(bytes(data))
    result = run(archive, "--sources", sources)
    assert result.return_value == 1
    assert f"{changed.name} was changed" in result.stdout


FORGERIES: dict[str, tuple[bytes, bytes, str]] = {
    "another score": (b'"overall": 6,', b'"overall": 7,', "does not follow from its reply: overall"),
    "another stated verdict": (b'"stated_verdict": "PARTIAL"', b'"stated_verdict": "PASS"', "reply: stated_verdict"),
    "another status": (b'"status": "valid"', b'"status": "recovered"', "does not agree with the manifest: status"),
    "another judge": (b'"judge": ""', b'"judge": "oak"', "does not agree with the manifest: judge"),
    "another flag": (b'"flags": []', b'"flags": ["UNPARSABLE_OUTPUT"]', "contradicts itself"),
    "no findings": (b'"findings": []', b'"findings": null', "is not the record of a judgement"),
    "no JSON": (b'"findings": []', b'"findings": oak', "is not the record of a judgement"),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_record_is_found_though_the_manifest_was_forged_with_it(
    replies: Path, sources: Path, tmp_path: Path, forgery: str
) -> None:
    archive = tmp_path / "archive"
    run(replies, "--protocol", "drift-sample", "--sources", sources, "--archive", archive)
    (path,) = archive.rglob("*.record.json")
    before, after, problem = FORGERIES[forgery]
    assert before in path.read_bytes()
    forged = path.read_bytes().replace(before, after, 1)
    manifest = archive / "manifest.json"
    manifest.write_text(manifest.read_text().replace(sha256_hex(path.read_bytes()), sha256_hex(forged)))
    path.write_bytes(forged)
    result = run(archive, "--sources", sources)
    assert result.return_value == 1
    assert problem in result.stdout


def test_an_invalid_evaluation_that_is_forged_to_be_valid_everywhere_is_found(sources: Path, tmp_path: Path) -> None:
    reply, archive = tmp_path / "reply.json", tmp_path / "archive"
    reply.write_bytes(as_json(sample_reply()).replace(b"collect the data", b"gather the data"))
    run(reply, "--protocol", "drift-sample", "--sources", sources, "--archive", archive)
    (path,) = archive.rglob("*.record.json")
    record = json.loads(path.read_bytes()) | {"status": "valid", "findings": [], "flags": [], "rules_broken": []}
    path.write_text(json.dumps(record))
    shutil.rmtree(archive / "valid_evaluations")
    (archive / "invalid_evaluations").rename(archive / "valid_evaluations")
    manifest = archive / "manifest.json"
    forged = json.loads(manifest.read_text().replace("invalid_evaluations", "valid_evaluations"))
    moved = archive / "valid_evaluations" / path.name
    forged["entries"][0] |= {"valid": True, "record_sha256": sha256_hex(moved.read_bytes())}
    manifest.write_text(json.dumps(forged))
    result = run(archive, "--sources", sources)
    assert result.return_value == 1
    assert "does not follow from its reply: status, findings, flags, rules_broken" in result.stdout


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("valid", False, "does not agree with the manifest: status"),
        ("name", "another.json", "does not agree with the manifest: name"),
        ("scale", "1-5", "names the scale '1-5'"),
        ("path", "../outputs.jsonl", "outputs.jsonl is missing or cannot be read"),
        ("path", "a\0b", "a⟨U+0000⟩b is missing or cannot be read"),
        ("path", "a" * 5000, "is missing or cannot be read"),
    ],
)
def test_a_manifest_that_was_changed_is_found(
    replies: Path, sources: Path, tmp_path: Path, field: str, value: object, problem: str
) -> None:
    archive = tmp_path / "archive"
    run(replies, "--protocol", "drift-sample", "--sources", sources, "--archive", archive)
    manifest = json.loads((archive / "manifest.json").read_text())
    manifest["entries"][0][field] = value
    (archive / "manifest.json").write_text(json.dumps(manifest))
    result = run(archive, "--sources", sources)
    assert result.return_value == 1
    assert problem in result.stdout


def test_an_evaluation_that_is_named_twice_is_found(replies: Path, sources: Path, tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    run(replies, "--protocol", "drift-sample", "--sources", sources, "--archive", archive)
    manifest = json.loads((archive / "manifest.json").read_text())
    manifest["entries"] *= 2
    (archive / "manifest.json").write_text(json.dumps(manifest))
    assert "is named twice in the manifest" in run(archive, "--sources", sources).stdout


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"evidence": "nfkc"', '"evidence": "nfkd"'),
        ('"judge": ""', '"jud9e": ""'),
        ("venire-archive/1", "venire-archive/2"),
        ('"protocol_id": "drift-sample"', '"protocol_id": "drift-simple"'),
    ],
)
def test_a_manifest_that_cannot_be_understood_says_why(replies: Path, tmp_path: Path, before: str, after: str) -> None:
    archive = tmp_path / "archive"
    run(replies, "--protocol", "drift-sample", "--archive", archive)
    manifest = archive / "manifest.json"
    manifest.write_text(manifest.read_text().replace(before, after))
    result = run(archive)
    assert isinstance(result.exception, VenireError)
    assert "changed" in str(result.exception)


def test_an_archive_whose_protocol_is_none_says_why(replies: Path, tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    run(replies, "--protocol", "drift-sample", "--archive", archive)
    protocol = msgspec.structs.replace(DRIFT_SAMPLE, scales=())
    (archive / "protocol.json").write_bytes(canonical_json(protocol))
    manifest = json.loads((archive / "manifest.json").read_text())
    digests = {"protocol_sha256": sha256_hex(canonical_json(protocol)), "protocol_digest": protocol.digest}
    (archive / "manifest.json").write_text(json.dumps(manifest | digests))
    result = run(archive)
    assert isinstance(result.exception, VenireError)
    assert "a protocol needs at least one scale" in str(result.exception)


def test_an_archive_of_mapped_columns_is_verified_with_the_same_mapping(replies: Path, tmp_path: Path) -> None:
    sources, archive = tmp_path / "outputs.csv", tmp_path / "archive"
    quoted = SAMPLE.text.replace('"', '""')
    sources.write_text(f'nr,wording\n{SAMPLE.output_id},"{quoted}"\n', encoding="utf-8")
    reading = ("--sources", sources, "--column", "output_id=nr", "--column", "text=wording")
    assert run(replies, "--protocol", "drift-sample", *reading, "--archive", archive).return_value == 0
    result = run(archive, *reading)
    assert "1 evaluation, 1 judged again, 0 problems" in result.stdout


def test_missing_and_unlisted_files_of_an_archive_are_found(replies: Path, sources: Path, tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    run(replies, "--protocol", "drift-sample", "--sources", sources, "--archive", archive)
    (reply,) = archive.rglob("*.reply")
    reply.rename(reply.with_name("other.reply"))
    result = run(archive)
    assert "is missing" in result.stdout
    assert "is not named in the manifest" in result.stdout


def test_an_archive_is_never_written_over_another_folder(replies: Path, tmp_path: Path) -> None:
    result = run(replies, "--protocol", "drift-sample", "--archive", replies)
    assert isinstance(result.exception, VenireError)
    assert [path.name for path in replies.iterdir()] == ["good.json"]


def test_a_chinese_archive_has_chinese_folders(replies: Path, sources: Path, tmp_path: Path) -> None:
    archive = tmp_path / "归档"
    run(replies, "--protocol", "drift-sample", "--sources", sources, "--archive", archive, "--lang", "zh")
    assert (archive / "有效评测").is_dir()
    assert run(archive, "--sources", sources).return_value == 0


@pytest.mark.parametrize("folder", ["valid_results", "有效评测", "valid_evaluations"])
def test_a_reply_that_is_filed_as_valid_and_is_not_is_counted(tmp_path: Path, sources: Path, folder: str) -> None:
    (tmp_path / "found" / folder).mkdir(parents=True)
    (tmp_path / "found" / folder / "prose.txt").write_text("No.")
    (tmp_path / "found" / folder / "good.json").write_bytes(as_json(sample_reply()))
    result = run(tmp_path / "found", "--protocol", "drift-sample", "--sources", sources)
    assert "1 reply is in the wrong folder: valid ones among the invalid, or the other way round" in result.stdout


def test_files_with_the_same_bytes_are_results_of_their_own(replies: Path, sources: Path) -> None:
    (replies / "same.json").write_bytes((replies / "good.json").read_bytes())
    result = run(replies, "--protocol", "drift-sample", "--sources", sources, "--format", "json")
    results = json.loads(result.stdout)["results"]
    assert {record["name"] for record in results.values()} == {"good.json", "same.json"}
    assert len({key.partition("#")[0] for key in results}) == 1


def test_a_bundle_reply_that_does_not_tell_its_target_says_how_to_name_it(tmp_path: Path) -> None:
    (tmp_path / "pdfs" / "alder").mkdir(parents=True)
    (tmp_path / "reply.json").write_bytes(as_json(bundle_reply()))
    result = run(tmp_path / "reply.json", "--protocol", "drift-bundle", "--sources", tmp_path / "pdfs")
    assert "a file name that does not name the target" in result.stderr
    assert "judge_JUDGE_bundle_TARGET.json" in result.stderr
