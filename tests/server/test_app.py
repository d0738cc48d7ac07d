"""What holds for every answer, and how applications are put together."""

from __future__ import annotations

from litestar import Litestar
from litestar.handlers import HTTPRouteHandler

from making_courts import open_bar


def handlers_of(app: Litestar) -> dict[tuple[str, str], HTTPRouteHandler]:
    """Return the handlers of ours by their routes; the framework adds one for OPTIONS to each route."""
    found = [(route.path, handler) for route in app.routes for handler in route.route_handlers]
    return {(path, str(each)): each for path, each in found if each.fn.__module__.startswith("venire.")}


def test_two_applications_share_the_parsed_signatures_of_their_handlers(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "other").mkdir()
    with open_bar(tmp_path / "one") as one, open_bar(tmp_path / "other") as other:
        ours, others = handlers_of(one.http.app), handlers_of(other.http.app)

    assert len(ours) > 60
    assert ours.keys() == others.keys()
    assert all(each is not others[place] for place, each in ours.items())
    assert all(each.parsed_fn_signature is others[place].parsed_fn_signature for place, each in ours.items())


def test_every_answer_carries_the_strict_headers(bar):
    for path in ("/api/v1/overview", "/", "/nowhere", "/static/court.css"):
        headers = bar.ask("reader", "GET", path).headers
        assert "default-src 'none'" in headers["content-security-policy"], path
        assert "unsafe" not in headers["content-security-policy"], path
        assert headers["x-content-type-options"] == "nosniff"


def test_a_body_beyond_the_limit_is_refused(tmp_path):
    with open_bar(tmp_path, body_limit_bytes=2000) as bar:
        body = {"item": "x", "vote": 1, "reason": "a" * 3000}

        assert bar.ask("operator", "POST", "/api/v1/votes", json=body).status_code == 413
