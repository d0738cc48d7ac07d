"""From prompts to verdicts: outputs are collected, judged and reported in one ledger."""

import json

import pytest

from collecting import RULES, write_collection
from experiment import served_judge, serving, venire
from venire.ledger.entry import Draft, Kind
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
    capsys.readouterr()
    assert venire("report", tmp_path / "ledger.sqlite") == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "4 outputs are empty, and were not judged 4 / 8" in shown
    assert "so they are in no score: silent 4." in shown


def test_a_conversation_that_ends_with_an_empty_answer_is_not_missing(tmp_path, capsys):
    targets = {"silent": {"type": "python", "function": "bot:silent"}}
    config = write_collection(tmp_path, {"prompts": {"plain": "{{turn}}"}, "targets": targets})
    (tmp_path / "cases.jsonl").write_text(json.dumps({"case_id": "talk", "turns": ["Hello?", "And then?"]}) + "\n")
    assert venire("collect", config, "--quiet") == 0
    assert venire("report", tmp_path / "ledger.sqlite") == 0
    assert "planned outputs were collected" not in capsys.readouterr().out


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
    assert "16 of 32 planned outputs were not collected" in capsys.readouterr().err
    assert venire("report", tmp_path / "ledger.sqlite") == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "Incomplete: 16 planned outputs were not collected 16 / 32" in shown
    assert "16 of 32 planned outputs were collected; missing: broken 16." in shown


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


def test_an_endpoint_is_posted_a_body_with_variables_and_its_answer_is_found_by_a_path(tmp_path, monkeypatch):
    monkeypatch.setenv("BOT_KEY", "k-12345")
    with serving(reply_for=lambda body: f"Heard {body['question']}.") as server:
        bot = {
            "type": "http",
            "url": f"{server.base_url}/chat/completions",
            "headers": {"X-Key": "Bearer ${BOT_KEY}"},
            "body": {"question": "{{prompt}}", "messages": "{{messages}}", "model": "bot"},
            "answer": "choices.0.message.content",
        }
        config = write_collection(tmp_path, {"targets": {"bot": bot}, "prompts": {"plain": "{{question}}"}})
        assert venire("collect", config, "--quiet") == 0
        assert {request["headers"]["X-Key"] for request in server.requests} == {"Bearer k-12345"}
        assert server.requests[0]["body"]["messages"][-1]["role"] == "user"
    texts = [entry.content["text"] for entry in entries(tmp_path, Kind.OUTPUT)]
    assert sorted(texts) == ["Heard How is it done?.", "Heard Why is it so?."]
    assert not any(b"k-12345" in entry.payload for entry in entries(tmp_path))


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_exported_outputs_are_read_back_and_judged_without_a_mapping(tmp_path, capsys, ending):
    config = write_collection(tmp_path, {"repeats": 2, "parameters": {"temperature": [0, 1]}})
    assert venire("collect", config, "--quiet") == 0
    file = tmp_path / f"outputs.{ending}"
    assert venire("export", tmp_path / "ledger.sqlite", "--outputs", file) == 0
    assert "16 outputs" in capsys.readouterr().out
    keys = json.loads(config.read_text())
    del keys["collect"]
    keys |= {"samples": file.name, "ledger": "second.sqlite", "factors": ["temperature"]}
    config.write_text(json.dumps(keys))
    assert venire("judge", config, "--quiet") == 0
    with_ledger = open_ledger(str(tmp_path / "second.sqlite"), read_only=True)
    samples = [entry.content["sample"] for entry in with_ledger.read(kinds=[Kind.SAMPLE])]
    with_ledger.close()
    assert {(each["question_id"], each["prompt_variant"], each["target_model"]) for each in samples} == {
        (case, variant, "alder") for case in ("q1", "q2") for variant in ("plain", "kind")
    }
    assert sorted(each["factors"]["temperature"] for each in samples) == ["0"] * 8 + ["1"] * 8
    assert {each["task"] for each in samples} >= {"Why is it so?"}


def test_a_plan_counts_outputs_and_what_they_cost_before_anything_is_asked(tmp_path, capsys):
    priced = {
        "type": "openai_compatible",
        "model": "oak",
        "base_url": "http://127.0.0.1:9",
        "price": {"output_per_million": 1000},
    }
    config = write_collection(tmp_path, {"targets": {"oak": priced}, "parameters": {"max_tokens": 100}})
    assert venire("plan", config) == 0
    told = capsys.readouterr().out
    assert "≤400" in told
    assert "≤0.4" in told
    assert not (tmp_path / "ledger.sqlite").exists()


