"""Bring votes into a ledger: each an entry of its own, hash-linked like everything else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC
from itertools import chain, islice

import msgspec
import polars as pl

from venire.domain.sample import Bundle, Sample
from venire.domain.vote import VOTE_COLUMNS, Vote, VoterPrompt
from venire.errors import InputError
from venire.ledger.entry import Draft, Kind
from venire.ledger.store import Ledger
from venire.ledger.subjects import subject_drafts
from venire.votes.entries import VoteEntry, find_prompt, find_vote, record_prompt, vote_draft
from venire.votes.reading.duplicates import Duplicates

_VOTES_AT_ONCE = 2000


class VoteImport(msgspec.Struct, frozen=True):
    """What an import did to the ledger."""

    added: int
    """How many votes are new entries."""
    known: int
    """How many votes were in the ledger already, with the same content."""
    changed: int
    """How many votes have the key of one in the ledger but other content; the policy decides whether they are added."""


def import_votes(
    ledger: Ledger,
    votes: Iterable[Vote],
    *,
    prompts: Iterable[VoterPrompt] = (),
    duplicates: Duplicates = Duplicates.LATEST,
    on_progress: Callable[[int], None] = lambda _: None,
) -> VoteImport:
    """Append votes that the ledger does not have yet; importing a table twice adds nothing the second time.

    A vote under the key of another (same voter, inference, prompt and moment) but with other content is appended and
    takes its place, stays out, counts beside it, or is an `InputError`: as the policy says. What was written before
    stays in any case. `on_progress` is told how many votes were looked at.
    """
    for prompt in prompts:
        record_prompt(ledger, prompt)
    # Asking the store for each vote would be a third of the work; most votes are new, and these numbers tell.
    seen = {_number(key) for key in ledger.keys(Kind.VOTE)}
    digests: dict[str, str] = {}
    added = known = changed = looked_at = 0
    remaining = iter(votes)
    while chunk := list(islice(remaining, _VOTES_AT_ONCE)):
        drafts: dict[str, list[Draft]] = {}
        for vote in chunk:
            if vote.voter_prompt_id not in digests:
                found = find_prompt(ledger, vote.voter_prompt_id)
                digests[vote.voter_prompt_id] = found.digest if found else ""
            draft = vote_draft(VoteEntry(vote, digests[vote.voter_prompt_id]))
            earlier = _earlier_payload(ledger, drafts, vote.key) if _number(vote.key) in seen else None
            if earlier == draft.payload_bytes:
                known += 1
                continue
            if earlier is not None:
                changed += 1
                if not _is_admitted(vote, duplicates):
                    continue
            drafts.setdefault(vote.key, []).append(draft)
            seen.add(_number(vote.key))
        fresh = [draft for same in drafts.values() for draft in same]
        if fresh:
            ledger.append(fresh)
        added += len(fresh)
        looked_at += len(chunk)
        on_progress(looked_at)
    return VoteImport(added, known, changed)


def open_voting(ledger: Ledger, samples: Iterable[Sample | Bundle], prompt: VoterPrompt) -> int:
    """Put outputs or pairs and what voters are asked into a ledger, to be voted on; return how many are new."""
    record_prompt(ledger, prompt)
    remaining, known, new = iter(samples), set(ledger.keys(Kind.SAMPLE)), 0
    while chunk := list(islice(remaining, _VOTES_AT_ONCE)):
        drafts = {sample.digest: subject_drafts(sample, known) for sample in chunk if sample.digest not in known}
        if drafts:
            ledger.append(list(chain.from_iterable(drafts.values())))
        known.update(drafts)
        new += len(drafts)
    return new


def votes_of_frame(frame: pl.DataFrame, prompt: str = "") -> Iterator[Vote]:
    """Yield the rows of a frame of votes one by one; votes that name no prompt are filed under this one."""
    names = frame.with_columns(pl.col("inference_id", "voter_prompt_id", "voter_kind").cast(pl.String))
    for values in names.select(VOTE_COLUMNS).iter_rows(named=True):
        values["vote_time"] = values["vote_time"].astimezone(UTC)
        values["voter_prompt_id"] = values["voter_prompt_id"] or prompt
        yield msgspec.convert(values, Vote)


def _number(key: str) -> int:
    """Shorten a key to what fits into a machine word; equal keys have equal numbers, other keys hardly ever."""
    return hash(key[:16])


def _earlier_payload(ledger: Ledger, drafts: dict[str, list[Draft]], key: str) -> bytes | None:
    if key in drafts:
        return drafts[key][-1].payload_bytes
    entry = find_vote(ledger, key)
    return None if entry is None else entry.payload


def _is_admitted(vote: Vote, duplicates: Duplicates) -> bool:
    if duplicates is Duplicates.ERROR:
        raise InputError(
            "error.votes.other_in_ledger", voter=vote.voter_id, name=vote.inference_id, time=vote.vote_time
        )
    return duplicates is not Duplicates.FIRST
