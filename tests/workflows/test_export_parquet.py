from __future__ import annotations

import json
from datetime import UTC, datetime

import duckdb
import pandas as pd
import polars as pl
import pytest

from postgres_server import WRITER
from venire.errors import InputError, LedgerError, TamperedError, UsageError
from venire.ledger.checkpoint import create_key, load_key
from venire.ledger.entry import Draft, Head, Kind
from venire.ledger.memory import MemoryLedger
from venire.ledger.postgres.ledger import PostgresLedger
from venire.workflows import export_parquet
from venire.workflows.export_parquet import ParquetRun, export_run, import_run

MOMENT = datetime(2025, 1, 1, tzinfo=UTC)


@pytest.fixture
def ledger():
    made = MemoryLedger(now=lambda: MOMENT)
    made.append([Draft(Kind.REPLY, {"text": "é\x00"}, f"task-\x00{number}", b"\xff" * number) for number in range(5)])
    made.append([Draft(Kind.VOTE, number) for number in range(5)])
    return made


@pytest.fixture
def key_path(tmp_path):
    return tmp_path / "key.pem"


@pytest.fixture
def folder(tmp_path, ledger, key_path, monkeypatch):
    """An export in four files, signed."""
    monkeypatch.setattr(export_parquet, "_PART_ENTRIES", 3)
    create_key(key_path)
    export_run(ledger, tmp_path / "run", load_key(key_path), now=lambda: MOMENT)
    return tmp_path / "run"


def edit_manifest(folder, **changes):
    path = folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def rewrite_part(folder, change):
    """Change the second file, and the manifest with it, as someone would who knows how it is made."""
    path = folder / "entries-00002.parquet"
    change(pl.read_parquet(path)).write_parquet(path)
    files = json.loads((folder / "manifest.json").read_text())["files"]
    files[1]["sha256"] = export_parquet._sha256(path)
    edit_manifest(folder, files=files)


def test_an_export_comes_back_entry_by_entry_as_it_was(ledger, folder):
    target = MemoryLedger()
    done = import_run(folder, target)
    assert (done.copied, done.head) == (10, ledger.head())
    assert list(target.read()) == list(ledger.read())


def test_an_export_goes_into_postgresql(ledger, folder, postgres):
    target = PostgresLedger(postgres.url(postgres.new_ledger(), WRITER))
    import_run(folder, target)
    assert list(target.read()) == list(ledger.read())
    target.close()


def test_duckdb_reads_all_files_of_an_export_as_one_table(folder):
    query = f"SELECT kind, count(*), max(sequence) FROM '{folder}/entries-*.parquet' GROUP BY kind ORDER BY kind"
    assert duckdb.sql(query).fetchall() == [("reply", 5, 5), ("vote", 5, 10)]


def test_pandas_reads_the_files_and_the_payloads_are_json(folder):
    frames = [pd.read_parquet(path) for path in sorted(folder.glob("*.parquet"))]
    assert [len(frame) for frame in frames] == [3, 3, 3, 1]
    whole = pd.concat(frames)
    assert list(whole["sequence"]) == list(range(1, 11))
    assert json.loads(whole["payload"].iloc[0]) == {"text": "é\x00"}
    assert whole["blob"].iloc[2] == b"\xff\xff"


def test_the_manifest_says_what_there_is(ledger, folder):
    manifest = ParquetRun(folder).manifest
    assert manifest.head == ledger.head()
    assert manifest.counts == {"reply": 5, "vote": 5}
    assert manifest.exported_at == "2025-01-01T00:00:00.000000Z"


def test_an_empty_ledger_can_be_exported_and_imported(tmp_path):
    export_run(MemoryLedger(), tmp_path / "run")
    assert import_run(tmp_path / "run", MemoryLedger()).head == Head()


def test_a_folder_in_use_is_not_written_into(ledger, folder):
    with pytest.raises(UsageError, match="empty folder"):
        export_run(ledger, folder)


