"""Makes providers by name: built-in ones, presets, and those that other packages bring."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, cast

from venire import plugins
from venire.errors import ConfigError
from venire.judges.presets import PRESETS
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from importlib.metadata import EntryPoint

    from venire.judges.provider import Provider

GROUP = "venire.providers"
"""The entry point group. An entry point is a callable that takes the options and returns a provider."""

_EXTRA_OF_MODULE = {"httptools": "venire", "xllamacpp": "venire[local]"}


def known_kinds() -> tuple[str, ...]:
    """Return the names that `create_provider` takes: presets and entry points, sorted."""
    return tuple(sorted({*PRESETS, *plugins.find(GROUP)}))


def create_provider(kind: str, options: Mapping[str, Any]) -> Provider:
    """Make the provider of this kind; only its own module is imported.

    A preset's name stands for its provider with its options, which the given ones override. Raises `ConfigError`
    for a kind that nobody brings or that several packages bring, for wrong options and for missing packages.
    """
    if kind in PRESETS:
        return create_provider(*PRESETS[kind].chosen(options))
    create = cast("Callable[[Mapping[str, Any]], Provider]", _load(_entry_point(kind)))
    return create(options)


def _entry_point(kind: str) -> EntryPoint:
    claims = plugins.find(GROUP).get(kind, ())
    if len(claims) == 1:
        return claims[0]
    if claims:
        raise ConfigError("error.judge.kind_twice", kind=kind, packages=tuple(point.value for point in claims))
    near = difflib.get_close_matches(kind, known_kinds(), n=1)
    guess = say("error.judge.did_you_mean", kind=near[0]) if near else ""
    raise ConfigError("error.judge.no_kind", kind=kind, guess=guess, known=known_kinds(), group=GROUP)


def _load(point: EntryPoint) -> object:
    try:
        return point.load()
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        wanted = _EXTRA_OF_MODULE.get(missing, missing or point.value)
        raise ConfigError("error.judge.kind_needs", kind=point.name, module=error.name, package=wanted) from error
    except (ImportError, AttributeError) as error:
        raise ConfigError("error.judge.kind_broken", kind=point.name, place=point.value, reason=str(error)) from error
