"""Qualifications in a ledger: read, and derived again from the judgements that they name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

import msgspec

from venire.domain.protocol import EvalProtocol
from venire.judges.probes.qualification import ProbeReply, Qualification
from venire.ledger.entry import Entry, Kind
from venire.ledger.store import Ledger
from venire.ledger.subjects import outline_of
from venire.runner.records import read_judgement
from venire.words.said import say
from venire.workflows.instruments.place import place_of_probe
from venire.workflows.instruments.probe_counts import examine, plain_rates


class RecordedQualification(msgspec.Struct, frozen=True):
    """A qualification with its place in a ledger."""

    sequence: int
    """The number of its entry."""
    recorded_at: str
    """When it was recorded."""
    content: Qualification
    """What it says."""

    def covers(self, moment: str) -> bool:
        """Tell whether it holds for a judgement of that moment: it ends after its days, however the judge did since."""
        ends = datetime.fromisoformat(self.recorded_at) + timedelta(days=self.content.days)
        return datetime.fromisoformat(moment) <= ends


def read_qualifications(ledger: Ledger, last: int | None = None) -> Iterator[RecordedQualification]:
    """Yield all qualifications up to an entry, in their order."""
    for entry in ledger.read(kinds=[Kind.QUALIFICATION]):
        if last is None or entry.sequence <= last:
            yield RecordedQualification(
                entry.sequence, entry.recorded_at, msgspec.convert(entry.content, Qualification)
            )


def find_difference(entry: Entry, ledger: Ledger) -> str:
    """Say what differs when a qualification is derived again from what the ledger holds; empty if nothing does."""
    try:
        kept = msgspec.convert(entry.content, Qualification)
        replies = []
        for reply in kept.replies:
            derived = _derived(reply, kept, ledger)
            if derived != reply:
                return say("audit.probe_differs", probe=reply.probe)
            replies.append(derived)
        outcome, rates, worst = examine(replies, kept.terms)
    except (msgspec.ValidationError, KeyError, TypeError, ValueError) as error:
        return say("audit.not_readable", problem=str(error))
    found = {
        "outcome": outcome.value == kept.outcome,
        "rates": _by_family(kept.rates) == _by_family(plain_rates(rates)),
        "worst": worst == kept.worst,
    }
    fields = tuple(name for name, is_same in found.items() if not is_same)
    return say("audit.differs", fields=fields) if fields else ""


def _by_family(rates: Iterable[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return rates by family: records keep families in the order of their names."""
    return {str(each["family"]): each for each in rates}


def _derived(reply: ProbeReply, kept: Qualification, ledger: Ledger) -> ProbeReply | None:
    """Return what the ledger says became of a probe; None if it lacks something, or another judge was asked."""
    entry = ledger.find(Kind.JUDGEMENT, reply.judgement)
    if entry is None:
        return None
    record = read_judgement(entry)
    sample = ledger.find(Kind.SAMPLE, record.task.sample_digest)
    protocol = ledger.find(Kind.PROTOCOL, record.task.protocol_digest)
    if sample is None or protocol is None or record.task.judge != kept.judge:
        return None
    read = msgspec.convert(protocol.content, EvalProtocol)
    subject = outline_of(sample, ledger)
    name, place = place_of_probe(record.judgement, subject, read, count_recovered=kept.terms.count_recovered)
    return ProbeReply(name, entry.key, record.judgement.reply_sha256, place)
