"""How templates become answers: whatever is not markup is escaped, and hidden characters are shown."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import jinja2
from litestar import MediaType, Request, Response
from markupsafe import Markup

from venire.domain.protocol import in_language
from venire.reports.judgement_line import JudgementLine
from venire.reports.page.environment import page_environment
from venire.reports.page.first_screen import FIRST_SCREEN, KNOWN_THERE
from venire.reports.page.leads import leads
from venire.reports.page.markup import with_code
from venire.reports.words import ReportWords
from venire.server.pages.language import language_of
from venire.server.pages.report_pieces import (
    SHOWN_TABLES,
    cell_address,
    ranked_models,
    section_address,
    section_figures,
)
from venire.server.pages.static_files import static_address
from venire.server.people.person import INVITERS, READERS, Person, Role, current_person
from venire.words.language import languages

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Scripts and styles come from files only, so that no judged text can become either."""

PAGE_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""The headers of every page; what is on it is for one visitor and one moment."""


AnyRequest = Request[Any, Any, Any]
"""A request, of which pages need neither the type of the visitor nor that of the state."""

CSRF_FIELD = "csrf_token"
"""The field of every form that holds the visitor's token."""


def page_words(request: AnyRequest, names: Mapping[str, Mapping[str, str]] | None = None) -> ReportWords:
    """Return the words of the visitor's language."""
    return ReportWords(language_of(request), names)


def render(
    request: AnyRequest, template: str, words: ReportWords, *, status: int = HTTPStatus.OK, **context: Any
) -> Response[str]:
    """Render a template into a page."""
    person = current_person(request)
    text = _environment().get_template(template).render(
        words=words,
        other_language=next(each for each in languages() if each != words.language),
        person=person,
        places=request.app.state.get("places") or _places(person),
        here=request.url.path,
        back=_address_of(request),
        alone_here="places" in request.app.state,
        demo=request.app.state.get("demo", False),
        csrf=_csrf_input(person),
        **context,
    )  # fmt: skip
    return Response(text, status_code=status, media_type=MediaType.HTML, headers=PAGE_HEADERS)


def _address_of(request: AnyRequest) -> str:
    return f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path


def _places(person: Person | None) -> list[tuple[str, str]]:
    if person is None:
        return []
    if person.role is Role.JUROR:
        return [("vote", "/vote")]
    places = [
        ("dashboard", "/"),
        ("outputs", "/outputs"),
        ("runs", "/runs"),
        ("judges", "/judges"),
        ("queue", "/queue"),
        ("audit", "/audit"),
    ]
    return [*places, ("invitations", "/invitations")] if person.role in INVITERS else places


def may_read(person: Person | None) -> bool:
    """Tell whether a visitor may see what was judged."""
    return person is not None and person.role in READERS


def _csrf_input(person: Person | None) -> Markup:
    if person is None or not person.csrf_token:
        return Markup()
    return Markup('<input type="hidden" name="{}" value="{}">').format(CSRF_FIELD, person.csrf_token)


@cache
def _environment() -> jinja2.Environment:
    environment = page_environment("venire.server.pages")
    environment.globals |= {
        "static": static_address,
        "section_figures": section_figures,
        "shown_tables": SHOWN_TABLES,
        "section_link": section_address,
        **KNOWN_THERE,
    }
    environment.filters |= {**FIRST_SCREEN, "ranked_chart": ranked_models, "link": cell_address}
    environment.filters |= {"leads": leads, "with_code": with_code}
    environment.filters |= {
        "address": cell_address,
        "choose": in_language,
        "judgement_address": judgement_address,
        "iso": _iso,
        "two_digits": lambda number: "–" if number is None else f"{number:.2f}",
        "three_digits": lambda number: "–" if number is None else f"{number:.3f}",
    }
    environment.tests["numeric"] = lambda table, place: table.numeric_columns()[place]
    return environment


def judgement_address(line: JudgementLine) -> str:
    """Return the address of a judgement's own page."""
    return f"/judgements/{quote(line.judgement)}"


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()
