"""The index of a ledger: brought up to date entry by entry, kept beside the ledger, made anew if it is another's."""

import asyncio
import shutil
import stat
from pathlib import Path

import apsw
import pytest

from judge_server import JudgeServer
from judging_pairs import prefer, write_config, write_outputs
from report_ledger import design, scoring, write_ledger
from venire.config import load_settings
from venire.errors import LedgerError
from venire.ledger.entry import Draft, Kind
from venire.ledger.location import open_ledger
from venire.reports.outputs.asked import OutputFilter
from venire.reports.outputs.one_output import ShownJudgement
from venire.workflows.judge import judge
from venire.workflows.outputs import from_ledger
from venire.workflows.outputs.from_ledger import LedgerReader
from venire.workflows.outputs.index import OutputIndex
from venire.workflows.outputs.ledger_outputs import LedgerOutputs
from venire.workflows.outputs.listing import list_outputs


def rows_of(index: OutputIndex) -> list[object]:
    return [(row.key, row.score, row.judgements) for row in list_outputs(index, OutputFilter()).rows]


def read_whole(path: Path) -> tuple[list[object], Path | None]:
    ledger = open_ledger(str(path), read_only=True)
    reader = LedgerReader(ledger, str(path))
    while reader.catch_up():
        pass
    found = rows_of(reader.index), reader.index.path
    reader.close()
    ledger.close()
    return found


def test_what_comes_in_small_parts_is_the_same_as_what_comes_at_once(judged, tmp_path, monkeypatch):
    at_once, _ = read_whole(Path(shutil.copy(judged, tmp_path / "a.sqlite")))
    monkeypatch.setattr(from_ledger, "_BATCH", 3)
    assert read_whole(Path(shutil.copy(judged, tmp_path / "b.sqlite")))[0] == at_once


def test_an_index_stays_beside_its_ledger_and_only_its_owner_may_read_it(tmp_path):
    path = write_ledger(tmp_path / "ledger.sqlite", design(questions=1))
    found, where = read_whole(path)
    assert where == tmp_path / "ledger.sqlite.outputs"
    assert stat.S_IMODE(where.stat().st_mode) == 0o600
    ledger = open_ledger(str(path), read_only=True)
    again = LedgerReader(ledger, str(path))
    assert rows_of(again.index) == found
    assert not again.catch_up()
    again.close()
    ledger.close()


def test_an_index_grows_with_its_ledger(tmp_path):
    path = write_ledger(tmp_path / "ledger.sqlite", design(questions=1), {"oak": scoring()})
    before, _ = read_whole(path)
    write_ledger(path, design(questions=1), {"oak": scoring(), "elm": scoring(severity=2)})
    after, _ = read_whole(path)
    assert {key for key, _, _ in before} == {key for key, _, _ in after}
    assert {judgements for _, _, judgements in after} == {2}
    assert before != after


def test_the_index_of_another_ledger_is_made_anew(tmp_path):
    path = write_ledger(tmp_path / "ledger.sqlite", design(questions=1))
    read_whole(path)
    path.unlink()
    write_ledger(path, design(questions=2))
    found, _ = read_whole(path)
    assert len(found) == 16


@pytest.mark.parametrize("damage", [b"no database", b""])
def test_a_damaged_index_is_made_anew(tmp_path, damage):
    path = write_ledger(tmp_path / "ledger.sqlite", design(questions=1))
    found, where = read_whole(path)
    where.write_bytes(damage)
    assert read_whole(path) == (found, where)


def test_an_index_of_another_version_is_made_anew(tmp_path):
    path = write_ledger(tmp_path / "ledger.sqlite", design(questions=1))
    found, where = read_whole(path)
    connection = apsw.Connection(str(where))
    connection.execute("DELETE FROM output")
    connection.pragma("user_version", 1)
    connection.close()
    assert read_whole(path) == (found, where)


def test_where_nothing_can_be_written_the_index_is_a_temporary_one(tmp_path):
    path = write_ledger(tmp_path / "ledger.sqlite", design(questions=1))
    (tmp_path / "ledger.sqlite.outputs").mkdir()
    found, where = read_whole(path)
    assert (len(found), where) == (8, None)


def test_an_entry_of_another_form_is_named(tmp_path):
    path = tmp_path / "ledger.sqlite"
    ledger = open_ledger(str(path))
    ledger.append([Draft(Kind.SAMPLE, {"sample": {"text": "without a name"}}, "digest")])
    ledger.close()
    with pytest.raises(LedgerError, match="entry 1"):
        read_whole(path)


def test_a_judged_pair_is_won_by_one_of_its_outputs_and_lost_by_the_other(tmp_path):
    write_outputs(tmp_path / "outputs.csv", 2)

    async def ask() -> str:
        async with JudgeServer(reply_for=prefer) as server:
            more = {"insecure_http": True, "reask_share": 0}
            settings = load_settings(
                write_config(tmp_path, {"fair": f"{server.base_url}/v1"}, runner=more), need_keys=False
            )
            await judge(settings)
            return settings.ledger

    location = asyncio.run(ask())
    ledger = open_ledger(location, read_only=True)
    outputs = LedgerOutputs(ledger, location)
    while outputs.catch_up():
        pass
    rows = list_outputs(outputs.index, OutputFilter()).rows
    cards = {row.output_id: outputs.show(row).judgements for row in rows}
    results = {(name, each.against, each.key): each.verdict for name, each in _cards(cards)}
    assert set(results.values()) >= {"won", "lost"}
    opposite = {"won": "lost", "lost": "won", "tie": "tie"}
    assert all(results[rival, name, key] == opposite[verdict] for (name, rival, key), verdict in results.items())
    assert all(each.counted for _, each in _cards(cards))
    outputs.close()
    ledger.close()


def _cards(cards: dict[str, tuple[ShownJudgement, ...]]) -> list[tuple[str, ShownJudgement]]:
    return [(name, each) for name, judgements in cards.items() for each in judgements]
