"""A bit that flips in a ledger file: what has changed is named, nothing else happens, and nobody sees a traceback.

`VENIRE_FLIPS=1` flips every byte of the file, as `make soak` does; without it a part of them is tried.
"""

from __future__ import annotations

import os
from collections import Counter

import apsw
import pytest

from doc_scripts import blocks
from venire.errors import LedgerError, TamperedError
from venire.ledger.audit import audit_chain
from venire.ledger.entry import Draft, Kind
from venire.ledger.sqlite.ledger import SqliteLedger
from venire.workflows.audit import audit

STRIDE = int(os.environ.get("VENIRE_FLIPS", "41"))


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    path = tmp_path_factory.mktemp("flips") / "ledger.sqlite"
    ledger = SqliteLedger(path)
    ledger.append([Draft(Kind.SAMPLE, {"sample": {"text": "an output"}}, "s1"), Draft(Kind.ATTEMPT, {"n": 1}, "t1")])
    ledger.append([Draft(Kind.REPLY, {"text": "a reply"}, "t1", b"body"), Draft(Kind.RUN_CLOSED, {"stopped": ""})])
    ledger.close()
    connection = apsw.Connection(str(path))
    connection.pragma("wal_checkpoint(truncate)")
    connection.pragma("journal_mode", "delete")
    connection.close()
    reader = SqliteLedger(path, read_only=True)
    entries = list(reader.read())
    reader.close()
    return path.read_bytes(), entries


def look(path):
    """Return the entries that can be read, what an audit says against the ledger, and the entry it names as broken."""
    try:
        ledger = SqliteLedger(path, read_only=True)
    except LedgerError as error:
        return None, [str(error)], 0
    try:
        result = audit(ledger)
        broken = result.chain.first_broken
        problems = [*result.storage, *(["chain"] if broken else [])]
        try:
            return list(ledger.read()), problems, broken.sequence if broken else 0
        except TamperedError:
            return None, problems, 0
    finally:
        ledger.close()


def first_changed(found, entries):
    """Return the sequence of the first entry that is not as it was; 0 if all that can be read are."""
    return next((was.sequence for now, was in zip(found, entries, strict=False) if now != was), 0)


def test_every_changed_row_is_named_whichever_byte_flips(original, tmp_path, figures):
    content, entries = original
    path = tmp_path / "flipped.sqlite"
    outcomes = Counter(damage_named=0, changed_row_named=0, nothing_changed=0)
    for place in range(0, len(content), STRIDE):
        flipped = bytearray(content)
        flipped[place] ^= 1 << place % 8
        path.write_bytes(flipped)

        found, problems, named = look(path)

        assert problems or found == entries, f"byte {place} changed an entry and nobody noticed"
        changed = first_changed(found or [], entries)
        assert not changed or changed == named, f"byte {place} changed entry {changed}, and entry {named} was named"
        outcomes["changed_row_named" if changed else "damage_named" if problems else "nothing_changed"] += 1
    figures("flipped bytes", flips=outcomes.total(), of_bytes=len(content), **outcomes, unnoticed=0)
    # Most of a small file is empty pages, on which nothing rests.
    assert outcomes["changed_row_named"] + outcomes["damage_named"] > outcomes["nothing_changed"] / 20


@pytest.mark.parametrize("column", ["kind", "key", "recorded_at", "previous_hash", "hash", "payload", "blob"])
def test_a_cell_that_became_of_another_type_is_named(original, tmp_path, column):
    path = tmp_path / "typed.sqlite"
    path.write_bytes(original[0])
    connection = apsw.Connection(str(path))
    connection.execute("DROP TRIGGER entry_is_never_updated")
    connection.pragma("writable_schema", True)
    connection.execute("UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', '')")
    connection.close()
    connection = apsw.Connection(str(path))
    kind = "TEXT" if column in ("payload", "blob") else "BLOB"
    connection.execute(f"UPDATE entry SET {column} = CAST({column} AS {kind}) WHERE sequence = 3")
    connection.close()

    ledger = SqliteLedger(path, read_only=True)
    report = audit_chain(ledger)
    ledger.close()

    assert report.count == 2
    assert report.first_broken.sequence == 3
    assert "entry 3" in report.first_broken.found
    assert "types" in report.first_broken.found


def test_appending_to_a_damaged_ledger_is_an_error_of_the_ledger(original, tmp_path):
    path = tmp_path / "damaged.sqlite"
    tried = refused = 0
    for place in range(0, len(original[0]), 7 * STRIDE):
        flipped = bytearray(original[0])
        flipped[place] ^= 0xFF
        path.write_bytes(flipped)
        tried += 1
        try:
            ledger = SqliteLedger(path)
        except LedgerError:
            refused += 1
            continue
        try:
            ledger.append([Draft(Kind.ATTEMPT, {"n": 2}, "t2"), Draft(Kind.REPLY, {"text": "b"}, "t2")])
        except LedgerError:
            refused += 1
        finally:
            ledger.close()
        for more in tmp_path.glob("damaged.sqlite-*"):
            more.unlink()
    assert 0 < refused < tried  # Some damage is met on the way, and any other error would have ended the test.


def test_an_index_that_does_not_agree_with_its_rows_is_named(original, tmp_path):
    path = tmp_path / "indexed.sqlite"
    assert original[0].count(b"t1\x03") == 1  # The index holds how keys begin once more, and before the place of a row.
    path.write_bytes(original[0].replace(b"t1\x03", b"t2\x03"))

    ledger = SqliteLedger(path, read_only=True)
    problems = ledger.storage_problems()
    chain = audit_chain(ledger)
    ledger.close()

    assert chain.first_broken is None
    assert any("index" in problem for problem in problems), problems


def test_a_second_reply_of_a_task_is_named_though_every_link_holds(original, tmp_path):
    path = tmp_path / "twice.sqlite"
    path.write_bytes(original[0])
    connection = apsw.Connection(str(path))
    connection.execute("DROP TRIGGER entry_is_stored_once")
    connection.close()
    ledger = SqliteLedger(path)
    ledger._stored_of = lambda *_: set()
    ledger.append([Draft(Kind.REPLY, {"text": "another reply"}, "t1")])
    result = audit(ledger)
    ledger.close()

    assert result.chain.first_broken is None
    assert not result.intact
    assert result.storage == ("the reply 't1' is stored 2 times, not once",)


def test_the_outsiders_script_says_broken_with_exit_code_one_and_never_falls_over(original, tmp_path, capsys):
    script: dict[str, object] = {"__name__": "verify"}
    exec(blocks("reference/ledger-format.md", "python")[0], script)
    content, entries = original
    path = tmp_path / "out side?.sqlite"
    path.write_bytes(content)
    assert script["main"](str(path)) == 0
    for place in range(0, len(content), 3 * STRIDE):
        flipped = bytearray(content)
        flipped[place] ^= 1 << place % 8
        path.write_bytes(flipped)
        code = script["main"](str(path))
        said = capsys.readouterr().out
        assert said.count("\n") >= 1
        assert code == (0 if "intact" in said.splitlines()[-1] else 1)
        if code == 0:
            assert look(path)[0] in (None, entries)
    path.write_bytes(content)
    for kept in ('{"sequence": 2, "hash": "00"}', "{}", "[]", "no json", '{"sequence": [], "hash": 1}'):
        (tmp_path / "checkpoint.json").write_text(kept)
        assert script["main"](str(path), str(tmp_path / "checkpoint.json")) == 1
    assert script["main"](str(tmp_path / "none.sqlite")) == 1
