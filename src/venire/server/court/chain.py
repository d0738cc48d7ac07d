"""How others check the ledger: its entries, a whole audit, signed checkpoints and proofs that an entry is in it."""

from __future__ import annotations

import asyncio
import base64
from itertools import islice
from threading import Lock

from venire.errors import NotFoundError, TamperedError
from venire.ledger.checkpoint import Checkpoint, load_key, sign_checkpoint
from venire.ledger.entry import Draft, Entry, Head, Kind
from venire.ledger.hashing import find_damage
from venire.ledger.merkle import inclusion_proof, merkle_root
from venire.server.court.commits import Change, CourtWriter
from venire.server.court.entry_views import EntryProof, PlainEntry
from venire.server.court.state import CourtState
from venire.workflows.audit import LedgerAudit, audit


class Chain:
    """The hashes of all entries, checked as they are read, and what follows from them."""

    def __init__(self, state: CourtState, writer: CourtWriter) -> None:
        self._state = state
        self._writer = writer
        self._lock = Lock()
        self._hashes: list[str] = []
        self._head = Head()
        self._audit: LedgerAudit | None = None
        self._auditing: asyncio.Task[LedgerAudit] | None = None

    async def audit(self) -> LedgerAudit:
        """Check every link and derive every judgement again; asked for by many at once it is done once."""
        if self._audit is not None and self._audit.chain.head == self._state.head:
            return self._audit
        if self._auditing is None:
            self._auditing = asyncio.create_task(self._run_audit())
        return await asyncio.shield(self._auditing)

    async def entries(self, after: int, limit: int) -> list[PlainEntry]:
        """Return entries behind a number, as they stand."""
        state = self._state
        found = await state.in_thread(lambda: list(islice(state.ledger.read(after=after), limit)))
        return [plain_entry(entry) for entry in found]

    async def checkpoint(self) -> Checkpoint:
        """Sign the end of the ledger, and record that it was signed. Raises `NotFoundError` without a key."""
        path = self._state.options.signing_key
        if path is None:
            raise NotFoundError("error.court.no_signing_key")
        head, root = await self._state.in_thread(self._root)
        return sign_checkpoint(head, root, load_key(path), self._state.moment)

    async def record_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Write into the ledger that a checkpoint was handed out."""
        await self._writer.enter([Change((Draft(Kind.CHECKPOINT, checkpoint),))])

    async def proof(self, sequence: int, size: int | None = None) -> EntryProof:
        """Prove that an entry is in the ledger as it is, or as it was when it had so many entries."""
        return await self._state.in_thread(lambda: self._proof(sequence, size))

    async def _run_audit(self) -> LedgerAudit:
        try:
            self._audit = await self._state.in_thread(lambda: audit(self._state.ledger))
            return self._audit
        finally:
            self._auditing = None

    def _proof(self, sequence: int, size: int | None) -> EntryProof:
        with self._lock:
            self._read_on()
            if size is not None and not 1 <= size <= len(self._hashes):
                raise NotFoundError("error.court.never_so_long", count=len(self._hashes), size=size)
            hashes = self._hashes[:size]
        if not 1 <= sequence <= len(hashes):
            raise NotFoundError("error.court.no_entry", sequence=sequence, count=len(hashes))
        proof = inclusion_proof(hashes, sequence)
        return EntryProof(proof, hashes[sequence - 1], merkle_root(hashes), Head(len(hashes), hashes[-1]))

    def _root(self) -> tuple[Head, str]:
        with self._lock:
            self._read_on()
            return self._head, merkle_root(self._hashes)

    def _read_on(self) -> None:
        for entry in self._state.ledger.read(after=self._head.sequence):
            broken = find_damage(entry, self._head)
            if broken is not None:
                raise TamperedError(str(broken), hint="error.court.damaged.hint")
            self._head = Head(entry.sequence, entry.hash)
            self._hashes.append(entry.hash)


def plain_entry(entry: Entry) -> PlainEntry:
    """Return an entry as it can be sent."""
    return PlainEntry(
        sequence=entry.sequence,
        kind=entry.kind.value,
        key=entry.key,
        payload=base64.b64encode(entry.payload).decode(),
        blob=base64.b64encode(entry.blob).decode(),
        recorded_at=entry.recorded_at,
        previous_hash=entry.previous_hash,
        hash=entry.hash,
    )
