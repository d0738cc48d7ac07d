"""A target that replays: from a mapping, from a file of texts, and from outputs that were exported."""

import json

import pytest

from collecting import write_collection
from experiment import venire
from venire.ledger.entry import Kind
from venire.ledger.location import open_ledger

ONE_PROMPT = {"plain": "{{question}}"}


def texts(folder, ledger="ledger.sqlite"):
    opened = open_ledger(str(folder / ledger), read_only=True)
    try:
        return {
            entry.content["place"]["output_id"]: entry.content["text"] for entry in opened.read(kinds=[Kind.OUTPUT])
        }
    finally:
        opened.close()


def replaying(folder, **options):
    targets = {"alder": {"type": "replay", "options": options}}
    return write_collection(folder, {"targets": targets, "prompts": ONE_PROMPT}, ledger="second.sqlite")


@pytest.mark.parametrize("source", ["mapping", "file"])
def test_outputs_are_replayed_by_their_names(tmp_path, source):
    said = {"q1-plain-alder": "One.", "q2-plain-alder": "Two."}
    lines = [json.dumps({"output_id": name, "text": text}) for name, text in said.items()]
    (tmp_path / "said.jsonl").write_text("\n".join(lines))
    config = replaying(tmp_path, **({"replies": said} if source == "mapping" else {"path": "said.jsonl"}))
    assert venire("run", config, "--quiet") == 0
    assert texts(tmp_path, "second.sqlite") == said


def test_exported_outputs_are_replayed_though_another_target_gave_them(tmp_path):
    assert venire("collect", write_collection(tmp_path, {"prompts": ONE_PROMPT}), "--quiet") == 0
    assert venire("export", tmp_path / "ledger.sqlite", "--outputs", tmp_path / "outputs.jsonl") == 0
    assert venire("collect", replaying(tmp_path, path="outputs.jsonl"), "--quiet") == 0
    assert texts(tmp_path, "second.sqlite") == texts(tmp_path)


def test_an_output_that_is_not_recorded_fails_and_the_others_are_kept(tmp_path, capsys):
    assert venire("collect", replaying(tmp_path, replies={"q2-plain-alder": "Two."}), "--quiet") == 1
    assert "no reply is recorded" in capsys.readouterr().out
    assert texts(tmp_path, "second.sqlite") == {"q2-plain-alder": "Two."}


def test_an_earlier_turn_is_not_answered_with_what_was_said_last(tmp_path, capsys):
    config = replaying(tmp_path, replies={"talk-plain-alder": "The end."})
    keys = json.loads(config.read_text())
    keys["collect"]["prompts"] = {"plain": "{{turn}}"}
    config.write_text(json.dumps(keys))
    (tmp_path / "cases.jsonl").write_text(json.dumps({"case_id": "talk", "turns": ["Hello?", "And then?"]}))
    assert venire("collect", config, "--quiet") == 1
    assert texts(tmp_path, "second.sqlite") == {}


def test_a_line_without_a_text_is_told_with_its_place(tmp_path, capsys):
    (tmp_path / "said.jsonl").write_text('{"output_id": "q1-plain-alder"}\n')
    assert venire("collect", replaying(tmp_path, path="said.jsonl"), "--quiet") == 2
    assert "said.jsonl:1" in capsys.readouterr().err
