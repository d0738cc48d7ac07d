from __future__ import annotations

from litestar.testing import TestClient

from venire.server.pages.static_files import static_address


def test_a_file_is_sent_under_an_address_that_changes_with_its_content(client: TestClient) -> None:
    address = static_address("court.css")
    name, _, digest = address.partition("?")
    assert (name, len(digest)) == ("/static/court.css", 12)
    answer = client.get(address)
    assert answer.headers["content-type"] == "text/css; charset=utf-8"
    assert "immutable" in answer.headers["cache-control"]


def test_no_other_file_is_sent(client: TestClient) -> None:
    assert client.get("/static/..%2Frouter.py").status_code == 404
