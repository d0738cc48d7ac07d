"""From `venire.yaml` to a panel that is ready: everything is checked before the first request."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from venire.config.collecting import CollectSettings, read_collecting
from venire.config.file import JudgeConfig, SamplesConfig, VenireConfig
from venire.config.jury import check_jury
from venire.config.provider_options import SERVERS, provider_options, told_options
from venire.config.secrets import need_keys_of, refuse_secrets
from venire.domain.protocol import EvalProtocol
from venire.errors import ConfigError, InputError, UsageError, os_reason
from venire.inputs.pairs import PairPlan
from venire.inputs.tables.materials import MaterialTerms
from venire.judges.panel import Judge, Price, check_weights
from venire.judges.presets import PRESETS
from venire.judges.provider import Decoding
from venire.judges.registry import known_kinds
from venire.judges.weights_file import weigh_panel
from venire.ledger.location import shown_location
from venire.protocols.catalogue import bundled_text, find_protocol
from venire.protocols.load import INLINE_ID, build_protocol
from venire.runner.options import Budget
from venire.shapes.registry import shape_of
from venire.words.said import say
from venire.yaml_source import Place, YamlProblem, YamlSource, find_problems_of_kind, locate_error, read_yaml_file

_STARTER = "error.config.starter"


class Settings(msgspec.Struct, frozen=True):
    """A configuration that is ready to be run."""

    config: VenireConfig
    """The file as it was read."""
    folder: Path
    """The folder that paths in the file are relative to."""
    protocol: EvalProtocol
    """The protocol."""
    judges: tuple[Judge, ...]
    """The panel."""
    source: YamlSource
    """The file itself, so that errors that are found later can name the line."""
    collecting: CollectSettings | None = None
    """What is collected; None if nothing is."""

    @property
    def samples(self) -> SamplesConfig:
        """Where the samples are; empty if the outputs that are collected are judged."""
        given = self.config.samples
        return SamplesConfig(given) if isinstance(given, str) else given

    @property
    def samples_path(self) -> Path:
        """The path of the samples, whatever folder the command is run in."""
        return self.folder / self.samples.path

    @property
    def samples_ledger(self) -> str:
        """The location of the ledger that the samples are read from; empty if they are not in one."""
        return self._located(self.samples.ledger) if self.samples.ledger else ""

    @property
    def samples_shown(self) -> str:
        """Where the samples are, for a reader."""
        location = self.ledger if self.judges_collected else self.samples_ledger
        return shown_location(location) if location else str(self.samples_path)

    @property
    def factors(self) -> tuple[str, ...]:
        """The factors of the samples: those that the file names and the protocol's own."""
        return tuple(dict.fromkeys((*self.config.factors, *self.protocol.own_factors)))

    @property
    def pairs(self) -> PairPlan:
        """Which pairs are judged, for protocols that compare two outputs."""
        return self.config.pairs or PairPlan()

    @property
    def material_terms(self) -> MaterialTerms:
        """How the materials of the samples are read: those kinds that the protocol shows."""
        given = self.samples
        folder = None if given.documents is None else self.folder / given.documents
        return MaterialTerms(self.protocol.shown_kinds, given.judged, folder, given.pdf_limits, given.category)

    @property
    def judges_collected(self) -> bool:
        """Whether the outputs that this configuration collects are judged, as no other samples are named."""
        return self.collecting is not None and not self.samples.path and not self.samples.ledger

    def need_samples(self) -> None:
        """Raise `ConfigError` if there is nothing where the samples should be, or it is not said where."""
        if self.judges_collected:
            return
        if bool(self.samples.path) == bool(self.samples.ledger):
            raise ConfigError("error.config.samples_place", where=self.source.where(("samples",)))
        if self.samples.path and not self.samples_path.exists():
            raise ConfigError("error.config.no_samples", where=self.source.where(("samples",)), path=self.samples_path)

    @property
    def asks_voir_dire(self) -> bool:
        """Whether the file speaks of a voir dire, so that its cost belongs to what the experiment costs."""
        return self.config.require == "voir-dire" or ("voir_dire",) in self.source.lines

    @property
    def canary_share(self) -> float:
        """How many anchors a run judges again, as a share of its tasks; 0 without anchors."""
        return self.config.canaries.share if self.config.canaries else 0.0

    @property
    def ledger(self) -> str:
        """The location of the ledger; a bare path is relative to the file."""
        return self._located(self.config.ledger)

    def _located(self, location: str) -> str:
        return location if "://" in location or location == "memory:" else str((self.folder / location).resolve())

    @property
    def ledger_path(self) -> Path | None:
        """The file of the ledger; None for one that is not a file."""
        path = self.ledger.removeprefix("sqlite:///")
        return None if "://" in path or path == "memory:" else Path(path)