def test_a_changed_byte_is_found_before_anything_is_imported(folder):
    path = folder / "entries-00003.parquet"
    data = path.read_bytes()
    path.write_bytes(data[:20] + bytes([data[20] ^ 1]) + data[21:])
    target = MemoryLedger()
    with pytest.raises(TamperedError, match=r"entries-00003\.parquet: expected the manifest's digest"):
        import_run(folder, target)
    assert target.head() == Head()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda frame: frame.with_columns(payload=pl.lit("9")), "entry 4: hash"),
        (lambda frame: frame.slice(1), "entry 4: sequence"),
        (lambda frame: frame.with_columns(kind=pl.lit("bribe")), "unknown kind 'bribe'"),
        (lambda frame: frame.drop("blob"), "expected the columns of entries"),
        (lambda frame: frame.with_columns(key=pl.lit(None, pl.String)), "without gaps"),
    ],
    ids=["changed", "dropped", "unknown kind", "column missing", "nulls"],
)
def test_entries_changed_together_with_the_manifest_are_found(folder, change, message):
    rewrite_part(folder, change)
    target = MemoryLedger()
    with pytest.raises(TamperedError, match=message):
        import_run(folder, target)
    assert target.head() == Head()


def test_a_cut_off_end_contradicts_the_signed_checkpoint(folder, ledger):
    files = json.loads((folder / "manifest.json").read_text())["files"][:3]
    ninth = list(ledger.read())[8]
    shorter = MemoryLedger(now=lambda: MOMENT)
    shorter.adopt(list(ledger.read())[:9])
    root = export_parquet.audit_chain(shorter).merkle_root
    edit_manifest(folder, files=files, head={"sequence": 9, "hash": ninth.hash}, merkle_root=root)
    with pytest.raises(TamperedError, match="the signed head"):
        ParquetRun(folder).verify()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"head": {"sequence": 11, "hash": "0" * 64}}, "manifest's head"),
        ({"merkle_root": "0" * 64}, "manifest's Merkle root"),
        ({"files": [{"name": "../other.parquet", "sha256": "", "entries": 1}]}, "the name of a file"),
        ({"files": [{"name": "absent.parquet", "sha256": "", "entries": 1}]}, "missing"),
    ],
    ids=["head", "root", "path", "file"],
)
def test_a_manifest_that_does_not_fit_is_refused(folder, changes, message):
    edit_manifest(folder, **changes)
    with pytest.raises(TamperedError, match=message):
        ParquetRun(folder).verify()


def test_a_checkpoint_of_the_given_key_can_be_demanded(folder, key_path, tmp_path):
    trusted = load_key(key_path).public_key().public_bytes_raw().hex()
    assert ParquetRun(folder).verify(trusted).sequence == 10
    with pytest.raises(LedgerError, match="expected a checkpoint signed by"):
        ParquetRun(folder).verify(create_key(tmp_path / "other.pem"))
    (folder / "checkpoint.json").unlink()
    assert ParquetRun(folder).verify() is None
    with pytest.raises(LedgerError, match="found none"):
        ParquetRun(folder).verify(trusted)


def test_a_folder_without_a_whole_manifest_is_refused(folder):
    edit_manifest(folder, format=2)
    with pytest.raises(InputError, match="expected format 1, found 2"):
        ParquetRun(folder)
    (folder / "manifest.json").write_text("{")
    with pytest.raises(InputError, match="expected a manifest"):
        ParquetRun(folder)
    (folder / "manifest.json").unlink()
    with pytest.raises(InputError, match="there is no manifest"):
        ParquetRun(folder)


def test_reading_begins_behind_the_given_sequence(folder):
    assert [entry.sequence for entry in ParquetRun(folder).read(after=4)] == [5, 6, 7, 8, 9, 10]


def test_a_damaged_ledger_is_not_exported(tmp_path):
    class Damaged(MemoryLedger):
        def read(self, after=0, kinds=None):
            return (entry for entry in super().read() if entry.sequence != 2)

    damaged = Damaged()
    damaged.append([Draft(Kind.VOTE, number) for number in range(3)])
    with pytest.raises(TamperedError, match="entry 2: sequence"):
        export_run(damaged, tmp_path / "run")
    assert not (tmp_path / "run").exists()
