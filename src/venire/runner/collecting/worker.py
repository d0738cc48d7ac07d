"""One output, collected once: asked for until it is there, turn by turn, and committed before it is read."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import msgspec

from venire.domain.output import OutputState, PlannedOutput
from venire.judges.provider import Decoding, Message, Provider, Reply, Request
from venire.ledger.entry import Draft, Kind
from venire.runner.admission import Admission
from venire.runner.call import Asker, AskOutcome, RunServices
from venire.runner.claimed_work import ClaimedTask, Recorded
from venire.runner.collecting.records import (
    OutputRecord,
    design_drafts,
    failed_output_draft,
    late_output_draft,
    output_draft,
    output_not_asked_draft,
)
from venire.runner.collecting.task import OutputTask, turn_task
from venire.runner.records import latency_of
from venire.targets.target import Target
from venire.words.said import say

_REMEMBERED = 4096
"""Of how many cases and prompts a target at work remembers that they were handed to the ledger."""


class OutputAnswer(msgspec.Struct, frozen=True):
    """What became of one planned output."""

    task: OutputTask
    """The task."""
    sample: str
    """The output_id."""
    state: OutputState | None = None
    """What was given back; None if the target could not be made to answer."""
    failure: str = ""
    """Why there is no output."""
    cause: str = ""
    """The same in fewer words."""
    may_pass: bool = False
    """Whether it failed for a reason that may have passed at the end of the run."""
    is_held: bool = False
    """Whether another run is asking it at this moment."""
    was_done: bool = False
    """Whether the ledger held the output already, so that nothing was asked."""
    calls: int = 0
    """How many requests were made."""
    tokens: int = 0
    """How many tokens they took."""
    cost: float = 0.0
    """What they cost."""
    latency_seconds: float = 0.0
    """How long the target took for the last one."""
    unreadable: tuple[str, ...] = ()
    """What was wrong with answers that could not be read, also if one came in the end that could."""


class CollectWorker:
    """One target at work: gives outputs within its limits."""

    def __init__(self, target: Target, provider: Provider, services: RunServices, admission: Admission) -> None:
        self._target = target
        self._services = services
        self._admission = admission
        self._asker: Asker[OutputRecord] = Asker(provider, target.price, services, admission)
        self._stored: dict[str, None] = {}

    def look_up(self, tasks: Collection[OutputTask]) -> Recorded:
        """Return what the ledger holds of these tasks, earlier turns included."""
        turns = (turn_task(task, number) for task in tasks for number in range(1, task.turn + 1))
        return self._services.ledger.find_all([(Kind.OUTPUT, turn.id) for turn in turns])

    async def answer(
        self, task: OutputTask, subject: PlannedOutput, recorded: Recorded, tell: Callable[[OutputAnswer], None]
    ) -> None:
        """Collect an output and tell of it; its earlier turns are played first, but for those in the ledger."""
        answer, answers, state = OutputAnswer(task, subject.name), list[str](), OutputState.EMPTY
        if known := _recall(task, recorded):
            tell(msgspec.structs.replace(answer, state=known.state, was_done=True))
            return
        for number in range(1, task.turn + 1):
            turn = turn_task(task, number)
            record = _recall(turn, recorded)
            if record is None:
                asked = await self._ask(turn, subject, answers)
                answer = _added(answer, asked)
                if asked.kept is None:
                    tell(answer if asked.failure else await self._not_asked(answer, subject))
                    return
                record = asked.kept
            answers.append(record.text)
            state = record.state
            if state is OutputState.EMPTY:
                break  # A conversation with silence is not gone on with.
        tell(msgspec.structs.replace(answer, state=state, was_done=not answer.calls))

    async def _ask(self, task: OutputTask, planned: PlannedOutput, answers: list[str]) -> AskOutcome[OutputRecord]:
        if self._admission.given_up:
            return AskOutcome()
        services = self._services

        async def keep(reply: Reply, number: int) -> OutputRecord:
            record, is_late = self._record(task, planned, reply, number), False

            def keep_late() -> Draft:
                nonlocal is_late
                is_late = True
                return late_output_draft(record, reply.body)

            await services.writer.append([*self._drafts(planned), output_draft(record, reply.body, keep_late)])
            first = services.ledger.find(Kind.OUTPUT, task.id) if is_late else None
            return msgspec.convert(first.content, OutputRecord) if first else record

        async def keep_failure(reply: Reply, number: int) -> None:
            failed = failed_output_draft(task, planned.place, services.run, number, reply)
            await services.writer.append([*self._drafts(planned), failed])

        return await self._asker.ask(
            task.id, request_of(self._target, task, planned, task.turn, tuple(answers)), keep, keep_failure
        )

    async def _not_asked(self, answer: OutputAnswer, planned: PlannedOutput) -> OutputAnswer:
        """Record that an output is not asked for, or not again, since its target was given up."""
        given_up = self._admission.given_up
        reason = say("run.not_asked", reason=given_up)
        draft = output_not_asked_draft(answer.task, planned.place, self._services.run, reason)
        await self._services.writer.append([*self._drafts(planned), draft])
        return msgspec.structs.replace(answer, failure=reason, cause=given_up)

    def _record(self, task: OutputTask, planned: PlannedOutput, reply: Reply, attempt: int) -> OutputRecord:
        return OutputRecord(
            task=task,
            place=planned.place,
            case_digest=planned.case.digest,
            prompt_digest=planned.prompt.digest,
            text=reply.text or "",
            asked_model=self._target.model,
            platform=self._target.kind,
            model=reply.model,
            finish_reason=reply.finish_reason,
            status=reply.status,
            input_tokens=reply.input_tokens,
            output_tokens=reply.output_tokens,
            attempt=attempt,
            latency_seconds=latency_of(reply),
            run=self._services.run,
        )

    def _drafts(self, planned: PlannedOutput) -> list[Draft]:
        """Record case and prompt beside their first output or failed try; the ledger leaves out what it holds."""
        if planned.case.digest in self._stored and planned.prompt.digest in self._stored:
            return []
        drafts = design_drafts(planned)
        for key in (planned.case.digest, planned.prompt.digest):
            self._stored[key] = None
        while len(self._stored) > _REMEMBERED:
            self._stored.pop(next(iter(self._stored)))
        return drafts


def request_of(
    target: Target, task: OutputTask, planned: PlannedOutput, turn: int, answers: tuple[str, ...]
) -> Request:
    """Return what a target is sent in a turn, behind its own answers to the turns before it."""
    prompt = planned.prompt
    before = tuple(
        message
        for asked, answer in zip(prompt.turns, answers, strict=False)
        for message in (Message("user", asked), Message("assistant", answer))
    )
    return Request(
        model=target.model,
        system=prompt.system,
        user=prompt.turns[turn - 1],
        decoding=decoding_of(planned.place.parameters),
        reply_schema={},
        before=before,
        may_be_empty=True,
        planned=planned,
        task_id=task.id,
        handle=planned.name,
    )


def held_output(held: ClaimedTask) -> OutputAnswer:
    """Return the answer of a task that another run is asking: its output is found in the ledger later."""
    reason = say("run.asked_elsewhere", holder=held.held_by)
    return OutputAnswer(held.task, held.subject.name, failure=reason, cause=reason, is_held=True)


def _recall(task: OutputTask, recorded: Recorded) -> OutputRecord | None:
    entry = recorded.get((Kind.OUTPUT, task.id))
    return msgspec.convert(entry.content, OutputRecord) if entry else None


def decoding_of(parameters: dict[str, Any]) -> Decoding:
    """Return the parameters as providers take them; what is not given is left to the server."""
    return Decoding(**{"temperature": None, **parameters})


def _added(answer: OutputAnswer, asked: AskOutcome[OutputRecord]) -> OutputAnswer:
    return msgspec.structs.replace(
        answer,
        failure=asked.failure,
        cause=asked.cause,
        may_pass=asked.may_pass,
        calls=answer.calls + asked.calls,
        tokens=answer.tokens + asked.tokens,
        cost=answer.cost + asked.cost,
        latency_seconds=asked.latency_seconds,
        unreadable=answer.unreadable + asked.unreadable,
    )
