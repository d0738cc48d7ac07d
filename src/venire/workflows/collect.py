"""Collect outputs from targets, going on where an earlier run has stopped."""

from __future__ import annotations

import asyncio
from contextlib import closing
from itertools import islice
from pathlib import Path

from venire.config import Settings
from venire.errors import InputError
from venire.inputs.cases import own_columns
from venire.inputs.first_places import FirstPlaces
from venire.inputs.problems import OnProblem
from venire.runner.collecting.run import CollectJob, CollectResult, run_collection
from venire.runner.collecting.spec import CollectSpec
from venire.runner.loop import OnEvent, not_begun
from venire.runner.plan import make_plan
from venire.runner.stop import StoppedError, StopSignal
from venire.targets.design import TURN, CrossedDesign
from venire.workflows.collecting.spec import collect_spec, need_collecting, planned_cases
from venire.workflows.ledgers import run_ledger
from venire.workflows.open_engine import open_target_engine

_TRIED = 3
"""How many cases are written in all wordings before anything else is done, so that a fault in a prompt is told soon."""


def unused_columns(settings: Settings) -> tuple[str, ...]:
    """Write the first prompts, and return the columns of the cases that nothing uses.

    Raises `ConfigError` for a variable without a column and for a prompt that cannot be read, before anything is asked.
    """
    collecting = need_collecting(settings)
    first = list(islice(planned_cases(settings, lambda _: None), _TRIED))
    used = CrossedDesign(collecting.design, lambda: iter(first)).check(first) | {TURN}
    if any(target.sees_case for target in collecting.targets):
        return ()
    used |= {name for part in collecting.design.only for name in part} | set(settings.factors)
    columns = dict.fromkeys(name for case in first for name in case.values)
    return tuple(name for name in columns if name not in used | own_columns(columns, collecting.cases.columns))


async def collect(
    settings: Settings,
    *,
    stop: StopSignal | None = None,
    on_event: OnEvent = lambda _: None,
    on_problem: OnProblem = None,
) -> CollectResult:
    """Collect what a configuration asks for, going on where an earlier run has stopped.

    All cases are read before a target is asked and before a ledger is made. Raises `InputError` if there is nothing to
    collect or two outputs would share a name. What another run is asking at this moment is left to it.
    """
    stop = stop or StopSignal()
    unused_columns(settings)  # What is wrong with prompts is told before anything else.
    spec = collect_spec(settings, on_problem)
    try:
        await asyncio.to_thread(_check_names, spec, settings, stop)
        with closing(await asyncio.to_thread(make_plan, spec, stop)) as plan:
            if not plan.tasks:
                raise InputError("error.collect.nothing_planned", where=str(settings.folder / _cases_path(settings)))
            async with open_target_engine(settings) as engine, run_ledger(settings, stop, on_event) as ledger:
                return await run_collection(spec, ledger, engine, plan=plan, stop=stop, on_event=on_event)
    except StoppedError as stopped:
        return not_begun(CollectJob(spec), stopped.reason)


def _cases_path(settings: Settings) -> Path:
    return Path(need_collecting(settings).cases.path)


def _check_names(spec: CollectSpec, settings: Settings, stop: StopSignal) -> None:
    """Raise `InputError` if two planned outputs would have the same output_id."""
    with closing(FirstPlaces()) as places:
        for target in spec.targets:
            for planned in spec.outputs(target):
                stop.check()
                place = planned.place
                told = ", ".join((place.case, place.variant, *place.factors.values(), place.target))
                if first := places.note(place.output_id, told):
                    where = settings.source.where(("collect",))
                    raise InputError(
                        "error.collect.same_name", where=where, name=place.output_id, first=first, second=told
                    )
