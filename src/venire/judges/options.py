"""Reads a provider's options from configuration, with errors that name the key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from venire.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

T = TypeVar("T", bound=msgspec.Struct)


def read_options(options: Mapping[str, Any], options_type: type[T], kind: str, hint: str = "") -> T:
    """Turn a mapping into a provider's options; raises `ConfigError` for unknown keys and wrong types."""
    try:
        return msgspec.convert(dict(options), options_type)
    except msgspec.ValidationError as error:
        known = ", ".join(field.encode_name for field in msgspec.structs.fields(options_type))
        raise ConfigError(
            f"the options of this judge are wrong: {error}",
            where=f"judge of kind {kind}",
            hint=f"The options of {kind} are: {known}. {hint}".strip(),
        ) from None
