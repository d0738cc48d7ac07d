"""Count what a run would ask, without asking anything."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import msgspec

from venire.config import Settings
from venire.domain.completeness import Combination, missing_combinations
from venire.domain.sample import Sample
from venire.errors import InputError
from venire.inputs.problems import OnProblem
from venire.inputs.reader import kind_of_input
from venire.inputs.tables.columns import SampleColumns
from venire.inputs.tables.rows import read_rows
from venire.judges.panel import FREE_KINDS, Judge
from venire.ledger.entry import Kind
from venire.ledger.location import is_missing_file, open_ledger
from venire.ledger.store import Ledger
from venire.runner.call import estimate
from venire.runner.context import RunSpec
from venire.runner.plan import make_plan
from venire.runner.records import judgement_key, read_judgement, terms_digest
from venire.runner.stop import StopSignal
from venire.runner.task import FIRST, RETEST, Task, is_canary, reasks_of
from venire.shapes.registry import shape_of
from venire.workflows.instruments.anchors import JuryAnchors, apart_from, read_anchors, with_canaries
from venire.workflows.judge import read_outputs, spec_of


class JudgePlan(msgspec.Struct):
    """What a run would ask of one judge."""

    tasks: int = 0
    """All tasks, retests included."""
    done: int = 0
    """Tasks whose reply the ledger holds already."""
    retests: int = 0
    """Tasks that are asked a second time for consistency."""
    canaries: int = 0
    """Tasks on anchors, which tell whether the judge has changed."""
    reasks: int = 0
    """How often the judge is asked again at most, if its replies are invalid and the run asks again then."""
    self_judged: int = 0
    """Tasks on the judge's own model."""
    leaks: int = 0
    """Outputs that name their own model."""
    input_tokens: int = 0
    """About how many tokens the open requests have, if every reply is invalid."""
    output_tokens: int = 0
    """How many tokens the open replies may have at most."""
    cost: float | None = 0.0
    """What the open tasks cost at most, if every reply is invalid; None if that is not known, for want of a price."""


def plan(settings: Settings, on_problem: OnProblem = None) -> dict[str, JudgePlan]:
    """Count what a run would ask, what is done already, and what the rest may cost at most."""
    exists = settings.ledger != "memory:" and not is_missing_file(settings.ledger)
    ledger = open_ledger(settings.ledger, read_only=True) if exists else None
    anchors = read_anchors(settings)
    spec = apart_from(spec_of(settings, on_problem), anchors)
    jury = None
    if settings.config.jury is not None:
        from venire.workflows.jury.rounds import spec_of_whole  # They import NumPy.
        from venire.workflows.jury.terms import prepare_jury

        prepared = prepare_jury(settings, spec, settings.config.jury)
        spec, jury = spec_of_whole(spec, prepared), JuryAnchors(prepared.id, len(prepared.outputs))
    try:
        if anchors is not None:
            with closing(make_plan(spec, StopSignal())) as made:
                spec = with_canaries(spec, anchors, made, ledger, settings.canary_share, jury)
        plans = {judge.name: plan_judge(judge, spec, ledger) for judge in spec.judges}
    finally:
        if ledger is not None:
            ledger.close()
    leave_unpriced(plans, settings)
    return plans


def leave_unpriced(plans: dict[str, JudgePlan], settings: Settings) -> None:
    """Say of judges without a price that their cost is not known."""
    for judge in settings.judges:
        counted = plans.get(judge.name, JudgePlan())
        may_cost = counted.input_tokens and judge.kind not in FREE_KINDS
        if may_cost and settings.config.judges[judge.name].price is None:
            counted.cost = None


def add_plans(first: JudgePlan, second: JudgePlan) -> JudgePlan:
    """Add up two plans of one judge; a cost that is not known stays so."""
    summed = {
        name: getattr(first, name) + getattr(second, name) for name in JudgePlan.__struct_fields__ if name != "cost"
    }
    is_known = first.cost is not None and second.cost is not None
    return JudgePlan(**summed, cost=(first.cost or 0.0) + (second.cost or 0.0) if is_known else None)


