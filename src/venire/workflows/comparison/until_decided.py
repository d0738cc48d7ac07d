"""Judging until a comparison is decided: question by question, with a look at the ledger after every few of them.

The looks are those of a confidence sequence, so they may be as many as there are. Questions are taken in an order that
the seed decides: a file that begins with its easy questions would not stand for the rest. Evidence is what the ledger
holds, whichever run has put it there.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Literal

import msgspec

from venire.domain.canonical import digest
from venire.errors import UsageError
from venire.ledger.location import is_missing_file
from venire.reports.evidence import UNTIL_DECIDED
from venire.reports.report import Choices
from venire.runner.budget import left_of
from venire.runner.loop import not_begun
from venire.runner.run import PanelJob, RunResult, run_panel
from venire.runner.stop import StoppedError, StopSignal
from venire.shapes.registry import shape_of
from venire.stats.comparison.score_difference import sequential_score_difference
from venire.stats.comparison.sequential import SequentialDifference
from venire.workflows.comparison.active_rounds import merged
from venire.workflows.comparison.compared_scores import matched_by, scored_samples
from venire.workflows.evidence.from_source import read_evidence
from venire.workflows.judge import read_outputs, spec_of
from venire.workflows.ledgers import run_ledger
from venire.workflows.open_engine import open_engine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from venire.config import Settings
    from venire.domain.sample import Bundle, Sample
    from venire.inputs.problems import OnProblem
    from venire.runner.budget import Spending
    from venire.runner.context import RunSpec
    from venire.runner.loop import OnEvent

_FEWEST = 5
"""How many questions are judged between two looks at least."""
_GROWTH = 0.1
"""How many questions are judged between two looks, as a share of those before."""

Factor = Literal["target_model", "prompt_variant"]
"""What two sides differ in."""


class Sides(msgspec.Struct, frozen=True):
    """What is compared: the difference is second minus first."""

    factor: Factor
    """What the sides differ in."""
    first: str
    """The side that is subtracted."""
    second: str
    """The side that is subtracted from."""

    def has(self, sample: Sample) -> bool:
        """Tell whether a sample belongs to either side."""
        return getattr(sample, self.factor) in (self.first, self.second)


class LastLook(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a comparison when judging ends."""

    sides: Sides
    """What was compared."""
    look: SequentialDifference
    """The difference with an interval that holds at every look."""
    questions: int
    """How many questions have outputs of both sides."""


def choose_sides(settings: Settings, models: tuple[str, str] | None, variants: tuple[str, str] | None) -> Sides:
    """Return what is compared: the two that are named, or the only two models, or the only two variants.

    Raises `UsageError` for names that no output has, and where none are named and there are not two.
    """
    if shape_of(settings.protocol).judges != "sample":
        raise UsageError("error.until.shape", protocol=settings.protocol.id)
    if settings.config.jury is not None:
        raise UsageError("error.jury.until_decided", where=settings.source.where(("jury",)))
    levels: dict[Factor, dict[str, None]] = {"target_model": {}, "prompt_variant": {}}
    for sample in read_outputs(settings, lambda _: None):
        for factor, known in levels.items():
            known[getattr(sample, factor)] = None
    asked: dict[Factor, tuple[str, str] | None] = {"target_model": models, "prompt_variant": variants}
    for factor, named in asked.items():
        if named:
            return _named(factor, named, tuple(levels[factor]))
    for factor, known in levels.items():
        if len(known) == 2:
            first, second = sorted(known)
            return Sides(factor, first, second)
    raise UsageError("error.until.which", models=tuple(levels["target_model"]))


def _named(factor: Factor, named: tuple[str, str], known: tuple[str, ...]) -> Sides:
    for level in named:
        if level not in known:
            raise UsageError("error.compare.no_level", factor=factor, level=level, known=known)
    if named[0] == named[1]:
        raise UsageError("error.compare.same_level", factor=factor, level=named[0])
    return Sides(factor, *named)


