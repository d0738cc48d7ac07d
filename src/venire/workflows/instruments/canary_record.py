"""The evidence of anchors in a ledger: recorded after each run, and derived again by an audit."""

from __future__ import annotations

from contextlib import suppress
from itertools import takewhile

import msgspec

from venire.errors import TamperedError
from venire.ledger.entry import Draft, Entry, Kind
from venire.ledger.store import Ledger
from venire.runner.canaries.evidence import CanaryRecord, JudgeEvidence
from venire.runner.context import RunSpec
from venire.words.said import say
from venire.workflows.instruments.canary_watch import READ, CanaryWatch


def watch_ledger(ledger: Ledger, last: int | None = None) -> CanaryWatch:
    """Go through a ledger up to an entry, or to its end."""
    watch, until = CanaryWatch(), ledger.head().sequence if last is None else last
    for entry in takewhile(lambda entry: entry.sequence <= until, ledger.read(kinds=READ)):
        watch.take(entry)
    return watch


def record_evidence(ledger: Ledger, spec: RunSpec) -> None:
    """Append what the anchors say after a run."""
    if spec.canaries is None:
        return
    until = ledger.head().sequence
    record = CanaryRecord(
        run=spec.run,
        round=spec.canaries.round,
        protocol=spec.protocol.digest,
        until=until,
        judges=_evidence(watch_ledger(ledger, until), spec.protocol.digest),
    )
    ledger.append([Draft(Kind.CANARIES, record, spec.run)])


class CanaryAudit:
    """Derives the evidence of anchors again while an audit goes through a ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._watch = CanaryWatch()
        self._derived: dict[int, dict[str, tuple[JudgeEvidence, ...]]] = {}
        self._wanted: dict[int, set[str]] = {}
        with suppress(TamperedError):  # Behind damage no entry is trusted, and the audit names the damage itself.
            for entry in ledger.read(kinds=[Kind.CANARIES]):
                content = entry.content
                if isinstance(content, dict) and isinstance(content.get("until"), int):
                    self._wanted.setdefault(content["until"], set()).add(str(content.get("protocol")))
        self.again = 0
        """How many records were derived again and found the same."""

    def problem(self, entry: Entry) -> str:
        """Take an entry in, and say what differs if it is a record of anchors; empty if nothing does."""
        try:
            if self._wanted and entry.kind in READ:
                self._watch.take(entry)
            for protocol in self._wanted.get(entry.sequence, ()):
                self._derived.setdefault(entry.sequence, {})[protocol] = _evidence(self._watch, protocol)
            return self._difference(entry) if entry.kind is Kind.CANARIES else ""
        except (msgspec.ValidationError, msgspec.DecodeError, KeyError, TypeError, ValueError) as error:
            return say("audit.not_readable", problem=str(error)) if entry.kind is Kind.CANARIES else ""

    def _difference(self, entry: Entry) -> str:
        kept = msgspec.convert(entry.content, CanaryRecord)
        derived = self._derived.get(kept.until, {}).get(kept.protocol)
        if derived is None:
            return say("audit.canaries_ahead", until=kept.until)
        differing = tuple(
            dict.fromkeys(one.judge for one in (*kept.judges, *derived) if one not in kept.judges or one not in derived)
        )
        self.again += not differing
        return say("audit.canaries_differ", judges=differing) if differing else ""


def _evidence(watch: CanaryWatch, protocol: str) -> tuple[JudgeEvidence, ...]:
    return tuple(each.evidence() for each in watch.of_protocol(protocol))
