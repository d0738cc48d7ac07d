"""Documents and references in tables: every form people export them in, and every way they can be wrong."""

import csv
import json

import polars
import pytest

from venire.domain.material import Material, MaterialKind
from venire.errors import InputError, TableError
from venire.inputs.reader import read_samples
from venire.inputs.tables.materials import LONGEST_MATERIAL, MaterialTerms

DOCUMENT, REFERENCE = MaterialKind.DOCUMENT, MaterialKind.REFERENCE
BOTH = MaterialTerms(frozenset({DOCUMENT, REFERENCE}))
ROW = {"id": "s1", "question": "q1", "input": "When?", "response": "At six."}


def write(folder, rows, ending):
    path = folder / f"rows.{ending}"
    if ending == "parquet":
        polars.DataFrame(rows).write_parquet(path)
    elif ending == "csv":
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            cells = [{k: v if isinstance(v, str) else json.dumps(v) for k, v in row.items()} for row in rows]
            writer.writerows(cells)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows) if ending == "jsonl" else json.dumps(rows))
    return path


def read(folder, *rows, ending="jsonl", terms=BOTH, **keys):
    """Return the samples and the problems of some rows."""
    problems = []
    path = write(folder, [{**ROW, "id": f"s{n}", **row} for n, row in enumerate(rows, start=1)], ending)
    return list(read_samples(path, materials=terms, on_problem=problems.append, **keys)), problems


def texts(sample, kind=DOCUMENT):
    return [each.text for each in sample.materials if each.kind is kind]


@pytest.mark.parametrize("ending", ["csv", "json", "jsonl", "parquet"])
@pytest.mark.parametrize(
    "column", ["context", "contexts", "retrieved_contexts", "retrieval_context", "documents", "Retrieved Contexts"]
)
def test_a_list_of_documents_is_read_under_every_usual_name(tmp_path, ending, column):
    (sample,), problems = read(tmp_path, {column: ["It closes at six.", "二号文档"]}, ending=ending)
    assert not problems
    assert sample.materials == (
        Material("document-1", DOCUMENT, "It closes at six."),
        Material("document-2", DOCUMENT, "二号文档"),
    )
    assert not sample.notes


@pytest.mark.parametrize("column", ["reference", "expected", "expected_output", "ground_truth", "target", "references"])
def test_references_are_read_under_every_usual_name(tmp_path, column):
    (one, several), _ = read(tmp_path, {column: "Six."}, {column: ["Six.", "At 6 pm."]})
    assert texts(one, REFERENCE) == ["Six."]
    assert [each.id for each in several.materials] == ["reference-1", "reference-2"]


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"id": "kb-7", "text": "words"}, Material("kb-7", DOCUMENT, "words")),
        ({"page_content": "words", "metadata": {"a": 1}}, Material("document-1", DOCUMENT, "words")),
        ({"doc_id": 3, "content": "words"}, Material("3", DOCUMENT, "words")),
    ],
)
@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_document_may_be_an_object_with_a_text_and_an_id(tmp_path, item, expected, ending):
    (sample,), problems = read(tmp_path, {"contexts": [item]}, ending=ending)
    assert (sample.materials, problems) == ((expected,), [])


@pytest.mark.parametrize("text", ["[1] According to the manual", '{"a": 1}', "[1, 2]", "[not json", "plain"])
def test_a_single_text_may_begin_with_a_bracket(tmp_path, text):
    (sample,), problems = read(tmp_path, {"context": text, "expected": text}, ending="csv")
    assert not problems
    assert texts(sample) == texts(sample, REFERENCE) == [text]


def test_a_list_in_a_cell_may_be_mapped_from_any_column(tmp_path):
    (sample,), _ = read(tmp_path, {"passages": ["a", "b"]}, columns={"documents": "passages"}, ending="csv")
    assert texts(sample) == ["a", "b"]
    (sample,), _ = read(tmp_path, {"passages": ["a"]}, columns={"documents": "passages"}, terms=MaterialTerms())
    assert texts(sample) == ["a"]


def test_no_context_is_no_material_and_no_problem(tmp_path):
    found, problems = read(tmp_path, {"contexts": []}, {"contexts": None}, {"contexts": ""}, {})
    assert not problems
    assert [sample.materials for sample in found] == [()] * 4


BAD = [
    ({"contexts": [{"id": "a", "text": "x"}, {"id": "a", "text": "y"}]}, "duplicate material id 'a'"),
    ({"contexts": [{"id": "output", "text": "x"}]}, "stands for the output itself"),
    ({"contexts": "['first', 'second'"}, "should hold a list as JSON, but is not JSON"),
    ({"contexts": ["fine", " \n"]}, "item 2 of column 'contexts' is empty"),
    ({"contexts": ["x" * (LONGEST_MATERIAL + 1)]}, "expected at most 2000000"),
    ({"contexts": [{"title": "no text"}]}, "item 1 of column 'contexts' is an object, expected a text"),
    ({"contexts": [["nested"]]}, "item 1 of column 'contexts' is an array, expected a text"),
    ({"contexts": [True]}, "expected a text"),
]


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
@pytest.mark.parametrize(("row", "words"), BAD, ids=[words[:40] for _, words in BAD])
def test_a_bad_material_is_named_with_its_row_and_the_other_rows_are_read(tmp_path, row, words, ending):
    found, (problem,) = read(tmp_path, {"contexts": ["a"]}, row, {"contexts": ["b"]}, ending=ending)
    assert [sample.output_id for sample in found] == ["s1", "s3"]
    assert words in problem.message
    assert problem.where.endswith(":3" if ending == "csv" else ":2")
    assert problem.hint