async def judge_until_decided(
    settings: Settings,
    sides: Sides,
    *,
    stop: StopSignal | None = None,
    on_event: OnEvent = lambda _: None,
    on_problem: OnProblem = None,
) -> tuple[RunResult, LastLook]:
    """Judge the outputs of both sides, a few questions at a time, until the comparison is decided or none are left.

    What the ledger holds is looked at first: nothing is asked about a comparison that is decided already.
    """
    stop, spec = stop or StopSignal(), spec_of(settings, on_problem)
    questions = await asyncio.to_thread(_questions, spec, sides)
    if not questions:
        raise UsageError("error.until.nothing_shared", first=sides.first, second=sides.second)
    look = await asyncio.to_thread(_look, settings, sides)
    result, judged = not_begun(PanelJob(spec), ""), 0
    if not _goes_on(result, look):
        return result, LastLook(sides=sides, look=look, questions=len(questions))
    try:
        async with open_engine(settings) as engine, run_ledger(settings, stop, on_event) as ledger:
            while _goes_on(result, look) and judged < len(questions):
                size = _round_size(judged, look.difference.n.get("clusters", 0))
                round_of = _round(spec, sides, questions[judged : judged + size], len(questions), result.spent)
                ended = await run_panel(round_of, ledger, engine, stop=stop, on_event=on_event)
                result = merged(result, ended, spec.options.budget)
                judged += size
                look = await asyncio.to_thread(_look, settings, sides)
    except StoppedError as stopped:  # While it waited for another run to let go of the ledger.
        result = not_begun(PanelJob(spec), stopped.reason)
    return result, LastLook(sides=sides, look=look, questions=len(questions))


def _goes_on(result: RunResult, look: SequentialDifference) -> bool:
    return not (result.stopped or look.decided)


def _round_size(judged: int, counted: int) -> int:
    """Return how many questions are next; what another run has judged is gone through at once."""
    return max(_FEWEST, int(_GROWTH * judged) if judged else counted)


def _questions(spec: RunSpec, sides: Sides) -> tuple[str, ...]:
    """Return the questions that both sides answered, in an order that the seed decides."""
    found: dict[str, set[str]] = {}
    for subject in spec.subjects():
        for sample in subject.samples:
            if sides.has(sample):
                found.setdefault(sample.question_id, set()).add(getattr(sample, sides.factor))
    shared = (name for name, levels in found.items() if len(levels) == 2)
    return tuple(sorted(shared, key=lambda name: digest("question-order", [spec.options.seed, name])))


def _round(spec: RunSpec, sides: Sides, questions: tuple[str, ...], of: int, spent: Spending) -> RunSpec:
    """Return the run of some questions, which may spend what earlier ones have left."""
    chosen, subjects = frozenset(questions), spec.subjects

    def only_chosen() -> Iterator[Sample | Bundle]:
        for subject in subjects():
            if any(sides.has(sample) and sample.question_id in chosen for sample in subject.samples):
                yield subject

    settings = {**spec.settings, UNTIL_DECIDED: {"sides": sides, "of_questions": of}}
    options = msgspec.structs.replace(spec.options, budget=left_of(spec.options.budget, spent))
    return msgspec.structs.replace(spec, subjects=only_chosen, settings=settings, options=options)


def _look(settings: Settings, sides: Sides) -> SequentialDifference:
    """Compare what the ledger holds by now."""
    if is_missing_file(settings.ledger):
        return SequentialDifference.not_known()
    choices = Choices(count_recovered=settings.config.count_recovered, protocol=settings.protocol.digest)
    material = read_evidence(settings.ledger, choices)
    if not {sides.first, sides.second} <= {*material.levels(sides.factor)}:
        return SequentialDifference.not_known()
    one, two = (scored_samples(material, "", {sides.factor: level}) for level in (sides.first, sides.second))
    key = matched_by(material, sides.factor)
    return sequential_score_difference(two, one, (key,) if key else (), level=choices.level)
