"""How a run may be told to work: a key that is misspelt is refused, and limits are positive."""

import msgspec
import pytest

from venire.runner.options import RunnerOptions


def test_a_key_that_is_not_known_is_refused():
    with pytest.raises(msgspec.ValidationError, match="no_such_key"):
        msgspec.convert({"no_such_key": 1}, RunnerOptions)


@pytest.mark.parametrize("key", ["timeout_seconds", "max_reply_bytes"])
def test_limits_are_positive(key):
    for value in (0, -1):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert({key: value}, RunnerOptions)
    assert getattr(msgspec.convert({key: 1}, RunnerOptions), key) == 1
