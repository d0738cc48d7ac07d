"""What a reader remarked on an output or on one judgement of it: a note beside the record, never a change of it."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

import msgspec


class Remark(StrEnum):
    """What is said of it."""

    WRONG = "wrong"
    """The judgement, or what was made of the output, is not right."""
    LOOK_AGAIN = "look_again"
    """Somebody should look at it again."""
    NOTE = "note"
    """Nothing but the words beside it."""


class ReaderMark(msgspec.Struct, frozen=True, kw_only=True):
    """A remark of one reader."""

    output_id: str
    """The output's name."""
    output: str
    """The output's digest."""
    remark: Remark
    """What is said of it."""
    author: str
    """Who said it."""
    marked_at: datetime
    """When, with its zone."""
    judgement: str = ""
    """The key of the judgement that is meant; empty for the output as a whole."""
    text: str = ""
    """The reader's own words."""
