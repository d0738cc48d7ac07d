"""Which votes may be counted together as what people think: those of people, under one prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from venire.domain.vote import VoterKind
from venire.errors import PoolingError

if TYPE_CHECKING:
    from collections.abc import Collection


def people_of(votes: pl.DataFrame) -> pl.DataFrame:
    """Return the votes of people; those of judges are left aside."""
    return votes.filter(pl.col("voter_kind").cast(pl.String) == VoterKind.PERSON.value)


def prompts_of(votes: pl.DataFrame) -> frozenset[str]:
    """Return the prompts that the votes were cast under."""
    return frozenset(votes["voter_prompt_id"].cast(pl.String).unique())


def require_one_prompt(prompts: Collection[str]) -> None:
    """Raise `PoolingError` for votes under several prompts: those are answers to different questions."""
    if len(prompts) > 1:
        raise PoolingError("error.votes.prompts", count=len(prompts), found=tuple(map(repr, sorted(prompts)[:5])))
