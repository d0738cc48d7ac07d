"""MLflow's own database: the same samples and judgements as in the traces that MLflow writes as JSON."""

import gzip
import json
import sqlite3
from contextlib import closing

import msgspec
import pytest

from foreign_files import foreign
from venire.errors import InputError
from venire.inputs.foreign.recognise import read_foreign


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "my mlflow#1.db"
    path.write_bytes(gzip.decompress(foreign("mlflow-store.db.gz").read_bytes()))
    return path


def change(store, *statements):
    with closing(sqlite3.connect(store)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def told(read):
    found = [msgspec.to_builtins(each) for each in read.samples()]
    return sorted(found, key=lambda each: each["sample"]["output_id"])


def test_a_database_holds_the_same_as_its_traces_written_as_json(store):
    read = read_foreign(store)
    assert (read.tool, read.version) == ("mlflow", "trace schema 3")
    assert told(read) == told(read_foreign(foreign("mlflow-traces.json")))


def test_spans_in_a_file_beside_the_database_are_read(store, tmp_path):
    for trace in json.loads(foreign("mlflow-traces.json").read_text()):
        folder = tmp_path / trace["info"]["trace_id"]
        folder.mkdir()
        (folder / "traces.json").write_text(json.dumps(trace["data"]))
    place = f"update trace_tags set value = 'file://{tmp_path}/' || request_id where key = 'mlflow.artifactLocation'"
    change(store, "delete from spans", place)
    assert told(read_foreign(store)) == told(read_foreign(foreign("mlflow-traces.json")))


def test_a_trace_whose_spans_are_elsewhere_is_named_and_its_preview_is_not_taken_for_the_answer(store):
    change(store, "update trace_tags set value = 's3://bucket/x' where key = 'mlflow.artifactLocation'")
    change(store, "delete from spans where trace_id = (select min(trace_id) from spans)")
    with pytest.raises(InputError, match="s3://bucket/x"):
        list(read_foreign(store).samples())
    problems = []
    assert len(list(read_foreign(store, on_problem=problems.append).samples())) == 1
    assert len(problems) == 1


def test_a_damaged_database_is_one_clear_error(store):
    content = store.read_bytes()
    store.write_bytes(content[:8192] + b"\0" * 4096 + content[12288:40960])
    with pytest.raises(InputError):
        list(read_foreign(store, "mlflow").samples())


@pytest.mark.parametrize(
    "statement",
    [
        "update assessments set value = '{'",
        "update spans set content = '[' where name = 'search'",
        "alter table trace_info rename column timestamp_ms to asked_at",
    ],
)
def test_a_database_of_another_form_is_named_instead_of_breaking_the_import(store, statement):
    change(store, statement)
    with pytest.raises(InputError, match=r"expected (what mlflow writes|a database of MLflow)"):
        list(read_foreign(store).samples())


def test_another_database_is_no_file_of_a_known_tool(tmp_path):
    with closing(sqlite3.connect(tmp_path / "other.db")) as connection, connection:
        connection.execute("create table a (b)")
    with pytest.raises(InputError, match="found none of them"):
        read_foreign(tmp_path / "other.db")
