"""Makes the page on configuration from the types that `venire.yaml` is read into."""

from __future__ import annotations

import inspect
import re
from typing import Any

import msgspec
from field_sentences import NOTICE, field_sentences
from msgspec import inspect as types


def configuration_page() -> str:
    """Return every key of the configuration, with its type, its default and its sentence."""
    from venire import config
    from venire.distributed.cluster import RayOptions
    from venire.inputs.documents.pdf import PdfLimits
    from venire.judges import endpoint, panel
    from venire.judges.providers import anthropic_compatible, local, openai_compatible, replay, rules
    from venire.judges.rule_judge import checks
    from venire.runner import options
    from venire.stats.ratings import rollup

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
        ("`samples.pdf_limits`", PdfLimits, "PDFs are parsed in a process of their own."),
        ("`judges.NAME`", config.JudgeConfig, ""),
        ("`judges.NAME.price`", panel.Price, "Any currency, the same for all judges."),
        ("`judges.NAME.limits`", panel.JudgeLimits, ""),
        ("`rollup`", rollup.RollupPlan, "See [three judges over ten categories](../how-to/quality-panel.md)."),
        ("`rollup.dimensions.NAME`", rollup.RollupDimension, ""),
        ("`runner`", options.RunnerOptions, ""),
        ("`runner.budget`", options.Budget, ""),
        ("`ray`", RayOptions, "For `engine: ray`; see [run on Ray](../how-to/run-on-ray.md)."),
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
        "plugins bring. `base_url` and `api_key_env` override what a preset says. GLM and MiniMax also speak",
        "OpenAI's format: `options: {format: openai}`.",
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
        address = f"`{preset.base_url}`"
        if preset.openai:
            address += f"; with `format: openai` `{preset.openai['base_url']}`"
        lines.append(f"| `{name}` | {provider} | {address} | {key} | {scale} | {structured} | {documents} |")
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
    sentences = field_sentences(struct)
    for field in fields:
        words = re.sub(r"\bNone\b", "`null`", sentences[field.name])  # as YAML spells it
        lines.append(f"| `{field.encode_name}` | {_type(field.type)} | {_default(field)} | {words} |")
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
        return " or ".join(dict.fromkeys(_type(each) for each in kind.types if not isinstance(each, types.NoneType)))
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
