"""Keys and invitations, for operators."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

import msgspec
from litestar import delete, get, post
from litestar.params import FromPath, JSONBody

from venire.errors import NotFoundError
from venire.server.api.parameters import InCourt
from venire.server.court.views import InvitationRow, Page
from venire.server.people.person import INVITERS, Role, only
from venire.server.people.registry import Credential, CredentialKind


class InvitationRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whom to invite."""

    name: Annotated[str, msgspec.Meta(max_length=200)] = ""
    """What the juror is called here; it never enters the ledger."""
    hours: Annotated[float, msgspec.Meta(gt=0, le=24 * 365)] = 24 * 7
    """How long the invitation holds."""


class Invitation(msgspec.Struct, frozen=True):
    """A new invitation; its link cannot be shown again."""

    credential: Credential
    """What was made."""
    link: str
    """The link to send to the juror."""


@get("/api/v1/credentials", opt=only(Role.OPERATOR), tags=["people"])
async def credentials(court: InCourt) -> Page[Credential]:
    """List all keys and invitations, without their secrets."""
    listed = tuple(await court.state.in_thread(court.registry.list_all))
    return Page(listed, len(listed))


@post("/api/v1/invitations", opt=only(Role.OPERATOR), tags=["people"])
async def invite(court: InCourt, data: JSONBody[InvitationRequest]) -> Invitation:
    """Invite a juror under a new pseudonym."""
    lifetime = timedelta(hours=data.hours)
    issued = await court.state.in_thread(
        lambda: court.registry.issue(CredentialKind.INVITATION, Role.JUROR, name=data.name, lifetime=lifetime)
    )
    return Invitation(issued.credential, f"{court.options.address}/login#{issued.secret}")


@delete("/api/v1/credentials/{credential:str}", opt=only(Role.OPERATOR), status_code=204, tags=["people"])
async def revoke(court: InCourt, credential: FromPath[str]) -> None:
    """Revoke a key or invitation, and end all sessions that came from it."""
    listed = await court.state.in_thread(lambda: court.registry.list_all(sessions=True))
    if not any(each.id == credential for each in listed):
        raise NotFoundError("error.server.no_credential", name=credential[:80])
    await court.state.in_thread(lambda: court.registry.revoke(credential))


@get("/api/v1/invitations", opt=only(*INVITERS), tags=["people"])
async def invitations(court: InCourt) -> Page[InvitationRow]:
    """List the invitations that still hold, and which of them are in use."""
    listed = await court.invitations()
    return Page(listed, len(listed))


@post("/api/v1/invitations/{invitation:str}/free", opt=only(*INVITERS), status_code=204, tags=["people"])
async def free_invitation(court: InCourt, invitation: FromPath[str]) -> None:
    """Sign out the browser that has opened an invitation, so that it can be opened again."""
    if not any(each.id == invitation for each in await court.invitations()):
        raise NotFoundError("error.server.no_invitation", name=invitation[:80])
    await court.free_invitation(invitation)


HANDLERS = (credentials, invite, revoke, invitations, free_invitation)
"""The calls of this group."""
