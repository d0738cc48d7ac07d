"""The example evaluation on a file and on PostgreSQL: the same judgements, also when the server is killed meanwhile."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from postgres_server import PASSWORD, WRITER, PostgresServer
from venire.config import load_settings
from venire.ledger.entry import Kind
from venire.ledger.location import open_ledger
from venire.workflows.audit import audit
from venire.workflows.judge import judge

EXAMPLE = Path(__file__).parents[2] / "examples" / "drift"


def run_example(folder, location, on_event=lambda _: None):
    """Run the example with another ledger; returns its judgements by key, and whether an audit finds all intact."""
    text = (EXAMPLE / "venire.yaml").read_text()
    for name in ("outputs.jsonl", "rules/"):
        text = text.replace(f" {name}", f" {EXAMPLE / name}{'/' if name.endswith('/') else ''}")
    lines = [f"ledger: {location}" if line.startswith("ledger:") else line for line in text.splitlines()]
    folder.mkdir(exist_ok=True)
    (folder / "venire.yaml").write_text("\n".join(lines))
    asyncio.run(judge(load_settings(folder / "venire.yaml"), on_event=on_event))
    ledger = open_ledger(location, read_only=True)
    try:
        assert audit(ledger).intact
        judged = ledger.read(kinds={Kind.JUDGEMENT})
        return {entry.key: entry.content["judgement"] for entry in judged}, list(ledger.read())
    finally:
        ledger.close()


@pytest.fixture
def own_server():
    server = PostgresServer()
    yield server
    server.remove()


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sqlite")
    judgements, _ = run_example(folder, str(folder / "ledger.db"))
    assert len(judgements) == 309
    return judgements


def test_a_file_and_postgresql_hold_the_same_judgements(tmp_path, postgres, expected):
    judgements, entries = run_example(tmp_path, postgres.tcp_url(postgres.new_ledger()))
    assert judgements == expected
    secret = PASSWORD.replace(" ", "%20").encode()
    assert not any(secret in entry.payload or PASSWORD.encode() in entry.payload for entry in entries)


def test_a_run_goes_on_to_its_end_when_the_server_is_killed_and_restarted(tmp_path, own_server, expected):
    seen = 0

    def kill_at_the_hundredth(_):
        nonlocal seen
        seen += 1
        if seen == 100:
            own_server.kill()
            own_server.start()

    url = own_server.url(own_server.new_ledger(), WRITER)
    judgements, entries = run_example(tmp_path, url, kill_at_the_hundredth)
    assert seen > 200
    assert judgements == expected
    replies = [entry.key for entry in entries if entry.kind is Kind.REPLY]
    assert len(replies) == len(set(replies)) == 309
    assert not any(entry.kind is Kind.ATTEMPT for entry in entries)
