"""Writes the generated pages of the reference, so that they say what the code says.

Run: python docs/generate_reference.py

`cli.md` comes from the commands' own help, `rules.md` from the catalogue of rules, `protocols.md` from the bundled
protocols, and `configuration.md` from the types that `venire.yaml` is read into, with the sentence under each field.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec import inspect as types

REFERENCE = Path(__file__).resolve().parent / "reference"
NOTICE = "<!-- Made by docs/generate_reference.py; change the code, then run it again. -->"


def pages() -> dict[str, str]:
    """Return every generated page by its file name."""
    return {
        "cli.md": cli_page(),
        "configuration.md": configuration_page(),
        "protocols.md": protocols_page(),
        "rules.md": rules_page(),
    }


def cli_page() -> str:
    """Return the help of every command."""
    from venire.cli.main import cli

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
    lines += [f"| `{name}` | {words} |" for name, words in _sentences(Flag).items()]
    group = ""
    for rule in RULES.values():
        if rule.id.partition(".")[0] != group:
            group = rule.id.partition(".")[0]
            lines += ["", f"## {group}", "", "| rule | flag | what it says | source |", "|---|---|---|---|"]
        flag = f"`{rule.flag.value}`" if rule.flag else "note"
        lines.append(f"| `{rule.id}` | {flag} | {_cell(rule.en)}<br>{_cell(rule.zh)} | {_cell(rule.source)} |")
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
    words = {
        "en": ("Source", "Scale", "integers", "decimals allowed", "worded for Venire"),
        "zh": ("来源", "标尺", "整数", "可用小数", "由 Venire 撰写"),
    }[language]
    lines = ["", f"**{protocol.title[language]}**. {words[0]}: {protocol.source[language]}", ""]
    lines += [f"> {line}".rstrip() for line in protocol.instructions[language].strip().splitlines()]
    for scale in protocol.scales:
        numbers = words[2] if scale.integer else words[3]
        lines += ["", f"{words[1]} `{scale.id}` ({scale.minimum:g}–{scale.maximum:g}, {numbers}):", ""]
        lines += [f"- {level}: {text[language]}" for level, text in scale.levels.items()]
    for dimension in protocol.dimensions:
        lines += ["", f"**`{dimension.id}` {dimension.name[language]}**: {dimension.asks[language]}"]
        if dimension.levels:
            ours = f" ({words[4]})" if dimension.levels_are_ours else ""
            lines += ["", *(f"- {level}: {text[language]}{ours}" for level, text in dimension.levels.items())]
    return lines


def configuration_page() -> str:
    """Return every key of the configuration, with its type, its default and its sentence."""
    from venire import config
    from venire.judges import endpoint, panel
    from venire.judges.providers import anthropic_compatible, local, openai_compatible, replay, rules
    from venire.judges.rule_judge import checks
    from venire.runner import options

    lines = [
        "# Configuration: `venire.yaml`",
        NOTICE,
        "",
        "`venire init` writes a commented starter. Unknown keys, wrong types and parts that do not fit together are",
        "errors with the file and line, before anything is asked. Paths are relative to the file. Keys of servers are",
        "never written into it: name the environment variable that holds one.",
    ]
    sections = [
        ("The file", config.VenireConfig, ""),
        ("`samples`", config.SamplesConfig, ""),
        ("`judges.NAME`", config.JudgeConfig, ""),
        ("`judges.NAME.price`", panel.Price, "Any currency, the same for all judges."),
        ("`judges.NAME.limits`", panel.JudgeLimits, ""),
        ("`runner`", options.RunnerOptions, ""),
        ("`runner.budget`", options.Budget, ""),
    ]
    for title, struct, remark in sections:
        lines += _struct_section("## " + title, struct, remark)
    lines += _presets()
    lines += ["", "## `judges.NAME.options`", "", "What a provider takes beyond the keys above; each has its own."]
    given = "`base_url`, `api_key_env`, the time-out and limits come from the keys above."
    providers = [
        ("Every judge behind HTTP", endpoint.EndpointOptions, given, ()),
        ("`openai_compatible`", openai_compatible.OpenAICompatibleOptions, "", endpoint.EndpointOptions),
        ("`anthropic_compatible`", anthropic_compatible.AnthropicCompatibleOptions, "", endpoint.EndpointOptions),
        ("`local`", local.LocalOptions, "", ()),
        ("`replay`", replay.ReplayOptions, "", ()),
        ("`rules`", rules.RulesOptions, "These stand under `rules:`, or in the file that it names.", ()),
    ]
    for title, struct, remark, without in providers:
        lines += _struct_section("### " + title, struct, remark, without)
    lines += ["", "## Checks of a rule judge", "", "See [write a rule judge](../how-to/write-a-rule-judge.md)."]
    common = checks._Check  # noqa: SLF001 - its fields are shared by all checks and shown once
    lines += _struct_section("### Every check", common, "")
    for check in checks.Check.__args__:
        tag = types.type_info(check).tag
        remark = inspect.getdoc(check) or ""
        lines += _struct_section(f"### `check: {tag}`", check, remark, common)
    return "\n".join(lines) + "\n"


def _presets() -> list[str]:
    from venire.judges.presets import PRESETS

    lines = [
        "",
        "## Presets",
        "",
        "What `type` may be, beside `openai_compatible`, `anthropic_compatible`, `rules`, `local`, `replay` and what",
        "plugins bring. `base_url` and `api_key_env` override what a preset says.",
        "",
        "| type | protocol | base_url | key variable | scale | constrained replies | documents |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, preset in PRESETS.items():
        key = f"`{preset.api_key_env}`" if preset.api_key_env else "none"
        scale = f"`{preset.scale}`" if preset.scale else "the first"
        structured = preset.further.get("structured", "none")
        documents = "yes" if preset.takes_documents else "no"
        provider = preset.provider.replace("_", "-")
        lines.append(f"| `{name}` | {provider} | `{preset.base_url}` | {key} | {scale} | {structured} | {documents} |")
    return lines


def _struct_section(title: str, struct: Any, remark: str, without: Any = ()) -> list[str]:
    left_out = {field.name for field in msgspec.structs.fields(without)} if without else set()
    fields = [field for field in types.type_info(struct).fields if field.name not in left_out]
    lines = ["", title]
    if remark:
        lines += ["", remark]
    if not fields:
        return lines
    lines += ["", "| key | what it may be | default | |", "|---|---|---|---|"]
    sentences = _sentences(struct)
    for field in fields:
        lines.append(f"| `{field.encode_name}` | {_type(field.type)} | {_default(field)} | {sentences[field.name]} |")
    return lines


def _default(field: types.Field) -> str:
    if field.required:
        return "**required**"
    value = field.default if field.default is not msgspec.NODEFAULT else field.default_factory()
    if isinstance(value, msgspec.Struct):
        return "as below"
    if value is None or value in ("", (), {}):
        return "none"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _type(kind: types.Type) -> str:
    if isinstance(kind, types.UnionType):
        return " or ".join(_type(each) for each in kind.types if not isinstance(each, types.NoneType))
    if isinstance(kind, types.LiteralType):
        return ", ".join(f"`{value}`" for value in sorted(kind.values))
    if isinstance(kind, (types.IntType, types.FloatType)):
        return ("whole number" if isinstance(kind, types.IntType) else "number") + _bounds(kind)
    if isinstance(kind, (types.VarTupleType, types.ListType)):
        return f"list of {_type(kind.item_type)}"
    if isinstance(kind, types.DictType):
        return "mapping" if isinstance(kind.value_type, types.AnyType) else f"mapping to {_type(kind.value_type)}"
    if isinstance(kind, types.StructType):
        return "check" if kind.tag_field == "check" else "mapping"
    return {types.StrType: "text", types.BoolType: "`true`, `false`", types.AnyType: "any"}[type(kind)]


def _bounds(kind: Any) -> str:
    signs = (("ge", "≥"), ("gt", ">"), ("le", "≤"), ("lt", "<"))
    found = [f"{sign} {getattr(kind, name):g}" for name, sign in signs if getattr(kind, name) is not None]
    return f" {', '.join(found)}" if found else ""


def _sentences(kind: type) -> dict[str, str]:
    """Return the sentence under each field of a class and of those that it inherits from, by field."""
    found: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        if each.__module__.partition(".")[0] != "venire":
            continue
        body = ast.parse(inspect.getsource(each).lstrip()).body[0]
        for statement, after in zip(body.body, body.body[1:], strict=False):  # type: ignore[attr-defined]
            name = _assigned(statement)
            if name and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                found[name] = _cell(" ".join(str(after.value.value).split()))
    return found


def _assigned(statement: ast.stmt) -> str:
    target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
    return target.id if isinstance(target, ast.Name) else ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def main() -> None:
    """Write the pages that have changed."""
    for name, text in pages().items():
        path = REFERENCE / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"wrote {path}\n")


if __name__ == "__main__":
    main()
