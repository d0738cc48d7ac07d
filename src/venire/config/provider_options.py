"""What providers are made with, and what of it tells one instrument from another."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from venire.config.file import JudgeConfig
from venire.config.recordings import recording_digest
from venire.errors import ConfigError, VenireError
from venire.judges.model_digest import own_model_digest
from venire.judges.presets import PRESETS
from venire.runner.options import RunnerOptions
from venire.words.said import say
from venire.yaml_source import Place, YamlSource

SERVERS = frozenset({*PRESETS, "openai_compatible", "anthropic_compatible"})
"""The kinds of judges that are models behind a server."""


def provider_options(
    name: str, given: JudgeConfig, runner: RunnerOptions, rules: dict[str, Any], scale: str | None, folder: Path
) -> dict[str, Any]:
    """Return what the provider of a judge, or of a target, is made with."""
    if given.type == "rules":
        return {"name": name, "scale": scale, **rules, **given.options}
    if given.type == "replay":
        return {"judge": name, **given.options, **_replayed_places(given.options, folder)}
    limits = {"timeout_seconds": runner.timeout_seconds, "max_reply_bytes": runner.max_reply_bytes}
    if given.type == "local":
        file = folder / given.model
        model = str(file) if given.model and file.is_file() else given.model
        return {"model": model, **limits, "parallel": given.chosen_limits.concurrency, **given.options}
    options: dict[str, Any] = {}
    if given.type in SERVERS:
        options = {**limits, "max_connections": given.chosen_limits.concurrency}
        options |= {"insecure_http": True} if runner.insecure_http else {}
    if given.base_url is not None:
        options["base_url"] = given.base_url
    if given.api_key_env is not None:
        options["api_key_env"] = given.api_key_env
    return {**options, **given.options}


def _replayed_places(options: Mapping[str, Any], folder: Path) -> dict[str, str]:
    """Return the file and the ledger that a judge replays, from wherever the command is run."""
    places = {name: str(options[name]) for name in ("path", "ledger") if options.get(name)}
    return {name: place if "://" in place else str(folder / place) for name, place in places.items()}


def told_options(
    given: JudgeConfig, options: Mapping[str, Any], protocol_digest: str, source: YamlSource, place: Place
) -> dict[str, Any]:
    """Return the options of a provider as they tell one instrument from another: files by their content."""
    if given.type not in ("replay", "local"):
        return given.options
    try:
        if given.type == "local":
            weights = own_model_digest(options["model"])
            return {**given.options, "weights": weights} if weights else given.options
        recording = recording_digest(options, protocol_digest)
    except VenireError as error:
        where = source.where((*place, "options" if given.type == "replay" else "model"))
        said = say("error.judge.explained", words=error.where, explanation=error.message)
        raise ConfigError(said if error.where else error.message, where=where, hint=error.hint) from None
    if recording is None:
        return given.options
    kept = {name: option for name, option in given.options.items() if name not in ("path", "ledger")}
    return {**kept, "recording": recording}
