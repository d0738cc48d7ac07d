"""The argument that commands on a run share: the configuration file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from venire.cli.arguments.language import use_configured, words
from venire.cli.terminal.printing import echo, mark

if TYPE_CHECKING:
    from venire.errors import InputError

_MOST_PROBLEMS = 20

config_argument = click.argument(
    "config", type=click.Path(path_type=Path), default=Path("venire.yaml"), metavar="[CONFIG]"
)
"""The configuration file; `venire.yaml` in this folder unless another is named."""

renormalise_option = click.option("--renormalise", is_flag=True)

id_from_row_option = click.option("--id-from-row", is_flag=True)


def load(
    config: Path,
    *,
    renormalise: bool = False,
    need_keys: bool = True,
    insecure_http: bool = False,
    id_from_row: bool = False,
    need_judges: bool = True,
) -> Any:
    """Load the configuration, saying so where weights were rescaled."""
    from msgspec.structs import replace

    from venire.config import load_settings

    settings = load_settings(
        config,
        renormalise=renormalise,
        need_keys=need_keys,
        insecure_http=insecure_http,
        need_judges=need_judges,
    )
    use_configured(settings.config.language)
    if renormalise:
        listed = [f"{judge.name} {judge.weight:.4g}" for judge in settings.judges]
        echo(words()("weights.rescaled_to", weights=listed), err=True)
    if id_from_row:
        samples = replace(settings.samples, id_from_row=True)
        settings = replace(settings, config=replace(settings.config, samples=samples))
    return settings


def once(problems: list[InputError]) -> Callable[[InputError], None]:
    """Return what collects problems, each once, although every judge reads the samples for itself."""
    seen: set[str] = set()

    def collect(problem: InputError) -> None:
        if str(problem) not in seen:
            seen.add(str(problem))
            problems.append(problem)

    return collect


def warn(problem: InputError, *, advise: bool = True) -> None:
    """Print a problem; names in it may have been chosen by somebody else, for a terminal to obey."""
    echo(mark(words()("warning"), "yellow"), f" {problem.said(words(), advise=advise)}", err=True)


def print_problems(problems: list[InputError]) -> None:
    """Print the first problems with the samples, each advice once, and how many more there are."""
    advised: set[str] = set()
    for problem in problems[:_MOST_PROBLEMS]:
        warn(problem, advise=problem.hint not in advised)
        advised.add(problem.hint)
    if len(problems) > _MOST_PROBLEMS:
        echo(words()("problems.more", count=len(problems) - _MOST_PROBLEMS), err=True)
