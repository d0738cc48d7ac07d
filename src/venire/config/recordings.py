"""What a replaying judge replays: a file or an earlier run's ledger, whose content is part of the instrument."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from venire.domain.canonical import canonical_json
from venire.errors import ConfigError, os_reason
from venire.judges.blinding import sample_handle
from venire.judges.providers.replay import Recording, ReplayProvider
from venire.ledger.entry import Head, Kind
from venire.ledger.location import open_ledger, shown_location
from venire.runner.records import ReplyRecord
from venire.runner.task import FIRST
from venire.words.said import say


def is_ledger_replayed(options: Mapping[str, Any]) -> bool:
    """Tell whether the options of a replaying judge name a ledger and nothing else to replay."""
    return bool(options.get("ledger")) and not {"path", "replies"} & options.keys()


def recording_digest(options: Mapping[str, Any], protocol_digest: str) -> str | None:
    """Return the digest of what a judge with these options replays; None if it stands in the options themselves.

    Where it lies does not count: other replies under the same path are another recording, and a file that was moved is
    the same. Raises `ConfigError` for what cannot be replayed, and `LedgerError` for a ledger that cannot be read.
    """
    if is_ledger_replayed(options):
        replies = _read_replies(options["ledger"], options["judge"], protocol_digest)
        content = hashlib.sha256()
        for name in sorted(replies):
            content.update(canonical_json([name, replies[name]]))
        return content.hexdigest()
    if not options.get("path") or {"ledger", "replies"} & options.keys():
        return None  # Where it names several, its provider says what is wrong.
    try:
        with Path(options["path"]).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ConfigError("error.config.recording", path=options["path"], reason=os_reason(error)) from None


def replay_ledger(location: str, judge: str, protocol_digest: str) -> ReplayProvider:
    """Return a judge that gives the first replies of a judge in a ledger, by sample.

    Where the ledger holds replies under this protocol, only those are taken. Raises `LedgerError` if it cannot be read,
    and `ConfigError` if it holds no reply of the judge, or two different ones about one sample.
    """
    return ReplayProvider(_read_replies(location, judge, protocol_digest))


def _read_replies(location: str, judge: str, protocol_digest: str) -> dict[str, Recording]:
    ledger = open_ledger(location, read_only=True)
    try:
        head = ledger.head()
    finally:
        ledger.close()
    return _read_replies_up_to(head, location, judge, protocol_digest)


@lru_cache(maxsize=4)  # The digest is needed before the replies are, and a ledger may be large.
def _read_replies_up_to(head: Head, location: str, judge: str, protocol_digest: str) -> dict[str, Recording]:
    own: list[ReplyRecord] = []
    judges: set[str] = set()
    ledger = open_ledger(location, read_only=True)
    try:
        for entry in ledger.read(kinds=[Kind.REPLY]):
            if entry.sequence > head.sequence:
                break
            record = msgspec.convert(entry.content, ReplyRecord)
            judges.add(record.task.judge)
            if record.task.judge == judge and record.task.repeat == FIRST:
                own.append(record)
    finally:
        ledger.close()
    if not own:
        known = tuple(sorted(judges)) or say("error.judge.none")
        raise ConfigError("error.config.no_replies", ledger=shown_location(location), judge=judge, known=known)
    replies: dict[str, Recording] = {}
    for record in [each for each in own if each.task.protocol_digest == protocol_digest] or own:
        reply = Recording(record.text, model=record.model, finish_reason=record.finish_reason)
        name = sample_handle(record.task.sample_digest)
        if replies.setdefault(name, reply) != reply:
            raise ConfigError("error.config.replies_differ", ledger=shown_location(location), judge=judge)
    return replies
