"""Pages for people: votes, dashboards, runs, judgements, the curators' queue, judges and audits."""

from __future__ import annotations

from venire.server.pages.problem_page import render_problem
from venire.server.pages.router import HANDLERS

__all__ = ["HANDLERS", "render_problem"]
