"""Conversations in tables: messages of chat models, what of them is judged, and what can be wrong with them."""

import json

import polars
import pytest

from venire.domain.material import MaterialKind
from venire.inputs.reader import read_samples
from venire.inputs.tables.materials import MaterialTerms

TURN, CALL, RESULT = MaterialKind.TURN, MaterialKind.TOOL_CALL, MaterialKind.TOOL_RESULT
STEPS = frozenset({TURN, CALL, RESULT})
MESSAGES = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "What is the weather\nin Oslo?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c9", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}],
    },
    {"role": "tool", "tool_call_id": "c9", "content": "-3 °C"},
    {"role": "assistant", "content": "It is cold: -3 °C."},
    {"role": "user", "content": "And tomorrow?"},
    {"role": "assistant", "content": "Warmer."},
]


def read(folder, *values, column="messages", ending="jsonl", terms=None, **more):
    problems, path = [], folder / f"rows.{ending}"
    rows = [{"id": f"s{n}", "qid": f"q{n}", column: value, **more} for n, value in enumerate(values, start=1)]
    if ending == "parquet":
        polars.DataFrame(rows, infer_schema_length=None).write_parquet(path)
    elif ending == "csv":
        cells = [{**row, column: json.dumps(row[column])} for row in rows]
        polars.DataFrame(cells).write_csv(path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    terms = terms or MaterialTerms(STEPS)
    return list(read_samples(path, materials=terms, on_problem=problems.append)), problems


@pytest.mark.parametrize(
    ("column", "ending"),
    [
        (column, ending)
        for column in ("messages", "turns", "conversation", "user_input", "input")
        for ending in ("jsonl", "csv", "parquet")
    ],
)
def test_the_last_answer_is_judged_by_all_that_was_said_and_done_beside_it(tmp_path, column, ending):
    (sample,), problems = read(tmp_path, MESSAGES, column=column, ending=ending)
    assert not problems
    assert (sample.output_id, sample.question_id, sample.text, sample.task) == ("s1", "q1", "Warmer.", "")
    assert [(each.id, each.kind, each.role, each.text) for each in sample.materials] == [
        ("turn-1", TURN, "system", "Be brief."),
        ("turn-2", TURN, "user", "What is the weather\nin Oslo?"),
        ("call-1", CALL, "weather", '{"city": "Oslo"}'),
        ("result-1", RESULT, "weather", "-3 °C"),
        ("turn-3", TURN, "assistant", "It is cold: -3 °C."),
        ("turn-4", TURN, "user", "And tomorrow?"),
    ]


def test_each_answer_is_a_sample_of_its_own_with_what_stands_before_it(tmp_path):
    (first, second), _ = read(tmp_path, MESSAGES, terms=MaterialTerms(STEPS, judged="each"))
    assert (first.output_id, first.question_id, first.text) == ("s1/1", "q1/1", "It is cold: -3 °C.")
    assert [each.id for each in first.materials] == ["turn-1", "turn-2", "call-1", "result-1"]
    assert (second.output_id, second.text, len(second.materials)) == ("s1/2", "Warmer.", 6)


def test_the_whole_conversation_is_judged_as_one_text(tmp_path):
    (sample,), _ = read(tmp_path, MESSAGES, terms=MaterialTerms(STEPS, judged="whole"))
    assert sample.materials == ()
    assert sample.text.startswith("system: Be brief.\n\nuser: What is")
    assert 'tool call weather: {"city": "Oslo"}\n\ntool result weather: -3 °C\n\nassistant: It is cold' in sample.text


def test_a_protocol_that_shows_no_turns_gets_them_as_the_task(tmp_path):
    (sample,), problems = read(tmp_path, MESSAGES[-3:], terms=MaterialTerms(), category="multi_turn")
    assert not problems
    assert (sample.text, sample.category, sample.materials) == ("Warmer.", "multi_turn", ())
    assert sample.task == "assistant: It is cold: -3 °C.\n\nuser: And tomorrow?"


@pytest.mark.parametrize("column", ["messages", "user_input", "input"])
def test_in_the_category_of_conversations_turns_beside_an_output_become_the_task(tmp_path, column):
    said, words = {"response": "Warmer."}, "assistant: It is cold: -3 °C.\n\nuser: And tomorrow?"
    for ending in ("csv", "jsonl"):
        given = {"column": column, "ending": ending, **said}
        (sample,), _ = read(tmp_path, MESSAGES[-3:-1], terms=MaterialTerms(), category="multi_turn", **given)
        assert (sample.task, sample.text, sample.notes) == (words, "Warmer.", {})
        (sample,), _ = read(tmp_path, MESSAGES[-3:-1], terms=MaterialTerms(category="multi_turn"), **given)
        assert sample.task == words
    (sample,), _ = read(tmp_path, MESSAGES[-3:-1], terms=MaterialTerms(), category="qa_simple", **said)
    assert (sample.task, list(sample.notes)) == ("", ["messages"])


@pytest.mark.parametrize("column", ["user_input", "input", "messages"])
def test_a_list_of_messages_that_is_not_json_is_named_and_not_the_output_that_it_would_hold(tmp_path, column):
    (tmp_path / "rows.csv").write_text(f"id,{column}\ns1,[not json\n")
    problems = []
    assert not list(read_samples(tmp_path / "rows.csv", materials=MaterialTerms(STEPS), on_problem=problems.append))
    (problem,) = problems
    assert problem.message.startswith(f"column '{column}' should hold a list as JSON, but is not JSON")
    assert "`role` and `content`" in problem.hint


def test_an_output_beside_the_conversation_is_what_is_judged(tmp_path):
    (sample,), _ = read(tmp_path, MESSAGES, response="Warmer.")
    assert (sample.text, len(sample.materials)) == ("Warmer.", 6)
    (sample,), _ = read(tmp_path, MESSAGES, response="Another answer.")
    assert (sample.text, sample.materials[-1].text) == ("Another answer.", "Warmer.")
    found, _ = read(tmp_path, MESSAGES, response="Another answer.", terms=MaterialTerms(STEPS, judged="each"))
    assert [each.text for each in found] == ["It is cold: -3 °C.", "Warmer.", "Another answer."]


def test_messages_in_the_task_become_turns_only_if_they_are_messages(tmp_path):
    cases = {
        '[{"content": "See [1] {x}", "role": "user"}]': ("", ["See [1] {x}"]),
        "[{'role': 'user', 'content': 'Hi'}]": ("", ["Hi"]),
        '[{"type": "apple"}] is a list': ('[{"type": "apple"}] is a list', []),
        '[{"type": "apple"}]': ('[{"type": "apple"}]', []),
        "[1] Cite your sources.": ("[1] Cite your sources.", []),
    }
    rows = [{"id": f"s{number}", "user_input": cell, "response": "Yes."} for number, cell in enumerate(cases)]
    polars.DataFrame(rows).write_csv(tmp_path / "rows.csv")
    found = list(read_samples(tmp_path / "rows.csv", materials=MaterialTerms(STEPS)))
    assert [(each.task, [turn.text for turn in each.materials]) for each in found] == list(cases.values())


def test_messages_in_the_task_that_break_off_are_a_problem_of_their_row(tmp_path):
    rows = [{"id": "a", "input": '[{"role": "user", "content": "Wh', "response": "Yes."}]
    polars.DataFrame(rows).write_csv(tmp_path / "rows.csv")
    problems = []
    assert not list(read_samples(tmp_path / "rows.csv", materials=MaterialTerms(STEPS), on_problem=problems.append))
    assert "column 'input' should hold a list as JSON" in problems[0].message


def test_messages_in_the_task_are_written_out_for_a_protocol_that_shows_documents_only(tmp_path):
    terms = MaterialTerms(frozenset({MaterialKind.DOCUMENT}))
    (sample,), _ = read(tmp_path, MESSAGES[-3:-1], column="user_input", ending="csv", terms=terms, response="Warmer.")
    assert (sample.text, sample.task) == ("Warmer.", "assistant: It is cold: -3 °C.\n\nuser: And tomorrow?")


@pytest.mark.parametrize(
    "messages",
    [
        [{"type": "human", "content": "Hi"}, {"type": "ai", "content": "Hello"}],
        [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}],
        [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}],
        {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]},
        [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}, {"role": "assistant", "content": ["Hello"]}],
    ],
)
def test_messages_of_several_tools_are_understood(tmp_path, messages):
    (sample,), problems = read(tmp_path, messages)
    assert not problems
    assert (sample.text, [(each.role, each.text) for each in sample.materials]) == ("Hello", [("user", "Hi")])


