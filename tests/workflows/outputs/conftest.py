"""A judged ledger, and its outputs as they are looked at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from courthouse import write_judged_ledger
from venire.ledger.location import open_ledger
from venire.ledger.store import Ledger
from venire.workflows.outputs.ledger_outputs import LedgerOutputs


@pytest.fixture(scope="package")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_judged_ledger(tmp_path_factory.mktemp("judged") / "ledger.sqlite")


@pytest.fixture(scope="package")
def ledger(judged: Path) -> Iterator[Ledger]:
    opened = open_ledger(str(judged), read_only=True)
    yield opened
    opened.close()


@pytest.fixture(scope="package")
def outputs(judged: Path, ledger: Ledger) -> Iterator[LedgerOutputs]:
    opened = LedgerOutputs(ledger, str(judged))
    while opened.catch_up():
        pass
    yield opened
    opened.close()
