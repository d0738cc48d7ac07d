"""What `venire plan` says of a collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venire.cli.arguments.settings import once, print_problems
from venire.cli.terminal.printing import open_console, print_line
from venire.cli.terminal.tables import column_table

if TYPE_CHECKING:
    from venire.config import Settings
    from venire.errors import InputError
    from venire.reports.words import ReportWords


def print_collection_plan(settings: Settings, words: ReportWords) -> bool:
    """Print what would be collected, and tell whether any output is there for judges to be planned on."""
    from venire.workflows.collect import unused_columns
    from venire.workflows.collecting.plan import plan_collection

    unused_columns(settings)  # What is wrong with prompts is told here too.
    problems: list[InputError] = []
    try:
        plans = plan_collection(settings, once(problems))
    finally:
        print_problems(problems)
    found = list(plans.values())
    table = column_table(
        words("plan.collect_title"),
        list(plans),
        {
            "tasks": [each.tasks for each in found],
            "done": [each.done for each in found],
            "open": [each.tasks - each.done for each in found],
            "tokens_in": [f"~{each.input_tokens}" for each in found],
            "tokens_out": [f"≤{each.output_tokens}" for each in found],
            "cost": [words("unknown") if each.cost is None else f"≤{each.cost:.4g}" for each in found],
        },
        words,
        rows="target",
    )
    console = open_console(highlight=False)
    console.print(table)
    tasks, done = sum(each.tasks for each in found), sum(each.done for each in found)
    if settings.judges_collected and settings.judges and done < tasks:
        judges = len(settings.judges)
        print_line(console, words("plan.judges_later", outputs=tasks, done=done, judges=judges))
    return done > 0
