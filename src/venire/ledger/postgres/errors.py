"""Says what is wrong with a PostgreSQL database, and what to do, in the words of a ledger."""

from __future__ import annotations

import psycopg
from psycopg import errors

from venire.errors import LedgerError, TamperedError

_NOT_LET_IN = (
    "authentication failed",
    "no password supplied",
    "no pg_hba.conf entry",
    "role",
    "not permitted to log in",
)


def from_connecting(error: psycopg.Error, where: str) -> LedgerError:
    """Return what to raise when no connection could be made."""
    text = _first_line(error)
    if "database" in text and "does not exist" in text:
        hint = "Create the database (`createdb`), then run `venire ledger init` on it as its owner."
        return LedgerError(f"the server has no such database: {text}", where=where, hint=hint)
    if any(sign in text for sign in _NOT_LET_IN):
        hint = "Check user and password (in the address, ~/.pgpass or PGPASSWORD) and the server's pg_hba.conf."
        return LedgerError(f"the server does not let this user in: {text}", where=where, hint=hint)
    hint = "Check host and port, that the server runs, and that a firewall does not stand in between."
    return LedgerError(f"the server cannot be reached: {text}", where=where, hint=hint)


def from_database(error: psycopg.Error, where: str, doing: str) -> LedgerError:
    """Return what to raise when the database refused something."""
    text = _first_line(error)
    if isinstance(error, errors.InsufficientPrivilege):
        hint = "Let the database's owner run `venire ledger init URL --writer ROLE` (or --reader ROLE) for this role."
        return LedgerError(f"{doing} failed: this role may not do it: {text}", where=where, hint=hint)
    if isinstance(error, errors.ReadOnlySqlTransaction):
        hint = "Give the address of the primary server, not of a standby, or open the ledger for reading."
        return LedgerError(f"{doing} failed: the server takes no changes: {text}", where=where, hint=hint)
    if isinstance(error, errors.LockNotAvailable):
        hint = "Look for a stuck writer in pg_stat_activity. Nothing was half written; try again."
        return LedgerError(f"{doing} failed: another writer kept the ledger's end locked", where=where, hint=hint)
    if isinstance(error, errors.IntegrityError):
        hint = "Let nothing but Venire write to the ledger. Nothing was half written; try again."
        return LedgerError(f"{doing} failed: {text}", where=where, hint=hint)
    if isinstance(error, (errors.DataCorrupted, errors.IndexCorrupted)):
        hint = "Restore it from a copy; `venire audit` tells how far it can be trusted."
        return TamperedError(f"the database is damaged; {doing} failed: {text}", where=where, hint=hint)
    hint = "Check the server's log and free space. Nothing was half written."
    return LedgerError(f"{doing} failed: {text}", where=where, hint=hint)


def _first_line(error: psycopg.Error) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
