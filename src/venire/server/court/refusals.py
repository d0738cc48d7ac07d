"""What the court refuses to do, with the HTTP status that says so."""

from __future__ import annotations

from http import HTTPStatus
from typing import ClassVar

from venire.errors import UsageError


class RefusedError(UsageError):
    """The court cannot do this now; the status says why."""

    status: ClassVar[int] = HTTPStatus.CONFLICT


class NotFoundError(RefusedError):
    """There is nothing under this name."""

    status: ClassVar[int] = HTTPStatus.NOT_FOUND


class InUseError(RefusedError):
    """Another browser came in with the same invitation; `where` names it."""


class ReadOnlyError(RefusedError):
    """The ledger is only looked at."""

    status: ClassVar[int] = HTTPStatus.SERVICE_UNAVAILABLE


class ReusedKeyError(RefusedError):
    """An idempotency key came back with another content."""

    status: ClassVar[int] = HTTPStatus.UNPROCESSABLE_ENTITY
