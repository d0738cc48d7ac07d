"""A ledger file that an earlier format left: it is intact, it is read, and runs go on with it."""

import asyncio
import shutil
from pathlib import Path

import apsw
import pytest

from experiment import FakeProvider, make_samples, reading, run_fakes, venire
from making_courts import options_for
from venire.ledger.entry import Kind
from venire.ledger.location import open_ledger
from venire.ledger.sqlite.file import FILE_FORMAT
from venire.reports.report import Choices
from venire.server.court.court import Court
from venire.workflows.analyse import analyse
from venire.workflows.audit import audit
from venire.workflows.trace import trace

OLD = Path(__file__).parents[1] / "old_ledgers" / "format-1.sqlite"
HEAD = "3d788a9bb0d240c112cc0792a4ded7b7da108d9c9dc45514c7400e59a200b2eb"


@pytest.fixture
def old(tmp_path):
    return Path(shutil.copy(OLD, tmp_path / "old.sqlite"))


def file_format(path):
    connection = apsw.Connection(str(path))
    try:
        return connection.pragma("user_version")
    finally:
        connection.close()


def test_it_is_read_and_audited_without_being_changed(old):
    with reading(old) as ledger:
        audited = audit(ledger)
    assert (audited.intact, audited.chain.head.hash, audited.judged_again) == (True, HEAD, 6)
    report = analyse(str(old), Choices())
    cell = next(cell.id for cell in report.cells() if cell.id.startswith("judges.oak.recorded"))
    quotes = [each.quote for each in trace(report, cell, str(old)).judgements[0].evidence]
    assert quotes
    assert all(quotes)
    assert file_format(old) == 1


def test_a_run_goes_on_with_it(old):
    provider = FakeProvider()
    ledger = open_ledger(str(old))
    run_fakes({"oak": provider}, make_samples(5), ledger=ledger)
    assert len(provider.requests) == 2
    assert audit(ledger).intact
    assert sum(1 for _ in ledger.read(kinds=[Kind.REPLY])) == 8
    ledger.close()
    assert file_format(old) == FILE_FORMAT


def test_a_copy_has_the_same_head_in_the_format_of_today(old, tmp_path, capsys):
    assert venire("ledger", "copy", old, tmp_path / "new.sqlite") == 0
    assert HEAD in capsys.readouterr().out
    assert (file_format(old), file_format(tmp_path / "new.sqlite")) == (1, FILE_FORMAT)
    with reading(old) as source, reading(tmp_path / "new.sqlite") as target:
        assert list(source.read()) == list(target.read())


@pytest.mark.parametrize("read_only", [False, True])
def test_a_court_opens_on_it_with_its_outputs_and_the_chain_goes_on(old, read_only):
    async def serve():
        court = Court(options_for(old.parent, ledger=str(old), read_only=read_only))
        try:
            hashes = [entry.hash for entry in court.state.ledger.read()]
            return len(court.state.index.samples), hashes
        finally:
            await court.close()

    shown, hashes = asyncio.run(serve())
    assert (shown, HEAD in hashes, hashes[-1] == HEAD) == (3, True, read_only)
    assert file_format(old) == (1 if read_only else FILE_FORMAT)
