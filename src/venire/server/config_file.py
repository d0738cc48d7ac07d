"""The configuration file of a server, in YAML."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from venire.domain.vote import VoterPrompt
from venire.errors import ConfigError, InputError, os_reason
from venire.ledger.location import file_of, is_shared
from venire.protocols.voter_prompts import bundled_prompt
from venire.server.options import (
    DEFAULT_PROMPT,
    DEFAULT_PROMPT_ZH,
    RateLimit,
    ServerOptions,
    VoteScale,
)
from venire.votes.decay.terms import Batching, Decay, parse_rate
from venire.yaml_source import locate_error, read_yaml_file

_USUAL = ServerOptions(ledger="")
"""What holds where nothing is said; the file has no defaults of its own."""


class ServerFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a server's configuration file may say. Paths are seen from the folder of the file."""

    ledger: str | None = None
    """The ledger: a path or an address."""
    registry: str | None = None
    """Where keys are: a file or the address of a database; beside the ledger's file or in its database if not said."""
    host: str = _USUAL.host
    """The address to listen on."""
    port: Annotated[int, msgspec.Meta(ge=1, le=65535)] = _USUAL.port
    """The port to listen on."""
    public_url: str = _USUAL.public_url
    """The address that people use, if a proxy stands before the server."""
    signing_key: str | None = None
    """The key that signs checkpoints, made by `venire audit --key`."""
    events: str | None = None
    """The events of a run to show live."""
    voter_prompt: VoterPrompt | str | None = None
    """What jurors are asked: its `id` and `text`, or the name of one that comes with Venire, `grand-jury` or `prefer`,
    in Chinese `grand-jury-zh` or `prefer-zh`; if not said, whether an output is good enough, or which of two is
    better, in the pages' language."""
    vote_scale: VoteScale = _USUAL.vote_scale
    """How jurors answer."""
    drawn: bool = _USUAL.drawn
    """Whether jurors see only what `venire labels next` drew; with `vote_scale: protocol` their answers are labels."""
    second_vote: Literal["refuse", "change"] = _USUAL.second_vote
    """What a second vote on an item is."""
    undo_seconds: Annotated[float, msgspec.Meta(ge=0)] = _USUAL.undo_seconds
    """For how long a vote may be taken back."""
    decay: str = "0.1/day"
    """How fast votes age: a rate such as 0.1/day, or a half-life such as 7d."""
    batches: str = "1d"
    """Which votes are averaged first: `vote`, a number, or a duration."""
    critical_variance: Annotated[float, msgspec.Meta(ge=0, le=0.25)] = _USUAL.decay.critical_variance
    """From above which variance items are ambiguous."""
    rate_limit: RateLimit = _USUAL.rate_limit
    """How many requests one caller may make."""
    jurors_per_address: Annotated[int, msgspec.Meta(ge=1)] = _USUAL.jurors_per_address
    """How many new jurors may come in by an open link from one address within an hour."""
    body_limit_bytes: Annotated[int, msgspec.Meta(ge=1024)] = _USUAL.body_limit_bytes
    """How long a request may be."""
    request_seconds: Annotated[float, msgspec.Meta(gt=0)] = _USUAL.request_seconds
    """How long a request may take to arrive; a connection that takes longer is closed."""
    session_hours: Annotated[float, msgspec.Meta(gt=0)] = _USUAL.session_hours
    """How long somebody stays logged in."""
    language: Literal["en", "zh"] = _USUAL.language
    """The language of pages."""


def load_options(path: Path | None, **overrides: Any) -> ServerOptions:
    """Read a configuration file, if there is one, and put over it what the command line says (None says nothing).

    Raises `ConfigError` with the line of what is wrong, and if no ledger is named.
    """
    said, folder = _read(path) if path else (ServerFile(), Path())
    given = {name: value for name, value in overrides.items() if value is not None}
    ledger = given.pop("ledger", None) or (_place(folder, said.ledger) if said.ledger else None)
    if ledger is None:
        raise ConfigError("error.server.no_ledger")
    decay = Decay(parse_rate(said.decay), Batching.parse(said.batches), said.critical_variance)
    options = {
        "host": said.host,
        "port": said.port,
        "public_url": said.public_url,
        "registry": _registry(folder, said.registry) if said.registry else registry_beside(ledger),
        "signing_key": Path(_place(folder, said.signing_key)) if said.signing_key else None,
        "events": Path(_place(folder, said.events)) if said.events else None,
        "voter_prompt": _prompt(
            given.pop("voter_prompt", said.voter_prompt),
            given.get("language", said.language),
            given.get("vote_scale", said.vote_scale),
        ),
        "vote_scale": said.vote_scale,
        "drawn": said.drawn,
        "second_vote": said.second_vote,
        "undo_seconds": said.undo_seconds,
        "rate_limit": said.rate_limit,
        "jurors_per_address": said.jurors_per_address,
        "body_limit_bytes": said.body_limit_bytes,
        "request_seconds": said.request_seconds,
        "session_hours": said.session_hours,
        "language": said.language,
    }
    return ServerOptions(ledger=ledger, decay=decay, **{**options, **given})


def _prompt(said: VoterPrompt | str | None, language: str, scale: VoteScale) -> VoterPrompt:
    if isinstance(said, str):
        return bundled_prompt(said)
    return said or _usual_prompt(language, scale)


def _usual_prompt(language: str, scale: VoteScale) -> VoterPrompt:
    """Return what jurors are asked where nothing else is said: whether an output is good, or which of two is better."""
    if scale == "pairs":
        return bundled_prompt("prefer-zh" if language == "zh" else "prefer")
    return DEFAULT_PROMPT_ZH if language == "zh" else DEFAULT_PROMPT


def registry_beside(ledger: str) -> Path | str | None:
    """Return where the keys of a ledger's server are: beside its file, in its database, or in memory with it."""
    if is_shared(ledger):
        return ledger
    path = file_of(ledger)
    return path and path.with_name(f"{path.name}.people")


def _registry(folder: Path, said: str) -> Path | str:
    return said if is_shared(said) else folder / said


def _place(folder: Path, said: str) -> str:
    return said if "://" in said or said == "memory:" else str(folder / said)


def _read(path: Path) -> tuple[ServerFile, Path]:
    try:
        source = read_yaml_file(path, path.name)
        return msgspec.convert(source.value, ServerFile), path.parent
    except OSError as error:
        raise ConfigError("error.server.config_unreadable", where=str(path), problem=os_reason(error)) from None
    except msgspec.ValidationError as error:
        place, message = locate_error(error)
        raise ConfigError(message, where=source.where(place)) from None
    except InputError as error:
        raise ConfigError(error.message, where=error.where, hint=error.hint) from None
