"""A court with a judged ledger, for the tests of pages that need no browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from litestar.testing import TestClient

from courthouse import write_judged_ledger
from venire.server.app import create_app
from venire.server.court.court import Court
from venire.server.options import ServerOptions


@pytest.fixture(scope="package")
def court(tmp_path_factory: pytest.TempPathFactory) -> Court:
    path: Path = tmp_path_factory.mktemp("answers") / "ledger.sqlite"
    return Court(ServerOptions(ledger=str(write_judged_ledger(path)), host="testserver.local", port=80))


@pytest.fixture(scope="package")
def client(court: Court) -> Iterator[TestClient]:
    with TestClient(create_app(court.options, court), base_url="http://testserver.local") as opened:
        yield opened
