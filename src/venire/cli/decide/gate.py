"""`venire gate`: let a release pass, or not, by rules about its scores."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from venire.cli.arguments.command import HelpedCommand
from venire.cli.arguments.language import words
from venire.cli.arguments.sources import locate_source, table_choices, table_options
from venire.cli.terminal.files import put_file
from venire.cli.terminal.printing import echo, mark, tell

if TYPE_CHECKING:
    from venire.reports.formats.gate import GateResult, RuleResult

_FILE = click.Path(path_type=Path, dir_okay=False)
_COLOURS = {"passed": "green", "failed": "red", "undecided": "yellow", "not known": "yellow"}


@click.command(cls=HelpedCommand)
@click.argument("rules", type=click.Path(path_type=Path, dir_okay=False))
@click.argument("source", default="venire.yaml", metavar="[LEDGER|CONFIG|TABLE]")
@click.option("--baseline", metavar="LEDGER")
@click.option("--labels", type=_FILE)
@click.option("--junit", type=_FILE)
@click.option("--json", "json_file", type=_FILE)
@click.option("--markdown", type=_FILE)
@click.option("--protocol", default="")
@click.option("--seed", type=int, default=0, show_default=True)
@table_options
def gate(
    rules: Path,
    source: str,
    baseline: str | None,
    labels: Path | None,
    junit: Path | None,
    json_file: Path | None,
    markdown: Path | None,
    protocol: str,
    seed: int,
    **options: Any,
) -> int:
    """Hold scores against rules: minimum and worst score, no drop, shares of bad outputs, agreement, completeness."""
    from venire.reports.formats.gate import gate_json, gate_junit, gate_markdown
    from venire.reports.report import Choices
    from venire.workflows.evidence.label_file import read_labels
    from venire.workflows.gate import hold_against_rules
    from venire.workflows.gates.rules import load_rules

    loaded = load_rules(rules)
    location, recovered, _ = locate_source(source)
    against = locate_source(baseline).location if baseline else None
    level, of_table = loaded.rules.level, table_choices(options)
    choices = Choices(seed=seed, protocol=protocol, count_recovered=recovered, level=level, **of_table)
    given = read_labels(labels) if labels else ()
    result = hold_against_rules(loaded, location, baseline=against, choices=choices, labels=given)
    texts = (gate_junit(result, words()), gate_json(result), gate_markdown(result, words()))
    for path, text in zip((junit, json_file, markdown), texts, strict=True):
        if path is not None:
            put_file(path, text.encode())
    _show(result)
    return 0 if result.passed else 1


def _show(result: GateResult) -> None:
    for each in result.results:
        _show_rule(each)
    known, rules = words(), len(result.results)
    passed = rules - sum(each.blocks for each in result.results)
    state, colour = ("gate.open", "green") if result.passed else ("gate.closed", "red")
    echo(known("gate.gate"), mark(known(state), colour, bold=True), known("gate.totals", passed=passed, rules=rules))


def _show_rule(each: RuleResult) -> None:
    from venire.reports.formats.gate import found_text

    known = words()
    outcome = known(f"gate.outcome.{each.outcome.name.lower()}")
    echo(mark(f"{outcome:9}", _COLOURS[each.outcome.value]), f"  {known.of(each.name)}")
    if each.name != each.expected:
        tell("gate.expected", expected=each.expected)
    allowed = not each.blocks and each.outcome.value not in ("passed", "failed")
    found = known("unknown") if each.found.value is None else found_text(each.found, known)
    tell("gate.found_allowed" if allowed else "gate.found", found=found)
    if each.detail:
        echo(f"           {known.of(each.detail)}")
