"""Who produces outputs: each target with what could change its answers, and how it is asked."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import msgspec

from venire.domain.canonical import digest
from venire.judges.panel import JudgeLimits, Price


class Target(msgspec.Struct, frozen=True, dict=True):
    """One target of a collection: a model or a system."""

    name: str
    """What it is called; reports call it the model of its outputs."""
    kind: str
    """The kind of its provider: what a judge can have, or `python`, `command`, `http`."""
    model: str
    """The model behind it; empty for systems that do not say one."""
    options: dict[str, Any]
    """What its provider is made with; it holds names of environment variables, never keys."""
    version: dict[str, Any]
    """What could change its answers beside the model: options by content, digests of its files, the user's label."""
    parameters: dict[str, Any]
    """The parameters that it is asked with; one with a list of values is a factor."""
    price: Price
    """What it costs."""
    limits: JudgeLimits
    """How hard it may be pressed."""
    sees_case: bool = False
    """Whether it gets the whole case and not only the messages, so that any column may change its answer."""

    attach_files: ClassVar[bool] = False
    """No files are sent beside the messages."""

    @cached_property
    def digest(self) -> str:
        """The id of the target: everything that could change its answers but for the parameters, and nothing else."""
        content = {"name": self.name, "kind": self.kind, "model": self.model, "version": self.version}
        return digest("target", content)
