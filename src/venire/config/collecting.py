"""From `collect:` to a design and targets that are ready."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from venire.config.collect_file import CollectConfig, Parameters, PromptConfig, TargetConfig
from venire.config.file import JudgeConfig, SamplesConfig, VenireConfig
from venire.config.provider_options import SERVERS, provider_options, told_options
from venire.config.secrets import need_keys_of, refuse_secrets
from venire.domain.canonical import sha256_hex
from venire.errors import ConfigError
from venire.judges.panel import JudgeLimits, Price
from venire.judges.presets import PRESETS
from venire.targets.design import CollectDesign, PromptPart, PromptVariant
from venire.targets.python_function import function_file
from venire.targets.registry import OWN_KINDS, target_kinds
from venire.targets.target import Target
from venire.targets.template import parse_template
from venire.words.said import say
from venire.yaml_source import Place, YamlSource

_AT: Place = ("collect",)
_FILE_ENDINGS = (".md", ".txt")
_RESERVED = frozenset({"case", "variant", "target"})
_OF_KIND = {"python": ("function",), "command": ("command",), "http": ("url",)}
"""What a target of a kind must say."""


class CollectSettings(msgspec.Struct, frozen=True):
    """A collection that is ready to be run."""

    config: CollectConfig
    """What the file says."""
    design: CollectDesign
    """What is crossed."""
    targets: tuple[Target, ...]
    """Whoever is asked."""
    cases: SamplesConfig
    """Where the cases are; without a path there is one case without variables."""


def read_collecting(
    config: VenireConfig, folder: Path, source: YamlSource, environment: Mapping[str, str], *, need_keys: bool
) -> CollectSettings | None:
    """Check what is collected; raises `ConfigError` with the line. None if nothing is."""
    given = config.collect
    if given is None:
        return None
    enabled = {name: target for name, target in given.targets.items() if target.enabled}
    if not enabled:
        raise ConfigError("error.collect.no_target", where=source.where((*_AT, "targets")))
    if not given.prompts:
        raise ConfigError("error.collect.no_prompt", where=source.where((*_AT, "prompts")))
    design = _design(given, config.factors, folder, source)
    targets = tuple(_target(name, target, config, folder, source) for name, target in enabled.items())
    if need_keys:
        need_keys_of({name: _as_judge(each) for name, each in enabled.items()}, environment, source, _targets())
    return CollectSettings(given, design, targets, _cases(given.cases, source))


def _cases(given: Any, source: YamlSource) -> SamplesConfig:
    if given is None or isinstance(given, str):
        return SamplesConfig(given or "")
    try:
        return msgspec.convert(given, SamplesConfig)
    except msgspec.ValidationError as error:
        raise ConfigError("error.collect.cases", where=source.where((*_AT, "cases")), reason=str(error)) from None


def _targets(*more: str) -> Place:
    return (*_AT, "targets", *more)


def _design(given: CollectConfig, columns: tuple[str, ...], folder: Path, source: YamlSource) -> CollectDesign:
    variants = []
    for name, prompt in given.prompts.items():
        place: Place = (*_AT, "prompts", name)
        written = prompt if isinstance(prompt, PromptConfig) else PromptConfig(prompt)
        if not written.text.strip():
            raise ConfigError("error.collect.empty_prompt", where=source.where(place), name=name)
        where = source.where(place)
        system = _part(written.system, where) if written.system.strip() else None
        variants.append(PromptVariant(name, _part(written.text, where), system, written.factors))
    levels = {}
    for factor, texts in given.factors.items():
        place = (*_AT, "factors", factor)
        if not texts or factor in _RESERVED:
            raise ConfigError("error.collect.factor", where=source.where(place), name=factor)
        levels[factor] = {name: _part(text, source.where((*place, name))) for name, text in texts.items()}
    return CollectDesign(tuple(variants), levels, columns, given.repeats, given.only, folder)


def _part(text: str, where: str) -> PromptPart:
    is_file = "\n" not in text.strip() and text.strip().endswith(_FILE_ENDINGS)
    return PromptPart(parse_template(text.strip() if is_file else text.rstrip("\n"), where), is_file)


def _target(name: str, given: TargetConfig, config: VenireConfig, folder: Path, source: YamlSource) -> Target:
    place = _targets(name)
    known = target_kinds()
    if given.type not in known:
        near = difflib.get_close_matches(given.type, known, n=1)
        hint = say("error.config.judge_type_near.hint", near=near[0], known=known) if near else ""
        where = source.where((*place, "type"))
        raise ConfigError(
            "error.collect.target_type", where=where, hint=hint, target=name, found=given.type, known=known
        )
    if given.type in SERVERS and not given.model:
        raise ConfigError("error.collect.target_model", where=source.where(place), target=name)
    for field in _OF_KIND.get(given.type, ()):
        if not getattr(given, field):
            raise ConfigError("error.collect.target_field", where=source.where(place), target=name, field=field)
    refuse_secrets(name, _as_judge(given), source, _targets())
    options, version = _options(name, given, config, folder, source)
    return Target(
        name=name,
        kind=given.type,
        model=given.model,
        options=options,
        version={**version, **({"label": given.version} if given.version else {})},
        parameters=_parameters(config.collect.parameters if config.collect else Parameters(), given.parameters),
        price=given.price or Price(),
        limits=given.limits or _as_judge(given).chosen_limits,
        sees_case=given.type in OWN_KINDS,
    )


def _parameters(of_all: Parameters, own: Parameters) -> dict[str, Any]:
    merged: dict[str, Any] = {**msgspec.to_builtins(of_all), **msgspec.to_builtins(own)}
    return merged


def _options(
    name: str, given: TargetConfig, config: VenireConfig, folder: Path, source: YamlSource
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what the provider is made with, and what of it could change its answers."""
    seconds = given.timeout_seconds or config.runner.timeout_seconds
    limits = {"timeout_seconds": seconds, "max_reply_bytes": config.runner.max_reply_bytes}
    if given.type == "python":
        file = function_file(given.function, str(folder))
        told = {"function": given.function, **({"file": _digest(file)} if file else {})}
        return {"function": given.function, "folder": str(folder), "timeout_seconds": seconds, **given.options}, told
    if given.type == "command":
        files = {part: _digest(folder / part) for part in given.command if (folder / part).is_file()}
        options = {"command": list(given.command), "folder": str(folder), **limits, **given.options}
        return options, {"command": list(given.command), "files": files}
    if given.type == "http":
        asked = {"url": given.url, "headers": given.headers, "body": given.body, "answer": given.answer}
        more = {"insecure_http": True} if config.runner.insecure_http else {}
        connections = (given.limits or JudgeLimits()).concurrency
        return {**asked, **limits, "max_connections": connections, **more, **given.options}, asked
    judge = _as_judge(given)
    options = provider_options(name, judge, config.runner, {}, None, folder)
    if given.timeout_seconds:
        options["timeout_seconds"] = seconds
    return options, told_options(judge, options, "", source, _targets(name))


def _digest(file: Path) -> str:
    return sha256_hex(file.read_bytes())


def _as_judge(given: TargetConfig) -> JudgeConfig:
    """Return the target as a judge of the same kind would be configured."""
    preset = PRESETS.get(given.type)
    return JudgeConfig(
        type=given.type,
        model=given.model,
        api_key_env=given.api_key_env,
        base_url=given.base_url,
        family=given.family or (preset.family if preset else ""),
        options=given.options,
        price=given.price,
        limits=given.limits,
    )
