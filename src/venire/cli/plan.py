"""`venire plan`: what a run would ask, what is done already, and what the rest may cost."""

from __future__ import annotations

from pathlib import Path

import click

from venire.cli.settings import config_argument, load, renormalise_option


@click.command()
@config_argument
@renormalise_option
def plan(config: Path, renormalise: bool) -> None:
    """Show what would be asked, without asking anything.

    Tokens are estimated from the length of the prompts; the cost assumes replies of the greatest length.
    """
    from rich.console import Console
    from rich.table import Table

    from venire.workflows.judge import plan as make_plan

    settings = load(config, renormalise=renormalise, need_keys=False)
    table = Table(box=None, title=f"Plan under {settings.protocol.id}", title_justify="left")
    columns = (
        "judge",
        "weight",
        "tasks",
        "done",
        "open",
        "retests",
        "self",
        "leaks",
        "tokens in",
        "tokens out",
        "cost",
    )
    for column in columns:
        table.add_column(column, justify="left" if column == "judge" else "right")
    plans = make_plan(settings)
    for judge in settings.judges:
        found = plans[judge.name]
        numbers = (found.tasks, found.done, found.tasks - found.done, found.retests, found.self_judged, found.leaks)
        table.add_row(
            judge.name,
            f"{judge.weight:.3g}",
            *map(str, numbers),
            f"~{found.input_tokens}",
            f"≤{found.output_tokens}",
            f"≤{found.cost:.4g}",
        )
    console = Console(highlight=False)
    console.print(table)
    total = sum(found.cost for found in plans.values())
    open_tasks = sum(found.tasks - found.done for found in plans.values())
    console.print(f"{open_tasks} tasks to ask, at most {total:.4g} in the currency of the judges' prices")
