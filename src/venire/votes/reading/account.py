"""What became of the rows of tables that were read apart: counts that add up."""

from __future__ import annotations

import msgspec

from venire.votes.reading.table import RefusedRow, VoteTable
from venire.votes.reading.values import Refusal

_SHOWN = 1000


class VoteAccount(msgspec.Struct, frozen=True, kw_only=True):
    """The account of all rows of several tables: `rows = votes + no_vote + blank + refused`."""

    where: str = ""
    """What was read."""
    rows: int = 0
    """How many rows there are."""
    votes: int = 0
    """How many of them are votes."""
    no_vote: int = 0
    """How many say that someone did not vote."""
    blank: int = 0
    """How many have no cell at all."""
    duplicated: int | None = 0
    """How many stand more than once, whether or not they were left out; None if tables were not compared."""
    refused: dict[Refusal, int] = {}
    """How many were left out, by reason."""
    examples: tuple[RefusedRow, ...] = ()
    """Some of the rows that were left out, at most a thousand."""

    @property
    def refused_count(self) -> int:
        """How many rows were left out."""
        return sum(self.refused.values())

    @classmethod
    def of(cls, table: VoteTable) -> VoteAccount:
        """Return the account of one table."""
        return cls(
            where=table.where,
            rows=table.rows,
            votes=table.votes,
            no_vote=table.no_vote,
            blank=table.blank,
            duplicated=table.duplicated,
            refused=dict(table.refused),
            examples=table.examples,
        )

    def plus(self, other: VoteAccount) -> VoteAccount:
        """Return the account of both, named as this one is."""
        known = self.duplicated is not None and other.duplicated is not None
        reasons = [reason for reason in Refusal if reason in self.refused or reason in other.refused]
        return VoteAccount(
            where=self.where,
            rows=self.rows + other.rows,
            votes=self.votes + other.votes,
            no_vote=self.no_vote + other.no_vote,
            blank=self.blank + other.blank,
            duplicated=(self.duplicated or 0) + (other.duplicated or 0) if known else None,
            refused={reason: self.refused.get(reason, 0) + other.refused.get(reason, 0) for reason in reasons},
            examples=(*self.examples, *other.examples)[:_SHOWN],
        )
