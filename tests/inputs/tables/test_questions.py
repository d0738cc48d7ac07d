"""Whether the questions of a table are words, which judges are shown, or only names."""

from __future__ import annotations

import json

import pytest

from venire.inputs.reader import read_samples
from venire.inputs.sample_index import SampleIndex
from venire.inputs.tables.questions import LOOKED_AT


def write_lines(path, *rows):
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("column", "question", "task"),
    [
        ("question", "Why?", "Why?"),
        ("Question", "Name a colour you like.", "Name a colour you like."),
        ("题目", "用三句话介绍杭州。", "用三句话介绍杭州。"),
        ("question", "Capital of France", "Capital of France"),
        ("question", "2+2=", "2+2="),
        ("问题", "2024年奥运会在哪里", "2024年奥运会在哪里"),
        ("题目", "介绍一下北京", "介绍一下北京"),
        ("question", "q1", ""),
        ("question", "math/algebra-03", ""),
        ("question", " 17 ", ""),
        ("question", "Question 12", ""),
        ("题目", "第十二题", ""),
        ("qid", "Why?", ""),
    ],
)
def test_the_words_of_a_question_are_the_task_where_no_column_is(tmp_path, column, question, task):
    (sample,) = read_samples(write_lines(tmp_path / "a.jsonl", {"id": "1", "text": "t", column: question}))
    assert (sample.question_id, sample.task) == (question, task)


@pytest.mark.parametrize("questions", [["Capital of France", "1984", "H2O"], ["1984", "H2O", "Capital of France"]])
def test_one_question_in_words_makes_the_whole_column_words(tmp_path, questions):
    rows = [{"id": str(number), "text": "t", "question": each} for number, each in enumerate(questions)]
    path = write_lines(tmp_path / "a.jsonl", *rows)
    assert [sample.task for sample in read_samples(path)] == questions
    index = SampleIndex.open(path)
    assert [index.find(name).task for name in ("2", "0", "1")] == [questions[2], *questions[:2]]


def test_names_of_questions_stay_names_whatever_comes_after_the_rows_that_are_looked_at(tmp_path):
    rows = [{"id": str(number), "text": "t", "question": f"q{number}"} for number in range(LOOKED_AT)]
    path = write_lines(tmp_path / "a.jsonl", *rows, {"id": "last", "text": "t", "question": "Why?"})
    samples = list(read_samples(path))
    assert len(samples) == LOOKED_AT + 1
    assert {sample.task for sample in samples} == {""}
