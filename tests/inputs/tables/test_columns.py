"""Which column of a table holds which field of a sample."""

from __future__ import annotations

import json
from pathlib import Path

import polars
import pytest

from venire.domain.sample import Sample
from venire.errors import InputError, TableError, UsageError
from venire.inputs.reader import read_samples


def write_lines(path: Path, *rows: dict[str, object]) -> Path:
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def read_all(path: Path, **options: object) -> tuple[list[Sample], list[str]]:
    problems: list[str] = []
    samples = read_samples(path, on_problem=lambda problem: problems.append(str(problem)), **options)  # type: ignore[arg-type]
    return list(samples), problems


def test_names_that_other_tools_use_are_recognised(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "a.jsonl",
        {"ID": 7, "Response": "hi", "question": "q", "variant": "v", "Model": "m", "prompt": "p", "trigger type": "x"},
    )
    expected = Sample("7", "hi", "q", "v", "m", "p", {"trigger_type": "x"})
    assert list(read_samples(path, factors=["trigger_type"])) == [expected]


def test_chinese_names_are_recognised(tmp_path: Path) -> None:
    path = tmp_path / "outputs.csv"
    path.write_text("编号,输出,题目,版本,模型,提示词\n甲,好。,q1,长,alder,说\n", encoding="utf-8")
    (sample,) = read_samples(path)
    assert (sample.output_id, sample.text, sample.question_id) == ("甲", "好。", "q1")
    assert (sample.prompt_variant, sample.target_model, sample.task) == ("长", "alder", "说")


def test_an_input_is_the_task(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", {"id": "1", "input": "Say hi.", "output": "hi"})
    assert list(read_samples(path)) == [Sample("1", "hi", task="Say hi.")]


def test_an_input_beside_an_instruction_has_to_be_told_apart(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", {"id": "1", "instruction": "Translate.", "input": "hi", "output": "salut"})
    with pytest.raises(InputError, match="several columns could be the task: 'instruction', 'input'"):
        list(read_samples(path))


def test_the_users_mapping_wins_over_names(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", {"id": "1", "text": "the prompt", "answer_zh": "the answer"})
    (sample,) = read_samples(path, columns={"text": "answer_zh", "task": "text"})
    assert (sample.text, sample.task) == ("the answer", "the prompt")


def test_our_own_name_wins_over_a_synonym(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", {"id": "1", "output_id": "2", "text": "t"})
    (sample,) = read_samples(path)
    assert (sample.output_id, sample.notes) == ("2", {"id": "1"})


def test_two_columns_that_could_be_the_text_have_to_be_told_apart(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", {"id": "1", "output": "a", "response": "b"})
    with pytest.raises(InputError, match="several columns could be the text: 'output', 'response'"):
        list(read_samples(path))


def test_a_mapped_column_that_no_row_has_is_told(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", {"id": "1", "text": "t"})
    samples, problems = read_all(path, columns={"task": "promt"}, factors=["trigger"])
    assert len(samples) == 1
    assert "no row has the columns 'promt', 'trigger', which are named in columns or factors" in problems[0]


def test_columns_are_factors_if_they_are_named_and_notes_otherwise(tmp_path: Path) -> None:
    row = {"id": "1", "text": "t", "Trigger": "explicit", "latency_ms": 312}
    (sample,) = read_samples(write_lines(tmp_path / "a.jsonl", row), factors=["trigger"])
    assert sample.factors == {"trigger": "explicit"}
    assert sample.notes == {"latency_ms": "312"}


def test_a_mapping_of_an_unknown_field_is_a_usage_error(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", {"id": "1", "text": "t"})
    with pytest.raises(UsageError, match="a sample has no field 'txt'"):
        list(read_samples(path, columns={"txt": "text"}))


def test_notes_are_words_and_missing_ones_are_left_out(tmp_path: Path) -> None:
    frame = polars.DataFrame({"id": [1], "text": ["t"], "run": [3.0], "cost": [0.5], "ok": [True], "none": [None]})
    frame.write_parquet(tmp_path / "a.parquet")
    (sample,) = read_samples(tmp_path / "a.parquet")
    assert sample.notes == {"run": "3", "cost": "0.5", "ok": "true"}


@pytest.mark.parametrize(
    ("name", "text"),
    [("t.csv", "nr,answer\n" + "1,good\n" * 50), ("t.jsonl", '{"nr": 1, "answer": "good"}\n' * 50)],
)
def test_a_missing_column_is_one_error_that_says_how_ids_can_be_made(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    told = []
    with pytest.raises(TableError, match="no column for output_id; the columns are 'nr', 'answer'") as caught:
        list(read_samples(path, on_problem=told.append))
    assert told == []
    assert "--id-from-row" in caught.value.hint
    samples = list(read_samples(path, id_from_row=True))
    assert len({sample.output_id for sample in samples}) == 50
    assert samples[0].output_id == f"row-{2 if name == 't.csv' else 1}"


def test_a_mapped_column_that_is_not_there_is_named_in_one_error(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id,text\n1,a\n2,b\n")
    with pytest.raises(TableError, match="no column 'case_no' for output_id; the columns are 'id', 'text'"):
        list(read_samples(path, columns={"output_id": "case_no"}, on_problem=lambda _: None))


def test_columns_that_are_both_missing_are_one_error(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("nr,said\n1,good\n")
    with pytest.raises(TableError, match="no column for output_id, and none for text; the columns are 'nr'") as caught:
        list(read_samples(path))
    assert "columns: {output_id: their_column, text: their_column}" in caught.value.hint


def test_the_words_of_a_question_leave_a_task_alone(tmp_path):
    row = {"id": "1", "text": "t", "question": "Why?", "prompt": "Answer: why?"}
    (sample,) = read_samples(write_lines(tmp_path / "a.jsonl", row))
    assert sample.task == "Answer: why?"
