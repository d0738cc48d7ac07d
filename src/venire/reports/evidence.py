"""What a report is made of: ratings, and what a ledger says beside them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import msgspec

from venire.domain.completeness import Completeness, TargetCompleteness
from venire.domain.label import Label, LabelMaker
from venire.domain.protocol import EvalProtocol
from venire.domain.sample import PLACES
from venire.protocols.recorded import tool_and_version
from venire.reports.recorded.claims_read import ClaimsRead
from venire.reports.recorded.judge_fitness import CanaryRead, VoirDireRead
from venire.reports.recorded.judge_work import BrokenRule, JudgeWork, StatedOverall
from venire.reports.recorded.jury_read import JuryRead
from venire.reports.recorded.outputs_read import CollectedForm, ShownPair
from venire.reports.report import Choices
from venire.stats.judges.leniency import Leniency, leniency
from venire.stats.ratings.columns import FACTOR_PREFIX, NOTE_PREFIX, further_factors, offered_factors
from venire.stats.ratings.rollup import RollupPlan
from venire.stats.ratings.table import PrimarySet, RatingsTable
from venire.votes.beside_people import PeoplesPairs
from venire.words.said import say

UNTIL_DECIDED = "until_decided"
"""Under which name the opening of a run says that it is looked at until a comparison is decided."""


class ReportEvidence(msgspec.Struct, frozen=True, eq=False, kw_only=True, dict=True):
    """Everything that sections are made from."""

    table: RatingsTable
    """All ratings of the chosen protocol and versions."""
    primary: PrimarySet
    """The ratings that count."""
    choices: Choices
    """What was decided."""
    is_table: bool = False
    """Whether the ratings come from a table of scores, which knows nothing of replies."""
    is_check: bool = False
    """Whether the ratings come from the results of a check, which knows replies but not how they were asked for."""
    quotes_not_compared: int = 0
    """How many checked replies have quotes that were not compared with the judged texts."""
    protocol: EvalProtocol | None = None
    """The protocol; None for a table of scores."""
    judges: Mapping[str, Mapping[str, Any]] = {}
    """The record of each judge in the last run that had it, by name; none for a table of scores."""
    runs: tuple[Mapping[str, Any], ...] = ()
    """What each run says of itself when it opens, with `recorded_at`."""
    work: Mapping[str, JudgeWork] = {}
    """What asking each judge took."""
    broken: Mapping[str, BrokenRule] = {}
    """The rules that replies broke."""
    stated: Mapping[str, StatedOverall] = {}
    """How far each judge's own overall scores can be relied on, for protocols that only note a difference."""
    times: tuple[str, str] | None = None
    """When the first and the last judgement were recorded."""
    counts: Mapping[str, int] = {}
    """How many entries of each kind the ledger holds."""
    completeness: Completeness = Completeness(unknown=say("completeness.of_table"))
    """How much of what was planned was answered."""
    outputs: Mapping[str, str] = {}
    """The output_id of each unit."""
    people_pairs: PeoplesPairs | None = None
    """People's votes on the pairs of a ledger; None if there are none."""
    sides: Mapping[str, tuple[str, str]] = {}
    """The two models of each unit in the order in which they were shown; empty unless outputs were compared."""
    without: Mapping[str, int] = {}
    """How many valid judgements were made without a kind of material that judges are shown."""
    claims: ClaimsRead | None = None
    """What judgements by claims say; None for protocols of another form."""
    forms: tuple[CollectedForm, ...] = ()
    """The forms of the outputs that were collected; empty where none were."""
    forbidden: tuple[str, ...] = ()
    """The words that collected outputs should not use, as the last collection says."""
    collection: tuple[TargetCompleteness, ...] = ()
    """How many of the outputs that were to be collected are there, for each target; empty where none were planned."""
    pairs: tuple[ShownPair, ...] = ()
    """The comparisons of two outputs whose order is known."""
    labels: tuple[Label, ...] = ()
    """What people said."""
    model_labels: tuple[Label, ...] = ()
    """What models said in the manner of people; it is shown, and never stands for people."""
    undrawn_labels: int = 0
    """How many labels of the ledger are left out, since nobody knows how likely their outputs were to be chosen."""
    voir_dire: tuple[VoirDireRead, ...] = ()
    """The last qualification of each judge that was examined, in the version that the report is about."""
    canaries: CanaryRead | None = None
    """What anchors said of the judges after the last run; None where no run judged anchors."""
    unqualified: Mapping[str, str] | None = None
    """Why judgements of a judge do not count, where only qualified judges do: `not_examined`, `struck`, `undecided` or
    `ended`; None where all judges count."""
    jury: JuryRead | None = None
    """The adaptive jury of the last run; None if it had none."""
    missing_files: Mapping[str, tuple[str, ...]] = {}
    """The planned files that the bundle of a target model lacks; complete ones are not among them."""
    derived_overall: str = ""
    """The rule by which the overall scores of a table were made of those of dimensions; empty if they were given."""
    assumed_judge: str = ""
    """What the one judge is called to whom all scores of a table count that names none; empty if it names judges."""
    rescaled: bool = False
    """Whether scores were brought to 0–10 because judges score on different scales."""

    def with_labels(self, labels: tuple[Label, ...]) -> ReportEvidence:
        """Return this with labels that were given beside it, people's and models' apart; without any, as it is."""
        if not labels:
            return self
        people = tuple(label for label in labels if label.made_by is LabelMaker.PERSON)
        models = tuple(label for label in labels if label.made_by is LabelMaker.MODEL)
        return msgspec.structs.replace(self, labels=people, model_labels=models, undrawn_labels=0)

    @property
    def structure_dimension(self) -> str | None:
        """The dimension whose lowest score is a hard break; None if there is none."""
        if self.choices.structure_dimension:
            return self.choices.structure_dimension
        if self.protocol and self.protocol.gates:
            return self.protocol.gates[0].dimension
        likely = [name for name in self.primary.dimensions if "format" in name.lower() or "structure" in name.lower()]
        # Where the scale is not known, a broken structure is a score of 0, as the protocols define it.
        known = [name for name in likely if self.scale(name) or (self.primary.scores(name)["score"] <= 0).any()]
        return known[0] if known else None

    @property
    def rollup(self) -> RollupPlan | None:
        """How tests are rolled up: as was chosen, or else as the last run's configuration says; None if nobody does."""
        recorded = self.runs[-1].get("settings", {}).get("rollup") if self.runs else None
        return self.choices.rollup or (msgspec.convert(recorded, RollupPlan) if recorded else None)

    @cached_property
    def imported_from(self) -> tuple[str, ...]:
        """The tools, with their versions, whose records were imported; empty for what Venire asked or read itself."""
        imported = (run.get("settings", {}).get("imported") for run in self.runs)
        return tuple(dict.fromkeys(tool_and_version(each["tool"], each["version"]) for each in imported if each))

    @cached_property
    def has_verdicts_only(self) -> bool:
        """Whether judges gave verdicts and no scores at all."""
        frame = self.table.frame
        scored = frame["score"].is_not_null().any() or frame["overall"].is_not_null().any()
        return not scored and bool(frame["verdict"].is_not_null().any())

    @cached_property
    def leniency(self) -> tuple[Leniency, ...]:
        """How lenient each judge is, on the outputs that it shares with others."""
        return leniency(self.primary, level=self.choices.level)

    @cached_property
    def _scales(self) -> dict[str | None, tuple[float, float] | None]:
        return {dimension: self._scale(dimension) for dimension in (None, *self.primary.dimensions)}

    def scale(self, dimension: str | None = None) -> tuple[float, float] | None:
        """Return the lowest and the highest score of a dimension, or overall; None if it is not one and known."""
        return self._scales.get(dimension)

    def _scale(self, dimension: str | None) -> tuple[float, float] | None:
        frame = self.primary.table.frame
        names = ("overall_minimum", "overall_maximum") if dimension is None else ("minimum", "maximum")
        if dimension is not None:
            frame = frame.filter(frame["dimension"].cast(str) == dimension)
        found = frame.select(names).unique()
        low, high = found.row(0) if found.height == 1 else (None, None)
        return None if low is None or high is None else (low, high)

    def without_scores(self, factor: str) -> tuple[str, ...]:
        """Return the levels of a factor that were judged, but of which no judgement counts."""
        every = dict.fromkeys(self.table.frame[factor].unique(maintain_order=True).cast(str))
        if factor == "target_model":
            every |= dict.fromkeys(self.missing_files)  # No reply may have come for an incomplete bundle.
        counted = set(self.levels(factor))
        return tuple(name for name in every if name and name not in counted)

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The dimensions that have scores, in the protocol's order."""
        found = self.primary.dimensions
        order = self.protocol.dimension_ids if self.protocol else ()
        return (*(name for name in order if name in found), *(name for name in found if name not in order))

    @property
    def stopped_when_decided(self) -> tuple[str, str] | None:
        """The two sides of a comparison that was looked at until it was decided; None if no run was."""
        for run in self.runs:
            if found := run.get("settings", {}).get(UNTIL_DECIDED):
                return found["sides"]["first"], found["sides"]["second"]
        return None

    def class_of(self, unit: str, verdict: str) -> str:
        """Return the class by which agreement on a verdict is measured: itself, or of two compared outputs the place.

        By the winners' names, agreement by chance would be that among all models, although only two can win a pair.
        """
        places = dict(zip(self.sides.get(unit, ()), PLACES, strict=False))
        return places.get(verdict, verdict)

    def levels(self, factor: str) -> tuple[str, ...]:
        """Return the levels of a factor among the ratings that count, in the order of their first appearance."""
        frame = self.primary.table.frame
        columns = (FACTOR_PREFIX + factor, NOTE_PREFIX + factor, factor)
        column = next((name for name in columns if name in frame.columns), None)
        if column is None:
            return ()
        return tuple(str(name) for name in frame[column].unique(maintain_order=True).cast(str) if name)

    def ordered_levels(self, factor: str) -> tuple[str, ...]:
        """Return the levels of a factor in the order that the protocol declares; those it does not name come last."""
        design = self.protocol.design if self.protocol else None
        name = design.variant_factor if design and factor == "prompt_variant" else factor
        declared = design.factors.get(name, ()) if design else ()
        found = self.levels(factor)
        return (*(level for level in declared if level in found), *(level for level in found if level not in declared))

    @cached_property
    def further(self) -> tuple[str, ...]:
        """The factors to slice by: those that were asked for, or all that vary, offered ones too.

        Question and variant are not among them. A factor with a level for every sample slices nothing.
        """
        if self.choices.factors:
            return tuple(name for name in further_factors(self.primary.table.frame) if name in self.choices.factors)
        samples = self.primary.table.frame["unit"].n_unique()
        return tuple(
            name
            for name in (*self.matched, *offered_factors(self.primary.table.frame))
            if 1 < len(self.levels(name)) <= max(2, samples // 2) and self.levels(name) not in self._identity_levels
        )

    @cached_property
    def matched(self) -> tuple[str, ...]:
        """The factors that make outputs comparable: those that the user or the protocol names, where they vary."""
        return tuple(
            name
            for name in further_factors(self.primary.table.frame)
            if len(self.levels(name)) > 1 and self.levels(name) not in self._identity_levels
        )

    @cached_property
    def _identity_levels(self) -> set[tuple[str, ...]]:
        return {self.levels("question_id"), self.levels("prompt_variant")}
