"""What a run tells while it is under way: one event for each task, and counts by judge."""

from __future__ import annotations

import math
from typing import Any, Literal

import msgspec

from venire.domain.flag import Severity
from venire.domain.judgement import Judgement, Method, Status
from venire.runner.budget import shown_money
from venire.runner.task import FIRST, is_canary, is_probe
from venire.runner.worker import Answer
from venire.words.said import say

MOST_REASONS = 50
"""How many different reasons for failures are counted apart."""
OTHER_REASONS = say("run.other_reasons")
"""What the rest of them is counted under."""


class Event(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that happened in a run."""

    event: Literal[
        "waiting",
        "workers",
        "run_opened",
        "answered",
        "failed",
        "postponed",
        "asking_again",
        "paused",
        "stopping",
        "run_closed",
    ]
    """What happened."""
    judge: str = ""
    """The judge, for tasks."""
    sample: str = ""
    """The sample, for tasks."""
    repeat: str = ""
    """Which repeat of the task it was."""
    status: str = ""
    """Whether the judgement is valid, for tasks that were answered."""
    overall: float | None = None
    """The overall score, for tasks that were answered."""
    reason: str = ""
    """Why a task failed or is asked again later, a judge is paused, or the run waits or ends; what befell workers."""
    cause: str = ""
    """The reason in fewer words, by which failures are counted together."""
    was_done: bool = False
    """Whether the reply was in the ledger already."""
    calls: int = 0
    """How many requests the task took."""
    cost: float = 0.0
    """What the task cost."""
    details: dict[str, Any] = {}
    """Counts and settings, when a run opens or closes."""
    run: str = ""
    """The id of the run, when it opens or closes."""


class RuleCount(msgspec.Struct):
    """How many replies broke a rule, and the first place that did."""

    sample: str
    """The sample of the first reply."""
    pointer: str
    """Where in that reply, as a JSON pointer; empty for the reply as a whole."""
    expected: str
    """What the rule asks for there."""
    found: str
    """What stands there instead."""
    replies: int = 0
    """How many replies broke it."""


class FailureCount(msgspec.Struct):
    """How many tasks failed for a cause, and the first of them."""

    reason: str
    """Why the first one failed, in full."""
    tasks: int = 0
    """How many failed."""


class AskedCounts(msgspec.Struct):
    """How far a judge or a target has come."""

    done: int = 0
    """Tasks that are answered, in this run or an earlier one."""
    was_done: int = 0
    """Of these, tasks whose reply was in the ledger already."""
    failed: int = 0
    """Tasks that could not be made to be answered."""
    calls: int = 0
    """Requests, those of tasks that were left unfinished too; known at the end of the run."""
    tokens: int = 0
    """Tokens of the same."""
    cost: float = 0.0
    """Money for the same."""
    failures: dict[str, FailureCount] = {}
    """Why tasks have failed, by cause; the rarest are put together if there are many."""
    unreadable: dict[str, int] = {}
    """Answers that were empty, web pages or otherwise not of the protocol, by what was wrong with them.

    Those of tasks that were answered in the end, or asked again later, are among them.
    """

    @property
    def shown_cost(self) -> str:
        """The money with all its digits."""
        return shown_money(self.cost)

    def add_unreadable(self, reasons: tuple[str, ...]) -> None:
        """Count answers that could not be read."""
        for reason in reasons:
            known = reason if reason in self.unreadable or len(self.unreadable) < MOST_REASONS else OTHER_REASONS
            self.unreadable[known] = self.unreadable.get(known, 0) + 1

    def note(self, answer: Any) -> None:
        """Count of an answer what it takes to say whether to go on; of targets nothing does."""

    def add_failure(self, cause: str, reason: str) -> None:
        """Count a task that failed."""
        self.failed += 1
        is_known = cause in self.failures or len(self.failures) < MOST_REASONS
        if not is_known:
            cause = reason = OTHER_REASONS
        self.failures.setdefault(cause, FailureCount(reason)).tasks += 1


class JudgeCounts(AskedCounts):
    """How far a judge has come."""

    valid: int = 0
    """Valid judgements."""
    invalid: int = 0
    """Invalid judgements."""
    invalid_now: int = 0
    """Of the invalid ones, those that this run asked for."""
    broken: dict[str, RuleCount] = {}
    """The rules that invalid replies broke."""
    recovered: int = 0
    """Recovered judgements."""
    primary: int = 0
    """Judgements that primary numbers are made of: valid, not on the judge's own model, not asked again."""
    retests: int = 0
    """Tasks that were asked a second time for consistency."""
    canaries: int = 0
    """Anchors that were judged again; they stay out of primary numbers."""
    self_judged: int = 0
    """Judgements on the judge's own model or its kin; they stay out of primary numbers."""
    leaks: int = 0
    """Outputs that name their own model."""
    misstated: int = 0
    """Judgements that count on the computed overall score because the stated one does not follow from the scores."""

    def add(self, answer: Answer) -> None:
        """Count one answer."""
        judgement = answer.judgement
        if judgement is None:
            self.add_failure(answer.cause, answer.failure)
            return
        self.done += 1
        self.was_done += answer.was_done
        self.valid += judgement.status is Status.VALID
        if judgement.status is Status.INVALID:
            self.invalid += 1
            self.invalid_now += not answer.was_done
            self._count_rules(judgement, answer.sample)
        self.recovered += judgement.status is Status.RECOVERED
        repeat, is_self = answer.task.repeat, judgement.method is Method.SELF_JUDGE
        is_retest = repeat.startswith("retest")
        self.primary += judgement.valid and not (is_self or is_retest or is_probe(repeat))
        self.canaries += is_canary(repeat)
        self.retests += is_retest
        self.self_judged += is_self
        self.leaks += bool(answer.leaks) and repeat == FIRST
        self.misstated += judgement.misstates_overall

    def note(self, answer: Answer) -> None:
        """Count of an answer what `reason_to_pause` looks at."""
        if answer.judgement is not None and not answer.was_done:
            self.done += 1
            self.invalid_now += answer.judgement.status is Status.INVALID

    def _count_rules(self, judgement: Judgement, sample: str) -> None:
        broken = {each.rule: each for each in reversed(judgement.all_findings) if each.severity is Severity.VIOLATION}
        for name, first in broken.items():
            known = self.broken.setdefault(name, RuleCount(sample, first.pointer, first.expected, first.found))
            known.replies += 1


def event_of(answer: Answer, *, is_last: bool = True) -> Event:
    """Return the event of an answer, or of a task that failed and is asked again at the end of the run."""
    task, judgement = answer.task, answer.judgement
    failed: Literal["failed", "postponed"] = "failed" if is_last else "postponed"
    return Event(
        failed if judgement is None else "answered",
        judge=task.judge,
        sample=answer.sample,
        repeat=task.repeat,
        status=judgement.status.value if judgement else "",
        overall=judgement.overall if judgement else None,
        reason=answer.failure,
        cause=answer.cause,
        was_done=answer.was_done,
        calls=answer.calls,
        cost=answer.cost,
    )


FIRST_REPLIES = 20
"""After how many replies of a run it is first looked whether they are worth their money."""
_Z = 1.959963984540054  # of a two-sided interval at 95 %


def reason_to_pause(counts: JudgeCounts) -> str:
    """Say why a judge is paused; empty while it is not. Only replies that this run asked for count.

    It is paused if the lower end of Wilson's interval of the invalid share (Wilson 1927, J. Am. Stat. Assoc. 22, 209)
    is above one half: from 15 of 20 on.
    """
    replies, invalid = counts.done - counts.was_done, counts.invalid_now
    if replies < FIRST_REPLIES or 2 * invalid <= replies or lower_bound(invalid, replies) <= 0.5:
        return ""
    return say("run.invalid_replies", invalid=invalid, replies=replies)


def lower_bound(hits: int, trials: int) -> float:
    """Return the lower end of Wilson's 95 % interval of a share.

    >>> round(lower_bound(14, 20), 3), round(lower_bound(15, 20), 3)
    (0.481, 0.531)
    """
    share, weight = hits / trials, _Z**2 / trials
    spread = _Z * math.sqrt(share * (1 - share) / trials + weight / (4 * trials))
    return (share + weight / 2 - spread) / (1 + weight)
