"""Checks an adaptive jury before anything is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venire.errors import ConfigError
from venire.shapes.registry import shape_of

if TYPE_CHECKING:
    from venire.config.file import VenireConfig
    from venire.config.jury_file import JuryConfig
    from venire.domain.protocol import EvalProtocol
    from venire.yaml_source import YamlSource


def check_jury(config: VenireConfig, protocol: EvalProtocol, source: YamlSource) -> None:
    """Raise `ConfigError` for a jury that cannot be asked."""
    jury = config.jury
    if jury is None:
        return
    where = source.where(("jury",))
    if shape_of(protocol).judges != "sample":
        raise ConfigError("error.jury.shape", where=where, protocol=protocol.id)
    _check_until(jury, protocol, source)
    _check_names(jury, config, source)
    judges = len(jury.start) + len(jury.then)
    most = judges if jury.most is None else jury.most
    if most < judges:
        raise ConfigError("error.jury.most", where=source.where(("jury", "most")), most=most, judges=judges)
    if most == len(jury.start):
        raise ConfigError("error.jury.nothing_then", where=where, most=most)
    again = jury.then or jury.start
    recorded = [name for name in again[: most - judges] if config.judges[name].type == "replay"]
    if recorded:
        raise ConfigError("error.jury.replay", where=source.where(("jury", "most")), judge=recorded[0])


def _check_until(jury: JuryConfig, protocol: EvalProtocol, source: YamlSource) -> None:
    until, where = jury.until, source.where(("jury", "until"))
    if (until.half_width is None) == (until.agree_with_people is None):
        code = "error.jury.no_mode" if until.half_width is None else "error.jury.both_modes"
        raise ConfigError(code, where=where)
    if until.agree_with_people is not None and protocol.verdict is None:
        raise ConfigError("error.jury.no_verdict", where=where, protocol=protocol.id)


def _check_names(jury: JuryConfig, config: VenireConfig, source: YamlSource) -> None:
    enabled = [name for name, judge in config.judges.items() if judge.enabled]
    if not jury.start:
        raise ConfigError("error.jury.no_start", where=source.where(("jury", "start")))
    named: set[str] = set()
    for part, names in (("start", jury.start), ("then", jury.then)):
        where = source.where(("jury", part))
        for name in names:
            if name not in enabled:
                raise ConfigError("error.jury.absent", where=where, judge=name, known=tuple(enabled))
            if name in named:
                raise ConfigError("error.jury.twice", where=where, judge=name)
            named.add(name)
    if idle := [name for name in enabled if name not in named]:
        raise ConfigError("error.jury.idle", where=source.where(("jury",)), judge=idle[0])
