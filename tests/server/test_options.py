"""How a server is set up: what it is called, and who can reach it."""

from __future__ import annotations

import pytest

from venire.errors import UsageError
from venire.server.options import ServerOptions


@pytest.mark.parametrize(
    ("host", "reached_by_this_machine_only"),
    [("localhost", True), ("127.0.0.9", True), ("::1", True), ("0.0.0.0", False), ("10.0.0.1", False)],
)
def test_a_loopback_address_is_known(host, reached_by_this_machine_only):
    assert ServerOptions(ledger="memory:", host=host).is_loopback is reached_by_this_machine_only


def test_people_use_the_public_address_or_else_the_one_that_is_listened_on():
    assert ServerOptions(ledger="memory:", host="::1", port=1).address == "http://[::1]:1"
    assert ServerOptions(ledger="memory:", public_url="https://jury.example/").address == "https://jury.example"
    with pytest.raises(UsageError, match="expected a public address"):
        ServerOptions(ledger="memory:", public_url="jury.example")
