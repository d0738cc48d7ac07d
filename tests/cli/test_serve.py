"""`venire serve`: a demo that can be looked at, and what is wrong is said before anything is served."""

from __future__ import annotations

import socket

import pytest
from click.testing import CliRunner

from making_courts import write_samples
from venire.cli.keys import keys
from venire.cli.serve import serve
from venire.errors import LedgerError, UsageError


def test_a_demo_takes_no_ledger():
    result = CliRunner().invoke(serve, ["x.sqlite", "--demo"])

    assert isinstance(result.exception, UsageError)


@pytest.fixture
def ledger(tmp_path):
    path = str(tmp_path / "ledger.sqlite")
    write_samples(path, 1)
    return path


@pytest.mark.parametrize(
    "asked", [(serve,), (keys, "create", "--role", "reader", "--ledger"), (keys, "invite", "--ledger")]
)
def test_a_misspelt_path_does_not_become_a_new_ledger(tmp_path, asked):
    command, *arguments = asked

    result = CliRunner().invoke(command, [*arguments, str(tmp_path / "ledgr.sqlite")])

    assert isinstance(result.exception, LedgerError)
    assert "there is no ledger here" in str(result.exception)
    assert list(tmp_path.iterdir()) == []


def test_a_signing_key_that_is_not_there_is_named_before_anything_is_served(ledger, tmp_path):
    result = CliRunner().invoke(serve, [ledger, "--signing-key", str(tmp_path / "none.key")])

    assert "none.key" in str(result.exception)


def test_a_port_that_another_server_has_is_named_before_any_link_is_printed(ledger):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = CliRunner().invoke(serve, [ledger, "--port", str(taken.getsockname()[1])])

    assert "cannot listen on 127.0.0.1" in str(result.exception)
    assert "login#" not in result.output


def test_every_start_tells_how_to_get_in(ledger, monkeypatch):
    monkeypatch.setattr(
        "venire.server.serve.serve", lambda options, court, listening: (listening.close(), court.state.close())
    )
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])

    first, second = (CliRunner().invoke(serve, [ledger, "--port", port]).output for _ in range(2))

    assert f"http://127.0.0.1:{port}/login#vk_" in first
    assert "login#" not in second
    assert "sign in with a key or an invitation" in second
