"""What a report is made of: ratings, and what a ledger says beside them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import msgspec

from venire.domain.claim import ClaimFinding
from venire.domain.completeness import Completeness, TargetCompleteness
from venire.domain.judgement import Judgement
from venire.domain.label import Label, LabelMaker
from venire.domain.output import OutputState
from venire.domain.protocol import EvalProtocol
from venire.judges.probes.qualification import Qualification
from venire.protocols.recorded import tool_and_version
from venire.reports.report import Choices
from venire.runner.canaries.evidence import JudgeEvidence
from venire.stats.drift.text_form import TextForm
from venire.stats.ratings.columns import FACTOR_PREFIX, NOTE_PREFIX, further_factors, offered_factors
from venire.stats.ratings.rollup import RollupPlan
from venire.stats.ratings.table import PrimarySet, RatingsTable
from venire.words.said import say

UNTIL_DECIDED = "until_decided"
"""Under which name the opening of a run says that it is looked at until a comparison is decided."""
MOST_CLAIMS = 1_000
"""How many claims of each finding are kept with their words while judgements are read."""


class JudgeWork(msgspec.Struct, kw_only=True):
    """What asking one judge took; counted up while a ledger is read."""

    requests: int = 0
    """Requests that were made, failed ones too."""
    failures: int = 0
    """Requests that gave no reply, and tasks that were not asked."""
    replies: int = 0
    """Replies that were kept."""
    latencies: list[float] = []
    """How long each request took, in seconds."""
    input_tokens: int = 0
    """Tokens of requests, where the server said it."""
    output_tokens: int = 0
    """Tokens of replies, where the server said it."""
    without_tokens: int = 0
    """Replies of which the server did not say the tokens."""
    cost: float = 0.0
    """What the counted tokens cost at the prices of the configuration."""
    priced: bool = False
    """Whether the configuration names a price."""


class BrokenRule(msgspec.Struct, kw_only=True):
    """How often replies broke one rule."""

    findings: int = 0
    """How many places broke it."""
    sequences: list[int] = []
    """The entries of the judgements in which it was broken."""


class StatedOverall(msgspec.Struct, kw_only=True):
    """How often a judge's own overall score does not follow from its scores, where such replies stay valid."""

    compared: int = 0
    """Replies with scores and an overall score beside them."""
    largest: float = 0.0
    """The largest difference, on the judge's scale."""
    sequences: list[int] = []
    """The entries of the judgements whose stated overall score does not follow."""


class ListedClaim(msgspec.Struct, frozen=True, kw_only=True):
    """A claim that the documents contradict or do not speak of, with both sides."""

    judgement: str
    """The key of the judgement."""
    sequence: int | None
    """The number of its entry; None outside of a ledger."""
    output_id: str
    """The output."""
    judge: str
    """The judge."""
    finding: ClaimFinding
    """What the documents say to it."""
    words: str
    """Its words in the output."""
    source: str = ""
    """The document that the passage stands in; empty if none speaks of it."""
    passage: str = ""
    """The words of the document."""
    reason: str = ""
    """What differs, in the judge's words."""


class ClaimsRead(msgspec.Struct, kw_only=True):
    """What judgements by claims say; counted up while they are read."""

    counts: dict[str, tuple[int, int, int]] = {}
    """How many claims of a judgement, by its key, are supported, contradicted and absent."""
    contradicted: list[ListedClaim] = []
    """Claims that a passage contradicts, up to a limit."""
    absent: list[ListedClaim] = []
    """Claims that no document speaks of, up to a limit."""

    def take(self, judgement: Judgement, key: str, judge: str, sequence: int | None) -> None:
        """Take note of the claims of a valid judgement; long lists are cut, counts are not."""
        claims = judgement.claims or ()
        given = [claim.finding for claim in claims]
        self.counts[key] = tuple(map(given.count, ClaimFinding))  # type: ignore[assignment]
        for claim in claims:
            kept = self.contradicted if claim.finding is ClaimFinding.CONTRADICTED else self.absent
            if claim.finding is ClaimFinding.SUPPORTED or len(kept) >= MOST_CLAIMS:
                continue
            words, passage = judgement.sides(claim)
            kept.append(
                ListedClaim(
                    judgement=key, sequence=sequence, output_id=judgement.sample, judge=judge, finding=claim.finding,
                    words=words.quote, source=passage.source if passage else "",
                    passage=passage.quote if passage else "", reason=words.reason,
                )
            )  # fmt: skip


class CollectedForm(msgspec.Struct, frozen=True, gc=False):
    """The form of an output that was collected, and its place in the design."""

    case: str
    """The case."""
    variant: str
    """The prompt variant."""
    target: str
    """The target."""
    factors: tuple[tuple[str, str], ...]
    """Further factors, in the order of their names."""
    repeat: int
    """Which of several equal requests it is."""
    form: TextForm
    """What it looks like."""
    state: OutputState = OutputState.COMPLETE
    """How it ended."""


