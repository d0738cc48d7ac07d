"""`venire plan`: what a run would ask, what is done already, and what the rest may cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from venire.cli.settings import config_argument, language_option, load, once, print_problems, renormalise_option

if TYPE_CHECKING:
    from venire.errors import InputError


@click.command()
@config_argument
@renormalise_option
@language_option
def plan(config: Path, renormalise: bool, lang: str | None) -> int:
    """Show what would be asked, without asking anything.

    Tokens are estimated from the length of the prompts; the cost assumes replies of the greatest length and, where
    `reask_invalid` asks again after invalid replies, that all are invalid.
    """
    from rich.console import Console

    from venire.cli.tables import column_table
    from venire.reports.wording import Words
    from venire.workflows.plan import plan as make_plan

    settings = load(config, renormalise=renormalise, need_keys=False, lang=lang)
    words = Words(lang or settings.config.language)
    problems: list[InputError] = []
    try:
        plans = make_plan(settings, once(problems))
    finally:
        print_problems(problems, words)
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
            "reasks": [f"≤{each.reasks}" for each in found],
            "self": [each.self_judged for each in found],
            "leaks": [each.leaks for each in found],
            "tokens_in": [f"~{each.input_tokens}" for each in found],
            "tokens_out": [f"≤{each.output_tokens}" for each in found],
            "cost": [f"≤{each.cost:.4g}" for each in found],
        },
        words,
    )
    console = Console(highlight=False)
    console.print(table)
    total = sum(each.cost for each in found)
    open_tasks = sum(each.tasks - each.done for each in found)
    reasks = sum(each.reasks for each in found)
    again = words("plan.again", reasks=reasks) if reasks else ""
    console.print(words("plan.total", tasks=open_tasks, again=again, cost=f"{total:.4g}"))
    return 1 if problems else 0
