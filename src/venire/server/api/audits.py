"""How outsiders check the ledger."""

from __future__ import annotations

from typing import Annotated

from litestar import get, post
from litestar.params import PathParameter, QueryParameter

from venire.ledger.checkpoint import Checkpoint
from venire.server.api.parameters import After, InCourt
from venire.server.court.entry_views import AuditResult, EntryProof, PlainEntry
from venire.server.court.views import Page
from venire.server.people.person import Role, only, readers_only

Sequence = Annotated[int, PathParameter(ge=1, le=2**53 - 1)]
Size = Annotated[
    int | None, QueryParameter(ge=1, le=2**53 - 1, description="How many entries the ledger had; all if left out.")
]


@get("/api/v1/audit", opt=readers_only(), tags=["audit"])
async def audit(court: InCourt) -> AuditResult:
    """Check every link of the ledger and derive every judgement again."""
    found = await court.chain.audit()
    chain = found.chain
    return AuditResult(
        intact=found.intact,
        count=chain.count,
        head=chain.head,
        merkle_root=chain.merkle_root,
        first_broken=chain.first_broken,
        counts=found.counts,
        judged_again=found.judged_again,
        underived=found.underived,
    )


@get("/api/v1/audit/entries", opt=readers_only(), tags=["audit"])
async def audit_entries(
    court: InCourt, after: After = 0, limit: Annotated[int, QueryParameter(ge=1, le=500)] = 100
) -> Page[PlainEntry]:
    """List entries as they stand, with everything that their hashes are made of."""
    found = await court.chain.entries(after, limit)
    total = court.state.head.sequence
    last = found[-1].sequence if found else total
    return Page(tuple(found), total, last if last < total else None)


@get("/api/v1/checkpoint", opt=readers_only(), tags=["audit"])
async def checkpoint(court: InCourt) -> Checkpoint:
    """Sign the end of the ledger; 404 if the server has no key to sign with."""
    return await court.chain.checkpoint()


@post("/api/v1/checkpoint", opt=only(Role.OPERATOR), tags=["audit"])
async def record_checkpoint(court: InCourt) -> Checkpoint:
    """Sign the end of the ledger, and write into it that this checkpoint was handed out."""
    signed = await court.chain.checkpoint()
    await court.chain.record_checkpoint(signed)
    return signed


@get("/api/v1/proof/{sequence:int}", opt=readers_only(), tags=["audit"])
async def proof(court: InCourt, sequence: Sequence, size: Size = None) -> EntryProof:
    """Prove that an entry is in the ledger, as it is now or as it was when it had so many entries."""
    return await court.chain.proof(sequence, size)


HANDLERS = (audit, audit_entries, checkpoint, record_checkpoint, proof)
"""The calls of this group."""
