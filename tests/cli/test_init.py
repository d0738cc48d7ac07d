"""`venire init` beside a table of outputs: the configuration that it writes is ready to be planned."""

from __future__ import annotations

import json

import pytest
import yaml

from experiment import venire

ANSWERS = 'question,retrieved_contexts,response,model\nWhen?,"[""At six.""]",At six.,bot-1\n'
ANSWERED = [{"role": "assistant", "content": "y"}]


def written(folder, capsys, *options):
    assert venire("init", folder / "venire.yaml", *options) == 0
    return yaml.safe_load((folder / "venire.yaml").read_text(encoding="utf-8")), capsys.readouterr().out


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_table_with_documents_is_named_with_what_it_needs(tmp_path, capsys, language):
    (tmp_path / "answers.csv").write_text(ANSWERS)
    config, said = written(tmp_path, capsys, "--lang", language)
    assert config["samples"] == {"path": "answers.csv", "id_from_row": True}
    assert config["protocol"] == "grounded"
    assert "answers.csv" in said
    assert "'retrieved_contexts'" in said
    assert venire("plan", tmp_path / "venire.yaml") == 0
    assert "At six." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("row", "protocol"),
    [
        ({"id": "a", "output": "x", "prompt_variant": "short"}, "drift-sample"),
        ({"id": "a", "output": "x", "ground_truth": "y"}, "answer"),
        (
            {"id": "a", "messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}]},
            "conversation",
        ),
    ],
)
def test_the_protocol_follows_from_the_columns(tmp_path, capsys, row, protocol):
    (tmp_path / "my rows: 1.jsonl").write_text(json.dumps(row) + "\n")
    config, said = written(tmp_path, capsys)
    assert config["samples"] == {"path": "my rows: 1.jsonl"}
    assert config["protocol"] == protocol
    assert "numbered" not in said


@pytest.mark.parametrize(("language", "names"), [("en", {"helpful", "polite"}), ("zh", {"有帮助", "有礼貌"})])
def test_a_plain_table_is_first_judged_by_questions_of_its_owner(tmp_path, capsys, language, names):
    (tmp_path / "rows.csv").write_text("id,output\na,x\n")
    config, said = written(tmp_path, capsys, "--lang", language)
    assert {*config["protocol"]} == {"ask", "score", "scale"}
    assert {*config["protocol"]["score"]} == names
    assert config["profile"] == "contract"
    assert "`protocol:`" in said
    assert venire("plan", tmp_path / "venire.yaml") == 0


def test_of_several_tables_the_first_is_judged_and_the_others_are_told(tmp_path, capsys):
    for name in ("two.csv", "one.csv", "three.csv"):
        (tmp_path / name).write_text(ANSWERS)
    config, said = written(tmp_path, capsys)
    assert config["samples"]["path"] == "one.csv"
    assert "found one.csv" in said
    assert "other tables of outputs lie here too: three.csv, two.csv." in said
    assert venire("plan", tmp_path / "venire.yaml") == 0


def test_what_is_no_table_of_outputs_is_passed_over(tmp_path, capsys):
    (tmp_path / "package.json").write_text('{"name": "x"}')
    (tmp_path / "labels.csv").write_text("rater,score\nann,1\n")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "broken.parquet").write_bytes(b"no")
    (tmp_path / "latin.csv").write_bytes(b"id,output\n1,\xe9\xff\n")
    config, said = written(tmp_path, capsys)
    assert config["samples"] == {"path": "outputs.jsonl"}
    assert "found" not in said


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_table_whose_columns_say_nothing_is_told_with_its_columns(tmp_path, capsys, language):
    (tmp_path / "bot.csv").write_text("Customer Question,Bot Answer\nWhen?,At six.\n")
    _, said = written(tmp_path, capsys, "--lang", language)
    assert "bot.csv" in said
    assert "'Customer Question'" in said
    assert "'Bot Answer'" in said
    assert "columns: {text: their_column}" in said
    assert "`samples:`" in said.splitlines()[-1]


def test_a_spreadsheet_is_told_to_be_saved_as_csv(tmp_path, capsys):
    (tmp_path / "answers.xlsx").write_bytes(b"PK")
    _, said = written(tmp_path, capsys)
    assert "answers.xlsx" in said
    assert "Save the sheet as CSV" in said


def test_where_there_is_a_table_of_outputs_others_are_not_complained_of(tmp_path, capsys):
    (tmp_path / "labels.csv").write_text("rater,score\nann,1\n")
    (tmp_path / "outputs.csv").write_text(ANSWERS)
    _, said = written(tmp_path, capsys)
    assert "labels.csv" not in said


def test_a_table_in_the_encoding_of_a_chinese_spreadsheet_is_named_with_it(tmp_path, capsys):
    rows = "编号,题目,回答\n一,为什么天空是蓝色的？,因为空气分子散射蓝光更强，这叫瑞利散射。\n"
    (tmp_path / "回答.csv").write_bytes(rows.encode("gbk"))
    config, said = written(tmp_path, capsys, "--lang", "zh")
    assert config["samples"] == {"path": "回答.csv", "encoding": "gb18030"}
    assert "gb18030" in said
    assert venire("plan", tmp_path / "venire.yaml") == 0
    assert "  task: 为什么天空是蓝色的？" in capsys.readouterr().out
