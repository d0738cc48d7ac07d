"""One task, done once: asked until answered, committed before it is read, judged, committed again."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable

import msgspec

from venire.domain.judgement import Judgement
from venire.domain.sample import Bundle, Sample
from venire.judges.provider import Provider, Reply
from venire.ledger.entry import Draft, Kind
from venire.ledger.group_commit import GroupCommit
from venire.ledger.store import Ledger
from venire.runner.ask import Question, Questioner
from venire.runner.breaker import Breaker
from venire.runner.budget import BudgetMeter
from venire.runner.limits import JudgeLimiter
from venire.runner.records import (
    ReplyRecord,
    attempt_draft,
    derive_judgement,
    judgement_draft,
    judgement_key,
    not_asked_draft,
    reply_draft,
    request_sha256,
)
from venire.runner.retry import RetryPolicy, decide
from venire.runner.task import FIRST, Task, again


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


class BudgetReachedError(Exception):
    """The next call might exceed the budget; the message says which part of it."""


class Clerk(msgspec.Struct, frozen=True):
    """What all judges of a run share."""

    ledger: Ledger
    """Where replies are looked up."""
    resuming: bool
    """Whether the ledger held replies when the run began; if not, there is nothing to look up."""
    writer: GroupCommit
    """Where everything is committed."""
    budget: BudgetMeter
    """What may be spent."""
    policy: RetryPolicy
    """How patient the run is."""
    reask_invalid: int
    """How often a judge is asked again after an invalid reply."""
    chance: random.Random
    """Where the jitter of pauses comes from."""
    sleep: Callable[[float], Awaitable[None]]
    """How the run waits."""


class Bench:
    """One judge at work: answers tasks within its limits."""

    def __init__(
        self, questioner: Questioner, provider: Provider, clerk: Clerk, limiter: JudgeLimiter, breaker: Breaker
    ) -> None:
        self._questioner = questioner
        self._judge = questioner.judge
        self._provider = provider
        self._clerk = clerk
        self._limiter = limiter
        self._breaker = breaker
        self._stored_samples: dict[str, None] = {}

    async def answer(self, task: Task, subject: Sample | Bundle) -> list[Answer]:
        """Answer a task, and the tasks that follow from an invalid reply where re-asking is on."""
        answers = [await self._answer_once(task, subject)]
        for number in range(1, self._clerk.reask_invalid + 1):
            judgement = answers[-1].judgement
            if judgement is None or judgement.valid or task.repeat != FIRST:
                break
            answers.append(await self._answer_once(again(task, f"reask-{number}"), subject))
        return answers

    async def _answer_once(self, task: Task, subject: Sample | Bundle) -> Answer:
        known = self._clerk.ledger.find(Kind.REPLY, task.id) if self._clerk.resuming else None
        if known is not None:
            record = msgspec.convert(known.content, ReplyRecord)
            return await self._judge_reply(record, subject, Answer(task, _name(subject), was_done=True))
        if self._breaker.given_up:
            reason = f"not asked: {self._breaker.given_up}"
            await self._clerk.writer.append([not_asked_draft(task, reason)])
            return Answer(task, _name(subject), failure=reason)
        return await self._ask(task, subject, self._questioner.question(task, subject))

    async def _ask(self, task: Task, subject: Sample | Bundle, question: Question) -> Answer:
        clerk, number, tokens, cost = self._clerk, 0, 0, 0.0
        while True:
            number += 1
            reply = await self._call(question)
            used = (reply.input_tokens or 0) + (reply.output_tokens or 0)
            tokens += used
            cost += self._judge.price.cost(reply.input_tokens or 0, reply.output_tokens or 0)
            drafts = [attempt_draft(task, number, reply, fence=question.fence, leaks=question.leaks)]
            if reply.text is not None:
                self._breaker.succeeded()
                self._limiter.succeeded()
                record = self._record(task, question, reply)
                await clerk.writer.append([*self._sample_drafts(subject), *drafts, reply_draft(record, reply.body)])
                answer = Answer(
                    task,
                    _name(subject),
                    calls=number,
                    tokens=tokens,
                    cost=cost,
                    leaks=question.leaks,
                    latency_seconds=reply.latency_seconds,
                )
                return await self._judge_reply(record, subject, answer, question)
            await clerk.writer.append(drafts)
            decision = decide(reply, number, clerk.policy, clerk.chance.random())
            if reply.error_kind == "rate_limited":
                self._limiter.refused()
            if decision.action == "retry":
                await self._wait(decision.wait_seconds, pause_judge=decision.pause_judge)
                continue
            reason = f"{reply.error} ({number} {'try' if number == 1 else 'tries'})"
            if decision.action == "give_up_judge":
                self._breaker.give_up(reason)
            else:
                self._breaker.failed(reason)
            return Answer(task, _name(subject), failure=reason, calls=number, tokens=tokens, cost=cost)

    async def _call(self, question: Question) -> Reply:
        request, judge, budget = question.request, self._judge, self._clerk.budget
        expected_input = (len(request.user.encode("utf-8", "replace")) + len(request.system)) // 4
        expected = expected_input + judge.decoding.max_tokens
        money = judge.price.cost(expected_input, judge.decoding.max_tokens)
        exceeded = budget.reserve(money, expected)
        if exceeded:
            raise BudgetReachedError(exceeded)
        used_input = used_output = 0
        try:
            await self._limiter.acquire(expected)
            try:
                reply = await self._provider.ask(request)
                used_input, used_output = reply.input_tokens or 0, reply.output_tokens or 0
            finally:
                self._limiter.release(expected_tokens=expected, actual_tokens=used_input + used_output)
        finally:
            budget.settle(money, expected, judge.price.cost(used_input, used_output), used_input + used_output)
        return reply

    async def _wait(self, seconds: float, *, pause_judge: bool) -> None:
        if pause_judge:
            self._limiter.pause(seconds)
        else:
            await self._clerk.sleep(seconds)

    def _record(self, task: Task, question: Question, reply: Reply) -> ReplyRecord:
        return ReplyRecord(
            task=task,
            text=reply.text or "",
            asked_model=self._judge.model,
            handle=question.request.handle,
            masked=self._judge.mask_identity and question.leaks > 0,
            request_sha256=request_sha256(question.request),
            model=reply.model,
            finish_reason=reply.finish_reason,
            status=reply.status,
            input_tokens=reply.input_tokens,
            output_tokens=reply.output_tokens,
        )

    def _sample_drafts(self, subject: Sample | Bundle) -> list[Draft]:
        """Record the subject beside its first reply; the ledger leaves out what it holds already."""
        if subject.digest in self._stored_samples:
            return []
        self._stored_samples[subject.digest] = None
        if len(self._stored_samples) > 1024:
            self._stored_samples.pop(next(iter(self._stored_samples)))
        return [sample_draft(subject)]

    async def _judge_reply(
        self, record: ReplyRecord, subject: Sample | Bundle, answer: Answer, question: Question | None = None
    ) -> Answer:
        question = question or self._questioner.question(record.task, subject)
        judgement = derive_judgement(record, self._questioner.checker, question.subject, self._judge.identity)
        key = judgement_key(record.task.id, judgement)
        if not answer.was_done or self._clerk.ledger.find(Kind.JUDGEMENT, key) is None:
            await self._clerk.writer.append([judgement_draft(record.task, judgement)])
        return msgspec.structs.replace(answer, judgement=judgement, leaks=question.leaks)


def sample_draft(subject: Sample | Bundle) -> Draft:
    """Record a sample, or a bundle with its samples, under its digest."""
    kind = "bundle" if isinstance(subject, Bundle) else "sample"
    return Draft(Kind.SAMPLE, {kind: subject}, subject.digest)


def _name(subject: Sample | Bundle) -> str:
    return subject.output_id if isinstance(subject, Sample) else subject.name
