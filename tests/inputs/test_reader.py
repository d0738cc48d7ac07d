from __future__ import annotations

import json
from pathlib import Path

import polars
import pytest

from making_pdfs import make_encrypted_pdf, make_pdf, make_truncated_pdf
from venire.domain.sample import Sample
from venire.errors import InputError, TableError, UsageError
from venire.inputs.reader import read_samples
from venire.inputs.sample_index import SampleIndex


def write_lines(path: Path, *rows: dict[str, object]) -> Path:
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def read_all(path: Path, **options: object) -> tuple[list[Sample], list[str]]:
    problems: list[str] = []
    samples = read_samples(path, on_problem=lambda problem: problems.append(str(problem)), **options)  # type: ignore[arg-type]
    return list(samples), problems


ROW = {
    "output_id": "o1",
    "text": "你好",
    "question_id": "q1",
    "prompt_variant": "long",
    "target_model": "glm",
    "task": "Greet.",
    "language": "zh",
}
SAMPLE = Sample("o1", "你好", "q1", "long", "glm", "Greet.", {"language": "zh"})


@pytest.mark.parametrize("ending", ["jsonl", "json", "csv", "tsv", "parquet"])
def test_the_same_sample_comes_from_every_kind_of_table(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"samples.{ending}"
    if ending == "parquet":
        polars.DataFrame([ROW]).write_parquet(path)
    elif ending in ("csv", "tsv"):
        separator = "," if ending == "csv" else "\t"
        path.write_text(separator.join(ROW) + "\n" + separator.join(ROW.values()), encoding="utf-8")
    else:
        path.write_text(json.dumps(ROW if ending == "jsonl" else [ROW]), encoding="utf-8")
    assert list(read_samples(path, factors=["language"])) == [SAMPLE]


def test_names_that_other_tools_use_are_recognised(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "a.jsonl",
        {"ID": 7, "Response": "hi", "question": "q", "variant": "v", "Model": "m", "prompt": "p", "trigger type": "x"},
    )
    expected = Sample("7", "hi", "q", "v", "m", "p", {"trigger_type": "x"})
    assert list(read_samples(path, factors=["trigger_type"])) == [expected]


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


def test_the_id_of_a_sample_follows_neither_notes_nor_other_rows(tmp_path: Path) -> None:
    row = {"id": "1", "text": "t", "language": "en", "latency_ms": 312}
    (alone,) = read_samples(write_lines(tmp_path / "a.jsonl", row), factors=["language"])
    others = [{**row, "id": str(number), "language": "zh", "latency_ms": number} for number in range(2, 30)]
    again = next(
        read_samples(write_lines(tmp_path / "b.jsonl", {**row, "latency_ms": 480}, *others), factors=["language"])
    )
    assert again.digest == alone.digest


def test_a_mapping_of_an_unknown_field_is_a_usage_error(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", {"id": "1", "text": "t"})
    with pytest.raises(UsageError, match="a sample has no field 'txt'"):
        list(read_samples(path, columns={"txt": "text"}))


def test_notes_are_words_and_missing_ones_are_left_out(tmp_path: Path) -> None:
    frame = polars.DataFrame({"id": [1], "text": ["t"], "run": [3.0], "cost": [0.5], "ok": [True], "none": [None]})
    frame.write_parquet(tmp_path / "a.parquet")
    (sample,) = read_samples(tmp_path / "a.parquet")
    assert sample.notes == {"run": "3", "cost": "0.5", "ok": "true"}


def test_rows_without_id_or_text_and_repeated_ids_are_told_and_passed_over(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "a.jsonl",
        {"id": "1", "text": "a"},
        {"id": "", "text": "b"},
        {"id": "3", "text": " "},
        {"id": "4"},
        {"id": "1", "text": "again"},
        {"id": "6", "text": 5},
        {"id": "7", "text": "c"},
    )
    samples, problems = read_all(path)
    assert [sample.text for sample in samples] == ["a", "c"]
    places = [
        (problem.split(": ")[0].rsplit(":", 1)[1], problem.split(": ", 1)[1].split("\n")[0]) for problem in problems
    ]
    assert places == [
        ("2", "output_id is missing (column 'id')"),
        ("3", "text is missing (column 'text')"),
        ("4", "no column for text; the columns are 'id'"),
        ("5", f"the output_id '1' was already used at {path}:1"),
        ("6", "text is not a text but 5 (column 'text')"),
    ]


def test_the_first_problem_is_raised_if_nobody_takes_problems(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", {"id": "1", "text": "a"}, {"id": "1", "text": "b"})
    with pytest.raises(InputError, match=r"a\.jsonl:2: the output_id '1' was already used"):
        list(read_samples(path))


def test_a_table_without_rows_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").touch()
    with pytest.raises(InputError, match="the table has no rows"):
        list(read_samples(tmp_path / "a.jsonl"))


def test_a_folder_of_texts_gives_a_sample_for_each_file(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.md").write_bytes("\ufeff# 二\r\n文".encode())
    (tmp_path / "a.txt").write_text("one", encoding="utf-8")
    (tmp_path / ".hidden.txt").write_text("no", encoding="utf-8")
    (tmp_path / "notes.docx").write_bytes(b"PK")
    samples = list(read_samples(tmp_path))
    assert [(sample.output_id, sample.text) for sample in samples] == [("a", "one"), ("sub/b", "# 二\n文")]
    assert [sample.source.name for sample in samples if sample.source] == ["a.txt", "sub/b.md"]


def test_a_folder_of_pdfs_gives_factors_by_its_pattern(tmp_path: Path) -> None:
    make_pdf(tmp_path / "Q3_baseline-explicit.PDF", ["第一页", "第二页"])
    make_pdf(tmp_path / "q4 long implicit.pdf", ["text"])
    first, second = read_samples(tmp_path, pattern="q{question} {version} {trigger}.pdf")
    assert (first.question_id, first.prompt_variant, first.factors["trigger"]) == ("3", "baseline", "explicit")
    assert second.factors == {"question": "4", "version": "long", "trigger": "implicit"}
    assert first.source is not None
    assert first.source.page_at(first.text.index("第二页")) == 2


def test_bad_files_of_a_folder_are_told_and_the_others_read(tmp_path: Path) -> None:
    make_pdf(tmp_path / "q1 a.pdf", ["good"])
    make_encrypted_pdf(tmp_path / "q2 a.pdf", ["locked"])
    make_truncated_pdf(tmp_path / "q3 a.pdf", ["cut"])
    make_pdf(tmp_path / "readme.pdf", ["other"])
    samples, problems = read_all(tmp_path, pattern="q{question} {version}.pdf")
    assert [sample.text for sample in samples] == ["good"]
    assert [problem.split("\n")[0].split(": ", 1)[1] for problem in problems] == [
        "is locked by a password",
        "is truncated or damaged: it begins as a PDF but cannot be opened",
        "the file's name does not fit the pattern 'q{question} {version}.pdf'",
    ]


def test_two_files_with_the_same_id_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("one", encoding="utf-8")
    (tmp_path / "a.txt").write_text("two", encoding="utf-8")
    samples, problems = read_all(tmp_path)
    assert [sample.text for sample in samples] == ["one"]
    assert "a.txt: the output_id 'a' was already used at" in problems[0]


@pytest.mark.parametrize(
    ("data", "said"), [(b"", "is an empty file"), ("x".encode("utf-16"), "UTF-16"), (b"\xff\xffx", "is not UTF-8")]
)
def test_a_text_file_that_cannot_be_used_says_why(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / "a.txt").write_bytes(data)
    with pytest.raises(InputError, match=said):
        list(read_samples(tmp_path))


def test_links_that_lead_out_of_the_folder_are_refused(tmp_path: Path) -> None:
    folder, outside = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    outside.mkdir()
    (outside / "secret.txt").write_text("secret", encoding="utf-8")
    (folder / "a.txt").write_text("mine", encoding="utf-8")
    (folder / "b.txt").symlink_to("../out/secret.txt")
    (folder / "c").symlink_to(outside)
    (folder / "d.txt").symlink_to("a.txt")
    (folder / "e.txt").symlink_to("e.txt")
    (folder / "f.txt").symlink_to("nowhere.txt")
    samples, problems = read_all(folder)
    assert [(sample.output_id, sample.text) for sample in samples] == [("a", "mine"), ("d", "mine")]
    assert [problem.split(": ")[1].split(",")[0].split("\n")[0] for problem in problems] == [
        "is a link that leads out of the folder",
        "is a link that leads out of the folder",
        "is a link that leads to itself",
        "there is no such file or folder",
    ]


def test_a_file_name_that_is_not_utf8_is_a_problem(tmp_path: Path) -> None:
    Path(bytes(tmp_path).decode() + "/" + b"\xff.txt".decode("utf-8", "surrogateescape")).write_text(
        "x", encoding="utf-8"
    )
    samples, problems = read_all(tmp_path)
    assert samples == []
    assert "the file's name is not UTF-8" in problems[0]


def test_files_and_folders_that_may_not_be_read_cost_no_others(
    forbidden_folder: Path, request: pytest.FixtureRequest
) -> None:
    for name in ("a.txt", "b.txt"):
        (forbidden_folder / name).write_text(name, encoding="utf-8")
    (forbidden_folder / "locked").mkdir()
    (forbidden_folder / "a.txt").chmod(0)
    (forbidden_folder / "locked").chmod(0)
    request.getfixturevalue("as_ordinary_user")
    samples, problems = read_all(forbidden_folder)
    assert [sample.text for sample in samples] == ["b.txt"]
    assert len([problem for problem in problems if "may not be read" in problem]) == 2


def test_a_folder_without_documents_says_what_is_looked_for(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no files ending in \.md \.pdf \.txt"):
        list(read_samples(tmp_path))


def test_one_document_is_one_sample(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one", encoding="utf-8")
    assert [sample.output_id for sample in read_samples(tmp_path / "a.txt")] == ["a"]


def test_a_path_that_does_not_exist_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file or folder"):
        list(read_samples(tmp_path / ".." / "nowhere"))


@pytest.mark.parametrize("pattern", ["q.pdf", "{a} {a}.pdf", "../{a}.pdf", "{}.pdf"])
def test_a_pattern_that_cannot_work_is_a_usage_error(tmp_path: Path, pattern: str) -> None:
    with pytest.raises(UsageError, match="pattern"):
        list(read_samples(tmp_path, pattern=pattern))


def test_a_pattern_for_a_table_is_a_usage_error(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", {"id": "1", "text": "t"})
    with pytest.raises(UsageError, match="a file-name pattern is for folders"):
        list(read_samples(path, pattern="{a}"))


CHINESE = "编号,正文\n" + "".join(f"{number},这是第{number}个写得很好的回答，内容完整。\n" for number in range(30))
TRADITIONAL = "編號,正文\n" + "".join(f"{number},這是第{number}個寫得很好的回答，內容完整。\n" for number in range(30))
JAPANESE = "番号,本文\n" + "".join(f"{number},これは{number}番目のとても良い回答です。\n" for number in range(30))
COLUMNS = {"output_id": "编号", "text": "正文"}


@pytest.mark.parametrize(
    ("text", "encoding", "named"),
    [
        (CHINESE, "gb18030", "gb18030"),
        (CHINESE, "gbk", "gb18030"),
        (TRADITIONAL, "big5", "big5"),
        (JAPANESE, "shift_jis", "shift_jis"),
        (CHINESE, "utf-16-le", "utf-16-le"),
    ],
)
@pytest.mark.parametrize("name", ["table.csv", "table.jsonl"])
def test_another_encoding_is_named_in_one_error_and_nothing_is_read(tmp_path, name, text, encoding, named):
    path = tmp_path / name
    lines = text if name.endswith("csv") else "".join(f'{{"id": "x", "text": "{line}"}}\n' for line in text.split())
    path.write_bytes(lines.encode(encoding))
    told = []
    with pytest.raises(TableError, match="this looks like") as caught:
        list(read_samples(path, on_problem=told.append))
    assert f"`encoding: {named}`" in caught.value.hint
    assert told == []


@pytest.mark.parametrize("encoding", ["gb18030", "big5", "utf-16-le"])
def test_a_table_is_read_in_the_encoding_that_is_named(tmp_path, encoding):
    path = tmp_path / "table.csv"
    path.write_bytes("id,text\n1,一個好的回答\n".encode(encoding))
    assert [sample.text for sample in read_samples(path, encoding=encoding)] == ["一個好的回答"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
@pytest.mark.parametrize(
    ("name", "text"), [("t.csv", "编号,正文\n1,一个好的回答\n"), ("t.json", '[{"编号": 1, "正文": "一个好的回答"}]'),
                       ("t.jsonl", '{"编号": 1, "正文": "一个好的回答"}\n')],
)  # fmt: skip
def test_a_table_with_the_mark_of_another_encoding_is_read(tmp_path, name, text, encoding):
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    (sample,) = read_samples(path, columns=COLUMNS)
    assert (sample.output_id, sample.text) == ("1", "一个好的回答")
    assert SampleIndex.open(path, columns=COLUMNS).find("1").text == "一个好的回答"


def test_a_single_bad_byte_in_a_table_of_utf8_costs_its_row_only(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(CHINESE.encode() + b"99,\xb0\xa1\n")
    told = []
    samples = list(read_samples(path, columns=COLUMNS, on_problem=told.append))
    assert (len(samples), len(told)) == (30, 1)


def test_text_that_is_not_in_the_named_encoding_is_an_error_and_so_is_an_unknown_name(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(b"id,text\n1,\xff\xff\xff\n")
    with pytest.raises(TableError, match="is not BIG5 text"):
        list(read_samples(path, encoding="big5"))
    with pytest.raises(UsageError, match="found 'klingon'"):
        list(read_samples(path, encoding="klingon"))


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


def test_first_rows_without_the_columns_are_a_problem_of_these_rows_if_later_ones_have_them(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"comment": "made today"}\n{"id": "a", "text": "good"}\n')
    told = []
    assert [sample.output_id for sample in read_samples(path, on_problem=told.append)] == ["a"]
    assert [problem.where for problem in told] == [f"{path}:1"]
