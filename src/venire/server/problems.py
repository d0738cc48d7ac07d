"""Errors as problem details (RFC 9457), for programs; pages have their own words for them."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import msgspec
from litestar import MediaType, Request, Response
from litestar.exceptions import HTTPException, ValidationException

from venire.errors import (
    InputError,
    InUseError,
    LedgerError,
    PoolingError,
    RefusedError,
    TamperedError,
    UsageError,
    VenireError,
)
from venire.server.court.views import LINK_IN_USE, Problem
from venire.words.said import as_text, say

RETRY_AFTER_SECONDS = 2
"""When those who find the ledger out of reach may ask again."""
PROBLEM_TYPE = "application/problem+json"
"""The media type of problem details."""


def problem_response(problem: Problem, headers: dict[str, str] | None = None) -> Response[bytes]:
    """Return a problem as an answer."""
    return Response(
        msgspec.json.encode(problem, enc_hook=as_text),
        status_code=problem.status,
        media_type=PROBLEM_TYPE,
        headers=headers or {},
    )


def http_problem(error: HTTPException) -> Problem:
    """Return the problem of an error that the framework raised."""
    title = HTTPStatus(error.status_code).phrase
    listed = error.extra if isinstance(error, ValidationException) and isinstance(error.extra, list) else []
    errors = [{str(name): str(value) for name, value in each.items()} for each in listed if isinstance(each, dict)]
    return Problem(title, error.status_code, error.detail if error.status_code < 500 else "", errors=errors)


def venire_problem(error: VenireError) -> Problem:
    """Return the problem of an error of ours."""
    status = _status(error)
    if status == HTTPStatus.SERVICE_UNAVAILABLE and isinstance(error, LedgerError):
        # What is wrong with which database is the operator's business, and stands in the log.
        return Problem(HTTPStatus(status).phrase, status, say("api.unavailable"), hint=say("api.unavailable.hint"))
    kind = LINK_IN_USE if isinstance(error, InUseError) else "about:blank"
    return Problem(HTTPStatus(status).phrase, status, error.message, kind, error.hint, error.where)


def _status(error: VenireError) -> int:
    if isinstance(error, RefusedError):
        return error.status
    if isinstance(error, TamperedError):
        return HTTPStatus.INTERNAL_SERVER_ERROR
    if isinstance(error, LedgerError):
        return HTTPStatus.SERVICE_UNAVAILABLE
    if isinstance(error, PoolingError):
        return HTTPStatus.CONFLICT
    if isinstance(error, (UsageError, InputError)):
        return HTTPStatus.UNPROCESSABLE_ENTITY
    return HTTPStatus.INTERNAL_SERVER_ERROR


def answer_http(request: Request[Any, Any, Any], error: HTTPException) -> Response[Any]:
    """Answer an error that the framework raised."""
    return _answer(request, http_problem(error), error.headers)


def answer_venire(request: Request[Any, Any, Any], error: VenireError) -> Response[Any]:
    """Answer an error of ours."""
    problem = venire_problem(error)
    if problem.status != HTTPStatus.SERVICE_UNAVAILABLE:
        return _answer(request, problem, None)
    if isinstance(error, LedgerError):
        request.app.state.log.warning("%s: %s", say("api.log.unreachable"), error)
    return _answer(request, problem, {"Retry-After": str(RETRY_AFTER_SECONDS)})


def answer_unexpected(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    """Answer an error that nobody expected, without saying anything of its insides."""
    request.app.state.log.exception(say("api.log.unexpected"), exc_info=error)
    return _answer(request, Problem(HTTPStatus(500).phrase, 500), None)


def _answer(request: Request[Any, Any, Any], problem: Problem, headers: dict[str, str] | None) -> Response[Any]:
    if _wants_page(request):
        page: Response[Any] = request.app.state.render_problem(request, problem)
        page.headers.update(headers or {})
        return page
    return problem_response(problem, headers)


def _wants_page(request: Request[Any, Any, Any]) -> bool:
    if request.scope["path"].startswith("/api/") or MediaType.HTML not in request.headers.get("accept", ""):
        return False
    try:
        return bool(request.url)
    except ValueError:  # The host is none, and no page can be made for an address that cannot be read.
        return False
