"""What people and judges say of an output for which there is no single right answer: votes, and what was asked."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from venire.domain.canonical import digest
from venire.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

VOTE_COLUMNS = (
    "inference_id", "vote", "voter_id", "vote_time", "voter_prompt_id", "reputation", "voter_kind",
)  # fmt: skip
"""The columns of every table of votes; each holds the field of `Vote` that has its name."""


class VoterKind(StrEnum):
    """Who voted. Votes of different kinds are only mixed where someone asks for it."""

    PERSON = "person"
    """A person."""
    JUDGE = "judge"
    """A judge whose judgement was turned into a vote by a stated rule."""


class VoterPrompt(msgspec.Struct, frozen=True, dict=True, omit_defaults=True):
    """What voters were asked: the shared rubric under which votes may be compared."""

    id: str
    """The short name by which votes refer to it."""
    text: str
    """The words that voters saw."""
    languages: dict[str, str] = {}
    """The same words in several languages, by tags such as `en`; empty where there are none but those of the text."""

    @property
    def question(self) -> str:
        """The first line of the text, where there is one question to be read at a glance."""
        return self.text.partition("\n")[0]

    @property
    def guidance(self) -> str:
        """What the text says below its first line: what to look at, and how; empty if it says no more."""
        return self.text.partition("\n")[2]

    @cached_property
    def digest(self) -> str:
        """The id of the text: prompts of other names but the same words have the same digest."""
        return digest("voter-prompt", self.languages or self.text)

    def said_in(self, languages: Iterable[str]) -> VoterPrompt:
        """Return the prompt in the first of these languages that it has; as it is, if it has none of them."""
        text = next((self.languages[each] for each in languages if each in self.languages), self.text)
        return VoterPrompt(self.id, text, self.languages)


class Vote(msgspec.Struct, frozen=True, dict=True, kw_only=True):
    """One vote of one voter on one output. Raises `InputError` if it is not one."""

    inference_id: str
    """The output that was voted on."""
    vote: float | None
    """From 0 (reject) to 1 (accept); None if the voter was asked and did not vote. On two outputs, named together: 1
    for the one whose name comes first, 0 for the other, 0.5 for neither."""
    voter_id: str
    """The pseudonym of the voter."""
    vote_time: datetime
    """When it was cast, with its zone."""
    voter_prompt_id: str = ""
    """The prompt that was asked; empty where there was only one and it has no name."""
    reputation: float = 1.0
    """The weight of the voter among those of the same batch, above 0."""
    voter_kind: VoterKind = VoterKind.PERSON
    """Whether a person or a judge voted."""
    rule: str = ""
    """For a vote that follows from a judgement, the rule by which it does; empty for a person's plain vote."""

    def __post_init__(self) -> None:
        for field in ("inference_id", "voter_id"):
            if not getattr(self, field).strip():
                raise InputError("error.vote.empty", field=field, where=self._where)
        if self.vote is not None and not 0 <= self.vote <= 1:
            raise InputError("error.votes.decay.vote", found=self.vote, where=self._where)
        if not 0 < self.reputation < float("inf"):
            raise InputError("error.votes.decay.reputation", found=self.reputation, where=self._where)
        if self.vote_time.tzinfo is None:
            raise InputError("error.vote.zone", found=self.vote_time.isoformat(), where=self._where)

    @property
    def _where(self) -> str:
        return f"vote of {self.voter_id!r} on {self.inference_id!r}"

    @cached_property
    def key(self) -> str:
        """What the vote is found by: the digest of its voter, output, prompt and moment."""
        return vote_key(self.voter_id, self.inference_id, self.voter_prompt_id, self.vote_time)


def vote_key(voter_id: str, inference_id: str, voter_prompt_id: str, vote_time: datetime) -> str:
    """Return the key of one voter's vote on an output under a prompt at a moment; the zone does not matter."""
    moment = vote_time.astimezone(UTC).isoformat(timespec="microseconds")
    return digest("vote", [voter_id, inference_id, voter_prompt_id, moment])