def test_a_document_of_ten_megabytes_is_a_problem_with_its_row(tmp_path):
    for ending in ("csv", "jsonl", "parquet"):
        found, problems = read(tmp_path, {"contexts": ["x" * 10_000_000]}, {"contexts": ["b"]}, ending=ending)
        assert [sample.output_id for sample in found] == ["s2"], ending
        assert len(problems) == 1


def test_two_columns_for_one_field_ask_which(tmp_path):
    with pytest.raises(TableError, match="context"):
        read(tmp_path, {"contexts": ["a"], "retrieval_context": ["b"]})


def test_half_a_character_in_a_document_is_a_problem(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": "s1", "response": "x", "contexts": ["a \\ud800"]}\n')
    with pytest.raises(InputError, match="document-1"):
        list(read_samples(path, materials=BOTH))


class TestFiles:
    @pytest.fixture
    def folder(self, tmp_path):
        documents = tmp_path / "corpus"
        (documents / "a").mkdir(parents=True)
        (documents / "a" / "hours.txt").write_text("It closes at six.\r\n")
        (documents / "empty.md").write_text(" ")
        (tmp_path / "secret.txt").write_text("secret")
        return documents

    def read(self, folder, *cells):
        terms = MaterialTerms(frozenset({DOCUMENT}), folder=folder)
        return read(folder.parent, *({"context": cell} for cell in cells), terms=terms)

    def test_documents_are_read_from_the_files_that_a_column_names(self, folder):
        (one, several), problems = self.read(folder, "a/hours.txt", ["a/hours.txt"])
        assert not problems
        assert one.materials == several.materials == (Material("a/hours.txt", DOCUMENT, "It closes at six.\n"),)

    @pytest.mark.parametrize(
        "name", ["missing.txt", "../secret.txt", "a", "empty.md", "/etc/passwd", "a/../../secret.txt"]
    )
    def test_a_file_that_is_missing_empty_or_outside_is_a_problem(self, folder, name):
        found, (problem,) = self.read(folder, name, "a/hours.txt")
        assert [sample.output_id for sample in found] == ["s2"]
        assert problem.where.endswith(":1")


@pytest.mark.parametrize("mapping", [{}, {"text": "response"}])
def test_without_a_wish_for_materials_tables_are_read_as_they_were_before(tmp_path, mapping):
    row = {"context": "words", "reference": "six", "target": "x", "expected": "y"}
    (sample,), _ = read(tmp_path, row, terms=MaterialTerms(), columns=mapping)
    assert sample.materials == ()
    assert sample.notes == row
    assert sample.task == "When?"


def test_other_tools_names_of_output_and_task_are_known_whatever_else_is_mapped(tmp_path):
    path = write(tmp_path, [{"id": "s1", "user_input": "When?", "actual_output": "Six.", "bot": "b1"}], "csv")
    for mapping in ({}, {"target_model": "bot"}):
        (sample,) = read_samples(path, columns=mapping)
        assert (sample.task, sample.text) == ("When?", "Six.")


def test_a_list_is_refused_where_no_materials_are_and_a_note_where_the_protocol_shows_none(tmp_path):
    _, (problem,) = read(tmp_path, {"tags": ["a"]})
    assert "'tags'" in problem.message
    (sample,), problems = read(tmp_path, {"contexts": ["a", "书"]}, terms=MaterialTerms())
    assert (problems, sample.materials, sample.notes) == ([], (), {"contexts": '["a", "书"]'})


def test_a_question_beside_documents_is_also_the_task_if_there_is_no_other(tmp_path):
    row = {"id": "a", "question": "When does it close?", "answer": "At six.", "contexts": ["It closes at six."]}
    path = write(tmp_path, [row], "jsonl")
    (sample,) = read_samples(path, materials=BOTH)
    assert (sample.question_id, sample.task) == ("When does it close?", "When does it close?")
    (sample,) = read_samples(path)
    assert (sample.question_id, sample.task) == ("When does it close?", "When does it close?")
    path = write(tmp_path, [{**row, "question": "q7"}], "jsonl")
    (sample,) = read_samples(path, materials=BOTH)
    assert sample.task == "q7"
    path = write(tmp_path, [{**row, "prompt": "Be brief."}], "jsonl")
    (sample,) = read_samples(path, materials=BOTH)
    assert sample.task == "Be brief."


@pytest.mark.parametrize("column", ["contexts", "context"])
def test_a_list_as_a_data_frame_writes_it_is_a_list_of_documents(tmp_path, column):
    (sample,), problems = read(tmp_path, {column: str(["It's six.", 'He said "noon".'])}, ending="csv")
    assert not problems
    assert [each.text for each in sample.materials] == ["It's six.", 'He said "noon".']


def test_a_key_that_stands_twice_in_a_list_of_documents_stays_a_problem(tmp_path):
    cell = '[{"text": "At six.", "text": "At noon."}]'
    found, (problem,) = read(tmp_path, {"contexts": cell}, ending="csv")
    assert (found, "text" in problem.message) == ([], True)
