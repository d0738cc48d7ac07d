"""From prompts to verdicts: outputs are collected, judged and reported in one ledger."""

import json

import pytest

from collecting import write_collection
from experiment import served_judge, serving, venire
from venire.ledger.entry import Kind
from venire.ledger.location import open_ledger


def entries(folder, *kinds):
    ledger = open_ledger(str(folder / "ledger.sqlite"), read_only=True)
    try:
        return list(ledger.read(kinds=kinds or None))
    finally:
        ledger.close()


def test_prompts_become_outputs_judgements_and_a_report(tmp_path, capsys):
    def reply_for(body):
        return f"As you asked: {body['messages'][-1]['content']}"

    with serving(reply_for=reply_for) as server:
        birch = {**served_judge(server.base_url), "parameters": {"temperature": 1}}
        targets = {"alder": {"type": "python", "function": "bot:answer"}, "birch": birch}
        config = write_collection(tmp_path, {"targets": targets})
        assert venire("collect", config, "--quiet") == 0
        sent = [request["body"] for request in server.requests]
        assert venire("collect", config, "--quiet") == 0
        assert venire("judge", config, "--quiet") == 0
        assert len(server.requests) == len(sent)  # Nothing is asked for twice, and rules need no server.
    assert sorted(body["messages"][-1]["content"] for body in sent) == [
        "How is it done?",
        "Please tell me: How is it done?",
        "Please tell me: Why is it so?",
        "Why is it so?",
    ]
    assert {(body["model"], body["temperature"]) for body in sent} == {("oak-large", 1)}
    assert all(body["messages"][0]["role"] == "user" for body in sent)  # No system message was given, and none is sent.
    outputs = {entry.content["place"]["output_id"]: entry.content for entry in entries(tmp_path, Kind.OUTPUT)}
    assert sorted(outputs) == sorted(
        f"{case}-{variant}-{target}" for case in ("q1", "q2") for variant in ("plain", "kind") for target in targets
    )
    assert outputs["q1-kind-alder"]["text"] == "alder says: Why is it so? (kind)"
    assert outputs["q1-plain-birch"]["text"] == "As you asked: Why is it so?"
    assert outputs["q1-plain-birch"]["place"]["parameters"] == {"temperature": 1}
    assert len(entries(tmp_path, Kind.PROMPT)) == 4  # one for each wording of each case, whoever was asked
    samples = [entry.content["sample"] for entry in entries(tmp_path, Kind.SAMPLE)]
    assert {(each["question_id"], each["prompt_variant"], each["target_model"]) for each in samples} == {
        (case, variant, target) for case in ("q1", "q2") for variant in ("plain", "kind") for target in targets
    }
    assert venire("report", tmp_path / "ledger.sqlite", "--json", tmp_path / "report.json") == 0
    report = json.loads((tmp_path / "report.json").read_bytes())
    assert report["origin"]["kind"] == "ledger"
    assert venire("audit", tmp_path / "ledger.sqlite") == 0


def test_one_command_collects_judges_and_reports_and_goes_on_where_it_stopped(tmp_path, capsys):
    config = write_collection(tmp_path, runner={"budget": {"calls": 3}, "reask_share": 0})
    assert venire("run", config, "--quiet") == 3
    assert len(entries(tmp_path, Kind.OUTPUT)) == 3
    whole = write_collection(tmp_path)
    assert venire("run", whole, "--quiet", "--html", tmp_path / "report.html") == 0
    assert len(entries(tmp_path, Kind.OUTPUT)) == 4
    assert len(entries(tmp_path, Kind.JUDGEMENT)) == 4
    assert "alder" in (tmp_path / "report.html").read_text("utf-8")
    kept = len(entries(tmp_path, Kind.OUTPUT, Kind.REPLY, Kind.OUTPUT_ATTEMPT))
    assert venire("run", whole, "--quiet") == 0
    assert len(entries(tmp_path, Kind.OUTPUT, Kind.REPLY, Kind.OUTPUT_ATTEMPT)) == kept
    assert "Paired contrasts: prompt variant" in capsys.readouterr().out