def load_settings(
    path: Path,
    *,
    environment: Mapping[str, str] = os.environ,
    renormalise: bool = False,
    need_keys: bool = True,
    insecure_http: bool = False,
    need_judges: bool = True,
) -> Settings:
    """Read a configuration file and everything it names; raises `ConfigError` with the line and a way out.

    Without `need_judges` it may be one that only collects.
    """
    try:
        source = read_yaml_file(path)
    except OSError as error:
        raise ConfigError("error.config.unreadable", where=str(path), hint=_STARTER, reason=os_reason(error)) from None
    except InputError as error:
        raise ConfigError(error.message, where=error.where, hint=error.hint or _STARTER) from None
    source = _unnest(source)
    config = _convert(source.value, source)
    if insecure_http:
        config = msgspec.structs.replace(config, runner=msgspec.structs.replace(config.runner, insecure_http=True))
    folder = path.resolve().parent
    protocol = _find_protocol(config.protocol, folder, source)
    _check_rollup(config, protocol, source)
    if config.require == "voir-dire" and shape_of(protocol).judges == "bundle":
        raise ConfigError("error.voir_dire.shape", where=source.where(("require",)), protocol=protocol.id)
    if config.pairs is not None and shape_of(protocol).judges != "pair":
        raise ConfigError("error.config.no_pairs", where=source.where(("pairs",)), protocol=protocol.id)
    if config.pairs is not None and config.pairs.is_active and config.runner.budget == Budget():
        raise ConfigError("error.config.active_budget", where=source.where(("pairs",)))
    check_jury(config, protocol, source)
    enabled = {name: judge for name, judge in config.judges.items() if judge.enabled}
    collecting = read_collecting(config, folder, source, environment, need_keys=need_keys)
    if not enabled and collecting and not need_judges:
        return Settings(config, folder, protocol, (), source, collecting)
    if not enabled:
        raise ConfigError("error.config.no_judge", where=source.where(("judges",)))
    judges = tuple(_judge(name, judge, config, protocol, folder, source) for name, judge in enabled.items())
    if need_keys:
        need_keys_of(enabled, environment, source)
    if config.weights is not None:
        judges = weigh_panel(judges, protocol.digest, folder / config.weights, source.where(("weights",)))
    are_equal = config.weights is None and all(each.weight is None for each in enabled.values())
    try:
        judges = check_weights(judges, renormalise=renormalise or are_equal)
    except ConfigError as error:
        raise ConfigError(error.message, where=source.where(("judges",)), hint=error.hint) from None
    return Settings(config, folder, protocol, with_targets(judges, collecting), source, collecting)


def with_targets(judges: tuple[Judge, ...], collecting: CollectSettings | None) -> tuple[Judge, ...]:
    """Let judges know the targets that are their own model, or their kin, under the names that outputs carry."""
    targets = [(target.name, target.model) for target in collecting.targets] if collecting else []
    return tuple(judge.knowing(targets) for judge in judges)


def spoken_language(config: VenireConfig, protocol: EvalProtocol) -> str:
    """Return the language that is configured, or else one of prompts that the protocol is written in."""
    return config.language or ("zh" if "en" not in protocol.title and "zh" in protocol.title else "en")


def _unnest(source: YamlSource) -> YamlSource:
    """Accept judges under `quality:`, as the multi-judge quality system writes them."""
    value = source.value
    if not isinstance(value, dict) or not isinstance(value.get("quality"), dict) or "judges" in value:
        return source
    outer = {key: item for key, item in value.items() if key != "quality"}
    lines = {place[1:] if place[:1] == ("quality",) else place: line for place, line in source.lines.items()}
    return YamlSource(source.name, {**outer, **value["quality"]}, {**lines, (): source.lines[()]})


def _convert(value: Any, source: YamlSource) -> VenireConfig:
    if problems := [_located(each, source) for each in find_problems_of_kind(value, VenireConfig)]:
        raise ConfigError.all_of(problems)
    try:
        return msgspec.convert(value, VenireConfig)
    except msgspec.ValidationError as error:  # what only whole parts tell, such as two options that exclude each other
        raise _located(YamlProblem(*locate_error(error), ""), source) from None


def _located(problem: YamlProblem, source: YamlSource) -> ConfigError:
    at = ".".join(map(str, problem.place))
    said = say("error.config.at", problem=problem.message, place=at) if at else problem.message
    return ConfigError(said, where=source.where(problem.place), hint=problem.hint or _STARTER)


def _find_protocol(name: str | dict[str, Any], folder: Path, source: YamlSource) -> EvalProtocol:
    if isinstance(name, dict):
        try:
            return build_protocol(source.part("protocol"), INLINE_ID, bundled_text).protocol
        except InputError as error:
            raise ConfigError.all_of([error, *error.further]) from None
    is_file = name.endswith((".yaml", ".yml"))
    try:
        return find_protocol(str(folder / name) if is_file else name)
    except InputError as error:
        if is_file and (folder / name).exists():
            raise ConfigError.all_of([error, *error.further]) from None
        message = say("error.config.protocol", name=name, problem=error.message) if is_file else error.message
        raise ConfigError(message, where=source.where(("protocol",)), hint=error.hint) from None


