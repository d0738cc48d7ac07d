"""The address of a PostgreSQL database as it may be shown, without its password; needs nothing installed."""

from __future__ import annotations

from venire.errors import LedgerError

SCHEMES = ("postgresql://", "postgres://")
"""How an address of a PostgreSQL database begins."""


def is_postgres(location: str) -> bool:
    """Tell whether a location is the address of a PostgreSQL database."""
    return location.startswith(SCHEMES)


def require_driver(url: str) -> None:
    """Raise `LedgerError` if what PostgreSQL needs is not installed."""
    try:
        import psycopg  # noqa: F401
    except ImportError as error:
        raise LedgerError("error.ledger.no_driver", where=shown_address(url), reason=str(error)) from error


def shown_address(url: str) -> str:
    """Return an address without its password and options.

    Raises `LedgerError` for an address whose password cannot be told from the rest, because parts of it would be taken
    for a host and shown.

    >>> shown_address("postgresql://ann:secret@db.example/evals?sslmode=require")
    'postgresql://ann@db.example/evals'
    """
    scheme, _, rest = url.partition("://")
    before, at, behind = rest.partition("@")
    if not at:
        return f"{scheme}://{rest.partition('?')[0]}"
    user, behind = before.partition(":")[0], behind.partition("?")[0]
    if "/" in before or "?" in user or "@" in behind:
        raise LedgerError("error.ledger.password_unclear", where=f"{scheme}://")
    return f"{scheme}://{user}@{behind}"
