"""Where numbers come from: a ledger, a table of scores, or a configuration whose ledger is meant."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from venire.cli.arguments.language import use_configured
from venire.errors import UsageError

if TYPE_CHECKING:
    from venire.stats.ratings.rollup import RollupPlan


def name_values(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """Read options of the form NAME=VALUE."""
    del context
    found = {}
    for value in values:
        name, equals, other = value.partition("=")
        if not (name and equals and other):
            raise UsageError("error.cli.name_value", option=parameter.opts[0], found=value)
        found[name] = other
    return found


def _scale(
    context: click.Context, parameter: click.Parameter, ends: tuple[float, float] | None
) -> tuple[float, float] | None:
    del context, parameter
    if ends is not None and not ends[0] < ends[1]:
        raise UsageError("error.cli.scale_order", first=f"{ends[0]:g}", second=f"{ends[1]:g}")
    return ends


def table_options(command: Any) -> Any:
    """Give a command the options that say how a table of scores is read."""
    column = click.option(
        "--column", "columns", multiple=True, callback=name_values, metavar="FIELD=COLUMN",
    )  # fmt: skip
    scale = click.option("--scale", type=float, nargs=2, callback=_scale, metavar="LOW HIGH")
    overall = click.option(
        "--overall", default="", metavar="mean|present|sum|DIMENSION",
    )  # fmt: skip
    return column(scale(overall(command)))


def table_choices(options: dict[str, Any]) -> dict[str, Any]:
    """Return the choices that these options make."""
    return {name: options[name] for name in ("columns", "scale", "overall")}


class LocatedSource(NamedTuple):
    """Where numbers come from, and what a configuration says about them."""

    location: str
    """The ledger or table."""
    count_recovered: bool = False
    """Whether the configuration counts recovered judgements."""
    rollup: RollupPlan | None = None
    """How the configuration rolls tests up to one overall score."""


def locate_source(source: str) -> LocatedSource:
    """Return the ledger or table that a source is, or the ledger that it configures."""
    if not source.lower().endswith((".yaml", ".yml")):
        return LocatedSource(source)
    from venire.config import load_settings

    settings = load_settings(Path(source), need_keys=False, renormalise=True)
    use_configured(settings.config.language)
    return LocatedSource(settings.ledger, settings.config.count_recovered, settings.config.rollup)


def version_option(command: Any) -> Any:
    """Add the option that chooses one version of a judge."""
    return click.option("--judge-version", multiple=True, callback=_versions, metavar="[JUDGE=]VERSION")(command)


def _versions(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    return name_values(context, parameter, tuple(value if "=" in value else f"*={value}" for value in values))
