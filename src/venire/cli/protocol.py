"""`venire protocol`: list, show and check protocols, and print the JSON Schema of their replies."""

from __future__ import annotations

import json
from pathlib import Path

import click

from venire.cli.arguments.command import HelpedGroup
from venire.cli.arguments.language import language, use_configured, words
from venire.cli.terminal.printing import echo, tell, write
from venire.domain.protocol import Dimension, EvalProtocol
from venire.errors import UsageError
from venire.judges.prompt import level_line
from venire.protocols.catalogue import bundled_ids, bundled_text, find_protocol, protocol_text
from venire.protocols.load import load_protocol
from venire.words.language import languages


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
@click.option("--lang")
@click.option("--yaml", "as_yaml", is_flag=True)
def show(name: str, lang: str | None, as_yaml: bool) -> None:
    """Show what a protocol asks and how it is checked."""
    if as_yaml:
        write(protocol_text(name), nl=False)
        return
    found = find_protocol(name)
    if lang is not None and lang not in found.title:
        raise UsageError("error.cli.protocol_language", id=found.id, languages=tuple(found.title), found=lang)
    spoken = lang or (language() if language() in found.title else next(iter(found.title)))
    use_configured(spoken if spoken in languages() else language())
    echo("\n".join(_describe(found, spoken)))


@protocol.command("check")
@click.argument("file", type=click.Path(dir_okay=False))
def check_file(file: str) -> None:
    """Check a protocol file of your own."""
    found = load_protocol(Path(file), bundled_text)
    count = len(found.dimensions)
    tell("protocol.fine", file=file, id=found.id, count=count, shape=found.shape, digest=found.digest)


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
    known = words()
    lines = [
        known("protocol.title", id=found.id, version=found.version, title=found.title[lang]),
        known("protocol.digest", digest=found.digest),
        known("protocol.source", source=found.source[lang]),
        "",
        found.instructions[lang],
        "",
    ]
    for scale in found.scales:
        code = "protocol.scale_integers" if scale.integer else "protocol.scale"
        lines.append(known(code, id=scale.id, low=f"{scale.minimum:g}", high=f"{scale.maximum:g}"))
        lines += [f"  {level_line(scale, level, text[lang], lang)}" for level, text in scale.levels.items()]
    lines.append("")
    for dimension in found.dimensions:
        lines += _describe_dimension(dimension, lang)
    for category in found.categories:
        weights = tuple(f"{name} {weight:.0%}" for name, weight in category.weights.items())
        lines.append(known("protocol.category", id=category.id, name=category.name[lang], weights=weights))
    lines += ["", known(f"protocol.overall.{found.overall.rule}", field=found.overall.field)]
    if found.verdict:
        fail, passed = f"{found.verdict.fail_at_most:g}", f"{found.verdict.pass_at_least:g}"
        lines.append(known("protocol.verdict", fail=fail, passed=passed))
    lines += [known("protocol.gate", dimension=gate.dimension) for gate in found.gates]
    lines.append(known(f"protocol.evidence.{found.evidence.required}"))
    if found.design:
        lines.append(known("protocol.bundle", files=len(found.design.cells), pattern=found.design.file_pattern))
    return lines


def _describe_dimension(dimension: Dimension, lang: str) -> list[str]:
    known = words()
    lines = [known("protocol.dimension", id=dimension.id, name=dimension.name[lang]), f"  {dimension.asks[lang]}"]
    return lines + [known("protocol.level", level=level, text=text[lang]) for level, text in dimension.levels.items()]