def test_an_empty_output_is_kept_and_counted_and_never_judged(tmp_path, capsys):
    targets = {name: {"type": "python", "function": f"bot:{name}"} for name in ("answer", "silent")}
    config = write_collection(tmp_path, {"targets": targets})
    assert venire("collect", config, "--quiet") == 0
    assert "2 outputs are empty" not in capsys.readouterr().out
    assert venire("judge", config, "--quiet") == 1
    assert "'q1-plain-silent' is empty" in capsys.readouterr().err
    assert len(entries(tmp_path, Kind.OUTPUT)) == 8
    assert {entry.content["task"]["judge"] for entry in entries(tmp_path, Kind.REPLY)} == {"strict"}
    assert len(entries(tmp_path, Kind.REPLY)) == 4


def test_a_target_that_always_fails_is_given_up_and_the_others_go_on(tmp_path, capsys):
    targets = {name: {"type": "python", "function": f"bot:{name}"} for name in ("answer", "broken")}
    config = write_collection(tmp_path, {"targets": targets, "repeats": 4})
    assert venire("collect", config, "--quiet") == 1
    assert "ValueError: no such thing" in capsys.readouterr().out
    targets_of = [entry.content["place"]["target"] for entry in entries(tmp_path, Kind.OUTPUT)]
    assert targets_of == ["answer"] * 16
    attempts = entries(tmp_path, Kind.OUTPUT_ATTEMPT)
    assert {entry.content["target"] for entry in attempts} == {"broken"}
    assert venire("judge", config, "--quiet") == 1
    assert "16 of 32 planned outputs have not been collected" in capsys.readouterr().err


def test_turns_are_played_one_after_another_and_the_last_answer_is_judged(tmp_path, capsys):
    config = write_collection(
        tmp_path,
        {
            "prompts": {"plain": {"text": "{{turn}}", "system": "Be brief."}},
            "targets": {"alder": {"type": "python", "function": "bot:patient"}},
        },
    )
    cases = [{"case_id": "talk", "turns": ["Hello?", {"role": "user", "content": "And then?"}]}]
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    assert venire("run", config, "--quiet") == 0
    texts = [entry.content["text"] for entry in entries(tmp_path, Kind.OUTPUT)]
    assert texts == ["answer 1 to Hello?", "answer 2 to And then?"]
    (sample,) = [entry.content["sample"] for entry in entries(tmp_path, Kind.SAMPLE)]
    assert sample["text"] == "answer 2 to And then?"
    assert sample["task"] == "Be brief.\n\nuser: Hello?\n\nassistant: answer 1 to Hello?\n\nAnd then?"


def test_outputs_of_another_ledger_are_judged_without_any_column_mapping(tmp_path):
    config = write_collection(tmp_path, {"factors": {"tone": {"dry": "{{question}}", "warm": "Dear, {{question}}"}},
                                         "prompts": {"plain": "{{tone}}"}})  # fmt: skip
    assert venire("collect", config, "--quiet") == 0
    keys = json.loads(config.read_text())
    del keys["collect"]
    config.write_text(json.dumps({**keys, "samples": {"ledger": "ledger.sqlite"}, "ledger": "second.sqlite"}))
    assert venire("judge", config, "--quiet") == 0
    ledger = open_ledger(str(tmp_path / "second.sqlite"), read_only=True)
    factors = [entry.content["sample"]["factors"] for entry in ledger.read(kinds=[Kind.SAMPLE])]
    ledger.close()
    assert sorted(each["tone"] for each in factors) == ["dry", "dry", "warm", "warm"]


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        ("Tell me {{qestion}}", "named 'qestion'"),
        ("Tell me {{question", "to close a variable, found '{{question'"),
        ("prompts/none.md", "cannot be read"),
    ],
)
def test_a_fault_in_a_prompt_is_told_before_anything_is_asked(tmp_path, capsys, prompt, said):
    config = write_collection(tmp_path, {"prompts": {"plain": prompt}})
    assert venire("collect", config, "--quiet") == 2
    told = capsys.readouterr().err
    assert said in told
    assert "venire.yaml" in told
    assert not (tmp_path / "ledger.sqlite").exists()
