"""Folders are walked without following links out of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from venire.domain.sample import Sample
from venire.inputs.reader import read_samples


def read_all(path: Path, **options: object) -> tuple[list[Sample], list[str]]:
    problems: list[str] = []
    samples = read_samples(path, on_problem=lambda problem: problems.append(str(problem)), **options)  # type: ignore[arg-type]
    return list(samples), problems


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