class ShownPair(msgspec.Struct, frozen=True, kw_only=True):
    """Two outputs that a judge compared, in the order in which it saw them."""

    judge: str
    """The judge."""
    question: str
    """What the two outputs answer."""
    first: str
    """The output that was shown first."""
    second: str
    """The output that was shown second."""
    outcome: float
    """1 if the first won, 0 if the second did, 0.5 for a tie."""
    pair: str = ""
    """What the two outputs are called together, in either order; empty where only the question says it."""
    first_length: int | None = None
    """How many characters the first output has; None where it is not at hand."""
    second_length: int | None = None
    """How many characters the second output has."""


class WorstProbe(msgspec.Struct, frozen=True, kw_only=True):
    """A probe that a judge failed by much, in full."""

    probe: str
    """Which one: its family, its template and the output that it was made from."""
    text: str
    """What the judge was shown."""
    reply: str
    """What it replied."""


class VoirDireRead(msgspec.Struct, frozen=True, kw_only=True):
    """The last qualification of a judge under the protocol of a report."""

    sequence: int
    """The number of its entry."""
    recorded_at: str
    """When it was recorded."""
    content: Qualification
    """What it says."""
    worst: tuple[WorstProbe, ...] = ()
    """The probes that the judge failed by most, if it was struck."""


class CanaryRead(msgspec.Struct, frozen=True, kw_only=True):
    """What anchors said after the last run under the protocol of a report."""

    sequence: int
    """The number of its entry."""
    judges: tuple[JudgeEvidence, ...]
    """The evidence about each judge, in the version that the report is about."""


class JuryRound(msgspec.Struct, frozen=True, kw_only=True):
    """One round of an adaptive jury."""

    sequence: int
    """The number of its entry."""
    number: int
    """The number of the round, from 0."""
    rule: str
    """Why asks were chosen."""
    possible: int
    """How many asks might have been chosen."""
    chosen: int
    """How many were."""
    lowest: float
    """The lowest probability among them."""
    highest: float
    """The highest probability among them."""


class JuryMean(msgspec.Struct, frozen=True, kw_only=True):
    """What a jury estimates of one model."""

    model: str
    """The target model."""
    value: float | None
    """The mean score of the whole jury; None if it is not known yet."""
    half_width: float | None
    """Half the width of its interval; 0 if the whole jury was asked."""
    asked: int
    """How many asks beyond the first ones were chosen."""
    whole: int
    """How many the whole jury would have been asked."""


class JuryStage(msgspec.Struct, frozen=True, kw_only=True):
    """What one stage of a cascade decided."""

    judges: tuple[str, ...]
    """Who was asked at this stage."""
    reached: int
    """How many outputs came to it."""
    labelled: int
    """How many of its labelled outputs are at least so sure as the threshold, or as the first one that was tested."""
    agreeing: int
    """With how many of these verdicts people agree."""
    threshold: float | None
    """The confidence from which on it decides; None if no threshold holds."""
    decided: dict[str, int]
    """How many outputs got each verdict."""
    sequence: int
    """The number of the entry that says so."""


class JuryRead(msgspec.Struct, frozen=True, kw_only=True):
    """The adaptive jury of the last run, as far as it has come."""

    start: tuple[str, ...]
    """The judges that were asked about every output."""
    then: tuple[str, ...]
    """The judges that were asked where it matters."""
    outputs: int
    """How many outputs there are."""
    asked: int
    """How many asks were chosen in all."""
    whole: int
    """How many the whole jury would have been asked."""
    finished: bool
    """Whether it was asked enough; if not, it goes on when it is run again."""
    scale: tuple[float, float]
    """The lowest and the highest score."""
    level: float
    """The coverage of the interval, or the share of verdicts that people agree with."""
    half_width: float | None
    """How wide an interval was asked for; None if the jury decides."""
    delta: float | None
    """How likely the jury may miss the level; None if it estimates."""
    rounds: tuple[JuryRound, ...]
    """The rounds."""
    means: tuple[JuryMean, ...] = ()
    """What it estimates."""
    stages: tuple[JuryStage, ...] = ()
    """What its stages decided."""
    open: tuple[str, ...] = ()
    """The outputs that it left to people, by their output_id."""
    selected: tuple[str, ...] = ()
    """The judges who saw some outputs only, so that plain means leave them out."""
    labels: dict[str, str] = {}
    """What people said of outputs, by their output_id, where thresholds were found by it."""


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
        every = dict.fromkeys(self.table.frame[factor].cast(str).unique(maintain_order=True))
        if factor == "target_model":
            every |= dict.fromkeys(self.missing_files)  # No reply may have come for an incomplete bundle.
        return tuple(name for name in every if name and name not in self.levels(factor))

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

    def levels(self, factor: str) -> tuple[str, ...]:
        """Return the levels of a factor among the ratings that count, in the order of their first appearance."""
        frame = self.primary.table.frame
        columns = (FACTOR_PREFIX + factor, NOTE_PREFIX + factor, factor)
        column = next((name for name in columns if name in frame.columns), None)
        if column is None:
            return ()
        return tuple(str(name) for name in frame[column].cast(str).unique(maintain_order=True) if name)

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
