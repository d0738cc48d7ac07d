"""What was collected, read as samples: by the design that collected it, or from a ledger alone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

import msgspec

from venire.config import Settings
from venire.domain.material import MaterialKind
from venire.domain.output import Case, OutputState, PromptText, sample_of
from venire.domain.sample import Sample
from venire.errors import InputError, TamperedError
from venire.inputs.problems import OnProblem, tell
from venire.ledger.cases import case_of
from venire.ledger.entry import Kind
from venire.ledger.location import is_missing_file
from venire.ledger.store import Ledger
from venire.runner.collecting.records import OutputRecord, prompt_of
from venire.runner.collecting.task import OutputTask, turn_task
from venire.workflows.collecting.spec import collect_spec
from venire.workflows.ledgers import opened_ledger


def read_collected(settings: Settings, on_problem: OnProblem = None) -> Iterator[Sample]:
    """Yield the outputs of the configured design that its ledger holds; an empty one is told of and never judged."""
    if is_missing_file(settings.ledger):
        raise InputError("error.collect.not_yet", where=settings.samples_shown)
    spec, planned, missing = collect_spec(settings, on_problem), 0, 0
    shows_turns = MaterialKind.TURN in settings.protocol.shown_kinds
    with opened_ledger(settings.ledger, read_only=True) as ledger:
        for target in spec.targets:
            for task, output in spec.work_of(target):
                planned += 1
                answers = answers_of(task, ledger)
                missing += answers is None
                if answers and not answers[-1].strip():
                    name = output.place.output_id
                    tell(InputError("error.collect.empty", where=settings.samples_shown, name=name), on_problem)
                elif answers:
                    yield sample_of(output.place, output.case, output.prompt, answers, shows_turns=shows_turns)
    if planned == missing:
        raise InputError("error.collect.not_yet", where=settings.samples_shown)
    if missing:
        where = settings.samples_shown
        tell(InputError("error.collect.missing", where=where, missing=missing, planned=planned), on_problem)


def answers_of(task: OutputTask, ledger: Ledger) -> tuple[str, ...] | None:
    """Return what a target said in each turn, up to an empty answer; None if the last one is not there."""
    said: list[str] = []
    for number in range(1, task.turn + 1):
        entry = ledger.find(Kind.OUTPUT, turn_task(task, number).id)
        if entry is None:
            return None
        said.append(msgspec.convert(entry.content, OutputRecord).text)
        if not said[-1].strip():
            break
    return tuple(said)


class HeldOutput(NamedTuple):
    """An output with everything that the ledger holds of it."""

    record: OutputRecord
    """What came back, and where it belongs."""
    case: Case
    """The case."""
    prompt: PromptText
    """What the target was sent."""
    answers: tuple[str, ...]
    """What it said in each turn."""
    recorded_at: str
    """When it was recorded."""

    @property
    def state(self) -> OutputState:
        """What was given back."""
        return self.record.state


def held_outputs(ledger: Ledger, last: int) -> Iterator[HeldOutput]:
    """Yield the outputs up to an entry, those of several turns once.

    Raises `TamperedError` if a case or a prompt is missing.
    """

    @lru_cache(maxsize=1024)
    def case(key: str) -> Case:
        entry = ledger.find(Kind.CASE, key)
        if entry is None:
            raise TamperedError("error.ledger.no_case", key=key)
        return case_of(entry, ledger)

    @lru_cache(maxsize=256)
    def prompt(key: str) -> PromptText:
        entry = ledger.find(Kind.PROMPT, key)
        if entry is None:
            raise TamperedError("error.ledger.no_prompt", key=key)
        return prompt_of(entry.blob)

    for entry in takewhile(lambda each: each.sequence <= last, ledger.read(kinds=[Kind.OUTPUT])):
        record = msgspec.convert(entry.content, OutputRecord)
        sent = prompt(record.prompt_digest)
        is_last = record.task.turn == len(sent.turns)
        answers = (record.text,) if len(sent.turns) == 1 else answers_of(record.task, ledger) if is_last else None
        if answers:
            yield HeldOutput(record, case(record.case_digest), sent, answers, entry.recorded_at)


def outputs_in(ledger: Ledger, settings: Settings, last: int) -> Iterator[Sample]:
    """Yield the outputs that a ledger holds, as samples; empty ones too."""
    shows_turns = MaterialKind.TURN in settings.protocol.shown_kinds
    for held in held_outputs(ledger, last):
        yield sample_of(held.record.place, held.case, held.prompt, held.answers, shows_turns=shows_turns)
