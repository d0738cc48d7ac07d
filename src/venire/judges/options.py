"""Reads a provider's options from configuration, with errors that name the key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from venire.errors import ConfigError
from venire.words.said import say
from venire.yaml_source import locate_error

if TYPE_CHECKING:
    from collections.abc import Mapping

T = TypeVar("T", bound=msgspec.Struct)


def read_options(options: Mapping[str, Any], options_type: type[T], kind: str, hint: str = "", **more: object) -> T:
    """Turn a mapping into a provider's options; raises `ConfigError` for unknown keys and wrong types.

    `hint` is the code of a hint that has further values.
    """
    try:
        return msgspec.convert(dict(options), options_type)
    except msgspec.ValidationError as error:
        raise ConfigError(
            "error.judge.options",
            where=say("error.judge.of_kind", kind=kind),
            hint=hint,
            reason=_reason(error),
            kind=kind,
            known=tuple(field.encode_name for field in msgspec.structs.fields(options_type)),
            **more,
        ) from None


def _reason(error: msgspec.ValidationError) -> str:
    place, message = locate_error(error)
    at = ".".join(map(str, place))
    return say("error.config.at", problem=message, place=at) if at else message
