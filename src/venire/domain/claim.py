"""A statement that a judge found in an output, and what the documents say to it."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class ClaimFinding(StrEnum):
    """What the documents say to a claim."""

    SUPPORTED = "supported"
    """A passage says the same."""
    CONTRADICTED = "contradicted"
    """A passage says otherwise."""
    ABSENT = "absent"
    """No passage says the one or the other."""


class Claim(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A statement of the output. Its two sides are quotes of the judgement, named by their places there."""

    finding: ClaimFinding
    """What the documents say to it."""
    words: int
    """Which quote holds its words in the output, counted from 0."""
    passage: int | None = None
    """Which quote holds the passage of a document; None for a claim that no document speaks of."""
