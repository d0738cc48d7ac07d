"""Asks a jury round by round: each choice is recorded before it is asked, and a killed run goes on where it was."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import Any

import msgspec

from venire.config import Settings
from venire.config.jury_file import JuryConfig
from venire.domain.jury import JuryChoice
from venire.ledger.entry import Draft, Kind
from venire.ledger.store import Ledger
from venire.runner.budget import Spending, left_of
from venire.runner.context import RunSpec
from venire.runner.loop import OnEvent, not_begun
from venire.runner.plan import make_plan
from venire.runner.run import PanelJob, RunResult, run_panel
from venire.runner.stop import StopSignal
from venire.workflows.comparison.active_rounds import merged
from venire.workflows.instruments.anchors import Anchors, JuryAnchors, with_canaries
from venire.workflows.instruments.canary_record import record_evidence
from venire.workflows.jury.recorded import find_jury
from venire.workflows.jury.state import chosen_cells
from venire.workflows.jury.terms import PreparedJury, prepare_jury
from venire.workflows.ledgers import run_ledger
from venire.workflows.open_engine import open_engine

SETTING = "jury"
"""Under which name the opening of a run says which round of which jury it asks."""


async def ask_jury(
    settings: Settings,
    config: JuryConfig,
    spec: RunSpec,
    anchors: Anchors | None,
    stop: StopSignal,
    on_event: OnEvent,
) -> RunResult:
    """Ask round after round until it is enough, the budget is spent, or a stop is asked for.

    Each judge gets its anchors in the first round that asks it. The choices know nothing of them.
    """
    prepared = await asyncio.to_thread(prepare_jury, settings, spec, config)
    result, watched = not_begun(PanelJob(spec), ""), spec
    jury = JuryAnchors(prepared.id, len(prepared.outputs))
    async with open_engine(settings) as engine, run_ledger(settings, stop, on_event) as ledger:
        choice: JuryChoice | None = await asyncio.to_thread(current_round, ledger, prepared)
        while choice is not None:
            asked = spec_of_round(spec, prepared, choice, result.spent)
            if asked.judges:
                with closing(await asyncio.to_thread(make_plan, asked, stop)) as plan:
                    terms = (anchors, plan, ledger, settings.canary_share, jury)
                    asked = await asyncio.to_thread(with_canaries, asked, *terms)
                    ended = await run_panel(asked, ledger, engine, plan=plan, stop=stop, on_event=on_event)
                result = merged(result, ended, spec.options.budget)
                watched = asked if asked.canaries else watched
            if result.stopped:
                break
            choice = await asyncio.to_thread(next_round, ledger, prepared)
        await asyncio.to_thread(record_evidence, ledger, watched)
    return result


def current_round(ledger: Ledger, prepared: PreparedJury) -> JuryChoice:
    """Return the last round that was recorded, which may not be finished; begin with the first if there is none."""
    state = find_jury(ledger, prepared.id)
    if state is not None:
        return state.rounds[-1]
    first = first_round(prepared)
    return _recorded(ledger, first)


def next_round(ledger: Ledger, prepared: PreparedJury) -> JuryChoice | None:
    """Return the round that follows, and record it; None if the jury has been asked enough."""
    state = find_jury(ledger, prepared.id)
    choice = state.next() if state else None
    return _recorded(ledger, choice) if choice else None


def first_round(prepared: PreparedJury) -> JuryChoice:
    """Return the round in which every output gets its first asks."""
    return JuryChoice(
        jury=prepared.id,
        number=0,
        rule="start",
        terms=prepared.terms,
        outputs=prepared.outputs,
        models=prepared.models,
        labels=prepared.labels,
    )


def spec_of_round(spec: RunSpec, prepared: PreparedJury, choice: JuryChoice, spent: Spending) -> RunSpec:
    """Return the run of a round, which may spend what earlier rounds have left; without judges if it asks nothing."""
    asked = _asking(spec, prepared, _asked(choice, prepared))
    return msgspec.structs.replace(
        asked,
        settings={**spec.settings, SETTING: {"id": prepared.id, "round": choice.number}},
        options=msgspec.structs.replace(spec.options, budget=left_of(spec.options.budget, spent)),
    )


def spec_of_whole(spec: RunSpec, prepared: PreparedJury) -> RunSpec:
    """Return a run of all asks of the whole jury: the most that can be asked."""
    outputs, asks = range(len(prepared.outputs)), range(len(prepared.terms.asks))
    return _asking(spec, prepared, ((output, place) for output in outputs for place in asks))


def _asking(spec: RunSpec, prepared: PreparedJury, cells: Iterable[tuple[int, int]]) -> RunSpec:
    chosen: dict[str, dict[str, tuple[str, ...]]] = {}
    asks = prepared.terms.asks
    for output, place in cells:
        of_judge = chosen.setdefault(asks[place].judge, {})
        digest = prepared.outputs[output]
        of_judge[digest] = (*of_judge.get(digest, ()), asks[place].repeat)
    wanted = {digest for of_judge in chosen.values() for digest in of_judge}
    subjects = spec.subjects

    def only_chosen() -> Iterator[Any]:
        seen: set[str] = set()
        for each in subjects():
            if each.digest in wanted and each.digest not in seen:
                seen.add(each.digest)
                yield each

    judges = tuple(judge for judge in spec.judges if judge.name in chosen)
    return msgspec.structs.replace(spec, judges=judges, subjects=only_chosen, chosen=chosen)


def _asked(choice: JuryChoice, prepared: PreparedJury) -> Iterator[tuple[int, int]]:
    if choice.number == 0:
        for output in range(len(prepared.outputs)):
            for place in range(prepared.terms.start):
                yield output, place
    for output, place, *_ in chosen_cells(choice):
        yield output, place


def _recorded(ledger: Ledger, choice: JuryChoice) -> JuryChoice:
    """Record a round, unless another process was quicker; return the one that stands."""
    ledger.append([Draft(Kind.CHOICE, choice, choice.jury)])
    state = find_jury(ledger, choice.jury)
    return state.rounds[choice.number] if state else choice
