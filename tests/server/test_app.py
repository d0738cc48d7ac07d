"""Applications are put together without doing again what one of them has done."""

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
