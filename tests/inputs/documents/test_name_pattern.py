"""Patterns of file names."""

from __future__ import annotations

from pathlib import Path

import pytest

from venire.errors import UsageError
from venire.inputs.reader import read_samples


@pytest.mark.parametrize("pattern", ["q.pdf", "{a} {a}.pdf", "../{a}.pdf", "{}.pdf"])
def test_a_pattern_that_cannot_work_is_a_usage_error(tmp_path: Path, pattern: str) -> None:
    with pytest.raises(UsageError, match="pattern"):
        list(read_samples(tmp_path, pattern=pattern))
