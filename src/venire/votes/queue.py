"""Ambiguity is work: the items that voters disagree on, as a queue for curators, and what curators decide."""

from __future__ import annotations

from datetime import datetime

import msgspec
import polars as pl

from venire.domain.curation import LEAST_VOTES, Curation, Outcome
from venire.errors import UsageError
from venire.ledger.store import Ledger
from venire.votes.decay.consensus import score_votes
from venire.votes.decay.terms import Decay
from venire.votes.entries import LedgerVotes, curation_draft, read_ledger_votes, still_open
from venire.votes.open_items import open_items
from venire.words.said import say


class AmbiguousItem(msgspec.Struct, frozen=True):
    """An item that waits for a curator or another round of votes."""

    inference_id: str
    """The output."""
    voter_prompt_id: str
    """The prompt that was asked."""
    voter_kind: str
    """Whose votes they are."""
    prompt: str | None
    """The question of the prompt; None if the ledger does not hold its words."""
    score: float
    """The consensus."""
    variance: float
    """The variance of all votes."""
    batch_variance: float
    """The variance of the last batch."""
    reason: str
    """Why it is ambiguous, in words."""
    votes: tuple[tuple[str, float, datetime], ...]
    """Voter, vote and time of each vote, in order of time."""
    decisions: tuple[Curation, ...]
    """What was decided before."""


def vote_queue(votes: LedgerVotes, decay: Decay | None = None, *, as_of: datetime | None = None) -> list[AmbiguousItem]:
    """Return the ambiguous items that are not settled, the most disputed first; two votes are no dispute yet."""
    terms = decay or Decay()
    frame = votes.frame.with_columns(pl.col("inference_id", "voter_prompt_id", "voter_kind").cast(pl.String))
    scores = score_votes(frame, terms, as_of=as_of).frame.filter(pl.col("ambiguous"), pl.col("votes") >= LEAST_VOTES)
    queue = []
    for item in scores.sort(pl.max_horizontal("variance", "batch_variance"), descending=True).iter_rows(named=True):
        decided = [curation for _, curation in votes.decisions_on(item["inference_id"], item["voter_prompt_id"])]
        decided = [curation for curation in decided if as_of is None or curation.decided_at <= as_of]
        if decided and not still_open(decided[-1], item["last_update"]):
            continue
        queue.append(_queued(item, frame, votes, tuple(decided), terms, as_of))
    return queue


def decide(
    ledger: Ledger,
    *,
    inference_id: str,
    outcome: Outcome,
    curator: str,
    now: datetime,
    voter_prompt_id: str | None = None,
    note: str = "",
    decay: Decay | None = None,
) -> Curation:
    """Record a curator's decision on an item, with the numbers that the curator saw; votes and scores stay.

    Raises `UsageError` if nobody voted on the output, if the prompt has to be named, or if there is no curator.
    """
    if not curator.strip():
        raise UsageError("error.votes.no_curator")
    votes = read_ledger_votes(ledger)
    left = [each.voter_prompt_id for each in open_items(ledger, votes) if each.inference_id == inference_id]
    if voter_prompt_id in left or (voter_prompt_id is None and len(left) == 1):
        return _settle_open(ledger, inference_id, voter_prompt_id or left[0], outcome, curator, now, note)
    own = votes.frame.filter(pl.col("inference_id").cast(pl.String) == inference_id)
    prompts = own["voter_prompt_id"].cast(pl.String).unique().sort().to_list()
    if not prompts:
        raise UsageError("error.votes.nobody", name=inference_id)
    if voter_prompt_id is None and len(prompts) > 1:
        raise UsageError("error.votes.several_prompts", name=inference_id, prompts=len(prompts), first=prompts[0])
    prompt = prompts[0] if voter_prompt_id is None else voter_prompt_id
    if prompt not in prompts:
        raise UsageError("error.votes.nobody_under", name=inference_id, prompt=prompt)
    seen = own.filter(pl.col("voter_prompt_id").cast(pl.String) == prompt)
    state = score_votes(seen, decay, by=("inference_id", "voter_prompt_id")).frame
    curation = Curation(
        inference_id=inference_id,
        voter_prompt_id=prompt,
        outcome=outcome,
        curator=curator,
        decided_at=now,
        note=note,
        score=state["score"][0] if state.height else None,
        variance=state["variance"][0] if state.height else None,
        votes=int(state["votes"][0]) if state.height else 0,
    )
    ledger.append([curation_draft(curation)])
    return curation


def _settle_open(
    ledger: Ledger, inference_id: str, prompt: str, outcome: Outcome, curator: str, now: datetime, note: str
) -> Curation:
    """Record a decision on an output that a jury left open; nobody has voted on it under this prompt."""
    curation = Curation(
        inference_id=inference_id, voter_prompt_id=prompt, outcome=outcome, curator=curator, decided_at=now, note=note
    )
    ledger.append([curation_draft(curation)])
    return curation


def _queued(
    item: dict[str, object],
    frame: pl.DataFrame,
    votes: LedgerVotes,
    decided: tuple[Curation, ...],
    terms: Decay,
    as_of: datetime | None,
) -> AmbiguousItem:
    names = ("inference_id", "voter_prompt_id", "voter_kind")
    own = frame.filter(*(pl.col(name) == item[name] for name in names), pl.col("vote").is_not_null()).sort("vote_time")
    if as_of is not None:
        own = own.filter(pl.col("vote_time") <= as_of)
    limit = terms.critical_variance
    high = [(name, item[name]) for name in ("batch_variance", "variance") if item[name] > limit]  # type: ignore[operator]
    reasons = [say(f"problem.votes.{name}", value=f"{value:.4f}", limit=f"{limit:g}") for name, value in high]
    reason = reasons[0] if len(reasons) == 1 else say("problem.votes.both", first=reasons[0], second=reasons[1])
    prompt = votes.prompts.get(str(item["voter_prompt_id"]))
    fields = {name: item[name] for name in (*names, "score", "variance", "batch_variance")}
    ballots = tuple(own.select("voter_id", "vote", "vote_time").iter_rows())
    asked = prompt.question if prompt else None
    return AmbiguousItem(**fields, prompt=asked, reason=reason, votes=ballots, decisions=decided)  # type: ignore[arg-type]
