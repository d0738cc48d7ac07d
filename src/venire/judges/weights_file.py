"""A weights file: weights that were learnt from earlier judgements, each for one version of a judge."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec

from venire.errors import ConfigError, InputError
from venire.judges.panel import Judge
from venire.yaml_source import YamlSource, locate_error, read_yaml_file

_LEARN_AGAIN = (
    "Leave `weights:` out for a run with this panel, then learn them again with `venire weights LEDGER --out FILE`."
)


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
        message = f"the weights {path} cannot be read: {error.strerror}"
        raise ConfigError(message, where=named_at, hint=_LEARN_AGAIN) from None
    except InputError as error:
        raise ConfigError(error.message, where=error.where, hint=error.hint) from None
    except msgspec.ValidationError as error:
        place, message = locate_error(error)
        raise ConfigError(f"not a weights file: {message}", where=source.where(place), hint=_LEARN_AGAIN) from None
    if given.protocol != protocol:
        raise ConfigError(
            f"expected weights learnt under protocol {protocol[:12]}, found {given.protocol[:12]}",
            where=source.where(("protocol",)),
            hint=_LEARN_AGAIN,
        )
    return tuple(_weigh(judge, given, source) for judge in judges)


def weights_text(weights: WeightsFile, origin: str) -> str:
    """Write a weights file, with where it comes from in its first line."""
    import yaml

    text: str = yaml.safe_dump(msgspec.to_builtins(weights), sort_keys=False, allow_unicode=True, width=120)
    origin_line = " ".join(origin.split())
    return f"# Learnt by `venire weights` from {origin_line}; name this file under `weights:` in venire.yaml.\n{text}"


def _weigh(judge: Judge, given: WeightsFile, source: YamlSource) -> Judge:
    found = given.judges.get(judge.name)
    if found is None:
        raise ConfigError(
            f"expected a weight for judge {judge.name!r}, found weights for {', '.join(given.judges) or 'nobody'}",
            where=source.where(("judges",)),
            hint=_LEARN_AGAIN,
        )
    if found.digest != judge.digest:
        raise ConfigError(
            f"judge {judge.name!r} has changed since its weight was learnt: it was {found.digest[:12]} and is now "
            f"{judge.digest[:12]}",
            where=source.where(("judges", judge.name, "digest")),
            hint=f"Another model, prompt or setting is another instrument. {_LEARN_AGAIN}",
        )
    return msgspec.structs.replace(judge, weight=found.weight)
