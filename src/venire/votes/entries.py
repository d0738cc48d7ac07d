"""Votes, voter prompts and curators' decisions in a ledger: the one place where they are written and read.

Votes are entries of the kind `vote`, each under the key of its voter, inference, prompt and moment. A voter prompt is
an entry of the same kind under the key of its name. Decisions are entries of the kind `decision` under the key of the
item.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec
import polars as pl

from venire.domain.curation import Curation, Outcome
from venire.domain.vote import VOTE_COLUMNS, Vote, VoterKind, VoterPrompt
from venire.errors import UsageError
from venire.ledger.entry import Draft, Entry, Kind
from venire.ledger.store import Ledger
from venire.votes.reading.duplicates import Duplicates

__all__ = [
    "LedgerVotes",
    "Vote",
    "VoteEntry",
    "VoterKind",
    "VoterPrompt",
    "curation_draft",
    "decode_vote",
    "find_prompt",
    "find_vote",
    "prompt_draft",
    "read_curation",
    "read_ledger_votes",
    "read_vote",
    "record_prompt",
    "still_open",
    "vote_draft",
]

_PROMPT = "voter-prompt:"
_LEDGER_COLUMNS = {"rule": pl.String(), "prompt_digest": pl.String(), "sequence": pl.Int64(), "key": pl.String()}


class VoteEntry(msgspec.Struct, frozen=True):
    """A vote as it stands in a ledger."""

    vote: Vote
    """The vote."""
    prompt_digest: str = ""
    """The digest of the words that were asked; empty if they are not known."""
    round: int = 1
    """The voting round, from 1."""
    reason: str = ""
    """Why, in the voter's words."""
    request: str = ""
    """The digest of the caller's idempotency key, so that a repeated request is known again."""
    shown_first: str = ""
    """Of two outputs, the one that the voter saw on the first side; empty for a vote on one."""


class _PromptContent(msgspec.Struct, frozen=True):
    voter_prompt: VoterPrompt


class _DecisionContent(msgspec.Struct, frozen=True):
    curation: Curation | None = None


_vote_entry = msgspec.json.Decoder(VoteEntry)
_prompt_content = msgspec.json.Decoder(_PromptContent)
_decision_content = msgspec.json.Decoder(_DecisionContent)


class LedgerVotes(msgspec.Struct, frozen=True, eq=False):
    """All that a ledger knows of votes."""

    frame: pl.DataFrame
    """The columns of `VOTE_COLUMNS`, and `rule`, `prompt_digest`, `sequence` (of the entry) and `key`."""
    prompts: dict[str, VoterPrompt]
    """The voter prompts by name."""
    decisions: tuple[tuple[int, Curation], ...]
    """The curators' decisions with the numbers of their entries, in order."""
    superseded: int
    """How many votes a later entry under the same key has taken the place of."""

    def decisions_on(self, inference_id: str, voter_prompt_id: str) -> tuple[tuple[int, Curation], ...]:
        """Return the decisions on one item, in order."""
        item = (inference_id, voter_prompt_id)
        return tuple(each for each in self.decisions if (each[1].inference_id, each[1].voter_prompt_id) == item)


def vote_draft(entry: VoteEntry, grounds: Mapping[str, object] | None = None) -> Draft:
    """Record a vote, and on which grounds it was cast, such as the judgement that it was derived from.

    What is empty or usual is left out, so that a plain vote is written alike everywhere.
    """
    content: dict[str, object] = {"vote": entry.vote, "prompt_digest": entry.prompt_digest}
    if entry.round != 1:
        content["round"] = entry.round
    own = {"reason": entry.reason, "request": entry.request, "shown_first": entry.shown_first}
    more = {**own, **(grounds or {})}
    content |= {name: value for name, value in more.items() if value}
    return Draft(Kind.VOTE, content, entry.vote.key)


def read_vote(key: str, payload: bytes) -> VoteEntry | VoterPrompt:
    """Read the content of an entry of the kind `vote`: a vote, or the words that voters were asked."""
    return _prompt_content.decode(payload).voter_prompt if key.startswith(_PROMPT) else decode_vote(payload)


def decode_vote(payload: bytes) -> VoteEntry:
    """Read the content of an entry that is known to hold a vote."""
    return _vote_entry.decode(payload)


