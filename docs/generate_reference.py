"""Writes the generated pages of the reference, so that they say what the code says.

Run: python docs/generate_reference.py

`cli.md` comes from the commands' own help, `rules.md` from the catalogue of rules, `protocols.md` from the bundled
protocols,
`configuration.md` from the types that `venire.yaml` is read into, and `statistics.md` from the functions' docstrings.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from configuration_page import configuration_page
from field_sentences import NOTICE, field_sentences, table_cell
from statistics_page import statistics_page

REFERENCE = Path(__file__).resolve().parent / "reference"


def pages() -> dict[str, str]:
    """Return every generated page by its file name."""
    return {
        "cli.md": cli_page(),
        "configuration.md": configuration_page(),
        "protocols.md": protocols_page(),
        "rules.md": rules_page(),
        "statistics.md": statistics_page(),
    }


def cli_page() -> str:
    """Return the help of every command."""
    from venire.cli.main import cli

    os.environ["VENIRE_LANG"] = "en"
    lines = [
        "# The command line",
        NOTICE,
        "",
        "Every command answers `--help`. Exit codes are the same everywhere: 0 fine, 1 findings, 2 wrong usage or",
        "input, 3 interrupted or stopped by a budget: run it again. Results go to standard output; progress, warnings",
        "and errors go to standard error.",
    ]
    for context in _commands(cli, None, "venire"):
        lines += ["", f"## `{context.command_path}`", "", "```text", _help(context), "```"]
    return "\n".join(lines) + "\n"


def _commands(command: click.Command, parent: click.Context | None, name: str) -> Iterator[click.Context]:
    settings = command.context_settings
    context = click.Context(command, parent, name, terminal_width=100, max_content_width=100, **settings)
    yield context
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            if found is not None and not found.hidden:
                yield from _commands(found, context, inner)


def _help(context: click.Context) -> str:
    return "\n".join(line.rstrip() for line in context.command.get_help(context).splitlines())


def rules_page() -> str:
    """Return every rule in both languages, grouped by what it looks at."""
    from venire.domain.flag import Flag
    from venire.domain.rule import RULES
    from venire.words.language import languages

    lines = [
        "# Rules · 规则",
        NOTICE,
        "",
        "Every finding names one of these rules. `venire check --explain RULE` prints a rule in the terminal.",
        "Sources are sections of the documents that the rules come from: *sample* is the judge protocol for single",
        "samples, *bundle* the one for bundles of files, *quality* the multi-judge quality system.",
        "",
        "A rule with a flag makes a judgement invalid. A rule without one leaves a note, and the judgement stands.",
        "Under the profile `seed` some rules ask for less: see [validity](../explanation/validity.md).",
        "",
        "## Flags",
        "",
        "| flag | raised for |",
        "|---|---|",
    ]
    lines += [f"| `{name}` | {words} |" for name, words in field_sentences(Flag).items()]
    group = ""
    for rule in RULES.values():
        if rule.id.partition(".")[0] != group:
            group = rule.id.partition(".")[0]
            lines += ["", f"## {group}", "", "| rule | flag | what it says | source |", "|---|---|---|---|"]
        flag = f"`{rule.flag.value}`" if rule.flag else "note"
        says = "<br>".join(table_cell(rule.says(language)) for language in languages())
        lines.append(f"| `{rule.id}` | {flag} | {says} | {table_cell(rule.source)} |")
    return "\n".join(lines) + "\n"


def protocols_page() -> str:
    """Return the bundled protocols in both languages."""
    from venire.protocols.catalogue import bundled_ids, find_protocol

    lines = [
        "# Bundled protocols · 内置协议",
        NOTICE,
        "",
        "A protocol is data: `venire protocol show ID --yaml` prints its file. How to write or change one:",
        "[write a protocol](../how-to/write-a-protocol.md).",
    ]
    for protocol_id in bundled_ids():
        lines += _protocol(find_protocol(protocol_id))
    return "\n".join(lines) + "\n"


def _protocol(protocol: Any) -> list[str]:
    lines = ["", f"## {protocol.id}", "", f"Version {protocol.version}, digest `{protocol.digest}`.", ""]
    overall = "sum of the scores" if protocol.overall.rule == "sum" else "mean weighted by category"
    lines.append(f"- overall score: the {overall}, in `{protocol.overall.field}`")
    if protocol.verdict:
        rule = protocol.verdict
        lines.append(f"- verdict: FAIL up to {rule.fail_at_most:g}, PASS from {rule.pass_at_least:g}, else PARTIAL")
    lines += [f"- gate: if `{gate.dimension}` has the lowest score, so must all others" for gate in protocol.gates]
    evidence = {
        "every_dimension": "at least one quote for every dimension",
        "nonzero_scores": "a quote for every score above the lowest",
        "none": "none",
    }[protocol.evidence.required]
    ellipsis = "" if protocol.evidence.allow_ellipsis else ", without any ellipsis"
    lines.append(f"- evidence: {evidence}{ellipsis}")
    if protocol.design:
        lines.append(f"- bundle: {len(protocol.design.cells)} files named `{protocol.design.file_pattern}`")
    if protocol.salvage:
        lines.append("- salvage: scores may be recovered from replies that are not strict JSON")
    for language, heading in (("en", "English"), ("zh", "中文")):
        lines += ["", f"### {protocol.id}: {heading}", *_wording(protocol, language)]
    if protocol.categories:
        lines += [
            "",
            f"### {protocol.id}: categories · 类别",
            "",
            "| id | English | 中文 | weights |",
            "|---|---|---|---|",
        ]
        for category in protocol.categories:
            weights = ", ".join(f"`{name}` {weight:.0%}" for name, weight in category.weights.items())
            lines.append(f"| `{category.id}` | {category.name['en']} | {category.name['zh']} | {weights} |")
    return lines


def _wording(protocol: Any, language: str) -> list[str]:
    from venire.judges.prompt import level_line

    words = {
        "en": ("Source", "Scale", "integers", "decimals allowed", "worded for Venire"),
        "zh": ("来源", "标尺", "整数", "可用小数", "由 Venire 撰写"),
    }[language]
    lines = ["", f"**{protocol.title[language]}**. {words[0]}: {protocol.source[language]}", ""]
    lines += [f"> {line}".rstrip() for line in protocol.instructions[language].strip().splitlines()]
    for scale in protocol.scales:
        numbers = words[2] if scale.integer else words[3]
        lines += ["", f"{words[1]} `{scale.id}` ({scale.minimum:g}–{scale.maximum:g}, {numbers}):", ""]
        lines += [f"- {level_line(scale, level, text[language], language)}" for level, text in scale.levels.items()]
    for dimension in protocol.dimensions:
        lines += ["", f"**`{dimension.id}` {dimension.name[language]}**: {dimension.asks[language]}"]
        if dimension.levels:
            ours = f" ({words[4]})" if dimension.levels_are_ours else ""
            lines += ["", *(f"- {level}: {text[language]}{ours}" for level, text in dimension.levels.items())]
    return lines


def main() -> None:
    """Write the pages that have changed."""
    for name, text in pages().items():
        path = REFERENCE / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"wrote {path}\n")


if __name__ == "__main__":
    main()
