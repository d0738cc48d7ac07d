"""`venire protocol`: list, show and check protocols, and print the JSON Schema of their replies."""

from __future__ import annotations

import json
from pathlib import Path

import click

from venire.cli.command import HelpedGroup
from venire.cli.terminal.printing import echo, write
from venire.domain.protocol import Dimension, EvalProtocol, Words
from venire.judges.prompt import level_line
from venire.protocols.catalogue import bundled_ids, bundled_text, find_protocol, protocol_text
from venire.protocols.load import load_protocol


@click.group(cls=HelpedGroup)
def protocol() -> None:
    """List, show and check protocols."""


@protocol.command("list")
def list_protocols() -> None:
    """List the protocols that come with Venire."""
    for protocol_id in bundled_ids():
        found = find_protocol(protocol_id)
        echo(f"{protocol_id:<14} {found.digest[:12]}  {found.title['en']} / {found.title['zh']}")


@protocol.command()
@click.argument("name", metavar="ID|FILE")
@click.option("--lang", default="en", show_default=True)
@click.option("--yaml", "as_yaml", is_flag=True)
def show(name: str, lang: str, as_yaml: bool) -> None:
    """Show what a protocol asks and how it is checked."""
    if as_yaml:
        write(protocol_text(name), nl=False)
        return
    found = find_protocol(name)
    if lang not in found.title:
        raise click.BadParameter(f"{found.id!r} speaks {', '.join(found.title)}, not {lang!r}")
    echo("\n".join(_describe(found, lang)))


@protocol.command("check")
@click.argument("file", type=click.Path(dir_okay=False))
def check_file(file: str) -> None:
    """Check a protocol file of your own."""
    found = load_protocol(Path(file), bundled_text)
    count = len(found.dimensions)
    echo(f"{file}: fine. {found.id}, {count} dimensions, shape {found.shape}, digest {found.digest}")


@protocol.command()
@click.argument("name", metavar="ID|FILE")
@click.option("--profile", type=click.Choice(["contract", "seed"]), default="contract", show_default=True)
@click.option("--scale")
@click.option("--category")
@click.option("--blind", is_flag=True)
def schema(name: str, profile: str, scale: str | None, category: str | None, blind: bool) -> None:
    """Print the JSON Schema (2020-12) of a reply."""
    from venire.shapes.check import Checker

    chosen = "seed" if profile == "seed" else "contract"
    checker = Checker(find_protocol(name), profile=chosen, scale=scale, blind=blind)  # type: ignore[arg-type]
    write(json.dumps(checker.schema(category), ensure_ascii=False, indent=2))


def _describe(found: EvalProtocol, lang: str) -> list[str]:
    def say(words: Words) -> str:
        return words[lang]

    lines = [
        f"{found.id} {found.version}: {say(found.title)}",
        f"digest {found.digest}",
        f"source {say(found.source)}",
        "",
        say(found.instructions),
        "",
    ]
    for scale in found.scales:
        numbers = "integers" if scale.integer else "decimals allowed"
        lines.append(f"scale {scale.id} ({scale.minimum:g} to {scale.maximum:g}, {numbers})")
        lines += [f"  {level_line(scale, level, say(words), lang)}" for level, words in scale.levels.items()]
    lines.append("")
    for dimension in found.dimensions:
        lines += _describe_dimension(dimension, lang)
    for category in found.categories:
        weights = ", ".join(f"{name} {weight:.0%}" for name, weight in category.weights.items())
        lines.append(f"category {category.id} ({say(category.name)}): {weights}")
    lines += ["", f"overall: {found.overall.rule} of the scores, in `{found.overall.field}`"]
    if found.verdict:
        rule = found.verdict
        lines.append(f"verdict: FAIL up to {rule.fail_at_most:g}, PASS from {rule.pass_at_least:g}, else PARTIAL")
    lines += [f"gate: if {gate.dimension} is lowest, all others must be" for gate in found.gates]
    lines.append(f"evidence: {found.evidence.required.replace('_', ' ')}")
    if found.design:
        lines.append(f"bundle: {len(found.design.cells)} files, {found.design.file_pattern}")
    return lines


def _describe_dimension(dimension: Dimension, lang: str) -> list[str]:
    lines = [f"{dimension.id} ({dimension.name[lang]})", f"  {dimension.asks[lang]}"]
    return lines + [f"  {level}: {words[lang]}" for level, words in dimension.levels.items()]
