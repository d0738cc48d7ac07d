"""What a collection writes into the ledger, and how an output is read back from it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import msgspec

from venire.domain.canonical import sha256_hex
from venire.domain.output import OutputPlace, OutputState, PlannedOutput, PromptText, state_of
from venire.errors import TamperedError
from venire.judges.provider import Reply
from venire.ledger.cases import case_drafts, case_of
from venire.ledger.entry import Draft, Entry, Kind
from venire.ledger.store import Ledger
from venire.runner.collecting.task import OutputTask, task_digest, turn_task
from venire.runner.records import KEPT_BODY_BYTES, LATE, latency_of
from venire.words.said import say


class OutputRecord(msgspec.Struct, frozen=True, dict=True, omit_defaults=True):
    """An output as the ledger holds it: what came back, and where it belongs."""

    task: OutputTask
    """The task that it answers."""
    place: OutputPlace
    """Its place in the design: case, variant, target, factors, parameters, repeat."""
    case_digest: str
    """The key of the entry that holds the case."""
    prompt_digest: str
    """The key of the entry that holds the messages."""
    text: str
    """The target's own words, as they came."""
    asked_model: str = ""
    """The model that was asked."""
    platform: str = ""
    """The kind of the target's provider."""
    model: str | None = None
    """The model that the server says has answered."""
    finish_reason: str | None = None
    """Why the model stopped."""
    status: int | None = None
    """The HTTP status, or the exit code of a program."""
    input_tokens: int | None = None
    """Tokens of the request."""
    output_tokens: int | None = None
    """Tokens of the output."""
    attempt: int = 1
    """Which try it was that brought the output; the failed ones before it are entries of their own."""
    latency_seconds: float = 0.0
    """The time from sending the request to the last byte."""
    run: str = ""
    """The id of the run that asked."""

    @cached_property
    def state(self) -> OutputState:
        """What was given back; an empty output is never judged."""
        return state_of(self.text, self.finish_reason)


def output_draft(record: OutputRecord, body: bytes, instead: Callable[[], Draft]) -> Draft:
    """Record an output, with the bytes that the server sent beside it, or something else if the task has one."""
    return Draft(Kind.OUTPUT, record, record.task.id, b"" if body == record.text.encode() else body, instead)


def design_drafts(planned: PlannedOutput) -> list[Draft]:
    """Record the case and the messages of an output; each is stored once."""
    prompt = Draft(Kind.PROMPT, {"bytes": len(planned.prompt.data)}, planned.prompt.digest, planned.prompt.data)
    return [*case_drafts(planned.case), prompt]


def prompt_of(data: bytes) -> PromptText:
    """Return the messages that an entry holds."""
    return msgspec.json.decode(data, type=PromptText)


def failed_output_draft(task: OutputTask, place: OutputPlace, run: str, number: int, reply: Reply) -> Draft:
    """Record one request of a collection that brought no output, and why."""
    payload: dict[str, Any] = {
        "run": run,
        "task": task.id,
        "target": task.target,
        "output_id": place.output_id,
        "turn": task.turn,
        "attempt": number,
        "outcome": reply.error_kind,
        "error": reply.error,
        "status": reply.status,
        "retry_after_seconds": reply.retry_after_seconds,
        "latency_seconds": latency_of(reply),
    }
    return Draft(Kind.OUTPUT_ATTEMPT, payload, task.id, reply.body[:KEPT_BODY_BYTES])


def output_not_asked_draft(task: OutputTask, place: OutputPlace, run: str, reason: str) -> Draft:
    """Record that a run did not ask for an output at all, and why."""
    told = {"outcome": "not_asked", "error": reason, "run": run}
    payload = {"task": task.id, "target": task.target, "output_id": place.output_id, "turn": task.turn, **told}
    return Draft(Kind.OUTPUT_ATTEMPT, payload, task.id)


def late_output_draft(record: OutputRecord, body: bytes) -> Draft:
    """Record an output that was paid for though another one answers its task: whole, as a request that came late."""
    task = record.task
    payload: dict[str, Any] = {
        **msgspec.structs.asdict(record),
        "task": task.id,
        "target": task.target,
        "output_id": record.place.output_id,
        "turn": task.turn,
        "outcome": LATE,
        "error": say("run.late"),
    }
    return Draft(Kind.OUTPUT_ATTEMPT, payload, task.id, body)


def find_output_problem(entry: Entry, ledger: Ledger) -> str:
    """Say what is wrong with an output, or with a case or prompt that outputs refer to; empty if nothing is."""
    if entry.kind is Kind.PROMPT and sha256_hex(entry.blob) != entry.key:
        return say("error.ledger.other_prompt", sequence=entry.sequence, key=entry.key)
    try:
        if entry.kind is Kind.CASE and case_of(entry, ledger).digest != entry.key:
            return say("error.ledger.other_case", sequence=entry.sequence, key=entry.key)
        return _output_problem(entry, ledger) if entry.kind is Kind.OUTPUT else ""
    except TamperedError as error:
        return error.message
    except (msgspec.MsgspecError, KeyError, TypeError, ValueError) as error:
        return say("error.ledger.not_an_output", sequence=entry.sequence, reason=str(error))


def _output_problem(entry: Entry, ledger: Ledger) -> str:
    record = msgspec.convert(entry.content, OutputRecord)
    prompt, case = ledger.find(Kind.PROMPT, record.prompt_digest), ledger.find(Kind.CASE, record.case_digest)
    if prompt is None:
        return say("error.ledger.no_prompt", key=record.prompt_digest)
    if case is None:
        return say("error.ledger.no_case", key=record.case_digest)
    task, turns = record.task, len(prompt_of(prompt.blob).turns)
    for seen in ("", record.case_digest):  # of a target that sees messages only, and of one that sees the case
        task_id = task_digest(task.target_digest, record.prompt_digest, seen, record.place)
        if turn_task(OutputTask(task_id, record.place.target, task.target_digest, turns), task.turn) == task:
            return (
                "" if task.id == entry.key else say("error.ledger.other_output", sequence=entry.sequence, key=entry.key)
            )
    return say("error.ledger.other_output", sequence=entry.sequence, key=entry.key)
