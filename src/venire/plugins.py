"""Finds entry points by group; what Venire brings itself comes in by the same door."""

from __future__ import annotations

import sys
from functools import cache
from importlib.metadata import EntryPoint, entry_points

_BUILT_IN = {
    "venire.providers": {
        "anthropic_compatible": "venire.judges.providers.anthropic_compatible:create",
        "local": "venire.judges.providers.local:create",
        "matching": "venire.judges.providers.matching:create",
        "openai_compatible": "venire.judges.providers.openai_compatible:create",
        "replay": "venire.judges.providers.replay:create",
        "rules": "venire.judges.providers.rules:create",
    },
}
"""The same lines as in the package's metadata, so that a source tree works before it is installed again."""


def find(group: str) -> dict[str, tuple[EntryPoint, ...]]:
    """Return every entry point of a group by name, sorted; nothing is imported.

    A name with more than one entry point is claimed by several packages. That a package lists a built-in
    under its own name and value is no second claim.

    >>> sorted(find("venire.providers"))[:2]
    ['anthropic_compatible', 'local']
    >>> find("venire.nothing")
    {}
    """
    claims: dict[str, dict[str, EntryPoint]] = {}
    built_in = (EntryPoint(name, value, group) for name, value in _BUILT_IN.get(group, {}).items())
    for point in (*built_in, *_installed(group, tuple(sys.path))):
        claims.setdefault(point.name, {}).setdefault(point.value, point)
    return {name: tuple(claims[name].values()) for name in sorted(claims)}


@cache
def _installed(group: str, path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """Look through what is installed on a path, once: it takes as long as some dozen calls of a judge."""
    del path
    return tuple(entry_points(group=group))
