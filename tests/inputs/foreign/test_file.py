"""Files of other tools: told apart by how they begin, read line by line, and each problem told once."""

import sqlite3
import zipfile

import pytest

from venire.errors import InputError
from venire.inputs.foreign import file as module
from venire.inputs.foreign.file import ForeignFile


def written(tmp_path, content, on_problem=None):
    path = tmp_path / "results"
    path.write_bytes(content)
    return ForeignFile(path, on_problem)


def test_one_value_on_one_line_is_the_whole_file(tmp_path):
    found = written(tmp_path, b'{"a": 1}\n \n')
    assert (found.first_line, found.has_lines, found.top, found.whole()) == ({"a": 1}, False, {"a": 1}, {"a": 1})


def test_several_values_are_lines_and_no_whole(tmp_path):
    found = written(tmp_path, b'{"a": 1}\n\n{"a": "\xc3\xa9"}\n')
    assert found.has_lines
    assert found.top is None
    lines = list(found.lines())
    assert [each.value for each in lines] == [{"a": 1}, {"a": "é"}]
    assert [each.start for each in lines] == [0, 10]
    assert list(found.lines_at([10, 0])) == [{"a": "é"}, {"a": 1}]


def test_a_value_over_many_lines_is_the_whole_file(tmp_path):
    found = written(tmp_path, b' \n{\n"a": 1\n}')
    assert (found.first_line, found.has_lines, found.whole()) == (None, False, {"a": 1})
    assert written(tmp_path, b'{\n"a": 1').top is None
    assert written(tmp_path, b"a,b\n1,2").top is None


def test_what_is_no_object_is_refused_as_a_whole(tmp_path):
    with pytest.raises(InputError) as caught:
        written(tmp_path, b"[1]").whole()
    assert caught.value.values == {"reason": "list"}
    assert caught.value.message.code == "error.foreign.not_json"


def test_a_line_that_is_no_json_is_named_by_its_number(tmp_path):
    with pytest.raises(InputError) as caught:
        list(written(tmp_path, b'{"a": 1}\n\n{"a": \n').lines())
    assert caught.value.where.endswith("results:3")


def test_archives_and_databases_are_told_by_how_they_begin(tmp_path):
    archive, database = tmp_path / "a.zip", tmp_path / "b.db"
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("a.json", "{}")
    with sqlite3.connect(database) as made:
        made.execute("CREATE TABLE a (b)")
    made.close()
    zipped, stored = ForeignFile(archive), ForeignFile(database)
    assert (zipped.is_zip, zipped.is_sqlite, zipped.first_line, zipped.top) == (True, False, None, None)
    assert (stored.is_zip, stored.is_sqlite, stored.first_line, stored.top) == (False, True, None, None)
    with pytest.raises(InputError):
        ForeignFile(tmp_path / "nothing").is_zip  # noqa: B018


def test_a_file_that_is_too_large_to_be_read_whole_says_so(tmp_path, monkeypatch):
    content = b'{\n"a": "' + b"x" * (3 << 20) + b'"}'
    monkeypatch.setattr(module, "MAX_JSON_BYTES", 2 << 20)
    with pytest.raises(InputError) as caught:
        written(tmp_path, content).top  # noqa: B018
    assert caught.value.values == {"size": 3, "most": 2}
    monkeypatch.setattr(module, "MAX_JSON_BYTES", len(content))
    assert len(written(tmp_path, content).top["a"]) == 3 << 20


def test_problems_are_told_once_and_raised_where_nobody_takes_them(tmp_path):
    taken = []
    found = written(tmp_path, b"{}", taken.append)
    found.check_version("tool", "2", ("1", "2"))
    assert taken == []
    for _ in range(2):
        found.check_version("tool", 3, ("1", "2"))
    assert [each.values for each in taken] == [{"tool": "tool", "found": "3", "known": ("1", "2")}]
    with pytest.raises(InputError):
        written(tmp_path, b"{}").check_version("tool", 3, ("1",))


def test_rows_of_another_form_are_left_out_and_named_by_their_number(tmp_path):
    taken = []
    found = written(tmp_path, b"{}", taken.append)
    rows = [{"a": 1}, {"b": 2}, {"a": 3}]
    assert list(found.understood("tool", rows, lambda row: row["a"])) == [1, 3]
    assert len(taken) == 1
    assert taken[0].where.endswith("results: 2")
    with pytest.raises(InputError):
        list(written(tmp_path, b"{}").understood("tool", rows, lambda row: row["a"]))