class Recognised(msgspec.Struct, frozen=True):
    """What the columns of a table were taken for, and the first sample that came of it."""

    columns: dict[str, str]
    """The column of each field."""
    notes: tuple[str, ...]
    """The columns that are kept as notes of the sample, and that no judge is shown."""
    lacking: tuple[str, ...]
    """The fields without a column by which reports compare outputs, and the task if judges see nothing of it."""
    example: Sample
    """The first sample."""
    path: str
    """The table, as the configuration names it."""


_WANTED = ("target_model", "question_id", "task")


def recognise(settings: Settings) -> Recognised | None:
    """Return what was recognised in the first good row of a table; None for folders, bundles, pairs and ledgers."""
    path, samples = settings.samples_path, settings.samples
    is_of_samples = shape_of(settings.protocol).judges == "sample" and not settings.samples_ledger
    if not is_of_samples or settings.judges_collected or kind_of_input(path) != "table":
        return None
    terms = settings.material_terms
    columns = SampleColumns(samples.columns, settings.factors, id_from_row=samples.id_from_row, materials=terms)
    rows = read_rows(path, on_problem=lambda _: None, encoding=samples.encoding, may_nest=columns.may_nest)
    for row in columns.decide(rows):
        if columns.lacking(row):
            continue
        try:
            found = columns.samples(row)
        except InputError:
            continue
        fields = columns.recognised(row)
        lacking = tuple(
            field for field in _WANTED if field not in fields and not (field == "task" and found[0].materials)
        )
        return Recognised(fields, tuple(columns.kept_as_notes(row)), lacking, found[0], samples.path)
    return None


def lacks_pattern(settings: Settings) -> bool:
    """Tell whether samples are files whose names say neither model nor question, for want of a pattern."""
    is_of_files = shape_of(settings.protocol).judges == "sample" and not settings.samples_ledger
    if not is_of_files or settings.judges_collected or settings.samples.pattern is not None:
        return False
    return kind_of_input(settings.samples_path) == "folder"


def planned_samples(settings: Settings) -> Iterator[Sample]:
    """Yield the samples that a run would put before its judges, those of bundles too."""
    yield from read_outputs(settings, lambda _: None)


def without_samples(settings: Settings) -> tuple[Combination, ...]:
    """Return the combinations of question, variant and model that have no sample; a bundle has a design of its own."""
    if shape_of(settings.protocol).needs_design:
        return ()
    samples = planned_samples(settings)
    return tuple(missing_combinations((each.question_id, each.prompt_variant, each.target_model) for each in samples))


def plan_judge(judge: Judge, spec: RunSpec, ledger: Ledger | None) -> JudgePlan:
    """Count what a run would ask of one judge; the ledger is None where there is none yet."""
    counted, cost, builder, options = JudgePlan(), 0.0, spec.builder(judge), spec.options
    terms = terms_digest(builder.checker.terms, judge.identity)
    for task, subject in spec.work_of(judge):
        counted.tasks += 1
        is_first = task.repeat == FIRST
        counted.retests += task.repeat == RETEST
        counted.canaries += is_canary(task.repeat)
        counted.self_judged += is_first and any(map(judge.identity.is_judging_itself, subject.target_models))
        counted.leaks += is_first and builder.as_seen(subject)[1] > 0
        asked = [task, *reasks_of(task, options.reask_invalid)]
        still = list(_still_to_ask(asked, ledger, terms) if ledger is not None else asked)
        counted.done += task not in still
        counted.reasks += len(still) - (task in still)
        if still:
            tokens = estimate(builder.build(task, subject).request)
            counted.input_tokens += tokens.input * len(still)
            counted.output_tokens += tokens.output * len(still)
            cost += judge.price.cost(tokens.input, tokens.output) * len(still)
    counted.cost = cost
    return counted


def _still_to_ask(asked: list[Task], ledger: Ledger, terms: str) -> Iterator[Task]:
    """Yield a task and those that follow from invalid replies, from the first on that the ledger does not answer."""
    for task in asked:
        if ledger.find(Kind.REPLY, task.id) is None:
            yield task
            continue
        if task is asked[-1]:
            return
        judged = ledger.find(Kind.JUDGEMENT, judgement_key(task.id, terms))
        if judged is not None and read_judgement(judged).judgement.valid:
            return
