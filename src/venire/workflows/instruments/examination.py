"""What a voir dire asks: which families of which judge, how many probes of each, made from which outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import nsmallest
from typing import Protocol

import msgspec

from venire.config import Settings
from venire.domain.canonical import digest
from venire.domain.material import MaterialKind
from venire.domain.protocol import EvalProtocol
from venire.domain.sample import Bundle, Sample
from venire.errors import ConfigError
from venire.inputs.problems import OnProblem
from venire.judges.panel import Judge
from venire.judges.probes.battery import Battery, ProbeFamily, load_battery
from venire.judges.probes.making import WEAKENED, ProbeMaker, bundled_outputs
from venire.judges.probes.pairs import PairProbeMaker
from venire.judges.probes.qualification import FamilyTerms, QualificationTerms
from venire.runner.context import RunSpec
from venire.shapes.registry import shape_of
from venire.stats.qualification.sizes import Against, PlannedTest, planned_size
from venire.workflows.judge import read_outputs, spec_of

LEAST_LETTERS = 20
"""Outputs shorter than this leave nothing to cut or to alter."""
SPARE = 12
"""How many more outputs are chosen than the largest family needs, for those that no template fits."""
_NEED_AGAIN = frozenset({"repeats", "valid", "unchanged"})
_OTHERWISE = {"order": "ask_swapped", "dimension_order": "ask_reversed", "prompt_language": "ask_other_language"}
"""The families that leave outputs as they are, and the operation by which they are asked about otherwise."""


class _Maker(Protocol):
    """What makes probes: of single outputs, or of two side by side."""

    def originals(self, count: int, template: str) -> Iterator[Sample | Bundle]: ...

    def asked_otherwise(self, family: str, operation: str, count: int) -> Iterator[Sample | Bundle]: ...

    def probes(self, family: str, count: int, kin: str = "") -> Iterator[Sample | Bundle]: ...


class ProbeRun(msgspec.Struct, frozen=True):
    """Probes that are put to some judges in one run."""

    name: str
    """What it is about."""
    protocol: EvalProtocol
    """The protocol that is asked."""
    judges: tuple[Judge, ...]
    """Who is asked; in another language a judge is another instrument of the same name."""
    probes: tuple[Sample | Bundle, ...]
    """The probes."""


class Examination(msgspec.Struct, frozen=True, kw_only=True):
    """A voir dire that is ready to be asked."""

    settings: Settings
    """The configuration."""
    battery: Battery
    """The battery."""
    judges: tuple[Judge, ...]
    """The judges that are examined."""
    bases: tuple[Sample, ...]
    """The outputs that probes are made from."""
    own: int
    """How many of them are the user's own."""
    sizes: dict[str, int]
    """How many probes of each family are planned."""

    def terms_for(self, judge: Judge) -> tuple[QualificationTerms, dict[str, str]]:
        """Return what the outcome of a judge follows from, and which families cannot be asked of it, and why."""
        battery = self.battery
        without = {name: why for name in battery.families if (why := self._why_not(name, judge))}
        families = {
            name: FamilyTerms(each.rule, each.limit, self.sizes[name], dict(each.name))
            for name, each in battery.families.items()
            if name not in without
        }
        recovered = self.settings.config.count_recovered
        terms = (battery.alpha, battery.tolerance, battery.ceiling, battery.span, recovered)
        return QualificationTerms(*terms, families, compared=self.compares), without

    @property
    def compares(self) -> bool:
        """Whether judges compare two outputs."""
        return shape_of(self.settings.protocol).judges == "pair"

    def _why_not(self, family: str, judge: Judge) -> str:
        """Return the code of the reason why a judge cannot be asked a family; empty if it can."""
        protocol = self.settings.protocol
        if family == "order" and not self.compares:
            return "voir_dire.one_output"
        if family == "dimension_order" and len(protocol.dimensions) < 2:
            return "voir_dire.one_dimension"
        if family == "prompt_language" and not {"en", "zh"} <= set(protocol.title):
            return "voir_dire.one_language"
        if family == "kinship" and not kin_of(judge):
            return "voir_dire.no_kin"
        if family == "documents" and not self._has_documents:
            return "voir_dire.no_documents"
        return ""

    @property
    def _has_documents(self) -> bool:
        shown = MaterialKind.DOCUMENT in self.settings.protocol.shown_kinds
        return shown and any(each.kind is MaterialKind.DOCUMENT for base in self.bases for each in base.materials)

    def probe_runs(self) -> Iterator[ProbeRun]:
        """Yield what is asked, one run each: what all judges are asked alike comes first."""
        protocol, battery = self.settings.protocol, self.battery
        kind = PairProbeMaker if self.compares else ProbeMaker
        maker: _Maker = kind(battery, self.bases, protocol, protocol.scales[0])
        alike = [name for name in battery.families if name != "kinship" and name not in _OTHERWISE]
        shared = (
            *maker.originals(self._most(lambda each: each.rule not in WEAKENED), "first"),
            *maker.originals(self._most(lambda each: each.rule in _NEED_AGAIN), "again"),
            *maker.originals(self._most(lambda each: each.rule in WEAKENED), "weak"),
            *(probe for name in alike for probe in maker.probes(name, self.sizes[name])),
        )
        yield ProbeRun("outputs", protocol, self.judges, shared)
        yield from self._otherwise(maker)
        for judge in self.judges if "kinship" in self.sizes else ():
            if probes := tuple(maker.probes("kinship", self.sizes["kinship"], kin_of(judge))):
                yield ProbeRun("kinship", protocol, (judge,), probes)

    def _most(self, holds: Callable[[ProbeFamily], bool]) -> int:
        return max((self.sizes[name] for name, each in self.battery.families.items() if holds(each)), default=0)

    def _otherwise(self, maker: _Maker) -> Iterator[ProbeRun]:
        protocol = self.settings.protocol
        for family, operation in _OTHERWISE.items():
            judges = tuple(each for each in self.judges if family in self.terms_for(each)[0].families)
            if not judges:
                continue
            asked = protocol
            if operation == "ask_reversed":
                asked = msgspec.structs.replace(protocol, dimensions=protocol.dimensions[::-1])
            elif operation == "ask_other_language":
                judges = tuple(map(in_other_language, judges))
            probes = tuple(maker.asked_otherwise(family, operation, self.sizes[family]))
            yield ProbeRun(family, asked, judges, probes)

    def spec(self, probe_run: ProbeRun) -> RunSpec:
        """Return the spec of one run of probes; it is recorded as one of a voir dire, so that no report counts it."""
        spec = spec_of(self.settings)
        told = {"battery": self.battery.id, "battery_digest": self.battery.digest, "sitting": probe_run.name}
        return msgspec.structs.replace(
            spec,
            protocol=probe_run.protocol,
            judges=probe_run.judges,
            subjects=lambda: iter(probe_run.probes),
            documents=None,
            settings={"voir_dire": told},
        )


