"""A judged ledger to be looked at."""

from pathlib import Path

import pytest

from courthouse import write_judged_ledger


@pytest.fixture(scope="package")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_judged_ledger(tmp_path_factory.mktemp("viewed") / "ledger.sqlite")
