"""Count what a collection would ask, without asking anything."""

from __future__ import annotations

from itertools import islice

import msgspec

from venire.config import Settings
from venire.inputs.problems import OnProblem
from venire.ledger.entry import Kind
from venire.ledger.location import is_missing_file, open_ledger
from venire.ledger.store import Ledger
from venire.runner.call import estimate
from venire.runner.collecting.spec import CollectSpec
from venire.runner.collecting.worker import request_of
from venire.targets.target import Target
from venire.workflows.collecting.spec import collect_spec

_LOOKED_UP = 256
"""How many tasks are looked up together."""


class TargetPlan(msgspec.Struct):
    """What a collection would ask of one target."""

    tasks: int = 0
    """All outputs of the design."""
    done: int = 0
    """Outputs that the ledger holds already."""
    input_tokens: int = 0
    """About how many tokens the open requests have; answers of earlier turns are not known and not counted."""
    output_tokens: int = 0
    """How many tokens the open outputs may have at most."""
    cost: float | None = 0.0
    """What the open outputs cost at most; None if that is not known, for want of a price."""


def plan_collection(settings: Settings, on_problem: OnProblem = None) -> dict[str, TargetPlan]:
    """Count what a collection would ask, what is there already, and what the rest may cost at most."""
    exists = settings.ledger != "memory:" and not is_missing_file(settings.ledger)
    ledger = open_ledger(settings.ledger, read_only=True) if exists else None
    spec = collect_spec(settings, on_problem)
    try:
        plans = {target.name: _plan_target(target, spec, ledger) for target in spec.targets}
    finally:
        if ledger is not None:
            ledger.close()
    given = settings.collecting.config.targets if settings.collecting else {}
    for target in spec.targets:
        counted = plans[target.name]
        if counted.input_tokens and target.kind != "local" and given[target.name].price is None:
            counted.cost = None
    return plans


def _plan_target(target: Target, spec: CollectSpec, ledger: Ledger | None) -> TargetPlan:
    counted, cost, work = TargetPlan(), 0.0, spec.work_of(target)
    while batch := list(islice(work, _LOOKED_UP)):
        held = ledger.find_all([(Kind.OUTPUT, task.id) for task, _ in batch]) if ledger else {}
        counted.tasks += len(batch)
        counted.done += len(held)
        for task, planned in batch:
            if (Kind.OUTPUT, task.id) in held:
                continue
            for turn in range(1, task.turn + 1):
                tokens = estimate(request_of(target, task, planned, turn, ()))
                counted.input_tokens += tokens.input
                counted.output_tokens += tokens.output
                cost += target.price.cost(tokens.input, tokens.output)
    counted.cost = cost
    return counted
