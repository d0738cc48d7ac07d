"""A weights file: weights that were learnt from earlier judgements, each for one version of a judge."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec

from venire.errors import ConfigError, InputError, os_reason
from venire.judges.panel import Judge
from venire.words.said import as_text, say
from venire.yaml_source import YamlSource, locate_error, read_yaml_file

_LEARN_AGAIN = "error.judge.learn_again"


class JudgeWeight(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The weight of one judge, and what it was learnt from."""

    weight: Annotated[float, msgspec.Meta(gt=0, le=1)]
    """Its share in the panel's score."""
    digest: str
    """The digest of the instrument that it was learnt for; another version needs another weight."""
    error_variance: float | None = None
    """The variance of its errors on 0–10 before shrinking; None if it is not known."""
    scores: int = 0
    """How many scores that rests on."""


class WeightsFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a weights file holds."""

    protocol: str
    """The digest of the protocol that the judges were asked under."""
    method: str
    """How the weights were learnt."""
    judges: dict[str, JudgeWeight]
    """The weight of each judge by its name."""


def weigh_panel(judges: tuple[Judge, ...], protocol: str, path: Path, named_at: str) -> tuple[Judge, ...]:
    """Return the judges with the weights of a file, which is named at this line of the configuration.

    Raises `ConfigError` if the file cannot be read, was learnt under another protocol, lacks a judge, or was learnt for
    another version of one.
    """
    try:
        source = read_yaml_file(path)
        given = msgspec.convert(source.value, WeightsFile)
    except OSError as error:
        raise ConfigError(
            "error.judge.weights_unreadable", where=named_at, hint=_LEARN_AGAIN, path=path, reason=os_reason(error)
        ) from None
    except InputError as error:
        raise ConfigError(error.message, where=error.where, hint=error.hint) from None
    except msgspec.ValidationError as error:
        place, message = locate_error(error)
        raise ConfigError(
            "error.judge.not_weights", where=source.where(place), hint=_LEARN_AGAIN, reason=message
        ) from None
    if given.protocol != protocol:
        raise ConfigError(
            "error.judge.weights_protocol",
            where=source.where(("protocol",)),
            hint=_LEARN_AGAIN,
            expected=protocol[:12],
            found=given.protocol[:12],
        )
    return tuple(_weigh(judge, given, source) for judge in judges)


def weights_text(weights: WeightsFile, origin: str) -> str:
    """Write a weights file, with where it comes from in its first line."""
    import yaml

    text: str = yaml.safe_dump(
        msgspec.to_builtins(weights, enc_hook=as_text), sort_keys=False, allow_unicode=True, width=120
    )
    origin_line = " ".join(origin.split())
    return f"# Learnt by `venire weights` from {origin_line}; name this file under `weights:` in venire.yaml.\n{text}"


def _weigh(judge: Judge, given: WeightsFile, source: YamlSource) -> Judge:
    found = given.judges.get(judge.name)
    if found is None:
        raise ConfigError(
            "error.judge.weights_missing",
            judge=judge.name,
            found=tuple(given.judges) or say("error.judge.nobody"),
            where=source.where(("judges",)),
            hint=_LEARN_AGAIN,
        )
    if found.digest != judge.digest:
        raise ConfigError(
            "error.judge.weights_changed",
            where=source.where(("judges", judge.name, "digest")),
            judge=judge.name,
            before=found.digest[:12],
            now=judge.digest[:12],
        )
    return msgspec.structs.replace(judge, weight=found.weight)
