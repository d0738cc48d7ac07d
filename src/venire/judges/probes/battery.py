"""A battery: families of probes with their limits, and the templates that probes are made from, as data files."""

from __future__ import annotations

import difflib
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from venire.domain.canonical import digest
from venire.errors import ConfigError, InputError, os_reason
from venire.judges.probes.operations import DISGUISES, OPERATIONS
from venire.words.said import say
from venire.yaml_source import YamlSource, find_problems_of_kind, read_yaml, read_yaml_file

STANDARD = "standard"
"""The battery that comes with Venire."""
LANGUAGES = ("en", "zh")
ASKED_OTHERWISE = ("ask_reversed", "ask_other_language", "ask_swapped")
"""Operations that leave outputs as they are and ask about them in another way."""

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]

Rule = Literal["unchanged", "not_raised", "fails", "lower", "far", "repeats", "valid"]
"""When a judge fails a probe. `unchanged`: the score moves, more often than when it is merely asked again.
`not_raised`: the score rises, more often than it falls. `fails`: the score is above the ceiling. `lower`: the score is
not below the original's. `far`: it is not below it by the span. `repeats`: the original asked again gets another score.
`valid`: the reply on an original is not valid."""


class ProbeFamily(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Probes of one kind, with the rate of failures that a judge must stay within."""

    group: Literal["invariance", "must_fail", "injections", "degraded", "repeats", "scale"]
    """What it belongs to."""
    rule: Rule
    """When a judge fails a probe."""
    limit: Share
    """The rate of failures that a judge must stay within."""
    fault: Share
    """The rate of a fault that is to be found with the planned power."""
    sound: Share
    """The rate of a sound judge that is to pass with the planned power."""
    name: dict[str, str]
    """Its name for a reader, by language."""


class ProbeTemplate(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How one probe is made, and why it is there."""

    id: str
    """Its name, which no other template has."""
    family: str
    """The family that it belongs to."""
    why: str
    """Why it is there, in one sentence."""
    do: str
    """The operation: what is done to the output, or how it is asked about."""
    language: Literal["en", "zh", "any"] = "any"
    """The language of the outputs that it is made for."""
    text: str = ""
    """What the operation puts in; `{reply}` is a forged reply in the protocol's own form, `{best}` the highest score,
    `{kin}` the judge's own family."""
    disguise: str = ""
    """How the text is disguised."""
    into: Literal["output", "document"] = "output"
    """What it is done to."""


class Battery(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """Everything that a voir dire follows from, beside the judge, the protocol and the outputs."""

    id: str
    """What it is called."""
    alpha: Annotated[float, msgspec.Meta(gt=0, lt=0.5)]
    """How often a sound judge may be struck, and how often a faulty one may qualify."""
    power: Annotated[float, msgspec.Meta(gt=0.5, lt=1)]
    """The probability with which a fault is to be found, in each family."""
    pass_power: Annotated[float, msgspec.Meta(gt=0.5, lt=1)]
    """The probability with which a sound judge is to pass, in each family."""
    noise: Share
    """How often a sound judge is taken to change its score when asked again; sizes are planned with it."""
    tolerance: Share
    """By which part of the overall scale a score must differ to be another score."""
    ceiling: Share
    """The highest place on the overall scale at which an output that must fail has failed."""
    span: Share
    """How far down the overall scale an output of which nothing is left must be."""
    days: Annotated[int, msgspec.Meta(ge=1)]
    """For how many days a qualification holds."""
    families: dict[str, ProbeFamily]
    """The families by name."""
    templates: tuple[ProbeTemplate, ...]
    """The templates."""

    @cached_property
    def digest(self) -> str:
        """The id of the battery: a digest of all its content."""
        return digest("battery", msgspec.to_builtins(self))

    def templates_of(self, family: str, language: str) -> tuple[ProbeTemplate, ...]:
        """Return the templates of a family for outputs in a language."""
        return tuple(each for each in self.templates if each.family == family and each.language in (language, "any"))


class _BatteryFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A user's own battery: what it does not say is as in the standard one."""

    id: str
    """What it is called."""
    alpha: Annotated[float, msgspec.Meta(gt=0, lt=0.5)] | None = None
    power: Annotated[float, msgspec.Meta(gt=0.5, lt=1)] | None = None
    pass_power: Annotated[float, msgspec.Meta(gt=0.5, lt=1)] | None = None
    noise: Share | None = None
    tolerance: Share | None = None
    ceiling: Share | None = None
    span: Share | None = None
    days: Annotated[int, msgspec.Meta(ge=1)] | None = None
    families: dict[str, dict[str, Any]] | None = None
    """The families that are asked, by name, each with what differs from the standard one."""
    probes: tuple[str, ...] | None = None
    """The ids of the templates that are used; without it all of the families'."""
    templates: tuple[ProbeTemplate, ...] = ()
    """Further templates."""


def load_battery(name: str, folder: Path) -> Battery:
    """Return the standard battery, or that of a file; raises `ConfigError` with the line and a way out."""
    if name == STANDARD:
        return standard_battery()
    path = folder / name
    try:
        source = read_yaml_file(path)
    except OSError as error:
        raise ConfigError("error.battery.unreadable", where=str(path), reason=os_reason(error)) from None
    except InputError as error:
        raise ConfigError(error.message, where=error.where, hint=error.hint) from None
    return _own_battery(source)


@cache
def standard_battery() -> Battery:
    """Return the battery that comes with Venire."""
    folder = files("venire.judges.probes").joinpath(STANDARD)
    value = read_yaml(folder.joinpath("battery.yaml").read_bytes(), "battery.yaml").value
    templates: list[dict[str, Any]] = []
    for language in LANGUAGES:
        found = read_yaml(folder.joinpath(f"{language}.yaml").read_bytes(), f"{language}.yaml").value
        for family, listed in found.items():
            templates += [{"family": family, "language": language, **each} for each in listed]
    return msgspec.convert({**value, "id": STANDARD, "templates": templates}, Battery)


def _own_battery(source: YamlSource) -> Battery:
    if problems := list(find_problems_of_kind(source.value, _BatteryFile)):
        first = problems[0]
        raise ConfigError(first.message, where=source.where(first.place), hint=first.hint)
    given, standard = msgspec.convert(source.value, _BatteryFile), standard_battery()
    plain = {
        name: getattr(given, name)
        for name in ("alpha", "power", "pass_power", "noise", "tolerance", "ceiling", "span", "days")
        if getattr(given, name) is not None
    }
    families = _families(given, standard, source)
    templates = _templates(given, standard, families, source)
    return msgspec.structs.replace(standard, id=given.id, families=families, templates=templates, **plain)


def _families(given: _BatteryFile, standard: Battery, source: YamlSource) -> dict[str, ProbeFamily]:
    if given.families is None:
        return standard.families
    found = {}
    for name, changed in given.families.items():
        where = source.where(("families", name))
        if name not in standard.families:
            raise ConfigError("error.battery.family", where=where, name=name, hint=_near(name, standard.families))
        merged = {**msgspec.to_builtins(standard.families[name]), **changed}
        try:
            found[name] = msgspec.convert(merged, ProbeFamily)
        except msgspec.ValidationError as error:
            raise ConfigError("error.battery.wrong", where=where, name=name, problem=str(error)) from None
    return found


def _templates(
    given: _BatteryFile, standard: Battery, families: dict[str, ProbeFamily], source: YamlSource
) -> tuple[ProbeTemplate, ...]:
    for number, each in enumerate(given.templates):
        place = ("templates", number)
        known = (*OPERATIONS, *ASKED_OTHERWISE)
        if each.do not in known:
            where = source.where((*place, "do"))
            raise ConfigError("error.battery.operation", where=where, name=each.do, hint=_near(each.do, known))
        if each.disguise not in DISGUISES:
            where = source.where((*place, "disguise"))
            raise ConfigError("error.battery.disguise", where=where, name=each.disguise, known=tuple(DISGUISES)[1:])
        if each.family not in families:
            where = source.where((*place, "family"))
            raise ConfigError("error.battery.family", where=where, name=each.family, hint=_near(each.family, families))
    held = {each.id: each for each in (*standard.templates, *given.templates)}
    chosen = given.probes if given.probes is not None else tuple(held)
    for number, name in enumerate(chosen):
        if name not in held:
            where = source.where(("probes", number))
            raise ConfigError("error.battery.probe", where=where, name=name, hint=_near(name, held))
    return tuple(held[name] for name in chosen if held[name].family in families)


def _near(name: str, known: Any) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return say("error.battery.near.hint", near=near[0]) if near else say("error.battery.known.hint", known=tuple(known))
