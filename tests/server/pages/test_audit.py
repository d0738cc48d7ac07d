from __future__ import annotations

import pytest
from litestar.testing import TestClient

from courthouse import as_a
from venire.server.court.court import Court
from venire.server.people.person import Role


@pytest.mark.parametrize(("asked", "is_there"), [("2", True), ("0", False), ("999999", False)])
def test_the_page_offers_to_prove_the_entry_that_is_asked_for_or_else_the_last(
    asked: str, is_there: bool, client: TestClient, court: Court
) -> None:
    page = client.get(f"/audit?entry={asked}", headers=as_a(Role.READER, court)).text
    shown = asked if is_there else str(court.state.head.sequence)
    assert f'value="{shown}" required' in page
    assert court.state.head.hash in page
