"""The OpenAPI document: the framework's account of our calls, with problems and names as they really are."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from litestar import Litestar, Request
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme
from litestar.router import Router

from venire.server.court.views import Problem
from venire.server.people.person import public
from venire.server.problems import PROBLEM_TYPE
from venire.version import __version__

_PAGE_NAME = re.compile(r"Page_(?:\w+\.)+(\w+)_")


class _DocumentPlugin(JsonRenderPlugin):
    """Serves the document."""

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:  # noqa: ARG002
        """Return the document as JSON."""
        return msgspec.json.encode(finished(openapi_schema))


def openapi_config() -> OpenAPIConfig:
    """Return how the document is made and where it is served; nothing is loaded from another host to show it."""
    return OpenAPIConfig(
        title="Venire",
        version=__version__,
        description="Judge model outputs with juries you can audit. Errors are problem details (RFC 9457).",
        use_handler_docstrings=True,
        components=Components(security_schemes={"key": SecurityScheme(type="http", scheme="bearer")}),
        security=[{"key": []}],
        render_plugins=[_DocumentPlugin(path="/openapi.json")],
        openapi_router=Router("/api/v1/schema", route_handlers=[], include_in_schema=False, opt=public()),
    )


def openapi_document(app: Litestar) -> dict[str, Any]:
    """Return the document of an application."""
    return finished(app.openapi_schema.to_schema())


def finished(made: dict[str, Any]) -> dict[str, Any]:
    """Return the framework's document with short names and with the problems that every call may answer."""
    text = _PAGE_NAME.sub(r"PageOf\1", msgspec.json.encode(made).decode())
    document: dict[str, Any] = msgspec.json.decode(text)
    (schema,), components = msgspec.json.schema_components([Problem], ref_template="#/components/schemas/{name}")
    document["components"]["schemas"] |= components
    problem = {"description": "What went wrong.", "content": {PROBLEM_TYPE: {"schema": schema}}}
    for item in document["paths"].values():
        for operation in item.values():
            operation["responses"].pop("400", None)
            operation["responses"]["default"] = problem
    return document
