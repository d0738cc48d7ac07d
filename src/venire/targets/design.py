"""The design of a collection: prompts, levels, parameters and repeats, crossed for each case and target."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from venire.domain.output import Case, OutputPlace, PlannedOutput, PromptText
from venire.errors import ConfigError, os_reason
from venire.targets.target import Target
from venire.targets.template import Template, parse_template, value_in

TURN = "turn"
"""The variable that holds what the user says first, in cases of several turns."""
MOST_PROMPT_BYTES = 4 * 1024 * 1024
"""The largest file of a prompt that is read."""


class PromptPart(msgspec.Struct, frozen=True):
    """A text of a prompt, or the file that holds it, whose name may hold variables."""

    template: Template
    """The text, or the name of the file."""
    is_file: bool = False
    """Whether it is the name of a file."""


class PromptVariant(msgspec.Struct, frozen=True):
    """One wording of what targets are asked."""

    name: str
    """What it is called."""
    text: PromptPart
    """The message of the user."""
    system: PromptPart | None = None
    """The system message; None for none."""
    factors: dict[str, str] = {}
    """The factors that it stands for, such as a language."""


class CollectDesign(msgspec.Struct, frozen=True):
    """What is crossed."""

    variants: tuple[PromptVariant, ...]
    """The wordings."""
    levels: dict[str, dict[str, PromptPart]] = {}
    """Further factors: each level has a text, which stands in prompts where the factor is named."""
    case_factors: tuple[str, ...] = ()
    """The columns of cases that are factors."""
    repeats: int = 1
    """How often each target is asked the same."""
    only: tuple[dict[str, str], ...] = ()
    """The parts of the crossing that are collected, each by what its outputs have in common; empty for all."""
    folder: Path = Path()
    """The folder that files of prompts are in."""

    @property
    def names(self) -> set[str]:
        """The variables that texts name themselves; files may name more."""
        parts = [each for variant in self.variants for each in (variant.text, variant.system) if each is not None]
        parts += [part for levels in self.levels.values() for part in levels.values()]
        return {name for part in parts for name in part.template.names}


class CrossedDesign:
    """Reads the cases of a design, and yields what is to be collected from each target."""

    def __init__(self, design: CollectDesign, cases: Callable[[], Iterable[Case]]) -> None:
        self._design = design
        self._cases = cases
        self._files: dict[str, Template] = {}

    def outputs(self, target: Target) -> Iterator[PlannedOutput]:
        """Yield the planned outputs of a target, case by case."""
        parameters = list(_crossed(target.parameters))
        factors = [name for name, value in target.parameters.items() if isinstance(value, list)]
        for case in self._cases():
            for variant, levels in self._wordings():
                prompt: PromptText | None = None
                own = self._factors(case, variant, levels)
                for chosen in parameters:
                    told = {name: _written(chosen[name]) for name in factors}
                    place = self._place(case, variant.name, target.name, levels, {**own, **told}, chosen)
                    if not self._is_wanted(place, case):
                        continue
                    prompt = prompt or self._prompt(case, variant, levels)
                    for repeat in range(1, self._design.repeats + 1):
                        yield PlannedOutput(self._repeated(place, repeat), case, prompt)

    def check(self, cases: Iterable[Case]) -> set[str]:
        """Write all prompts of some cases, and return the variables that they use; raises what writing raises."""
        used: set[str] = set()
        for case in cases:
            for variant, levels in self._wordings():
                used |= self._used(case, variant, levels)
        return used

    def _wordings(self) -> Iterator[tuple[PromptVariant, dict[str, str]]]:
        names = list(self._design.levels)
        for variant in self._design.variants:
            for chosen in itertools.product(*self._design.levels.values()):
                yield variant, dict(zip(names, chosen, strict=True))

    def _factors(self, case: Case, variant: PromptVariant, levels: dict[str, str]) -> dict[str, str]:
        columns = {name: case.values[name] for name in self._design.case_factors if case.values.get(name)}
        return {**columns, **variant.factors, **levels}

    def _place(
        self,
        case: Case,
        variant: str,
        target: str,
        levels: dict[str, str],
        factors: dict[str, str],
        parameters: dict[str, Any],
    ) -> OutputPlace:
        told = [value for name, value in factors.items() if name in parameters]
        output_id = "-".join((case.id, variant, *levels.values(), target, *told))
        return OutputPlace(output_id, case.id, variant, target, factors, parameters)

    def _repeated(self, place: OutputPlace, repeat: int) -> OutputPlace:
        if self._design.repeats == 1:
            return place
        return msgspec.structs.replace(place, output_id=f"{place.output_id}-{repeat}", repeat=repeat)

    def _is_wanted(self, place: OutputPlace, case: Case) -> bool:
        if not self._design.only:
            return True
        known = {
            **case.values,
            **place.factors,
            "case": place.case,
            "variant": place.variant,
            "target": place.target,
        }
        return any(all(known.get(name) == value for name, value in part.items()) for part in self._design.only)

    def _prompt(self, case: Case, variant: PromptVariant, levels: dict[str, str]) -> PromptText:
        values = self._values(case, levels)
        system = self._filled(variant.system, values) if variant.system else ""
        return PromptText(system, (self._filled(variant.text, values), *case.turns[1:]))

    def _values(self, case: Case, levels: dict[str, str]) -> dict[str, str]:
        values = {**case.values, **({TURN: case.turns[0]} if case.turns else {})}
        texts = {name: self._filled(self._design.levels[name][level], values) for name, level in levels.items()}
        return {**values, **texts}

    def _filled(self, part: PromptPart, values: Mapping[str, str]) -> str:
        template = self._template(part, values)
        return template.fill(value_in(values, template.where))

    def _used(self, case: Case, variant: PromptVariant, levels: dict[str, str]) -> set[str]:
        values, used = self._values(case, levels), set[str]()
        parts = [variant.text, *([variant.system] if variant.system else [])]
        parts += [self._design.levels[name][level] for name, level in levels.items()]
        for part in parts:
            used.update(part.template.names, self._template(part, values).names)
        self._prompt(case, variant, levels)
        if case.turns and TURN not in used:
            raise ConfigError("error.prompt.no_turn", where=variant.text.template.where, case=case.id)
        return used

    def _template(self, part: PromptPart, values: Mapping[str, str]) -> Template:
        """Return the text of a part, read from its file if it is one; only files inside the folder are read."""
        if not part.is_file:
            return part.template
        name = part.template.fill(value_in(values, part.template.where))
        if name not in self._files:
            self._files[name] = read_prompt_file(self._design.folder, name, part.template.where)
        return self._files[name]


def read_prompt_file(folder: Path, name: str, where: str) -> Template:
    """Read a prompt; raises `ConfigError` for a file that is not there, lies elsewhere or is no UTF-8."""
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise ConfigError("error.prompt.file_elsewhere", where=where, path=name, folder=folder)
    try:
        data = path.read_bytes()
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise ConfigError("error.prompt.no_file", where=where, path=path, reason=os_reason(error)) from None
    except UnicodeDecodeError as error:
        raise ConfigError("error.prompt.not_utf8", where=str(path), offset=error.start) from None
    if len(data) > MOST_PROMPT_BYTES:
        raise ConfigError("error.prompt.too_large", where=str(path), size=len(data), most=MOST_PROMPT_BYTES)
    return parse_template(text.rstrip("\n"), str(path))


def _crossed(parameters: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the crossing of parameters with several values.

    >>> list(_crossed({"temperature": [0, 1], "seed": 7}))
    [{'temperature': 0, 'seed': 7}, {'temperature': 1, 'seed': 7}]
    """
    listed = [value if isinstance(value, list) else [value] for value in parameters.values()]
    for chosen in itertools.product(*listed):
        yield dict(zip(parameters, chosen, strict=True))


def _written(value: Any) -> str:
    return "default" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