@pytest.mark.parametrize(
    "call",
    [
        {"id": "1", "function": {"name": "add", "arguments": '{"a": 1}'}},
        {"id": "1", "function": "add", "arguments": {"a": 1}},
        {"name": "add", "args": {"a": 1}},
    ],
)
def test_calls_of_tools_are_understood_as_several_tools_write_them(tmp_path, call):
    messages = [{"role": "assistant", "content": "I add.", "tool_calls": [call]}, {"role": "assistant", "content": "1"}]
    (sample,), _ = read(tmp_path, messages)
    assert [(each.kind, each.role, each.text) for each in sample.materials] == [
        (TURN, "assistant", "I add."),
        (CALL, "add", '{"a": 1}'),
    ]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([{"role": "user", "content": "Hi"}], "1 message has no answer by `assistant`"),
        ([{"role": "assistant", "content": " "}], "no answer by `assistant`"),
        ([{"content": "Hi"}], "message 1 of column 'messages' is an object, expected"),
        (["Hi"], "message 1 of column 'messages' is a text, expected"),
        ("[{'role': 'user'", "but is not JSON"),
        ("just words", "but is not JSON"),
        ({"role": "user"}, "is an object, expected a list of messages"),
    ],
)
def test_a_bad_conversation_is_named_with_its_row_and_the_others_are_read(tmp_path, value, words):
    found, (problem,) = read(tmp_path, MESSAGES, value, MESSAGES)
    assert [each.output_id for each in found] == ["s1", "s3"]
    assert words in problem.message
    assert problem.where.endswith(":2")


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ({"answer": 42}, '{"answer": 42}'),
        ([{"text": "One."}, "Two.", {"image": "a.png"}], 'One.\nTwo.\n{"image": "a.png"}'),
    ],
)
def test_content_that_is_no_text_is_shown_as_it_is_written(tmp_path, content, shown):
    samples, problems = read(tmp_path, [{"role": "user", "content": "?"}, {"role": "assistant", "content": content}])
    assert (samples[0].text, problems) == (shown, [])