def read_curation(payload: bytes) -> Curation | None:
    """Read the content of an entry of the kind `decision`; None if it is no curator's."""
    return _decision_content.decode(payload).curation


def find_vote(ledger: Ledger, key: str) -> Entry | None:
    """Return the last entry under the key of a vote; None if there is none."""
    return ledger.find(Kind.VOTE, key)


def prompt_draft(prompt: VoterPrompt) -> Draft:
    """Record what voters were asked."""
    return Draft(Kind.VOTE, {"voter_prompt": prompt, "digest": prompt.digest}, _prompt_key(prompt.id))


def curation_draft(curation: Curation) -> Draft:
    """Record a curator's decision."""
    return Draft(Kind.DECISION, {"curation": curation}, curation.key)


def find_prompt(ledger: Ledger, prompt_id: str) -> VoterPrompt | None:
    """Return the prompt of this name; None if the ledger does not hold its words."""
    entry = find_vote(ledger, _prompt_key(prompt_id))
    return None if entry is None else _prompt_content.decode(entry.payload).voter_prompt


def record_prompt(ledger: Ledger, prompt: VoterPrompt) -> None:
    """Record a prompt unless the ledger has it. Raises `UsageError` if it has other words under the same name."""
    draft, seen = prompt_draft(prompt), ledger.head().sequence
    known = find_prompt(ledger, prompt.id)
    if known is None:
        # Another server of the same ledger may be starting at this moment.
        ledger.append_after(seen, lambda news: [] if any(each.key == draft.key for each in news) else [draft])
        known = find_prompt(ledger, prompt.id) or prompt
    if known.digest != prompt.digest:
        raise UsageError(
            "error.votes.other_prompt", name=prompt.id, expected=known.digest[:12], found=prompt.digest[:12]
        )


def read_ledger_votes(ledger: Ledger, duplicates: Duplicates = Duplicates.LATEST) -> LedgerVotes:
    """Read all votes, prompts and decisions. Of votes under one key the latest entry counts, or as the policy says."""
    columns: dict[str, list[Any]] = {name: [] for name in (*VOTE_COLUMNS, *_LEDGER_COLUMNS)}
    prompts: dict[str, VoterPrompt] = {}
    decisions: list[tuple[int, Curation]] = []
    for entry in ledger.read(kinds=[Kind.VOTE, Kind.DECISION]):
        if entry.kind is Kind.DECISION:
            if (decision := read_curation(entry.payload)) is not None:
                decisions.append((entry.sequence, decision))
        elif entry.key.startswith(_PROMPT):
            prompt = _prompt_content.decode(entry.payload).voter_prompt
            prompts[prompt.id] = prompt
        else:  # There may be a million: columns are filled from what is stored, without a `Vote` for each.
            content = entry.content
            for name in (*VOTE_COLUMNS, "rule"):
                columns[name].append(content["vote"][name])
            columns["prompt_digest"].append(content["prompt_digest"])
            columns["sequence"].append(entry.sequence)
            columns["key"].append(entry.key)
    frame = _frame(columns)
    kept = frame
    if duplicates is not Duplicates.ALL:
        kept = frame.unique("key", keep="first" if duplicates is Duplicates.FIRST else "last", maintain_order=True)
    return LedgerVotes(kept, prompts, tuple(decisions), frame.height - kept.height)


def still_open(curation: Curation, last_vote: datetime) -> bool:
    """Tell whether an item that was decided on may come up again: only if another round was held since."""
    return curation.outcome is Outcome.ANOTHER_ROUND and last_vote > curation.decided_at


def _prompt_key(prompt_id: str) -> str:
    return f"{_PROMPT}{prompt_id}"


def _frame(columns: dict[str, list[Any]]) -> pl.DataFrame:
    kinds: dict[str, Any] = {"vote": pl.Float64(), "reputation": pl.Float64(), **_LEDGER_COLUMNS}
    frame = pl.DataFrame(
        {name: pl.Series(values, dtype=kinds.get(name, pl.String())) for name, values in columns.items()}
    )
    moment = pl.col("vote_time").str.to_datetime("%Y-%m-%dT%H:%M:%S%.f%#z", time_unit="us", time_zone="UTC")
    names = pl.col("inference_id", "voter_prompt_id", "voter_kind").cast(pl.Categorical(pl.Categories.random()))
    return frame.with_columns(moment, names)
