"""What cases bring along, and how outputs ended, is kept from the collection to the judges."""

import json

from collecting import write_collection
from experiment import served_judge, serving, venire
from venire.ledger.entry import Kind
from venire.ledger.location import open_ledger

ENDINGS = '''
def answer(request):
    """Refuse the first question, and be cut off at the second."""
    return {"text": "Half an", "finish_reason": {"q1": "refusal", "q2": "length"}[request["case"]["id"]]}
'''


def entries(folder, kind):
    ledger = open_ledger(str(folder / "ledger.sqlite"), read_only=True)
    try:
        return [entry.content for entry in ledger.read(kinds=[kind])]
    finally:
        ledger.close()


def write_cases(folder, *cases):
    (folder / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))


def test_refused_and_cut_off_outputs_are_marked_and_judged(tmp_path, capsys):
    config = write_collection(tmp_path, {"prompts": {"plain": "{{question}}"}})
    (tmp_path / "bot.py").write_text(ENDINGS)
    assert venire("run", config, "--quiet", "--json", tmp_path / "report.json") == 0
    heads, row = capsys.readouterr().out.splitlines()[1:3]
    assert dict(zip(heads.split()[1:], row.split()[1:], strict=False))["collected"] == "2"
    assert "refused" in heads
    assert "cut off" in heads
    assert {each["finish_reason"] for each in entries(tmp_path, Kind.OUTPUT)} == {"refusal", "length"}
    assert len(entries(tmp_path, Kind.JUDGEMENT)) == 2
    sections = {each["id"]: each for each in json.loads((tmp_path / "report.json").read_bytes())["sections"]}
    cells = {each["id"]: each.get("value") for each in sections["collected"]["tables"][0]["rows"][0]["cells"]}
    ended = {name: cells[f"collected.alder.outputs_{name}"] for name in ("complete", "empty", "refused", "cut_off")}
    assert ended == {"complete": 0, "empty": 0, "refused": 1, "cut_off": 1}
    assert venire("export", tmp_path / "ledger.sqlite", "--outputs", tmp_path / "outputs.jsonl") == 0
    rows = [json.loads(line) for line in (tmp_path / "outputs.jsonl").read_text().splitlines()]
    assert {each["question_id"]: each["state"] for each in rows} == {"q1": "refused", "q2": "cut_off"}


def test_columns_that_no_prompt_uses_are_told_of_once(tmp_path, capsys):
    with serving(reply_for=lambda body: "As you asked.") as server:
        config = write_collection(tmp_path, {"targets": {"oak": served_judge(server.base_url)}})
        write_cases(tmp_path, *({"case_id": f"q{n}", "question": f"{n}?", "source": "s"} for n in range(3)))
        assert venire("collect", config, "--quiet") == 0
    told = capsys.readouterr().err
    assert told.count("'source'") == 1
    assert "'question'" not in told
    assert "'case_id'" not in told


def test_documents_of_a_case_fill_prompts_and_are_shown_to_judges_as_materials(tmp_path):
    with serving(reply_for=lambda body: body["messages"][-1]["content"]) as server:
        prompts = {"plain": "By this: {{documents}} {{question}}"}
        config = write_collection(tmp_path, {"targets": {"oak": served_judge(server.base_url)}, "prompts": prompts})
        documents = [{"id": "law", "text": "No dogs."}, {"id": "note", "text": "Cats may."}]
        write_cases(tmp_path, {"case_id": "q1", "question": "May cats?", "documents": documents})
        assert venire("run", config, "--quiet") == 0
    (output,), (sample,) = entries(tmp_path, Kind.OUTPUT), entries(tmp_path, Kind.SAMPLE)
    assert output["text"] == "By this: No dogs.\n\nCats may. May cats?"
    materials = sample["sample"]["materials"]
    assert [(each["id"], each["kind"]) for each in materials] == [("law", "document"), ("note", "document")]


def test_a_conversation_is_played_with_the_targets_own_answers(tmp_path):
    with serving(reply_for=lambda body: f"turn {sum(each['role'] == 'user' for each in body['messages'])}") as server:
        targets, prompts = {"oak": served_judge(server.base_url)}, {"plain": "Well: {{turn}}"}
        config = write_collection(tmp_path, {"targets": targets, "prompts": prompts})
        messages = [{"role": "user", "content": text} for text in ("Hello?", "And then?")]
        write_cases(tmp_path, {"case_id": "talk", "messages": messages})
        assert venire("collect", config, "--quiet") == 0
        last = server.requests[-1]["body"]["messages"]
    assert [(each["role"], each["content"]) for each in last] == [
        ("user", "Well: Hello?"),
        ("assistant", "turn 1"),
        ("user", "And then?"),
    ]


def test_a_conversation_with_answers_of_others_is_refused_with_its_place(tmp_path, capsys):
    config = write_collection(tmp_path, {"prompts": {"plain": "{{turn}}"}})
    messages = [{"role": "user", "content": "Hello?"}, {"role": "assistant", "content": "What others said."}]
    write_cases(tmp_path, {"case_id": "talk", "messages": messages})
    assert venire("collect", config, "--quiet") == 2
    assert "cases.jsonl:1" in capsys.readouterr().err
    assert not (tmp_path / "ledger.sqlite").exists()


def test_a_comparison_of_a_collection_with_repeats_counts_cases_and_not_outputs(tmp_path):
    targets = {name: {"type": "python", "function": "bot:answer"} for name in ("alder", "birch")}
    config = write_collection(tmp_path, {"targets": targets, "repeats": 3, "prompts": {"plain": "{{question}}"}})
    write_cases(tmp_path, *({"case_id": f"q{number}", "question": f"{number}?"} for number in range(8)))
    assert venire("run", config, "--quiet") == 0
    file = tmp_path / "comparison.json"
    assert venire("compare", tmp_path / "ledger.sqlite", "--models", "alder", "birch", "--json", file) == 0
    overall = json.loads(file.read_bytes())["scores"][0]
    assert overall["second"]["n"] == {"values": 24, "clusters": 8, "missing": 0}
    assert (overall["difference"]["pairs"], overall["difference"]["clustered_by"]) == (8, "question")
