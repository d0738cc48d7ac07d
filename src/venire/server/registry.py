"""Who may come in: keys, invitations and sessions, and the names behind pseudonyms, in a file apart from the ledger."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from contextlib import contextmanager
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import apsw
import msgspec

from venire.errors import UsageError
from venire.ledger.entry import format_time, utc_now
from venire.server.people import Person, Role

if TYPE_CHECKING:
    from collections.abc import Iterator

SECRET_BYTES = 32
"""How many random bytes a secret has: 256 bits."""
_KNOWN_FOR_SECONDS = 1.0
_MOST_KNOWN = 100_000
_NEVER = ""
_SELECT = (
    "SELECT id, kind, role, pseudonym, name, credential.created_at, expires_at, revoked_at "
    "FROM credential JOIN person USING (pseudonym)"
)


class CredentialKind(StrEnum):
    """What somebody comes in with."""

    KEY = "key"
    """A key of a program, or of a person who logs in with it."""
    INVITATION = "invitation"
    """A link that makes whoever opens it a juror under one pseudonym."""
    SESSION = "session"
    """A browser that has come in with one of the others."""


_PREFIX = {CredentialKind.KEY: "vk_", CredentialKind.INVITATION: "vi_", CredentialKind.SESSION: "vs_"}


class Credential(msgspec.Struct, frozen=True):
    """A key, invitation or session without its secret, which nobody can show again."""

    id: str
    """Its public id."""
    kind: CredentialKind
    """What it is."""
    role: Role
    """What its holder may do."""
    pseudonym: str
    """What its holder is called in the ledger."""
    name: str
    """What its holder is called here; empty if nobody has said."""
    created_at: str
    """When it was made."""
    expires_at: str = _NEVER
    """When it ends; empty if it does not."""
    revoked_at: str = _NEVER
    """When it was revoked; empty if it was not."""


class Issued(msgspec.Struct, frozen=True):
    """A new credential with its secret: the only moment at which it is known."""

    credential: Credential
    """What was made."""
    secret: str
    """The secret; it is not kept."""


class Registry:
    """The file of credentials. Its methods may be called from any thread; other processes may change it meanwhile."""

    def __init__(self, path: Path | None, now: Callable[[], datetime] = utc_now) -> None:
        self._now = now
        self._lock = Lock()
        self._known: dict[str, tuple[float, Person | None]] = {}
        self._connection = apsw.Connection(str(path) if path else ":memory:")
        if path:
            path.chmod(0o600)
        self._connection.set_busy_timeout(5_000)
        self._connection.pragma("journal_mode", "wal")
        self._connection.pragma("synchronous", "normal")  # After a power cut the last keys may have to be made again.
        self._connection.pragma("foreign_keys", True)
        self._connection.execute(files("venire.server").joinpath("registry.sql").read_text("utf-8"))

    def issue(
        self,
        kind: CredentialKind,
        role: Role,
        *,
        name: str = "",
        pseudonym: str = "",
        lifetime: timedelta | None = None,
    ) -> Issued:
        """Make a key or an invitation, for a new person unless a pseudonym is given."""
        moment = self._now()
        pseudonym = pseudonym or f"{role.value}-{secrets.token_hex(6)}"
        with self._transaction() as connection:
            connection.execute(
                "INSERT INTO person VALUES (?, ?, ?, ?) ON CONFLICT (pseudonym) DO NOTHING",
                (pseudonym, name, role.value, format_time(moment)),
            )
        return self._issue(kind, pseudonym, "", moment + lifetime if lifetime else None)

    def open_session(self, secret: str, lifetime: timedelta) -> Issued | None:
        """Exchange a key or an invitation for a session of a browser; None if it opens nothing.

        The session ends with the credential it came from.
        """
        parent = self._find(secret)
        if parent is None or parent.kind is CredentialKind.SESSION:
            return None
        ends = self._now() + lifetime
        return self._issue(CredentialKind.SESSION, parent.pseudonym, parent.id, ends)

    def person_of(self, secret: str) -> Person | None:
        """Return who holds a secret that is still good; None if nobody does. A revocation is seen within a second."""
        hashed = sha256(secret.encode("utf-8", "replace")).hexdigest()
        moment = time.monotonic()
        known = self._known.get(hashed)
        if known is not None and moment - known[0] < _KNOWN_FOR_SECONDS:
            return known[1]
        found = self._find(secret)
        person = None
        if found is not None:
            is_session = found.kind is CredentialKind.SESSION
            token = csrf_token(secret) if is_session else ""
            person = Person(found.role, found.pseudonym, found.name, found.id, token)
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        self._known[hashed] = (moment, person)
        return person

    def list_all(self, *, sessions: bool = False) -> list[Credential]:
        """Return all keys and invitations, and sessions too if they are asked for, the oldest first."""
        found = self._select("ORDER BY credential.created_at, credential.id", ())
        return [each for each in found if sessions or each.kind is not CredentialKind.SESSION]

    def has_operator_key(self) -> bool:
        """Tell whether somebody has a key with which the server can be run."""
        return any(each.role is Role.OPERATOR and self._is_good(each) for each in self.list_all())

    def revoke(self, credential_id: str) -> Credential:
        """End a key or invitation and all sessions that came from it. Raises `UsageError` if there is none."""
        found = self._select("WHERE credential.id = ?", (credential_id,))
        if not found:
            raise UsageError(f"there is no key or invitation {credential_id!r}", hint="List them: venire keys list")
        moment = format_time(self._now())
        with self._transaction() as connection:
            connection.execute(
                "UPDATE credential SET revoked_at = ? WHERE (id = ? OR parent = ?) AND revoked_at = ''",
                (moment, credential_id, credential_id),
            )
        self._known.clear()
        return self._select("WHERE credential.id = ?", (credential_id,))[0]

    def forget(self, pseudonym: str) -> None:
        """Delete a person's name and credentials; what stands in the ledger under the pseudonym stays."""
        with self._transaction() as connection:
            connection.execute("DELETE FROM person WHERE pseudonym = ?", (pseudonym,))
            if not connection.changes():
                raise UsageError(f"there is nobody called {pseudonym!r}", hint="List them: venire keys list")
        self._known.clear()

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()

    def _issue(self, kind: CredentialKind, pseudonym: str, parent: str, expires: datetime | None) -> Issued:
        secret = _PREFIX[kind] + secrets.token_urlsafe(SECRET_BYTES)
        hashed = sha256(secret.encode()).hexdigest()
        credential_id = secrets.token_hex(5)
        ends = format_time(expires) if expires else _NEVER
        values = (credential_id, kind.value, hashed, pseudonym, parent, format_time(self._now()), ends, _NEVER)
        with self._transaction() as connection:
            connection.execute("INSERT INTO credential VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
        return Issued(self._select("WHERE credential.id = ?", (credential_id,))[0], secret)

    def _find(self, secret: str) -> Credential | None:
        hashed = sha256(secret.encode("utf-8", "replace")).hexdigest()
        found = self._select("WHERE sha256 = ?", (hashed,))
        return found[0] if found and self._is_good(found[0]) else None

    def _is_good(self, credential: Credential) -> bool:
        is_over = credential.expires_at != _NEVER and credential.expires_at <= format_time(self._now())
        return not credential.revoked_at and not is_over

    def _select(self, condition: str, bindings: tuple[str, ...]) -> list[Credential]:
        # Conditions are written in this file; what comes from outside is bound.
        query = f"{_SELECT} {condition}"
        with self._lock:
            rows: list[Any] = self._connection.execute(query, bindings).fetchall()
        return [Credential(row[0], CredentialKind(row[1]), Role(row[2]), *row[3:]) for row in rows]

    @contextmanager
    def _transaction(self) -> Iterator[apsw.Connection]:
        with self._lock, self._connection:
            yield self._connection


def csrf_token(session_secret: str) -> str:
    """Return what pages of a session must send back; another site can neither read nor guess it."""
    return sha256(b"venire:csrf\n" + session_secret.encode("utf-8", "replace")).hexdigest()[:40]
