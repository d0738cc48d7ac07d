"""The coverage that an interval is asked for."""

from __future__ import annotations

from venire.errors import UsageError


def require_level(level: float) -> None:
    """Raise `UsageError` unless the level is a share between 0 and 1."""
    if not 0 < level < 1:
        raise UsageError("error.stats.level", found=level)