def test_a_judge_does_not_judge_its_own_model_under_the_name_of_a_target(tmp_path, capsys):
    targets = {"bot": {"type": "python", "function": "bot:answer", "model": "oak-large"}}
    judges = {"oak": {"type": "rules", "rules": RULES, "weight": 1, "model": "oak-large"}}
    config = write_collection(tmp_path, {"targets": targets}, judges=judges)
    assert venire("run", config, "--quiet") == 0
    methods = {entry.content["judgement"]["method"] for entry in entries(tmp_path, Kind.JUDGEMENT)}
    assert methods == {"self_judge"}


def test_an_audit_finds_an_output_that_was_put_in_the_place_of_another(tmp_path, capsys):
    config = write_collection(tmp_path)
    assert venire("collect", config, "--quiet") == 0
    first, second, *_ = entries(tmp_path, Kind.OUTPUT)
    ledger = open_ledger(str(tmp_path / "ledger.sqlite"))
    forged = {**first.content, "place": second.content["place"]}
    ledger.append([Draft(Kind.OUTPUT, {**forged, "task": {**forged["task"], "id": "0" * 64}}, "0" * 64)])
    ledger.close()
    assert venire("audit", tmp_path / "ledger.sqlite") == 1
    assert "does not belong to the task" in capsys.readouterr().out


def test_a_share_of_the_design_and_a_listed_part_of_it_are_the_same_every_time(tmp_path):
    cases = [{"case_id": f"q{number}", "question": f"Number {number}?"} for number in range(50)]
    config = write_collection(tmp_path, {"share": 0.3, "only": [{"variant": "plain"}, {"case": "q1"}]})
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    assert venire("collect", config, "--quiet") == 0
    chosen = {entry.content["place"]["output_id"] for entry in entries(tmp_path, Kind.OUTPUT)}
    assert 5 <= len(chosen) <= 30
    assert {name for name in chosen if "-kind-" in name} <= {"q1-kind-alder"}
    assert venire("collect", config, "--quiet") == 0
    assert len(entries(tmp_path, Kind.OUTPUT)) == len(chosen)


def test_a_study_in_postgresql_resumes_and_audits_as_one_in_a_file(tmp_path, postgres):
    location = postgres.tcp_url(postgres.new_ledger())
    config = write_collection(tmp_path, ledger=location)
    assert venire("run", config, "--quiet") == 0
    assert venire("run", config, "--quiet") == 0
    ledger = open_ledger(location, read_only=True)
    assert len(list(ledger.read(kinds=[Kind.OUTPUT]))) == 4
    ledger.close()
    assert venire("audit", location) == 0


def test_a_ledger_that_was_only_collected_is_reported_by_form_and_pretends_no_judgement(tmp_path, capsys):
    config = write_collection(tmp_path, {"forbidden": ["says", "delve"]})
    assert venire("collect", config, "--quiet") == 0
    assert venire("report", tmp_path / "ledger.sqlite", "--json", tmp_path / "report.json") == 0
    report = json.loads((tmp_path / "report.json").read_bytes())
    assert [section["id"] for section in report["sections"]] == ["collected", "format_drift", "run_log"]
    capsys.readouterr()
    assert venire("report", tmp_path / "ledger.sqlite") == 0
    told = capsys.readouterr().out
    assert "4 outputs of 1 target on 2 cases; nothing has been judged yet" in told
    assert "4 of 4 outputs use at least one of 2 forbidden words" in told
    assert venire("report", tmp_path / "ledger.sqlite", "--html", tmp_path / "report.html") == 0
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "<h1>4 outputs of 1 target on 2 cases; nothing has been judged yet</h1>" in page
    assert "too many judgements" not in page


def test_another_list_of_forbidden_words_asks_for_no_output_again(tmp_path, capsys):
    assert venire("collect", write_collection(tmp_path, {"forbidden": ["delve"]}), "--quiet") == 0
    assert venire("collect", write_collection(tmp_path, {"forbidden": ["alder"]}), "--quiet") == 0
    assert len(entries(tmp_path, Kind.OUTPUT)) == 4
    capsys.readouterr()
    assert venire("report", tmp_path / "ledger.sqlite") == 0
    assert "4 of 4 outputs use at least one of 1 forbidden word" in capsys.readouterr().out


def test_a_forbidden_word_of_blanks_is_refused_with_its_place(tmp_path, capsys):
    assert venire("collect", write_collection(tmp_path, {"forbidden": [" "]}), "--quiet") == 2
    assert "forbidden" in capsys.readouterr().err
