"""What a person sees when something is not there, not allowed or not working."""

from __future__ import annotations

from http import HTTPStatus
from typing import Protocol

from litestar import Response

from venire.server.court.views import LINK_IN_USE
from venire.server.pages.login import show_login
from venire.server.pages.rendering import AnyRequest, page_words, render

_WORDED = frozenset(
    {HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND, HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE}
)


class ToldProblem(Protocol):
    """What went wrong."""

    @property
    def status(self) -> int:
        """The HTTP status."""

    @property
    def detail(self) -> str:
        """What was expected and what was found."""

    @property
    def hint(self) -> str:
        """What to do next."""

    @property
    def type(self) -> str:
        """A name for the kind of problem."""

    @property
    def where(self) -> str:
        """A place that a person can go to."""


def render_problem(request: AnyRequest, problem: ToldProblem) -> Response[str]:
    """Answer a problem by a page; who has not signed in is asked to."""
    if problem.status == HTTPStatus.UNAUTHORIZED:
        return show_login(request, refused=request.method == "POST", status=HTTPStatus.UNAUTHORIZED)
    if problem.type == LINK_IN_USE:
        words = page_words(request)
        title, detail = words("problem.in_use"), words("problem.in_use_read", invitation=problem.where.split()[-1])
        return render(request, "problem.html", words, status=problem.status, title=title, detail=detail)
    worded = problem.status in _WORDED
    return problem_page(request, problem.status, "" if worded else f"{problem.detail} {problem.hint}".strip())


def problem_page(request: AnyRequest, status: int, detail: str = "") -> Response[str]:
    """Say what is wrong, in the visitor's language where the status alone tells it."""
    words = page_words(request)
    title = words(f"problem.{int(status)}" if status in _WORDED else "problem.title")
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        detail = words("problem.unavailable")
    return render(request, "problem.html", words, status=status, title=title, detail=detail)
