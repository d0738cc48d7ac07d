"""The register of people in a PostgreSQL database, for servers on several machines: all of them know the same keys.

It has a schema of its own beside the ledger's. Dropping it (`DROP SCHEMA venire_people CASCADE`) takes away every key
and every name, and touches no entry of the ledger.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from psycopg import Cursor, sql

from venire.errors import LedgerError
from venire.ledger.postgres.session import Connection, PostgresSession
from venire.server.options import RateLimit
from venire.server.people.registry_store import Buckets, Statement

_PEOPLE = "venire_people"
_STANDING = """
SELECT current_user::text, secret.oid IS NOT NULL,
    coalesce(has_schema_privilege(schema.oid, 'USAGE') AND has_table_privilege(secret.oid, 'INSERT'), false)
FROM (SELECT 'venire_people'::name AS name) AS wanted
LEFT JOIN pg_namespace AS schema ON schema.nspname = wanted.name
LEFT JOIN pg_class AS secret ON secret.relnamespace = schema.oid AND secret.relname = 'court_secret'
"""
_BUCKETS = """
CREATE UNLOGGED TABLE IF NOT EXISTS bucket (
    caller TEXT PRIMARY KEY,
    tokens DOUBLE PRECISION NOT NULL,
    given  DOUBLE PRECISION NOT NULL,
    at     TIMESTAMPTZ NOT NULL
)
"""
_TAKE_TOKENS = """
WITH term AS (SELECT %s::text AS caller, %s::float8 AS burst, %s::float8 AS rate, %s::float8 AS wanted)
INSERT INTO venire_people.bucket AS bucket (caller, tokens, given, at)
SELECT caller, burst - least(wanted, burst), least(wanted, burst), clock_timestamp() FROM term
ON CONFLICT (caller) DO UPDATE SET (tokens, given, at) = (
    SELECT held - least(wanted, floor(held)), least(wanted, floor(held)), moment
    FROM term
    CROSS JOIN LATERAL (SELECT clock_timestamp() AS moment) AS clock
    CROSS JOIN LATERAL (
        SELECT least(burst, bucket.tokens + rate * extract(epoch FROM moment - bucket.at)::float8) AS held
    ) AS refilled
)
RETURNING given, tokens
"""
_FORGET_BUCKETS = "DELETE FROM venire_people.bucket WHERE at < clock_timestamp() - interval '1 hour'"


class PostgresStore:
    """The register that `set_up_people` has made. Raises `LedgerError` if it is not there or not for this role.

    Keys are looked up again and again, so one connection is kept; it is made anew when it is lost, for up to
    `patience_seconds`.
    """

    is_remote = True

    def __init__(self, url: str, *, patience_seconds: float) -> None:
        self._session = PostgresSession(url, patience_seconds=patience_seconds)
        self.buckets: Buckets | None = self
        try:
            self._session.run("opening", self._check_standing)
        except BaseException:
            self._session.close()
            raise

    def select(self, statement: Statement) -> list[Any]:
        """Return the rows that a query finds."""
        return self._session.run("reading_keys", lambda connection: _execute(connection, statement).fetchall())

    def change(self, statements: Sequence[Statement]) -> int:
        """Do all of the statements or none, and return how many rows the last one changed.

        After a lost connection they are done again, so statements must be such that a second time does no harm.
        """

        def work(connection: Connection) -> int:
            with connection.transaction():
                changed = [_execute(connection, each).rowcount for each in statements]
            return changed[-1]

        return self._session.run("changing_keys", work)

    def take_tokens(self, caller: str, wanted: int, limit: RateLimit) -> tuple[int, float]:
        """Take up to so many tokens of a caller; return how many there were, and what is left."""
        terms = (caller, limit.burst, limit.per_second, wanted)

        def work(connection: Connection) -> tuple[int, float]:
            [(given, left)] = connection.execute(_TAKE_TOKENS, terms).fetchall()
            return int(given), float(left)

        return self._session.run("counting_requests", work)

    def close(self) -> None:
        """Let go of the connection."""
        self._session.close()

    def _check_standing(self, connection: Connection) -> None:
        user, is_there, may_use = connection.execute(_STANDING).fetchone() or ("", False, False)
        if not is_there or not may_use:
            raise LedgerError(
                "error.server.keys_forbidden" if is_there else "error.server.keys_missing",
                where=self._session.where,
                hint="error.server.keys_place",
                user=user,
            )
        connection.execute(_FORGET_BUCKETS)  # They are full again: forgetting them changes nothing.


def set_up_people(url: str, servers: Sequence[str] = ()) -> None:
    """Make the register in a database unless it is there, and let roles that exist use it.

    Nobody else but the owner may look into it. Raises `LedgerError` if the user may not do it.
    """
    session = PostgresSession(url)

    def work(connection: Connection) -> None:
        with connection.transaction():
            connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(_PEOPLE)))
            connection.execute(sql.SQL("SET LOCAL search_path = {}, pg_catalog").format(sql.Identifier(_PEOPLE)))
            connection.execute(_script().replace(") STRICT;", ");"))
            connection.execute(_BUCKETS)
            for role in servers:
                name = sql.Identifier(role)
                connection.execute(sql.SQL("GRANT USAGE ON SCHEMA venire_people TO {}").format(name))
                rights = sql.SQL(
                    "GRANT SELECT, INSERT, UPDATE, DELETE ON person, credential, court_secret, bucket TO {}"
                )
                connection.execute(rights.format(name))

    try:
        session.run("setting_up_keys", work)
    finally:
        session.close()


def _script() -> str:
    return files("venire.server.people").joinpath("registry.sql").read_text("utf-8")


def _execute(connection: Connection, statement: Statement) -> Cursor[tuple[Any, ...]]:
    query, bindings = statement
    return connection.execute(query.format(people=f"{_PEOPLE}.").replace("?", "%s"), bindings)
