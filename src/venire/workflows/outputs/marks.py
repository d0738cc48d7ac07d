"""The one place where marks of readers are written and read: entries of the kind `note`."""

from __future__ import annotations

import msgspec

from venire.domain.reader_mark import ReaderMark
from venire.ledger.entry import Draft, Kind


class MarkContent(msgspec.Struct, frozen=True):
    """The content of an entry of the kind `note`."""

    mark: ReaderMark
    """The mark."""


_content = msgspec.json.Decoder(MarkContent)


def mark_draft(mark: ReaderMark) -> Draft:
    """Record a mark beside everything else."""
    return Draft(Kind.NOTE, MarkContent(mark), mark.output)


def read_mark(payload: bytes) -> ReaderMark:
    """Read the content of an entry of the kind `note`."""
    return _content.decode(payload).mark
