from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

NOBODY = 65534


@pytest.fixture
def forbidden_folder() -> Iterator[Path]:
    """A folder for files with permissions that hold: as root, the test goes on as a user who may not do everything."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def as_ordinary_user(forbidden_folder: Path) -> Iterator[None]:
    """Let nothing be read that only root may read."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
