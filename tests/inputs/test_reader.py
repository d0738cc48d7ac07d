from __future__ import annotations

import json
from pathlib import Path

import polars
import pytest

from making_pdfs import make_encrypted_pdf, make_pdf, make_truncated_pdf
from venire.domain.sample import Sample
from venire.errors import InputError, UsageError
from venire.inputs.reader import read_samples


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


def write_table(path: Path, row: dict[str, str]) -> Path:
    """Write one row in the format that the file's ending names."""
    if path.suffix == ".parquet":
        polars.DataFrame([row]).write_parquet(path)
    elif path.suffix in (".csv", ".tsv"):
        separator = "," if path.suffix == ".csv" else "\t"
        path.write_text(separator.join(row) + "\n" + separator.join(row.values()), encoding="utf-8")
    else:
        path.write_text(json.dumps(row if path.suffix == ".jsonl" else [row]), encoding="utf-8")
    return path


@pytest.mark.parametrize("ending", ["jsonl", "json", "csv", "tsv", "parquet"])
def test_the_same_sample_comes_from_every_kind_of_table(tmp_path: Path, ending: str) -> None:
    path = write_table(tmp_path / f"samples.{ending}", ROW)
    assert list(read_samples(path, factors=["language"])) == [SAMPLE]


def test_the_id_of_a_sample_follows_neither_notes_nor_other_rows(tmp_path: Path) -> None:
    row = {"id": "1", "text": "t", "language": "en", "latency_ms": 312}
    (alone,) = read_samples(write_lines(tmp_path / "a.jsonl", row), factors=["language"])
    others = [{**row, "id": str(number), "language": "zh", "latency_ms": number} for number in range(2, 30)]
    again = next(
        read_samples(write_lines(tmp_path / "b.jsonl", {**row, "latency_ms": 480}, *others), factors=["language"])
    )
    assert again.digest == alone.digest


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


def test_a_folder_without_documents_says_what_is_looked_for(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no files ending in \.md \.pdf \.txt"):
        list(read_samples(tmp_path))


def test_a_path_that_does_not_exist_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file or folder"):
        list(read_samples(tmp_path / ".." / "nowhere"))


def test_a_pattern_for_a_table_is_a_usage_error(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", {"id": "1", "text": "t"})
    with pytest.raises(UsageError, match="a file-name pattern is for folders"):
        list(read_samples(path, pattern="{a}"))


def test_first_rows_without_the_columns_are_a_problem_of_these_rows_if_later_ones_have_them(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"comment": "made today"}\n{"id": "a", "text": "good"}\n')
    told = []
    assert [sample.output_id for sample in read_samples(path, on_problem=told.append)] == ["a"]
    assert [problem.where for problem in told] == [f"{path}:1"]


@pytest.mark.parametrize("name", ["a[1]", "a*", "a?"])
@pytest.mark.parametrize("ending", [".csv", ".json", ".jsonl", ".parquet", ".tsv"])
def test_a_path_that_looks_like_a_pattern_is_one_table(tmp_path: Path, name: str, ending: str) -> None:
    for other, text in ((name, "meant"), ("a1", "other")):
        folder = tmp_path / other
        folder.mkdir()
        write_table(folder / f"{other}{ending}", {"output_id": "x", "text": text})
    (sample,) = read_samples(tmp_path / name / f"{name}{ending}")
    assert sample.text == "meant"


def test_a_folder_whose_name_looks_like_a_pattern_holds_its_own_files_only(tmp_path: Path) -> None:
    for name in ("a[1]", "a1"):
        (tmp_path / name / "[b]").mkdir(parents=True)
        (tmp_path / name / "[b]" / "x[2].txt").write_text(name)
    (sample,) = read_samples(tmp_path / "a[1]")
    assert (sample.output_id, sample.text) == ("[b]/x[2]", "a[1]")


def test_a_spreadsheet_is_told_to_be_saved_as_csv(tmp_path):
    (tmp_path / "book.xlsx").write_bytes(b"PK")
    with pytest.raises(InputError) as caught:
        list(read_samples(tmp_path / "book.xlsx"))
    assert "Save the sheet as CSV" in str(caught.value)
