"""Replay the replies of an earlier run from its ledger: judge them anew without asking anyone."""

from __future__ import annotations

import msgspec

from venire.errors import ConfigError
from venire.judges.blinding import sample_handle
from venire.judges.providers.replay import Record, ReplayProvider
from venire.ledger.entry import Kind
from venire.ledger.location import open_ledger, shown_location
from venire.runner.records import ReplyRecord
from venire.runner.task import FIRST


def replay_ledger(location: str, judge: str, protocol_digest: str) -> ReplayProvider:
    """Return a judge that gives the first replies of a judge in a ledger, by sample.

    Where the ledger holds replies under this protocol, only those are taken. Raises `LedgerError` if it cannot be read,
    and `ConfigError` if it holds no reply of the judge, or two different ones about one sample.
    """
    ledger = open_ledger(location, read_only=True)
    try:
        kept = [msgspec.convert(entry.content, ReplyRecord) for entry in ledger.read(kinds=[Kind.REPLY])]
    finally:
        ledger.close()
    own = [record for record in kept if record.task.judge == judge and record.task.repeat == FIRST]
    if not own:
        known = ", ".join(sorted({record.task.judge for record in kept})) or "none"
        raise ConfigError(
            f"the ledger {shown_location(location)} holds no reply of a judge {judge!r}",
            hint=f"Name one with `options: {{judge: ...}}`. Its judges are: {known}.",
        )
    replies: dict[str, Record] = {}
    for record in [each for each in own if each.task.protocol_digest == protocol_digest] or own:
        reply = Record(record.text, model=record.model, finish_reason=record.finish_reason)
        name = sample_handle(record.task.sample_digest)
        if replies.setdefault(name, reply) != reply:
            raise ConfigError(
                f"the ledger {shown_location(location)} holds two different replies of {judge!r} about one sample",
                hint="They come from two versions of the judge or the protocol: replay a ledger that holds one.",
            )
    return ReplayProvider(replies)
