"""Handlers with parsed signatures: an app copies its handlers, and would parse the signature of every copy anew."""

from __future__ import annotations

from functools import cache

from litestar.handlers import HTTPRouteHandler


@cache
def parsed_once(handlers: tuple[HTTPRouteHandler, ...]) -> tuple[HTTPRouteHandler, ...]:
    """Return the handlers after each has parsed its signature, which it keeps and its copies share."""
    for handler in handlers:
        _ = handler.parsed_fn_signature
    return handlers
