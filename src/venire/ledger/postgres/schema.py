"""Sets up a ledger in a PostgreSQL database, brings an older one up to date, and gives roles their rights."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import msgspec
from psycopg import sql

from venire.errors import LedgerError
from venire.ledger.postgres.session import QUERIES, Connection, PostgresSession
from venire.ledger.store import load_script

if TYPE_CHECKING:
    from collections.abc import Sequence

_MIGRATIONS = "postgres/migrations"


class SetUp(msgspec.Struct, frozen=True):
    """What setting up a ledger did."""

    where: str
    """The database, without a password."""
    found_version: int
    """The version of the schema that was there; 0 for none."""
    version: int
    """The version of the schema that is there now."""


@cache
def migrations() -> dict[int, str]:
    """Return the names of the migration files by their numbers, which run from 1 without gaps."""
    names = sorted(file.name for file in files("venire.ledger").joinpath(*_MIGRATIONS.split("/")).iterdir())
    return {int(name.partition("_")[0]): name for name in names if name.endswith(".sql")}


def latest_version() -> int:
    """Return the version of the schema that this version of Venire works with."""
    return max(migrations())


def set_up(url: str, *, writers: Sequence[str] = (), readers: Sequence[str] = ()) -> SetUp:
    """Make the schema or bring it up to date, and give roles that exist the right to append and read, or to read only.

    Doing it again does no harm. All of it happens or nothing. Raises `LedgerError` if the user may not do it, if the
    schema is newer than this version of Venire, or if a role is missing or could change entries all the same.
    """
    session = PostgresSession(url)

    def work(connection: Connection) -> SetUp:
        with connection.transaction():
            connection.execute(QUERIES["lock_schema"])
            found = _migrate(connection, session.where)
            for role in (*writers, *readers):
                _grant(connection, role, may_append=role in writers, where=session.where)
        return SetUp(session.where, found, latest_version())

    try:
        return session.run("setting_up", work)
    finally:
        session.close()


def check_standing(connection: Connection, where: str, *, for_writing: bool) -> None:
    """Raise `LedgerError` unless there is a ledger of the right version that this role may use."""
    row = connection.execute(QUERIES["select_standing"]).fetchone()
    user, is_there, may_read, may_append = row or ("", False, False, False)
    if not is_there:
        raise LedgerError("error.ledger.database_empty", where=where)
    if not may_read:
        raise LedgerError("error.ledger.may_not_read", where=where, role=user)
    if for_writing and not may_append:
        raise LedgerError("error.ledger.may_not_append", where=where, role=user)
    found = _version(connection)
    _check_not_newer(found, where)
    if found < latest_version():
        raise LedgerError("error.ledger.schema_older", where=where, expected=latest_version(), found=found)


def _migrate(connection: Connection, where: str) -> int:
    (encoding,) = connection.execute(QUERIES["select_encoding"]).fetchone() or ("",)
    if encoding != "UTF8":
        raise LedgerError("error.ledger.encoding", where=where, found=encoding)
    _, is_there, *_ = connection.execute(QUERIES["select_standing"]).fetchone() or ("", False)
    found = _version(connection) if is_there else 0
    _check_not_newer(found, where)
    missing = [number for number in migrations() if number > found]
    scripts = ["postgres/schema.sql"] if not is_there else [f"{_MIGRATIONS}/{migrations()[n]}" for n in missing]
    for script in scripts:
        connection.execute(load_script(script))
    for number in missing:
        connection.execute(QUERIES["insert_version"], {"version": number})
    return found


def _version(connection: Connection) -> int:
    (version,) = connection.execute(QUERIES["select_version"]).fetchone() or (0,)
    return int(version)


def _check_not_newer(found: int, where: str) -> None:
    if found > latest_version():
        raise LedgerError("error.ledger.schema_newer", where=where, expected=latest_version(), found=found)


def _grant(connection: Connection, role: str, *, may_append: bool, where: str) -> None:
    row = connection.execute(QUERIES["select_role"], {"role": role}).fetchone()
    if row is None:
        raise LedgerError("error.ledger.no_role", where=where, role=role)
    if row[0]:
        raise LedgerError("error.ledger.role_too_strong", where=where, role=role)
    name = sql.Identifier(role)
    tables = sql.SQL("venire.entry, venire.schema_version")
    connection.execute(sql.SQL("REVOKE ALL ON {} FROM {}").format(tables, name))
    connection.execute(sql.SQL("GRANT USAGE ON SCHEMA venire TO {}").format(name))
    connection.execute(sql.SQL("GRANT SELECT ON {} TO {}").format(tables, name))
    if may_append:
        connection.execute(sql.SQL("GRANT INSERT ON venire.entry TO {}").format(name))
