"""From a configuration to the engine that its run works on."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from venire.config import Settings
from venire.config.recordings import is_ledger_replayed, replay_ledger
from venire.distributed.executor import RayEngine
from venire.errors import ConfigError
from venire.judges.panel import Judge
from venire.judges.presets import PRESETS
from venire.judges.provider import Provider
from venire.judges.registry import create_provider
from venire.ledger.location import is_shared
from venire.runner.executor import LocalEngine, RunEngine
from venire.targets.registry import create_target
from venire.targets.target import Target
from venire.words.said import say


@asynccontextmanager
async def open_engine(settings: Settings) -> AsyncIterator[RunEngine]:
    """Make the engine ready; raises `ConfigError` before anything is asked.

    The workers of a cluster make their providers themselves, and tell what is wrong with them when they begin.
    """
    if settings.config.engine == "ray":
        yield ray_engine(settings)
        return
    providers = make_providers(settings)
    try:
        yield LocalEngine(providers)
    finally:
        for provider in providers.values():
            await provider.close()


@asynccontextmanager
async def open_target_engine(settings: Settings) -> AsyncIterator[RunEngine]:
    """Make the engine ready that targets are asked on; raises `ConfigError` before anything is asked."""
    targets = settings.collecting.targets if settings.collecting else ()
    places = {target.name: settings.source.where(("collect", "targets", target.name)) for target in targets}
    make_provider = partial(_make_target, places=places)
    if settings.config.engine == "ray":
        yield _ray_engine(settings, make_provider, {key_variable(target) for target in targets}, os.environ)
        return
    providers: dict[str, Provider] = {target.name: make_provider(target) for target in targets}
    try:
        yield LocalEngine(providers)
    finally:
        for provider in providers.values():
            await provider.close()


def _make_target(target: Any, *, places: Mapping[str, str]) -> Provider:
    try:
        return create_target(target.kind, target.options)
    except ConfigError as error:
        message = say("error.collect.target", target=target.name, problem=error.message)
        raise ConfigError(message, where=places[target.name], hint=error.hint) from None


def make_providers(settings: Settings) -> dict[str, Provider]:
    """Make the provider of every judge; raises `ConfigError` that names the judge and where it stands."""
    make_provider = _provider_maker(settings)
    return {judge.name: make_provider(judge) for judge in settings.judges}


async def check_providers(settings: Settings, environment: Mapping[str, str] = os.environ) -> tuple[Judge, ...]:
    """Raise `ConfigError` for a judge that a run would refuse; return those whose key is not set yet."""
    make_provider, without_key = _provider_maker(settings), []
    for judge in settings.judges:
        variable = key_variable(judge)
        if variable and not environment.get(variable, "").strip():
            without_key.append(judge)
        else:
            await make_provider(judge).close()
    return tuple(without_key)


def ray_engine(settings: Settings, environment: Mapping[str, str] = os.environ) -> RayEngine:
    """Return the cluster that a configuration names; raises `ConfigError` if its ledger cannot be shared.

    Workers get the variables that judges' keys and PostgreSQL are read from.
    """
    needed = {key_variable(judge) for judge in settings.judges}
    return _ray_engine(settings, _provider_maker(settings), needed, environment)


def _ray_engine(
    settings: Settings,
    make_provider: Callable[[Any], Provider],
    needed: set[str | None],
    environment: Mapping[str, str],
) -> RayEngine:
    if not is_shared(settings.ledger):
        raise ConfigError("error.plan.ray_ledger", where="ledger")
    passed_on = {name: value for name, value in environment.items() if name in needed or name.startswith("PG")}
    return RayEngine(settings.config.ray, settings.ledger, make_provider, passed_on)


def _provider_maker(settings: Settings) -> Callable[[Any], Provider]:
    places = {judge.name: settings.source.where(("judges", judge.name)) for judge in settings.judges}
    return partial(_make_provider, protocol_digest=settings.protocol.digest, places=places)


def _make_provider(judge: Judge, *, protocol_digest: str, places: Mapping[str, str]) -> Provider:
    options = judge.options
    try:
        if judge.kind == "replay" and is_ledger_replayed(options):
            return replay_ledger(options["ledger"], options["judge"], protocol_digest)
        return create_provider(judge.kind, options)
    except ConfigError as error:
        message = say("error.plan.judge", judge=judge.name, problem=error.message)
        raise ConfigError(message, where=places[judge.name], hint=error.hint) from None


def key_variable(judge: Judge | Target) -> str | None:
    """Return the environment variable that holds the key of a judge or target; None if it needs none."""
    preset = PRESETS.get(judge.kind)
    return judge.options.get("api_key_env") or (preset.api_key_env if preset else None)
