"""Keys come from the environment and from nowhere else: what stands in a configuration goes into the ledger."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from venire.config.file import JudgeConfig
from venire.domain.judge import fold_name
from venire.errors import ConfigError
from venire.judges.presets import PRESETS
from venire.yaml_source import Place, YamlSource

_SECRET_OPTIONS = frozenset(
    {"accesstoken", "apikey", "apitoken", "authorization", "key", "password", "secret", "token", "xapikey"}
)
"""Names of options that hold secrets, in small letters and without signs."""
_VARIABLE_NAME = re.compile(r"[A-Z][A-Z0-9]{0,30}(_[A-Z0-9]{1,30}){1,6}|[A-Z]{1,20}")
"""What a variable is usually called; anything else under `api_key_env` may be a key and is not repeated."""


def refuse_secrets(name: str, judge: JudgeConfig, source: YamlSource, place: Place = ("judges",)) -> None:
    """Raise `ConfigError` for an option that holds a secret by its name; its value is not repeated."""
    for option in _secret_options(judge.options):
        where = source.where((*place, name, "options", *option))
        raise ConfigError("error.config.secret_option", where=where, judge=name, option=".".join(option))


def need_keys_of(
    judges: Mapping[str, JudgeConfig],
    environment: Mapping[str, str],
    source: YamlSource,
    place: Place = ("judges",),
) -> None:
    """Raise `ConfigError` for the first judge whose key is not in the environment."""
    for name, judge in judges.items():
        preset = PRESETS.get(judge.type)
        variable = judge.api_key_env or (preset.api_key_env if preset else None)
        if not variable or environment.get(variable, "").strip():
            continue
        where = source.where((*place, name, "api_key_env"))
        if _VARIABLE_NAME.fullmatch(variable):
            raise ConfigError("error.config.no_key", where=where, judge=name, variable=variable)
        raise ConfigError("error.config.key_or_variable", where=where, judge=name)


def _secret_options(options: Mapping[Any, Any]) -> Iterator[tuple[str, ...]]:
    """Yield where options, or mappings among them, have a name under which a secret is kept."""
    for name, value in options.items():
        if fold_name(str(name)) in _SECRET_OPTIONS:
            yield (str(name),)
        elif isinstance(value, dict):
            yield from ((str(name), *inner) for inner in _secret_options(value))
