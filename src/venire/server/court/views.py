"""What the server shows: records that the API sends and pages render."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, Literal, TypeVar

import msgspec

from venire.domain.judgement import Judgement
from venire.domain.material import Material
from venire.domain.sample import Source
from venire.server.court.entry_views import EntryLink, TrailLink

R = TypeVar("R")
T = TypeVar("T")
LINK_IN_USE = "urn:venire:link-in-use"
"""The type of the problem that an invitation was opened in another browser."""


class Page(msgspec.Struct, Generic[T], frozen=True):
    """Some of many things."""

    items: tuple[T, ...]
    """The things on this page."""
    total: int
    """How many there are in all."""
    next_after: int | None = None
    """What to ask for as `after` to get the next page; None on the last."""


def page_of(rows: Sequence[R], after: int, limit: int, shown: Callable[[R], T]) -> Page[T]:
    """Return one page of many rows, as they are shown."""
    page = tuple(shown(row) for row in rows[after : after + limit])
    return Page(page, len(rows), after + limit if after + limit < len(rows) else None)


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """What went wrong, as RFC 9457 §3.1 writes it."""

    title: str
    """What kind of problem it is, in few words."""
    status: int
    """The HTTP status."""
    detail: str = ""
    """What was expected and what was found."""
    type: str = "about:blank"
    """A name for the kind of problem; `about:blank` where the status says it all."""
    hint: str = ""
    """What to do next."""
    where: str = ""
    """A place that a person can go to."""
    errors: list[dict[str, str]] = []
    """For requests that are not what was expected: the places and what is wrong there."""


class CanaryCurve(msgspec.Struct, frozen=True):
    """What anchors said of one judge, run by run."""

    judge: str
    """The judge."""
    points: tuple[tuple[int, str, float], ...]
    """For each run that judged anchors its number, when it was recorded, and the evidence of change after it."""
    peak: float
    """The most evidence that there ever was."""
    has_changed: bool
    """Whether it has reached the alarm."""
    alarm: float
    """The evidence from which on a judge has changed."""


class SampleRow(msgspec.Struct, frozen=True):
    """A sample in a list."""

    output_id: str
    """The unique name of the output."""
    digest: str
    """The digest of the sample."""
    question_id: str
    """The question that was answered."""
    prompt_variant: str
    """The version of the prompt that produced the output."""
    target_model: str
    """The model that produced the output."""
    factors: dict[str, str]
    """Further factors."""
    characters: int
    """How long the text is."""
    judgements: int = 0
    """How many judgements there are on it."""
    votes: int = 0
    """How many votes of people there are on it."""
    score: float | None = None
    """The consensus of these votes; None without any."""
    ambiguous: bool = False
    """Whether they disagree more than the terms allow."""


class SampleView(msgspec.Struct, frozen=True):
    """A sample with its text."""

    row: SampleRow
    """What it is, and how it was judged."""
    text: str
    """The judged text."""
    task: str
    """The prompt that the output answers."""
    source: Source | None
    """The file the text came from."""
    entry: EntryLink
    """Where the ledger holds it."""


class JudgementRow(msgspec.Struct, frozen=True, gc=False):
    """A judgement in a list."""

    key: str
    """What the judgement is found by."""
    sequence: int
    """Its entry."""
    sample: str
    """The judged output or bundle."""
    judge: str
    """Who judged."""
    repeat: str
    """Which asking it was."""
    status: str
    """Whether it counts."""
    overall: float | None
    """The overall score."""
    verdict: str | None
    """The verdict."""
    flags: tuple[str, ...]
    """Why it is invalid."""


class JudgementView(msgspec.Struct, frozen=True, kw_only=True):
    """A judgement with all that it rests on."""

    judge: str
    """Who judged."""
    repeat: str
    """Which asking it was."""
    judgement: Judgement
    """The judgement, with its findings and its quotes' places in the text."""
    reply: str
    """The reply, as it came."""
    text: str
    """The judged text, as the judge saw it; for a bundle the texts one after another."""
    task: str = ""
    """What the output answers."""
    materials: tuple[Material, ...] = ()
    """What the judge was shown beside the output."""
    identity: dict[str, str] = {}
    """The sample's identifiers and factors by name."""
    names: dict[str, dict[str, str]] = {}
    """The names of dimensions for a reader, by language."""
    trail: tuple[TrailLink, ...] = ()
    """The entries of sample, protocol, reply and judgement, in the order of the ledger."""


class Overview(msgspec.Struct, frozen=True):
    """What a first page shows; all of it is kept up to date and none of it computed when asked for."""

    entries: int
    """How many entries the ledger has."""
    head: str
    """The hash of the last one."""
    samples: int
    """How many samples."""
    runs: int
    """How many runs."""
    judgements: int
    """How many judgements."""
    valid: int
    """How many of them are valid."""
    votes: int
    """How many votes of people count."""
    voters: int
    """How many people voted."""
    items: int
    """How many items have votes of people."""
    ambiguous: int
    """How many items wait in the queue."""
    votes_by_day: dict[str, int]
    """How many votes were cast on each day (UTC), withdrawn ones too."""
    mean_score: float | None
    """The mean consensus over items; None without any."""


class JudgeProgress(msgspec.Struct, frozen=True, kw_only=True):
    """How far a judge has come in a run."""

    judge: str
    """The judge's name."""
    planned: int | None
    """How many tasks the run planned for it; None where no plan was recorded."""
    done: int = 0
    """How many are done."""
    valid: int = 0
    """Of these, how many judgements are valid."""
    invalid: int = 0
    """Of these, how many judgements are invalid."""
    failed: int = 0
    """How many tasks failed."""
    cost: float = 0.0
    """What it cost so far."""


class RunProgress(msgspec.Struct, frozen=True, kw_only=True):
    """How far a run has come."""

    run: str
    """The id of the run."""
    state: Literal["running", "done", "stopped", "failed"]
    """Whether it still runs, and how it ended."""
    started_at: str
    """When it began, as ISO 8601 in UTC."""
    ended_at: str = ""
    """When it ended; empty while it runs."""
    protocol: str = ""
    """The protocol's id."""
    judges: tuple[JudgeProgress, ...] = ()
    """One for each judge."""
    reason: str = ""
    """Why it ended; empty while it runs."""


class InvitationRow(msgspec.Struct, frozen=True):
    """An invitation as curators see it: without the name of whom it is for."""

    id: str
    """Its public id, which its link shows while it is in use elsewhere."""
    pseudonym: str
    """What its juror is called in the ledger."""
    created_at: str
    """When it was made."""
    expires_at: str
    """When it ends; empty if it does not."""
    in_use: bool
    """Whether a browser has opened it."""
