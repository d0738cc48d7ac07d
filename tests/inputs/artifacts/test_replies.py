from __future__ import annotations

import hashlib
import json
import tracemalloc
from pathlib import Path

import pytest

from venire.errors import InputError
from venire.inputs.artifacts.replies import Artifact, count_bytes, read_artifacts


def write(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def one(path: Path) -> Artifact:
    (artifact,) = read_artifacts([path])
    return artifact


def test_a_file_is_one_reply_kept_byte_for_byte(tmp_path: Path) -> None:
    data = b'\xef\xbb\xbf{"a":\r\n1}\n'
    artifact = one(write(tmp_path / "a.json", data))
    assert (artifact.name, artifact.raw, artifact.size) == ("a.json", data, len(data))
    assert artifact.sha256 == hashlib.sha256(data).hexdigest()


def test_a_folder_is_walked_in_order_without_what_is_no_reply(tmp_path: Path) -> None:
    for name in (
        "b.txt",
        "a.json",
        "c.md",
        "z/d.json",
        ".hidden.json",
        ".git/x.json",
        "manifest.json",
        "a.record.json",
    ):
        write(tmp_path / name, name.encode())
    write(tmp_path / "notes.pdf", b"%PDF-")
    assert [artifact.name for artifact in read_artifacts([tmp_path])] == ["a.json", "b.txt", "c.md", "z/d.json"]


def test_names_begin_with_the_path_if_there_are_several(tmp_path: Path) -> None:
    paths = [write(tmp_path / folder / "a.json", b"{}").parent for folder in ("one", "two")]
    assert [artifact.name for artifact in read_artifacts(paths)] == [f"{path.as_posix()}/a.json" for path in paths]


def test_a_wrapped_text_is_taken_out_of_its_line_with_its_names(tmp_path: Path) -> None:
    line = {"output_id": "o1", "judge_model": "glm", "target_model": "gpt", "reply": '{"分": 1}'}
    artifact = one(write(tmp_path / "a.jsonl", json.dumps(line).encode()))
    assert artifact.raw == '{"分": 1}'.encode()
    assert (artifact.name, artifact.output_id, artifact.judge, artifact.target) == ("a.jsonl:1", "o1", "glm", "gpt")
    assert artifact.self_judged is None


def test_a_wrapped_object_keeps_exactly_its_bytes(tmp_path: Path) -> None:
    artifact = one(write(tmp_path / "a.jsonl", b'{"response" : { "a" :1.0, "a":2 } , "output_id": 7}'))
    assert (artifact.raw, artifact.output_id) == (b'{ "a" :1.0, "a":2 }', "7")


def test_a_line_around_the_reply_that_names_one_model_twice_is_self_judged(tmp_path: Path) -> None:
    artifact = one(write(tmp_path / "a.jsonl", b'{"reply": "{}", "judge": "GLM 4", "target_model": "glm-4"}'))
    assert artifact.self_judged is True


@pytest.mark.parametrize(
    "line",
    [
        b'{"meta": {}, "scores": {}}',
        b'{"reply": "cut off',
        b'{"reply": null, "output_id": "o1"}',
        b'{"reply": "a", "reply": "b"}',
        b"I cannot judge this.",
        b'"reply"',
        b'{"reply": ' + b"[" * 10_000 + b"]" * 10_000 + b"}",
        b'{"reply": "\xff"}',
    ],
)
def test_a_line_that_is_no_sound_wrapper_is_itself_the_reply(tmp_path: Path, line: bytes) -> None:
    before, artifact, after = read_artifacts([write(tmp_path / "a.ndjson", b"1\n" + line + b"\n2")])
    assert (artifact.raw, artifact.name) == (line, "a.ndjson:2")
    assert (before.raw, after.raw) == (b"1", b"2")


def test_a_file_that_is_too_large_is_reported_with_size_and_digest(tmp_path: Path) -> None:
    path = tmp_path / "judge_a_bundle_b.json"
    with path.open("wb") as file:
        file.truncate(100 * 2**20)
    tracemalloc.start()
    try:
        artifact = one(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (artifact.raw, artifact.size, artifact.judge) == (None, 100 * 2**20, "a")
    with path.open("rb") as file:
        assert artifact.sha256 == hashlib.file_digest(file, "sha256").hexdigest()
    assert "104,857,600 bytes" in artifact.problem
    assert peak < 40 * 2**20


def test_a_line_that_is_too_long_is_reported_and_the_next_one_read(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", b"x" * 30 + b"\n{}\n")
    long, short = read_artifacts([path], max_bytes=20)
    assert (long.raw, long.size, long.sha256) == (None, 30, hashlib.sha256(b"x" * 30).hexdigest())
    assert "the line has 30 bytes, at most 20 are read" in long.problem
    assert short.raw == b"{}"


@pytest.mark.parametrize("data", [b"", b"\n \n"])
def test_a_json_lines_file_without_lines_is_not_dropped(tmp_path: Path, data: bytes) -> None:
    artifact = one(write(tmp_path / "a.jsonl", data))
    assert artifact.raw is None
    assert "the file has no lines" in artifact.problem


def test_an_empty_file_is_an_empty_reply(tmp_path: Path) -> None:
    assert one(write(tmp_path / "a.json", b"")).raw == b""


def test_a_utf16_json_lines_file_is_one_problem(tmp_path: Path) -> None:
    artifact = one(write(tmp_path / "a.jsonl", '{"a": 1}\n{"b": 2}\n'.encode("utf-16")))
    assert artifact.raw is None
    assert "is UTF-16 text, expected UTF-8" in artifact.problem


def test_what_may_not_be_read_is_reported_and_the_rest_read(
    forbidden_folder: Path, request: pytest.FixtureRequest
) -> None:
    for name in ("a.json", "b.jsonl", "c.json"):
        write(forbidden_folder / name, b"{}")
    (forbidden_folder / "a.json").chmod(0)
    (forbidden_folder / "b.jsonl").chmod(0)
    (forbidden_folder / "d").mkdir(mode=0)
    (forbidden_folder / "e.json").symlink_to("/etc/hostname")
    request.getfixturevalue("as_ordinary_user")
    artifacts = list(read_artifacts([forbidden_folder]))
    assert [artifact.name for artifact in artifacts] == ["a.json", "b.jsonl", "c.json", "e.json", "d"]
    assert [(artifact.raw, artifact.problem.split("\n")[0]) for artifact in artifacts] == [
        (None, "may not be read by this user"),
        (None, "may not be read by this user"),
        (b"{}", ""),
        (None, "is a link that leads out of the folder, and is not followed"),
        (None, "may not be read by this user"),
    ]


def test_what_archives_hold_beside_replies_is_no_reply(tmp_path: Path) -> None:
    folder = tmp_path / "无效评测"
    folder.mkdir()
    for name in ("README.md", "Readme.txt", "manifest.json", "protocol.json", "a.reply.record.json"):
        (folder / name).write_text("{}")
    (folder / "a.json").write_text("{}")
    assert [artifact.name for artifact in read_artifacts([tmp_path])] == ["无效评测/a.json"]


def test_a_readme_that_is_named_itself_is_read(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("{}")
    assert [artifact.name for artifact in read_artifacts([tmp_path / "README.md"])] == ["README.md"]


def test_a_folder_without_any_artifact_says_what_is_looked_for(tmp_path: Path) -> None:
    write(tmp_path / "manifest.json", b"{}")
    with pytest.raises(InputError, match=r"no replies: no file ends in \.json \.jsonl"):
        list(read_artifacts([tmp_path]))


def test_a_path_that_does_not_exist_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file or folder"):
        list(read_artifacts([tmp_path / ".." / "nowhere.json"]))


def test_progress_adds_up_to_the_counted_bytes(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", b"1\n\n22\r\n333\n\n")
    write(tmp_path / "b.json", b"x" * 100)
    write(tmp_path / "c.json", b"y" * 500)
    passed: list[int] = []
    list(read_artifacts([tmp_path], max_bytes=200, on_progress=passed.append))
    assert sum(passed) == count_bytes([tmp_path]) == 612
