"""All pages, as handlers for the app."""

from __future__ import annotations

from litestar.handlers import HTTPRouteHandler

from venire.server.pages.audit_page import audit_page
from venire.server.pages.dashboard_page import home, judges
from venire.server.pages.invitations_page import free_invitation, invitations_page
from venire.server.pages.item_page import item_page
from venire.server.pages.judgement_page import cell_page, judgement_page
from venire.server.pages.language import choose_language
from venire.server.pages.login_page import login_page
from venire.server.pages.queue_page import decide, queue_page
from venire.server.pages.run_page import run_live, run_page, runs_page
from venire.server.pages.static_files import static_file
from venire.server.pages.vote_page import cast, undo, vote_page


def _all_handlers() -> tuple[HTTPRouteHandler, ...]:
    return (
        audit_page,
        cast,
        cell_page,
        choose_language,
        decide,
        free_invitation,
        home,
        invitations_page,
        item_page,
        judgement_page,
        judges,
        login_page,
        queue_page,
        run_live,
        run_page,
        runs_page,
        static_file,
        undo,
        vote_page,
    )


HANDLERS = _all_handlers()
"""The handlers of all pages; the app provides the dependency `court` and the visitor."""
