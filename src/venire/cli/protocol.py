"""`venire protocol`: list, show and check protocols, and print the JSON Schema of their replies."""

from __future__ import annotations

import json
from pathlib import Path

import click

from venire.cli.arguments.command import HelpedGroup
from venire.cli.arguments.language import language, use_configured, words
from venire.cli.init import starter
from venire.cli.terminal.files import put_file
from venire.cli.terminal.printing import echo, mark, tell, write
from venire.domain.protocol import Dimension, EvalProtocol
from venire.errors import ProtocolError, UsageError
from venire.judges.prompt import level_line
from venire.protocols.catalogue import bundled_ids, bundled_text, find_protocol, protocol_text
from venire.protocols.load import build_protocol, parse_with_lines, read_protocol_text
from venire.protocols.open_questions import find_open_questions
from venire.protocols.rubric_file import read_rubric
from venire.protocols.rubric_markdown import left_out, markdown_text
from venire.words.language import languages
from venire.yaml_source import yaml_text


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
@click.option("--markdown", "as_markdown", is_flag=True)
def show(name: str, lang: str | None, as_yaml: bool, as_markdown: bool) -> None:
    """Show what a protocol asks and how it is checked."""
    if as_yaml:
        write(protocol_text(name), nl=False)
        return
    found = find_protocol(name)
    if lang is not None and lang not in found.title:
        raise UsageError("error.cli.protocol_language", id=found.id, languages=tuple(found.title), found=lang)
    spoken = lang or (language() if language() in found.title else next(iter(found.title)))
    if as_markdown:
        write(markdown_text(found, spoken), nl=False)
        if left := left_out(found):
            tell("protocol.markdown_left_out", keys=left, err=True)
        return
    use_configured(spoken if spoken in languages() else language())
    echo("\n".join(_describe(found, spoken)))


@protocol.command("check")
@click.argument("file", type=click.Path(dir_okay=False))
def check_file(file: str) -> int:
    """Check a protocol file of your own, and say what it leaves open."""
    text = read_protocol_text(Path(file))
    try:
        found, source = parse_with_lines(text, file, bundled_text)
    except ProtocolError as error:
        echo(error.said(words()))
        tell("protocol.problems", count=1 + len(error.further))
        return 1
    for each in find_open_questions(found):
        echo(mark(words()("protocol.open"), "yellow"), f"{source.where(each.place)}: {words().of(each.message)}")
        echo(f"  {words().of(each.hint)}")
    count = len(found.dimensions)
    tell("protocol.fine", file=file, id=found.id, count=count, shape=found.shape, digest=found.digest)
    return 0


@protocol.command("new")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), required=False)
@click.option("--from", "source", type=click.Path(dir_okay=False, path_type=Path), metavar="RUBRIC")
def new_file(file: Path | None, source: Path | None) -> None:
    """Write a rubric in plain words, or turn a rubric in Markdown or CSV into one."""
    path = file or Path(f"{source.stem if source else 'rubric'}.yaml")
    if path.exists():
        raise UsageError("error.cli.init_exists", where=str(path))
    if source is None:
        text = starter("rubric")
        found = parse_with_lines(text, str(path), bundled_text).protocol
    else:
        rubric = read_rubric(source)
        found = build_protocol(rubric, path.stem, bundled_text).protocol
        text = yaml_text(rubric.value)
    put_file(path, text)
    tell("protocol.new", path=str(path), dimensions=found.dimension_ids, scale=found.scale().id)


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
    if found.evidence.cite == "sentences":
        lines.append(known("protocol.cite_sentences"))
    if found.design:
        lines.append(known("protocol.bundle", files=len(found.design.cells), pattern=found.design.file_pattern))
    return lines


def _describe_dimension(dimension: Dimension, lang: str) -> list[str]:
    known, name = words(), dimension.name[lang]
    named = dimension.id if name == dimension.id else known("protocol.dimension", id=dimension.id, name=name)
    lines = [named, f"  {dimension.asks[lang]}"]
    return lines + [known("protocol.level", level=level, text=text[lang]) for level, text in dimension.levels.items()]
