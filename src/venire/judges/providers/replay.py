"""A judge or target that gives recorded replies, from JSON Lines, from a ledger or from a mapping in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from venire.errors import ConfigError, InputError, os_reason
from venire.judges.blinding import sample_handle
from venire.judges.options import read_options
from venire.judges.provider import Reply, Request
from venire.words.said import say


class ReplayOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a replaying judge is configured with: a file, a ledger or a mapping."""

    path: str | None = None
    """A file of JSON Lines; see `Recording`."""
    ledger: str | None = None
    """The ledger of an earlier run; the run that replays it reads it, matches samples by their content, and checks the
    replies by its own protocol."""
    replies: dict[str, str] | None = None
    """Texts by task id, by output_id, or by the name of a bundle; a target's by the output_id."""
    judge: str | None = None
    """The judge whose records are replayed, for files and ledgers that hold those of several; None for all."""


class Recording(msgspec.Struct, frozen=True):
    """One line of a file: a text with the task it belongs to, or with the sample and the judge."""

    text: str | None = None
    """The recorded reply."""
    output: str | None = None
    """The same, as exported outputs call it."""
    task_id: str | None = None
    """The task that the text answers."""
    output_id: str | None = None
    """The sample that the text is about, or the name of the bundle, where there is no task id."""
    bundle: str | None = None
    """The name of the bundle that the text is about: that of its folder."""
    judge: str | None = None
    """Who replied."""
    model: str | None = None
    """The model that answered, where it is known."""
    finish_reason: str | None = "stop"
    """Why the model stopped."""

    @property
    def recorded(self) -> str | None:
        """The recorded text, whatever it is called; None if the line has none."""
        return self.output if self.text is None else self.text

    @property
    def name(self) -> str | None:
        """Under which name it is found; the task of an exported output is another target's."""
        return (self.task_id if self.text is not None else None) or self.output_id or self.bundle


def create(options: Mapping[str, Any]) -> ReplayProvider:
    """Make the judge from configuration; reads the whole file, raises `InputError` with the line that is wrong."""
    read = read_options(options, ReplayOptions, "replay")
    if (read.path is None) == (read.replies is None) or read.ledger is not None:
        found = tuple(name for name in ("path", "ledger", "replies") if getattr(read, name) is not None) or say(
            "error.judge.none"
        )
        raise ConfigError("error.judge.replay_source", where=say("error.judge.of_kind", kind="replay"), found=found)
    if read.path is not None:
        return ReplayProvider(read_records(Path(read.path), read.judge))
    return ReplayProvider({name: Recording(text) for name, text in (read.replies or {}).items()})


def read_records(path: Path, judge: str | None = None) -> dict[str, Recording]:
    """Return the records of a file by task id or output_id; only this judge's, if one is named.

    Raises `InputError` for a line that is not a record, and for two different texts under one id.
    """
    replies: dict[str, Recording] = {}
    decoder = msgspec.json.Decoder(Recording)
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise InputError("error.judge.unreadable", where=str(path), reason=os_reason(error)) from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise InputError("error.judge.not_a_recording", where=f"{path}:{number}", reason=str(error)) from None
        if record.recorded is None:
            raise InputError("error.judge.recording_without_text", where=f"{path}:{number}")
        if judge is not None and record.judge not in {None, judge}:
            continue
        name = record.name
        if not name:
            raise InputError("error.judge.recording_unnamed", where=f"{path}:{number}")
        if replies.setdefault(name, record).recorded != record.recorded:
            raise InputError("error.judge.recording_twice", where=f"{path}:{number}", name=name)
    return replies


class ReplayProvider:
    """Replies from records; a task id comes first, then the opaque name, then the output_id or the bundle's name."""

    def __init__(self, replies: Mapping[str, Recording]) -> None:
        self._replies = replies

    async def ask(self, request: Request) -> Reply:
        """Return the recorded reply; a task without one is a reply with an error."""
        record = next((self._replies[name] for name in _names(request) if name in self._replies), None)
        text = record.recorded if record else None
        if record is None or text is None:
            return Reply(None, error=say("error.judge.not_recorded", task=request.task_id), error_kind="bad_request")
        return Reply(
            text,
            body=text.encode("utf-8", "surrogatepass"),
            finish_reason=record.finish_reason,
            model=record.model or request.model,
        )

    async def close(self) -> None:
        """Let go of nothing: there are no connections."""


def _names(request: Request) -> Iterator[str]:
    """Yield the names under which a reply may be recorded, the most telling first."""
    yield request.task_id
    planned = request.planned
    if planned is not None and len(request.before) == 2 * (len(planned.prompt.turns) - 1):
        yield planned.name  # What is recorded under the name of an output is its last turn.
    if request.subject is not None:
        yield request.handle or sample_handle(request.subject.digest)
        yield request.subject.name
