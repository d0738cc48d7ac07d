"""Whatever holds outputs to look at: a ledger, a table, an archive or a report, behind one interface."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from venire.domain.reader_mark import ReaderMark
from venire.ledger.entry import Draft
from venire.reports.outputs.one_output import OneOutput
from venire.reports.outputs.rows import OutputRow
from venire.workflows.outputs.index import OutputIndex


class OutputSource(Protocol):
    """Outputs in lists and one by one. Its methods may be called from any thread."""

    keeps_marks: bool
    """Whether marks can be recorded."""

    @property
    def index(self) -> OutputIndex:
        """What lists are answered from."""

    def catch_up(self) -> bool:
        """Take in more of the source; return whether there may be still more."""

    def progress(self) -> tuple[int, int]:
        """Return how much of the source was taken in, and how much there is."""

    def show(self, row: OutputRow) -> OneOutput:
        """Return everything that is known of an output."""

    def protocol_names(self, digests: Iterable[str]) -> dict[str, str]:
        """Return what protocols are called, as far as it is known; no two of them alike."""

    def runs(self) -> tuple[Mapping[str, Any], ...]:
        """Return what was recorded when runs were opened, the latest first; nothing where there are no runs."""

    def planned(self, run: Mapping[str, Any]) -> frozenset[bytes]:
        """Return the ids of the tasks that one of these runs planned."""

    def check_mark(self, mark: ReaderMark) -> Draft:
        """Return what records a mark; raises `UsageError` for one on nothing, `ReadOnlyError` where none are kept."""

    def close(self) -> None:
        """Let go of the index."""
