from __future__ import annotations

from venire.server.pages.router import HANDLERS


def test_every_page_says_who_may_open_it() -> None:
    assert all(handler.opt.get("public") or handler.opt.get("roles") for handler in HANDLERS)
