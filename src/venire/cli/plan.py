"""`venire plan`: what a run would ask, what is done already, and what the rest may cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from venire.cli.arguments.command import HelpedCommand
from venire.cli.arguments.language import report_words
from venire.cli.arguments.settings import (
    config_argument,
    id_from_row_option,
    load,
    once,
    print_problems,
    renormalise_option,
)
from venire.cli.collecting.plan import print_collection_plan
from venire.cli.terminal.printing import echo, open_console, print_line
from venire.domain.hidden import show_controls
from venire.event_loop import run_async

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from venire.config import Settings
    from venire.errors import InputError
    from venire.reports.words import ReportWords
    from venire.workflows.plan import JudgePlan, Recognised


@click.command(cls=HelpedCommand)
@config_argument
@renormalise_option
@id_from_row_option
@click.option("--samples", is_flag=True)
@click.option("--difference", type=float, metavar="POINTS")
@click.option("--spread", type=float, metavar="POINTS")
def plan(
    config: Path, renormalise: bool, id_from_row: bool, samples: bool, difference: float | None, spread: float | None
) -> int:
    """Show what would be asked, without asking anything."""
    from venire.cli.terminal.tables import column_table
    from venire.reports.sections.summary import missing_note
    from venire.workflows.open_engine import check_providers, key_variable
    from venire.workflows.plan import lacks_pattern, planned_samples, recognise, without_samples
    from venire.workflows.plan import plan as make_plan

    settings = load(config, renormalise=renormalise, id_from_row=id_from_row, need_keys=False, need_judges=False)
    words = report_words()
    problems: list[InputError] = []
    if settings.collecting is not None:
        is_collected = print_collection_plan(settings, words)
        if not settings.judges or (settings.judges_collected and not is_collected):
            return 0
    without_key = run_async(check_providers(settings))
    try:
        plans = make_plan(settings, once(problems))
    finally:
        print_problems(problems)
    found = [plans[judge.name] for judge in settings.judges]
    table = column_table(
        words("plan.title", protocol=settings.protocol.id),
        [judge.name for judge in settings.judges],
        {
            "weight": [f"{judge.weight:.3g}" for judge in settings.judges],
            "tasks": [each.tasks for each in found],
            "done": [each.done for each in found],
            "open": [each.tasks - each.done for each in found],
            "retests": [each.retests for each in found],
            **({"canaries": [each.canaries for each in found]} if settings.config.canaries else {}),
            "reasks": [f"≤{each.reasks}" for each in found],
            "self": [each.self_judged for each in found],
            "leaks": [each.leaks for each in found],
            "tokens_in": [f"~{each.input_tokens}" for each in found],
            "tokens_out": [f"≤{each.output_tokens}" for each in found],
            "cost": [words("unknown") if each.cost is None else f"≤{each.cost:.4g}" for each in found],
        },
        words,
    )
    console = open_console()
    if found_columns := recognise(settings):
        _print_recognised(console, found_columns, words)
    elif lacks_pattern(settings):
        print_line(console, words("plan.no_pattern", path=settings.samples.path))
    console.print(table)
    _print_total(console, plans, words)
    for judge in without_key:
        line = words("plan.no_key", judge=judge.name, variable=key_variable(judge))
        print_line(console, line)
    if settings.config.jury is not None:
        _print_jury(console, settings, plans, words)
    if settings.asks_voir_dire:
        _print_voir_dire(console, settings, words)
    for line in _power_lines(settings, difference, spread, words):
        print_line(console, line)
    if missing := without_samples(settings):
        print_line(console, words.sentence(missing_note(missing)))
    for each in planned_samples(settings) if samples else ():
        echo(f"{each.output_id}\t{each.question_id}\t{each.prompt_variant}\t{each.target_model}")
    return 1 if problems else 0


def _power_lines(
    settings: Settings, difference: float | None, spread: float | None, words: ReportWords
) -> Iterator[str]:
    """Say which difference the planned questions find, and how many questions a stated one needs."""
    from venire.workflows.comparison.planned_power import GUESSED_SPREAD, HIGHEST, planned_power

    found = planned_power(settings, difference, spread)
    if found is None or found.effect.value is None:
        return
    what, stated = words(f"plan.compared.{found.factor}"), f"{difference or 0:g}"
    if found.spread is None or found.points is None or found.points.value is None:
        guessed = found.effect.value * GUESSED_SPREAD
        numbers = {"points": f"{guessed:.2g}", "spread": f"{GUESSED_SPREAD:g}"}
        code = "plan.finds_guess" if guessed < HIGHEST else "plan.finds_none"
        yield words(code, questions=found.questions, what=what, **numbers)
        if found.needed is not None:
            yield words("plan.needs_guess", difference=stated, count=int(found.needed.value or 0))
        return
    source = words("plan.spread_judged", judged=found.judged) if found.judged else words("plan.spread_given")
    numbers = {"points": f"{found.points.value:.2f}", "spread": f"{found.spread:.2f}"}
    yield words("plan.finds", questions=found.questions, what=what, source=source, **numbers)
    if found.needed is not None:
        known = found.needed.value is not None
        needed = int(found.needed.value or 0)
        yield words("plan.needs", difference=stated, count=needed) if known else words.of(found.needed.reason)


def _print_recognised(console: Console, found: Recognised, words: ReportWords) -> None:
    """Say which column was taken for what, with the first sample as an example."""
    taken = [words("plan.column", field=field, column=name) for field, name in found.columns.items()]
    lines = [words("plan.recognised", columns=words("comma").join(taken))]
    if found.notes:
        lines.append(words("plan.notes", columns=words("list").join(map(repr, found.notes))))
    if found.lacking:
        lines += [words(f"plan.no_{field}") for field in found.lacking]
        lines.append(words("plan.name_column", path=found.path, field=found.lacking[0]))
    sample = found.example
    shown = [("task", sample.task), *((each.id, each.text) for each in sample.materials), ("text", sample.text)]
    lines.append(words("plan.example", name=sample.output_id))
    lines += [f"  {name}: {_beginning(text)}" for name, text in shown if text]
    for line in lines:
        print_line(console, show_controls(line))


def _beginning(text: str) -> str:
    line = " ".join(text[:200].split())
    return line if len(line) <= 80 else f"{line[:79]}…"


def _print_voir_dire(console: Console, settings: Settings, words: ReportWords) -> None:
    """Say what the voir dire would ask beside the outputs."""
    from venire.cli.terminal.tables import column_table
    from venire.workflows.instruments.voir_dire import plan_voir_dire

    plans = plan_voir_dire(settings)
    found = list(plans.values())
    columns: dict[str, list[str | int]] = {
        "tasks": [each.tasks for each in found],
        "done": [each.done for each in found],
        "open": [each.tasks - each.done for each in found],
        "tokens_in": [f"~{each.input_tokens}" for each in found],
        "tokens_out": [f"≤{each.output_tokens}" for each in found],
        "cost": [words("unknown") if each.cost is None else f"≤{each.cost:.4g}" for each in found],
    }
    battery = settings.config.voir_dire.battery
    print_line(console, words("plan.voir_dire", battery=battery))
    console.print(column_table("", list(plans), columns, words))
    _print_total(console, plans, words)


def _print_jury(console: Console, settings: Settings, plans: dict[str, JudgePlan], words: ReportWords) -> None:
    """Say what an adaptive jury is expected to be asked, and what is supposed for it."""
    from venire.workflows.jury.plan import expect_jury

    if settings.config.jury is None:
        return
    found = expect_jury(settings, settings.config.jury, plans)
    known = words("plan.jury.cost_unknown") if found.cost is None else words("plan.jury.cost", cost=f"{found.cost:.4g}")
    print_line(console, words("plan.jury.expected", asks=round(found.asks), cost=known))
    if found.estimates and found.first:
        told = {"first": round(found.first), "share": words.number(found.first / found.asks, "share")}
        print_line(console, words("plan.jury.first", **told))
    if found.begun:
        basis = words("plan.jury.by_replies")
    elif found.estimates:
        basis = words("plan.jury.supposed_spread", points=f"{found.supposed:.1f}")
    else:
        basis = words("plan.jury.supposed_share", share=words.number(found.supposed, "share"))
    print_line(console, basis)


def _print_total(console: Console, plans: dict[str, JudgePlan], words: ReportWords) -> None:
    open_tasks = sum(each.tasks - each.done for each in plans.values())
    reasks = sum(each.reasks for each in plans.values())
    again = words("plan.again", reasks=reasks) if reasks else ""
    known = sum(each.cost or 0.0 for each in plans.values())
    without = [name for name, each in plans.items() if each.cost is None]
    if not without:
        cost = words("plan.cost", cost=f"{known:.4g}") if known or not open_tasks else words("plan.cost_nothing")
    elif len(without) == len(plans):
        cost = words("plan.cost_unknown", judges=words("list").join(without))
    else:
        cost = words("plan.cost_partly", cost=f"{known:.4g}", judges=words("list").join(without))
    print_line(console, words("plan.total", tasks=open_tasks, again=again, cost=cost))
