"""Who may come in: keys, invitations and sessions, and the names behind pseudonyms, kept apart from the ledger."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from pathlib import Path

import msgspec

from venire.errors import InUseError, UsageError
from venire.ledger.entry import format_time, utc_now
from venire.ledger.location import is_shared, require_store
from venire.server.people.court_secret import CourtSecret
from venire.server.people.person import Person, Role
from venire.server.people.registry_store import RegistryStore, SqliteStore, Statement

SECRET_BYTES = 32
"""How many random bytes a secret has: 256 bits."""
_KNOWN_FOR_SECONDS = 1.0
_MOST_KNOWN = 100_000
_NEVER = ""
_SELECT = (
    "SELECT id, kind, role, pseudonym, name, credential.created_at, expires_at, revoked_at "
    "FROM {people}credential JOIN {people}person USING (pseudonym)"
)


class CredentialKind(StrEnum):
    """What somebody comes in with."""

    KEY = "key"
    """A key of a program, or of a person who logs in with it."""
    INVITATION = "invitation"
    """A link that makes whoever opens it first a juror under one pseudonym, in one browser."""
    OPEN_LINK = "open_link"
    """A link for everybody: each browser that opens it becomes a juror of its own."""
    SESSION = "session"
    """A browser that has come in with one of the others."""


_PREFIX = {
    CredentialKind.KEY: "vk_",
    CredentialKind.INVITATION: "vi_",
    CredentialKind.OPEN_LINK: "vo_",
    CredentialKind.SESSION: "vs_",
}
_OPENERS = frozenset({CredentialKind.INVITATION, CredentialKind.OPEN_LINK})
OPENED_FOR = timedelta(days=30)
"""How long a browser that came in by an open link stays the same juror, if the link does not end before."""


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
    """All credentials. Its methods may be called from any thread; other processes may change them meanwhile.

    They are kept in a file, in a database, or in memory if no place is given. Raises `LedgerError` if they cannot be
    read or written there, for a database after it was gone for `patience_seconds`.
    """

    def __init__(
        self, place: Path | str | None, now: Callable[[], datetime] = utc_now, *, patience_seconds: float = 10.0
    ) -> None:
        self._now = now
        self._known: dict[str, tuple[float, Person | None]] = {}
        self._store = _open_store(place, patience_seconds)
        self.buckets = self._store.buckets
        """Where servers of several processes count requests together; None if this process is the only one."""

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
        person = self._new_person(pseudonym, name, role)
        ends = format_time(moment + lifetime) if lifetime else _NEVER
        return self._issue(kind, pseudonym, "", ends, before=[person])

    def is_open_link(self, secret: str) -> bool:
        """Tell whether a secret is that of a link for everybody."""
        return secret.startswith(_PREFIX[CredentialKind.OPEN_LINK])

    def open_session(self, secret: str, lifetime: timedelta, held: str = "", name: str = "") -> Issued | None:
        """Exchange a key or an invitation for a session of a browser; None if it opens nothing.

        The session ends with the credential it came from. An invitation is one person's: its session lasts as long as
        itself, and while there is one, only the browser that holds it (`held` is its secret) gets another. Raises
        `InUseError` for any other. An open link makes a new juror, called `name` if that is given, of each browser
        that does not hold a session of it already.
        """
        parent = self._find(secret)
        if parent is None or parent.kind is CredentialKind.SESSION:
            return None
        if parent.kind is CredentialKind.OPEN_LINK:
            return self._join(parent, held, name)
        ends = format_time(self._now() + lifetime)
        if parent.kind is CredentialKind.INVITATION:
            ends = max(ends, parent.expires_at)
        if parent.expires_at != _NEVER:
            ends = min(ends, parent.expires_at)
        issued = self._issue(CredentialKind.SESSION, parent.pseudonym, parent.id, ends)
        if parent.kind is CredentialKind.INVITATION:
            self._keep_one(parent, issued.credential, held)
        return issued

    def _join(self, link: Credential, held: str, name: str) -> Issued:
        own = self._find(held) if held else None
        ends = format_time(self._now() + OPENED_FOR)
        ends = min(ends, link.expires_at) if link.expires_at != _NEVER else ends
        if own is not None and own.id in {each.id for each in self._sessions_of(link.id)}:
            self._end("id = ?", own.id)
            return self._issue(CredentialKind.SESSION, own.pseudonym, link.id, ends)
        pseudonym = f"{link.role.value}-{secrets.token_hex(6)}"
        return self._issue(
            CredentialKind.SESSION, pseudonym, link.id, ends, before=[self._new_person(pseudonym, name, link.role)]
        )

    def _new_person(self, pseudonym: str, name: str, role: Role) -> Statement:
        adding = "INSERT INTO {people}person VALUES (?, ?, ?, ?) ON CONFLICT (pseudonym) DO NOTHING"
        return adding, (pseudonym, name, role.value, format_time(self._now()))

    def invitations(self) -> list[tuple[Credential, bool]]:
        """Return all invitations that still hold, the oldest first, each with whether a browser has opened it."""
        found = [each for each in self.list_all() if each.kind is CredentialKind.INVITATION and self._is_good(each)]
        return [(each, bool(self._sessions_of(each.id))) for each in found]

    def free_invitation(self, credential_id: str) -> Credential:
        """End the sessions of an invitation, so that it can be opened again. Raises `UsageError` if there is none."""
        for each in self._select("WHERE credential.id = ?", (credential_id,)):
            if each.kind is CredentialKind.INVITATION:
                self._end("parent = ?", credential_id)
                return each
        raise UsageError("error.server.no_invitation", name=credential_id)

    def person_of(self, secret: str) -> Person | None:
        """Return who holds a secret that is still good; None if nobody does. A revocation is seen within a second."""
        hashed = _hash(secret)
        moment = time.monotonic()
        known = self._known.get(hashed)
        if known is not None and moment - known[0] < _KNOWN_FOR_SECONDS:
            return known[1]
        found = self._find(secret)
        person = None
        if found is not None and found.kind not in _OPENERS:  # These only open a session.
            is_session = found.kind is CredentialKind.SESSION
            token = csrf_token(secret) if is_session else ""
            person = Person(found.role, found.pseudonym, found.name, found.id, token)
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        self._known[hashed] = (moment, person)
        return person

    def answers_at_once(self, secret: str) -> bool:
        """Tell whether `person_of` answers without asking a database over a network."""
        known = self._known.get(_hash(secret))
        return not self._store.is_remote or (known is not None and time.monotonic() - known[0] < _KNOWN_FOR_SECONDS)

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
            raise UsageError("error.server.no_credential", name=credential_id)
        self._end("(id = ? OR parent = ?)", credential_id, credential_id)
        return self._select("WHERE credential.id = ?", (credential_id,))[0]

    def forget(self, pseudonym: str) -> None:
        """Delete a person's name and credentials; what stands in the ledger under the pseudonym stays."""
        if not self._store.change([("DELETE FROM {people}person WHERE pseudonym = ?", (pseudonym,))]):
            raise UsageError("error.server.nobody", name=pseudonym)
        self._known.clear()

    def court_secret(self) -> CourtSecret:
        """Return the court's secret, made when it is first asked for; all processes of a court have the same."""
        adding = "INSERT INTO {people}court_secret VALUES ('court', ?) ON CONFLICT (name) DO NOTHING"
        asking = "SELECT value FROM {people}court_secret WHERE name = 'court'"
        if not self._store.select((asking, ())):
            self._store.change([(adding, (secrets.token_hex(SECRET_BYTES),))])
        [(value,)] = self._store.select((asking, ()))
        return CourtSecret(bytes.fromhex(value))

    def close(self) -> None:
        """Let go of the file or database."""
        self._store.close()

    def _issue(
        self,
        kind: CredentialKind,
        pseudonym: str,
        parent: str,
        expires_at: str,
        before: Sequence[Statement] = (),
    ) -> Issued:
        secret = _PREFIX[kind] + secrets.token_urlsafe(SECRET_BYTES)
        credential_id = secrets.token_hex(5)
        moment = format_time(self._now())
        values = (credential_id, kind.value, _hash(secret), pseudonym, parent, moment, expires_at, _NEVER)
        adding = "INSERT INTO {people}credential VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING"
        self._store.change([*before, (adding, values)])
        return Issued(self._select("WHERE credential.id = ?", (credential_id,))[0], secret)

    def _end(self, condition: str, *bindings: str) -> None:
        # Conditions are written in this file; what comes from outside is bound.
        ending = f"UPDATE {{people}}credential SET revoked_at = ? WHERE {condition} AND revoked_at = ''"  # noqa: S608
        self._store.change([(ending, (format_time(self._now()), *bindings))])
        self._known.clear()

    def _keep_one(self, invitation: Credential, session: Credential, held: str) -> None:
        """End the browser's earlier session; or the new one, and raise `InUseError`, if another browser has one.

        It is looked at afterwards, so that of two browsers that come at once never both get in.
        """
        sessions = {each.id for each in self._sessions_of(invitation.id)}
        own = self._find(held) if held else None
        if sessions - {session.id, own.id if own else ""}:
            self._end("id = ?", session.id)
            raise InUseError("error.server.link_in_use", where=f"invitation {invitation.id}")
        if own is not None and own.id in sessions:
            self._end("id = ?", own.id)

    def _sessions_of(self, credential_id: str) -> list[Credential]:
        return [each for each in self._select("WHERE parent = ?", (credential_id,)) if self._is_good(each)]

    def _find(self, secret: str) -> Credential | None:
        found = self._select("WHERE sha256 = ?", (_hash(secret),))
        return found[0] if found and self._is_good(found[0]) else None

    def _is_good(self, credential: Credential) -> bool:
        is_over = credential.expires_at != _NEVER and credential.expires_at <= format_time(self._now())
        return not credential.revoked_at and not is_over

    def _select(self, condition: str, bindings: tuple[str, ...]) -> list[Credential]:
        # Conditions are written in this file; what comes from outside is bound.
        rows = self._store.select((f"{_SELECT} {condition}", bindings))
        return [Credential(row[0], CredentialKind(row[1]), Role(row[2]), *row[3:]) for row in rows]


def _open_store(place: Path | str | None, patience_seconds: float) -> RegistryStore:
    if isinstance(place, str) and is_shared(place):
        require_store(place)
        from venire.server.people.registry_postgres import PostgresStore

        return PostgresStore(place, patience_seconds=patience_seconds)
    return SqliteStore(Path(place) if place else None)


def _hash(secret: str) -> str:
    return sha256(secret.encode("utf-8", "replace")).hexdigest()


def csrf_token(session_secret: str) -> str:
    """Return what pages of a session must send back; another site can neither read nor guess it."""
    return sha256(b"venire:csrf\n" + session_secret.encode("utf-8", "replace")).hexdigest()[:40]
