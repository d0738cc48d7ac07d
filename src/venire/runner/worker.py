"""One task, done once: asked until answered, committed before it is read, judged, committed again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache, partial

import msgspec

from venire.domain.judgement import Judgement
from venire.domain.sample import Bundle, Sample
from venire.judges.provider import Provider, Reply
from venire.ledger.entry import Draft, Kind
from venire.ledger.subjects import subject_drafts
from venire.runner.admission import Admission
from venire.runner.call import Asker, RunServices
from venire.runner.claimed_work import ClaimedTask, Recorded
from venire.runner.records import (
    ReplyRecord,
    derive_judgement,
    failed_attempt_draft,
    judgement_draft,
    judgement_key,
    late_reply_draft,
    latency_of,
    not_asked_draft,
    read_judgement,
    reply_draft,
    request_sha256,
    terms_digest,
)
from venire.runner.request import PreparedRequest, RequestBuilder
from venire.runner.task import Task, reasks_of
from venire.validation.evidence import PreparedBundle, PreparedSample
from venire.words.said import say

_REMEMBERED = 4096
"""Of how many samples and materials judges at work remember that one of them has handed them to the ledger."""


class Answer(msgspec.Struct, frozen=True):
    """What became of one task."""

    task: Task
    """The task."""
    sample: str
    """The output_id of the sample, or the name of the bundle."""
    judgement: Judgement | None = None
    """The judgement; None if the judge could not be made to answer."""
    failure: str = ""
    """Why there is no judgement."""
    cause: str = ""
    """The same in fewer words, so that failures of one cause can be counted together."""
    may_pass: bool = False
    """Whether it failed for a reason that may have passed at the end of the run."""
    is_held: bool = False
    """Whether another run is asking it at this moment."""
    was_done: bool = False
    """Whether the ledger held the reply already, so that nothing was asked."""
    calls: int = 0
    """How many requests were made."""
    tokens: int = 0
    """How many tokens they took."""
    cost: float = 0.0
    """What they cost."""
    leaks: int = 0
    """How often the judged text names its own model."""
    latency_seconds: float = 0.0
    """How long the judge took for the reply that counts."""
    unreadable: tuple[str, ...] = ()
    """What was wrong with answers that could not be read, also if one came in the end that could."""


def held_answer(held: ClaimedTask) -> Answer:
    """Return the answer of a task that another run is asking: its reply is found in the ledger later."""
    reason = say("run.asked_elsewhere", holder=held.held_by)
    return Answer(held.task, held.subject.name, failure=reason, cause=reason, is_held=True)


class JudgeWorker:
    """One judge at work: answers tasks within its limits."""

    def __init__(
        self, builder: RequestBuilder, provider: Provider, services: RunServices, admission: Admission
    ) -> None:
        self._builder = builder
        self._judge = builder.judge
        self._services = services
        self._admission = admission
        self._asker: Asker[ReplyRecord] = Asker(provider, self._judge.price, services, admission)
        self._terms = terms_digest(builder.checker.terms, self._judge.identity)
        # Asked for when a task is looked up, and again when it is judged.
        self._key_of = lru_cache(maxsize=_REMEMBERED)(partial(judgement_key, terms=self._terms))

    def look_up(self, tasks: Iterable[Task]) -> Recorded:
        """Return what the ledger holds of these tasks, and of those that follow from invalid replies to them."""
        every = [each for task in tasks for each in (task, *reasks_of(task, self._services.reask_invalid))]
        judged = [(Kind.JUDGEMENT, self._key(task)) for task in every]
        return self._services.ledger.find_all([*judged, *((Kind.REPLY, task.id) for task in every)])

    async def answer(
        self, task: Task, subject: Sample | Bundle, recorded: Recorded, tell: Callable[[Answer], None]
    ) -> None:
        """Answer a task, and the tasks that follow from an invalid reply where re-asking is on; tell of each answer.

        What is recorded of it is not asked again. The reply behind an answer is durable; its judgement, which follows
        from it, is so once the writer has settled.
        """
        answer = await self._answer_once(task, subject, recorded)
        tell(answer)
        for next_task in reasks_of(task, self._services.reask_invalid):
            if answer.judgement is None or answer.judgement.valid:
                return
            answer = await self._answer_once(next_task, subject, recorded)
            tell(answer)

    async def _answer_once(self, task: Task, subject: Sample | Bundle, recorded: Recorded) -> Answer:
        if recorded and (answer := self._recall(task, subject, recorded)):
            return answer
        if self._admission.given_up:
            return await self._not_asked(Answer(task, subject.name))
        return await self._ask(task, subject, self._builder.build(task, subject))

    async def _not_asked(self, answer: Answer) -> Answer:
        """Record that a task is not asked, or not asked again, since its judge was given up."""
        given_up = self._admission.given_up
        reason = say("run.not_asked", reason=given_up)
        await self._services.writer.append([not_asked_draft(answer.task, self._services.run, reason)])
        return msgspec.structs.replace(answer, failure=reason, cause=given_up)

    def _recall(self, task: Task, subject: Sample | Bundle, recorded: Recorded) -> Answer | None:
        """Return what is recorded of a task; a reply that was not judged under these terms is judged now."""
        judged, known = recorded.get((Kind.JUDGEMENT, self._key(task))), recorded.get((Kind.REPLY, task.id))
        if judged is None and known is None:
            return None
        seen, leaks = self._builder.as_seen(subject)
        answer = Answer(task, subject.name, was_done=True, leaks=leaks)
        if judged is not None:
            record = read_judgement(judged)
            return msgspec.structs.replace(answer, judgement=record.judgement)
        reply = msgspec.convert(known.content if known else None, ReplyRecord)
        return self._judge_reply(reply, self._builder.prepared(seen), answer)

    def _key(self, task: Task) -> str:
        return self._key_of(task.id)

    async def _ask(self, task: Task, subject: Sample | Bundle, question: PreparedRequest) -> Answer:
        async def keep(reply: Reply, number: int) -> ReplyRecord:
            return await self._commit(self._record(task, question, reply, number), reply.body, subject)

        async def keep_failure(reply: Reply, number: int) -> None:
            failed = failed_attempt_draft(
                task, self._services.run, number, reply, fence=question.fence, leaks=question.leaks
            )
            await self._services.writer.append([*self._sample_drafts(subject), failed])

        asked = await self._asker.ask(task.id, question.request, keep, keep_failure)
        answer = Answer(
            task,
            subject.name,
            failure=asked.failure,
            cause=asked.cause,
            may_pass=asked.may_pass,
            calls=asked.calls,
            tokens=asked.tokens,
            cost=asked.cost,
            leaks=question.leaks,
            latency_seconds=asked.latency_seconds,
            unreadable=asked.unreadable,
        )
        if asked.kept is not None:
            return self._judge_reply(asked.kept, question.subject, answer)
        return answer if asked.failure else await self._not_asked(answer)

    async def _commit(self, record: ReplyRecord, body: bytes, subject: Sample | Bundle) -> ReplyRecord:
        """Commit a reply, and return the one that answers the task: another worker's, if that was there before."""
        is_late = False

        def keep_late() -> Draft:
            nonlocal is_late
            is_late = True
            return late_reply_draft(record, body)

        reply = reply_draft(record, body, keep_late)  # First: if it cannot be made, the subject is not recorded either.
        await self._services.writer.append([*self._sample_drafts(subject), reply])
        first = self._services.ledger.find(Kind.REPLY, record.task.id) if is_late else None
        return msgspec.convert(first.content, ReplyRecord) if first else record

    def _record(self, task: Task, question: PreparedRequest, reply: Reply, attempt: int) -> ReplyRecord:
        return ReplyRecord(
            task=task,
            text=reply.text or "",
            asked_model=self._judge.model,
            handle=question.request.handle,
            masked=self._judge.mask_identity and question.leaks > 0,
            # Once it was sent, Python keeps the bytes of a text that is not ASCII: to hash it then takes half the time.
            request_sha256=request_sha256(question.request),
            model=reply.model,
            finish_reason=reply.finish_reason,
            status=reply.status,
            input_tokens=reply.input_tokens,
            output_tokens=reply.output_tokens,
            attempt=attempt,
            latency_seconds=latency_of(reply),
            fence=question.fence,
            leaks=question.leaks,
            run=self._services.run,
        )

    def _sample_drafts(self, subject: Sample | Bundle) -> list[Draft]:
        """Record the subject beside its first reply or failed try; the ledger leaves out what it holds already."""
        recorded = self._services.recorded
        if subject.digest in recorded:
            return []
        drafts = subject_drafts(subject, recorded)
        for draft in drafts:
            recorded[draft.key] = None
        while len(recorded) > _REMEMBERED:
            recorded.pop(next(iter(recorded)))
        return drafts

    def _judge_reply(self, record: ReplyRecord, subject: PreparedSample | PreparedBundle, answer: Answer) -> Answer:
        """Judge a reply that is durable; its judgement follows from it, so that nobody need wait for its commit."""
        judgement = derive_judgement(record, self._builder.checker, subject, self._judge.identity)
        draft = judgement_draft(record, judgement, self._key(record.task), self._services.run)
        self._services.writer.leave([draft])
        return msgspec.structs.replace(answer, judgement=judgement)