def _check_rollup(config: VenireConfig, protocol: EvalProtocol, source: YamlSource) -> None:
    """Raise `ConfigError` for weights that do not sum to 1, and for tests that the protocol's categories lack."""
    plan, place = config.rollup, ("rollup", "dimensions")
    if plan is None:
        return
    try:
        tests = {test: name for name in plan.weights for test in plan.dimensions[name].test_weights}
    except UsageError as error:
        raise ConfigError(error.message, where=source.where(place), hint=error.hint) from None
    known = [category.id for category in protocol.categories]
    unknown = [test for test in tests if test not in known] if plan.by == "category" and known else []
    if unknown:
        where = source.where((*place, tests[unknown[0]]))
        raise ConfigError(
            "error.config.no_category", where=where, test=unknown[0], protocol=protocol.id, known=tuple(known)
        )


def _judge(
    name: str, given: JudgeConfig, config: VenireConfig, protocol: EvalProtocol, folder: Path, source: YamlSource
) -> Judge:
    place: Place = ("judges", name)
    if given.type not in known_kinds():
        known = tuple(known_kinds())
        near = difflib.get_close_matches(given.type, known, n=1)
        hint = say("error.config.judge_type_near.hint", near=near[0], known=known) if near else ""
        where = source.where((*place, "type"))
        raise ConfigError("error.config.judge_type", where=where, hint=hint, judge=name, found=given.type, known=known)
    preset = PRESETS.get(given.type)
    scale = given.scale or _preset_scale(preset.scale if preset else None, protocol)
    if scale is not None and scale not in {each.id for each in protocol.scales}:
        known = tuple(each.id for each in protocol.scales)
        raise ConfigError(
            "error.config.judge_scale",
            where=source.where((*place, "scale")),
            judge=name,
            scale=scale,
            protocol=protocol.id,
            known=known,
        )
    if given.type in SERVERS and not given.model:
        raise ConfigError("error.config.judge_model", where=source.where(place), judge=name)
    if given.weight is not None and not given.weight > 0:
        where = source.where((*place, "weight"))
        raise ConfigError("error.config.judge_weight", where=where, judge=name)
    refuse_secrets(name, given, source)
    if given.mask_identity and given.attach_files:
        raise ConfigError("error.config.mask_files", where=source.where((*place, "mask_identity")), judge=name)
    rules = _rules(given.rules, folder, source, place)
    if given.type == "rules":
        _check_dimensions(name, rules.get("dimensions"), protocol, source.where((*place, "rules")))
    options = provider_options(name, given, config.runner, rules, scale, folder)
    return Judge(
        name=name,
        kind=given.type,
        model=given.model,
        weight=1.0 if given.weight is None else given.weight,
        decoding=Decoding(given.max_tokens, given.temperature, given.top_p, given.seed),
        options=options,
        rules={**rules, **told_options(given, options, protocol.digest, source, place)},
        blind=given.blind_evaluation,
        mask_identity=given.mask_identity,
        attach_files=given.attach_files,
        scale=scale,
        language=given.language or spoken_language(config, protocol),
        family=given.family or (preset.family if preset else ""),
        aliases=given.aliases,
        prompt_version=given.prompt_version,
        price=given.price or Price(),
        limits=given.chosen_limits,
    )


def _preset_scale(scale: str | None, protocol: EvalProtocol) -> str | None:
    return scale if scale in {each.id for each in protocol.scales} else None


def _rules(given: str | dict[str, Any] | None, folder: Path, source: YamlSource, place: Place) -> dict[str, Any]:
    if given is None:
        return {}
    if isinstance(given, dict):
        return given
    file = folder / given
    try:
        value = read_yaml_file(file).value
    except OSError as error:
        raise ConfigError(
            "error.config.rules_unreadable", where=source.where((*place, "rules")), path=given, reason=os_reason(error)
        ) from None
    except InputError as error:
        raise ConfigError(error.message, where=error.where, hint=error.hint) from None
    if not isinstance(value, dict):
        raise ConfigError("error.config.rules_mapping", where=f"{file}:1")
    return value


def _check_dimensions(name: str, checks: Any, protocol: EvalProtocol, where: str) -> None:
    """Raise `ConfigError` for checks of a dimension that the protocol does not have; they would never be run."""
    known = [dimension.id for dimension in protocol.dimensions]
    if unknown := [each for each in checks if each not in (*known, "*")] if isinstance(checks, dict) else []:
        raise ConfigError(
            "error.config.rules_dimension",
            where=where,
            judge=name,
            dimension=unknown[0],
            protocol=protocol.id,
            known=tuple(known),
        )