def prepare(settings: Settings, on_problem: OnProblem = None) -> Examination:
    """Make everything ready; raises `ConfigError` before anything is asked."""
    config, where = settings.config.voir_dire, settings.source.where(("voir_dire",))
    if shape_of(settings.protocol).judges == "bundle":
        raise ConfigError("error.voir_dire.shape", where=where, protocol=settings.protocol.id)
    judges = tuple(judge for judge in settings.judges if judge.kind != "replay")
    if not judges:
        raise ConfigError("error.voir_dire.replay", where=settings.source.where(("judges",)))
    battery = load_battery(config.battery, settings.folder)
    sizes = {name: size_of(battery, each) for name, each in battery.families.items()}
    needed = max(sizes.values(), default=0) + SPARE
    own = _own_outputs(settings, needed, on_problem) if config.samples == "own" else ()
    policy = settings.protocol.materials
    more = () if policy and policy.must_have else bundled_outputs()[: max(0, needed - len(own))]
    if not own and not more:
        raise ConfigError("error.voir_dire.no_outputs", where=where, protocol=settings.protocol.id)
    return Examination(
        settings=settings, battery=battery, judges=judges, bases=(*own, *more), own=len(own), sizes=sizes
    )


def _own_outputs(settings: Settings, count: int, on_problem: OnProblem) -> tuple[Sample, ...]:
    """Choose some of the user's outputs by their digests: always the same, whatever their order."""
    usable = (each for each in read_outputs(settings, on_problem) if len(each.text.strip()) >= LEAST_LETTERS)
    chosen = nsmallest(count, ((digest("voir-dire", each.digest), each) for each in usable), key=lambda pair: pair[0])
    return tuple(dict(chosen).values())


def size_of(battery: Battery, family: ProbeFamily) -> int:
    """Return how many probes of a family the planned power takes, under Holm's smallest level."""
    against: Against = {"unchanged": "repeats", "not_raised": "drops"}.get(family.rule, "nothing")  # type: ignore[assignment]
    size = planned_size(
        PlannedTest(
            limit=family.limit,
            fault=family.fault,
            sound=family.sound,
            against=against,
            noise=battery.noise,
            alpha=battery.alpha,
            strike_alpha=battery.alpha / len(battery.families),
            power=battery.power,
            pass_power=battery.pass_power,
        )
    )
    return -(-size // 2) if family.rule == "valid" else size  # Each original is asked twice.


def kin_of(judge: Judge) -> str:
    """Return the name that a judge may favour: its family's, or else its model's."""
    return judge.family or judge.model


def in_other_language(judge: Judge) -> Judge:
    """Return the judge as it is asked in the other language."""
    return msgspec.structs.replace(judge, language="en" if judge.language == "zh" else "zh")
