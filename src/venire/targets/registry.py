"""Makes targets by name: what a judge can have, and functions, programs and endpoints."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from venire.judges.provider import Provider
from venire.judges.registry import create_provider, known_kinds
from venire.targets.whole_answers import WholeAnswers

OWN_KINDS = {
    "command": "venire.targets.command",
    "http": "venire.targets.http_endpoint",
    "python": "venire.targets.python_function",
}
"""The kinds that only targets can have, and where each is; a module is imported only when it is used."""
_IN_ENVELOPES = frozenset({"anthropic_compatible", "openai_compatible"})
"""Kinds whose text stands in an envelope that breaks where an answer is cut."""
_JUDGES_ONLY = frozenset({"matching", "rules"})
"""Judges that judge a sample and can answer nothing else."""


def target_kinds() -> tuple[str, ...]:
    """Return the names that `create_target` takes, sorted."""
    return tuple(sorted({*OWN_KINDS, *known_kinds()} - _JUDGES_ONLY))


def create_target(kind: str, options: Mapping[str, Any]) -> Provider:
    """Make the provider of a target of this kind; raises `ConfigError` for wrong options and missing packages."""
    if kind not in OWN_KINDS:
        provider = create_provider(kind, options)
        return WholeAnswers(provider) if kind in _IN_ENVELOPES else provider
    created: Provider = importlib.import_module(OWN_KINDS[kind]).create(options)
    return created
