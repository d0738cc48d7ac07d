"""What a person sees when something is not there, not allowed or not working."""

from __future__ import annotations

from http import HTTPStatus

from litestar import Response

from venire.server.court.views import LINK_IN_USE, Problem
from venire.server.pages.login import show_login
from venire.server.pages.rendering import AnyRequest, page_words, render
from venire.words.language import DEFAULT, Words
from venire.words.said import Said

_TITLED = frozenset(
    {HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND, HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE}
)


def render_problem(request: AnyRequest, problem: Problem) -> Response[str]:
    """Answer a problem by a page; who has not signed in is asked to."""
    words = page_words(request)
    if problem.status == HTTPStatus.UNAUTHORIZED:
        return show_login(request, refused=request.method == "POST", status=HTTPStatus.UNAUTHORIZED)
    if problem.type == LINK_IN_USE:
        detail = words("pages.problem.in_use_read", invitation=problem.where.split()[-1])
        return _show(request, problem.status, words("pages.problem.in_use"), detail)
    if isinstance(problem.detail, Said) and problem.detail.code == "api.too_many_jurors":
        detail = words("pages.problem.full_read", **problem.detail.values)
        return _show(request, problem.status, words("pages.problem.full"), detail)
    if problem.status == HTTPStatus.SERVICE_UNAVAILABLE:
        return problem_page(request, problem.status, words("pages.problem.unavailable"))
    return problem_page(request, problem.status, _detail(problem, words), words.of(problem.hint))


def problem_page(request: AnyRequest, status: int, detail: str = "", hint: str = "") -> Response[str]:
    """Say what is wrong and what to do about it, under a title that the status gives."""
    title = page_words(request)(f"pages.problem.{int(status)}" if status in _TITLED else "pages.problem.title")
    return _show(request, status, title, detail, hint)


def _show(request: AnyRequest, status: int, title: str, detail: str, hint: str = "") -> Response[str]:
    words = page_words(request)
    return render(request, "problem.html", words, status=status, title=title, detail=detail, hint=hint)


def _detail(problem: Problem, words: Words) -> str:
    """Return what went wrong in the visitor's language; what the framework says in English only is left to the API."""
    if isinstance(problem.detail, Said):
        return words.of(problem.detail)
    if problem.status in _TITLED:
        return ""
    if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return words("pages.problem.500")
    return problem.detail if words.language == DEFAULT else words("pages.problem.unsaid")
