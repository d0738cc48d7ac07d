"""Cases of a collection: columns that are variables, those with a use of their own, and what is refused."""

import json

import pytest

from venire.errors import InputError
from venire.inputs.cases import own_columns, read_cases


def table(tmp_path, *rows):
    path = tmp_path / "cases.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def cases(tmp_path, *rows, **options):
    return list(read_cases(table(tmp_path, *rows), **options))


def refused(tmp_path, *rows, **options):
    with pytest.raises(InputError) as caught:
        cases(tmp_path, *rows, **options)
    return caught.value


@pytest.mark.parametrize("column", ["case_id", "case", "question_id", "id", "qid", "sample_id"])
def test_a_case_is_named_by_its_id_under_any_of_its_names(tmp_path, column):
    [case] = cases(tmp_path, {column: " c1 ", "question": "When?"})
    assert (case.id, case.values["question"]) == ("c1", "When?")


def test_a_case_without_an_id_is_named_by_its_row(tmp_path):
    assert [case.id for case in cases(tmp_path, {"q": "a"}, {"q": "b"})] == ["row-1", "row-2"]


def test_an_empty_id_is_refused_at_its_row(tmp_path):
    assert "case_id" in refused(tmp_path, {"id": " ", "q": "a"}).message


def test_documents_and_references_are_materials_and_variables(tmp_path):
    [case] = cases(tmp_path, {"id": "c", "documents": ["one", "two"], "reference": "At six."})
    assert [(each.kind.value, each.text) for each in case.materials] == [
        ("document", "one"), ("document", "two"), ("reference", "At six."),
    ]  # fmt: skip
    assert case.values == {"id": "c", "documents": "one\n\ntwo", "reference": "At six."}


@pytest.mark.parametrize(
    "said",
    [
        ["Hello.", "And then?"],
        [{"role": "user", "content": "Hello."}, {"role": "human", "content": "And then?"}],
        {"messages": [{"role": "user", "content": "Hello."}, "And then?"]},
    ],
)
def test_turns_are_what_the_user_says(tmp_path, said):
    [case] = cases(tmp_path, {"id": "c", "conversation": said})
    assert case.turns == ("Hello.", "And then?")
    assert "conversation" not in case.values


@pytest.mark.parametrize("said", [None, "", []])
def test_a_case_may_have_no_turns(tmp_path, said):
    assert cases(tmp_path, {"id": "c", "q": "x", "conversation": said})[0].turns == ()


@pytest.mark.parametrize("said", [{"messages": []}, {"other": 1}, 7])
def test_turns_that_are_no_list_are_refused(tmp_path, said):
    assert "conversation" in str(refused(tmp_path, {"id": "c", "conversation": said}))


@pytest.mark.parametrize("message", [{"role": "assistant", "content": "x"}, {"role": "user"}, " ", 3])
def test_a_turn_that_is_not_the_users_is_refused_by_its_number(tmp_path, message):
    assert "2" in str(refused(tmp_path, {"id": "c", "conversation": ["Hello.", message]}))


def test_an_id_that_stands_twice_is_refused_and_the_first_is_named(tmp_path):
    problems = []
    kept = list(read_cases(table(tmp_path, {"id": "a"}, {"id": "b"}, {"id": "a"}), on_problem=problems.append))
    assert [case.id for case in kept] == ["a", "b"]
    assert [("'a'" in str(each), ":1" in str(each)) for each in problems] == [(True, True)]


def test_columns_may_be_named_and_one_that_is_not_there_is_refused(tmp_path):
    row = {"id": "x", "no": "7", "facts": "f"}
    [case] = cases(tmp_path, row, columns={"case_id": "no", "documents": "facts"})
    assert (case.id, [each.text for each in case.materials]) == ("7", ["f"])
    assert "'nothing'" in str(refused(tmp_path, row, columns={"documents": "nothing"}))
    assert "documents" in str(refused(tmp_path, row, columns={"colour": "no"}))
    assert own_columns(row, {"documents": "facts"}) == {"id", "facts"}


def test_a_factor_is_known_by_the_name_that_it_is_given(tmp_path):
    [case] = cases(tmp_path, {"id": "x", "Trigger Type": "explicit"}, factors=["trigger_type"])
    assert case.values == {"id": "x", "trigger_type": "explicit"}


def test_a_table_without_rows_is_refused(tmp_path):
    assert "cases.jsonl" in str(refused(tmp_path))


def test_texts_of_a_folder_are_cases(tmp_path):
    (tmp_path / "short q1.txt").write_text("When?", encoding="utf-8")
    [case] = read_cases(tmp_path, pattern="{style} {question}.txt")
    assert case.values["text"] == "When?"
    assert case.values["style"] == "short"
