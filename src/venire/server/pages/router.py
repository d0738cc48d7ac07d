"""All pages, as handlers for the app."""

from __future__ import annotations

from litestar.handlers import HTTPRouteHandler

from venire.server.pages.audit import audit_page
from venire.server.pages.dashboard import home, item_page, judges
from venire.server.pages.invitations import free_invitation, invitations_page
from venire.server.pages.judgement import cell_page, judgement_page
from venire.server.pages.language import choose_language
from venire.server.pages.login import login_page
from venire.server.pages.queue import decide, queue_page
from venire.server.pages.run import run_live, run_page, runs_page
from venire.server.pages.static_files import static_file
from venire.server.pages.viewer.beside import beside_page
from venire.server.pages.viewer.changes import changes_page
from venire.server.pages.viewer.outputs import mark_output, output_page, outputs_live, outputs_page
from venire.server.pages.vote import cast, undo, vote_page

VIEWER_HANDLERS: tuple[HTTPRouteHandler, ...] = (
    beside_page,
    changes_page,
    choose_language,
    mark_output,
    output_page,
    outputs_live,
    outputs_page,
    static_file,
)
"""The handlers of the pages of outputs, and of what all pages need."""


def _all_handlers() -> tuple[HTTPRouteHandler, ...]:
    return (
        audit_page,
        cast,
        cell_page,
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
        undo,
        vote_page,
        *VIEWER_HANDLERS,
    )


HANDLERS = _all_handlers()
"""The handlers of all pages; the app provides the dependency `court` and the visitor."""
