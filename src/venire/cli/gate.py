"""`venire gate`: let a release pass, or not, by rules about its scores."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from venire.cli.command import HelpedCommand
from venire.cli.sources import locate_source
from venire.cli.terminal.printing import echo, mark

if TYPE_CHECKING:
    from venire.reports.formats.gate import GateResult, RuleResult

_FILE = click.Path(path_type=Path, dir_okay=False)
_COLOURS = {"passed": "green", "failed": "red", "undecided": "yellow", "not known": "yellow"}


@click.command(cls=HelpedCommand)
@click.argument("rules", type=click.Path(path_type=Path, dir_okay=False))
@click.argument("source", default="venire.yaml", metavar="[LEDGER|CONFIG|TABLE]")
@click.option("--baseline", metavar="LEDGER")
@click.option("--junit", type=_FILE)
@click.option("--json", "json_file", type=_FILE)
@click.option("--markdown", type=_FILE)
@click.option("--protocol", default="")
@click.option("--seed", type=int, default=0, show_default=True)
def gate(
    rules: Path,
    source: str,
    baseline: str | None,
    junit: Path | None,
    json_file: Path | None,
    markdown: Path | None,
    protocol: str,
    seed: int,
) -> int:
    """Hold scores against rules: minimum and worst score, no drop, shares of bad outputs, agreement, completeness."""
    from venire.reports.formats.gate import gate_json, gate_junit, gate_markdown
    from venire.reports.report import Choices
    from venire.workflows.gate import hold_against_rules
    from venire.workflows.gates.rules import load_rules

    loaded = load_rules(rules)
    location, recovered, _ = locate_source(source)
    against = locate_source(baseline).location if baseline else None
    choices = Choices(seed=seed, protocol=protocol, count_recovered=recovered, level=loaded.rules.level)
    result = hold_against_rules(loaded, location, baseline=against, choices=choices)
    for path, text in ((junit, gate_junit), (json_file, gate_json), (markdown, gate_markdown)):
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text(result), encoding="utf-8")
    _show(result)
    return 0 if result.passed else 1


def _show(result: GateResult) -> None:
    for each in result.results:
        _show_rule(each)
    blocked = sum(each.blocks for each in result.results)
    state = mark("open", "green", bold=True) if result.passed else mark("closed", "red", bold=True)
    echo("gate ", state, f": {len(result.results) - blocked} of {len(result.results)} rules let it pass")


def _show_rule(each: RuleResult) -> None:
    from venire.reports.formats.gate import found_text

    echo(mark(f"{each.outcome.value:9}", _COLOURS[each.outcome.value]), f"  {each.name}")
    if each.name != each.expected:
        echo(f"           expected {each.expected}")
    allowed = "" if each.blocks or each.outcome.value in ("passed", "failed") else " (allowed by when_unknown)"
    echo(f"           found {found_text(each.found)}{allowed}")
    if each.detail:
        echo(f"           {each.detail}")
