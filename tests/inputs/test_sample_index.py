from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest

from making_pdfs import make_pdf
from venire.errors import InputError
from venire.inputs.sample_index import SampleIndex


def write_table(path: Path, ids: list[str]) -> Path:
    if path.suffix == ".csv":
        path.write_text("id,text\n" + "".join(f"{name},text of {name}\n" for name in ids), encoding="utf-8")
    else:
        lines = [json.dumps({"id": name, "text": f"text of {name}"}) for name in ids]
        path.write_text("\r\n".join(lines), encoding="utf-8-sig")
    return path


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_samples_of_a_table_are_found_by_their_id(tmp_path: Path, name: str) -> None:
    index = SampleIndex.open(write_table(tmp_path / name, ["x", "y", "z"]))
    assert (len(index), list(index.ids())) == (3, ["x", "y", "z"])
    for output_id in ("z", "x", "y"):
        found = index.find(output_id)
        assert found is not None
        assert found.text == f"text of {output_id}"


@pytest.mark.parametrize(
    "asked", ["run1/Q3_Baseline", "q3 baseline", "Q3-BASELINE.pdf", "out/run1/q3 baseline.txt", "run1\\q3 baseline"]
)
def test_an_id_is_found_however_it_is_spelt(tmp_path: Path, asked: str) -> None:
    index = SampleIndex.open(write_table(tmp_path / "a.jsonl", ["run1/q3 baseline", "run1/q3 long"]))
    found = index.find(asked)
    assert found is not None
    assert found.output_id == "run1/q3 baseline"


@pytest.mark.parametrize("asked", ["run2/q3", "q3", "v1.6", "v15", "-1", "", "../../etc/passwd"])
def test_an_id_that_means_none_or_several_is_not_guessed(tmp_path: Path, asked: str) -> None:
    index = SampleIndex.open(write_table(tmp_path / "a.jsonl", ["run1/q3", "run3/q3", "v1.5", "1"]))
    assert index.find(asked) is None


def test_the_exact_id_wins_over_one_that_differs_in_case(tmp_path: Path) -> None:
    index = SampleIndex.open(write_table(tmp_path / "a.jsonl", ["a", "A"]))
    found = index.find("A")
    assert found is not None
    assert found.output_id == "A"


def test_a_large_json_lines_file_is_indexed_without_its_texts(tmp_path: Path) -> None:
    path = tmp_path / "large.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number in range(2000):
            file.write(json.dumps({"id": number, "text": f"{number} " * 2000}) + "\n")
    tracemalloc.start()
    try:
        index = SampleIndex.open(path)
        for number in range(0, 2000, 5):
            found = index.find(str(number))
            assert found is not None
            assert found.text.startswith(f"{number} ")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert path.stat().st_size > 15 * 2**20
    assert peak < 3 * 2**20


def test_bad_lines_are_told_and_the_others_indexed(tmp_path: Path) -> None:
    path = write_table(tmp_path / "a.jsonl", ["x", "x"])
    path.write_text(path.read_text(encoding="utf-8") + '\n{\n{"id": "y", "text": "t"}', encoding="utf-8")
    problems: list[InputError] = []
    index = SampleIndex.open(path, on_problem=problems.append)
    assert list(index.ids()) == ["x", "y"]
    assert [problem.where for problem in problems] == [f"{path}:2", f"{path}:3"]


def test_a_file_that_changes_under_the_index_is_noticed(tmp_path: Path) -> None:
    path = write_table(tmp_path / "a.jsonl", ["x", "y"])
    index = SampleIndex.open(path)
    write_table(path, ["y", "x"])
    with pytest.raises(InputError, match="the file has changed: expected the sample 'x', found 'y'"):
        index.find("x")


def test_documents_of_a_folder_are_read_when_they_are_asked_for(tmp_path: Path) -> None:
    make_pdf(tmp_path / "q3 long.pdf", ["长"])
    (tmp_path / "q4 long.pdf").write_bytes(b"damaged")
    index = SampleIndex.open(tmp_path, pattern="q{question} {version}.pdf")
    found = index.find("Q3_long.pdf")
    assert found is not None
    assert (found.text, found.question_id, found.prompt_variant) == ("长", "3", "long")
    with pytest.raises(InputError, match="is not a PDF"):
        index.find("q4 long")
