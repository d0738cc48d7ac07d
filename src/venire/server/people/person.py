"""Who is asking, and what they may do. What no role is named for, nobody may do."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec
from litestar.connection import ASGIConnection


class Role(StrEnum):
    """What somebody may do."""

    JUROR = "juror"
    """Votes on blinded outputs, and sees nothing else."""
    CURATOR = "curator"
    """Sees everything, and settles items on which jurors disagree."""
    OPERATOR = "operator"
    """Sees everything, brings in votes of others, signs checkpoints, and hands out invitations."""
    READER = "reader"
    """Sees everything and changes nothing."""


READERS = frozenset({Role.READER, Role.CURATOR, Role.OPERATOR})
"""Those who may see what was judged, by whom, and with which result."""
INVITERS = frozenset({Role.CURATOR, Role.OPERATOR})
"""Those who see which invitations are in use, and free them."""
MARKERS = frozenset({Role.CURATOR, Role.OPERATOR})
"""Those who may mark outputs: "wrong", "look again", a note."""
EVERYONE = frozenset(Role)
"""Everyone who is logged in."""


class Person(msgspec.Struct, frozen=True):
    """Somebody who is logged in, or a program with a key."""

    role: Role
    """What they may do."""
    pseudonym: str
    """What they are called in the ledger."""
    name: str = ""
    """What they are called on their own pages; it never enters the ledger."""
    credential: str = ""
    """The public id of the key, invitation or session they came with."""
    csrf_token: str = ""
    """What forms and scripts of their pages must send back; empty for those who came with a key."""


def only(*roles: Role) -> dict[str, Any]:
    """Return the `opt` of a handler that these roles may use, as in `@get("/x", opt=only(Role.JUROR))`."""
    return {"roles": frozenset(roles)}


def readers_only() -> dict[str, Any]:
    """Return the `opt` of a handler that everyone but jurors may use."""
    return {"roles": READERS}


def logged_in() -> dict[str, Any]:
    """Return the `opt` of a handler that everyone who is logged in may use."""
    return {"roles": EVERYONE}


def public() -> dict[str, Any]:
    """Return the `opt` of a handler that anyone may use."""
    return {"public": True}


def current_person(connection: ASGIConnection[Any, Any, Any, Any]) -> Person | None:
    """Return who is asking; None for a stranger on a public page."""
    person: Person | None = connection.scope.get("user")
    return person
