"""What a person sees when something is not there, not allowed or not working."""

from __future__ import annotations

from http import HTTPStatus

from litestar import Response

from venire.server.pages.login_page import show_login
from venire.server.pages.rendering import AnyRequest, page_words, render
from venire.server.problems import Problem

_WORDED = frozenset({HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND, HTTPStatus.TOO_MANY_REQUESTS})


def render_problem(request: AnyRequest, problem: Problem) -> Response[str]:
    """Answer a problem by a page; who has not signed in is asked to."""
    if problem.status == HTTPStatus.UNAUTHORIZED:
        return show_login(request, status=HTTPStatus.UNAUTHORIZED)
    worded = problem.status in _WORDED
    return problem_page(request, problem.status, "" if worded else " ".join((problem.detail, problem.hint)).strip())


def problem_page(request: AnyRequest, status: int, detail: str = "") -> Response[str]:
    """Say what is wrong, in the visitor's language where the status alone tells it."""
    words = page_words(request)
    title = words(f"problem.{int(status)}" if status in _WORDED else "problem.title")
    return render(request, "problem.html", words, status=status, title=title, detail=detail)
