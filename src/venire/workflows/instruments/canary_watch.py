"""What anchors say about judges: follows from a ledger's entries in their order, and from nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from venire.domain.judgement import Judgement, Status
from venire.domain.protocol import EvalProtocol
from venire.ledger.entry import Entry, Kind
from venire.runner.canaries.evidence import ALARM, TOLERANCE, JudgeEvidence, StreamEvidence, Watched
from venire.runner.records import JudgementRecord, read_judgement
from venire.runner.task import CANARY, is_canary
from venire.stats.ratings.rating import overall_range
from venire.stats.sequential.anchor_stream import AnchorStream

READ = (Kind.PROTOCOL, Kind.RUN_OPENED, Kind.JUDGEMENT)
"""The kinds of entries that it follows from."""
OVERALL = ""
"""The name of the overall score among dimensions."""
_MARK = f'"{CANARY}'.encode()
_DIGITS = 9


class AnchorVerdict(NamedTuple):
    """One verdict on an anchor that counts."""

    round: int
    """In which run it was given, counted from 1."""
    anchor: str
    """The digest of the anchor."""
    places: dict[str, float]
    """The scores by dimension, as places from 0 to 1."""
    overall: float | None
    """The overall score on the judge's own scale."""
    contradicts: dict[str, bool]
    """For each dimension whether it contradicts the first verdicts; those without agreeing first ones are left out."""


class JudgeWatch:
    """All verdicts of one judge on anchors, and the bets on them."""

    def __init__(self, judge: str, digest: str, prompt: str, protocol: EvalProtocol) -> None:
        self.judge, self.digest, self.prompt, self.protocol = judge, digest, prompt, protocol
        self.verdicts: list[AnchorVerdict] = []
        self.peak = 1.0
        self.alarm = ""
        self._weights: dict[tuple[Watched, str], float] = {}
        self._streams: dict[tuple[Watched, str], AnchorStream] = {}

    def share_out(self, labelled: frozenset[str]) -> None:
        """Share the wealth out among what is watched, before the first verdict: half of it on the overall score.

        Where people scored anchors, half goes to how far verdicts lie from theirs, in the dimensions that they scored.
        """
        dimensions = self.protocol.dimension_ids
        inside = dict.fromkeys(dimensions, 0.5 / len(dimensions)) if len(dimensions) > 1 else {}
        weights = {OVERALL: 1 - sum(inside.values()), **inside}
        known = {name: weight for name, weight in weights.items() if name in labelled}
        shared: dict[Watched, dict[str, float]] = (
            {"change": weights, "distance": known} if known else {"change": weights}
        )
        for kind, own in shared.items():
            whole = sum(own.values()) * len(shared)
            for name, weight in own.items():
                self._weights[kind, name] = weight / whole
                self._streams[kind, name] = AnchorStream(tolerance=TOLERANCE, only_above=kind == "distance")

    def take(self, number: int, run: str, anchor: str, judgement: Judgement, labels: Mapping[str, float]) -> None:
        """Take a verdict in."""
        places, contradicts = dict(places_of(judgement, self.protocol)), {}
        for (kind, name), stream in self._streams.items():
            if name not in places or (kind == "distance" and name not in labels):
                continue
            value = places[name] if kind == "change" else abs(places[name] - labels[name])
            found = stream.take(anchor, value)
            if kind == "change" and found is not None:
                contradicts[name] = found
        self.verdicts.append(AnchorVerdict(number, anchor, places, judgement.overall, contradicts))
        self.peak = max(self.peak, self.e_value)
        if not self.alarm and self.peak >= ALARM:
            self.alarm = run

    @property
    def e_value(self) -> float:
        """The evidence from all dimensions together."""
        return sum(self._weights[key] * stream.e_value for key, stream in self._streams.items()) or 1.0

    def evidence(self) -> JudgeEvidence:
        """Return the evidence as the ledger holds it, to so many digits that every machine writes the same."""
        return JudgeEvidence(
            judge=self.judge,
            judge_digest=self.digest,
            prompt_digest=self.prompt,
            verdicts=len(self.verdicts),
            e_value=_plain(self.e_value),
            peak=_plain(self.peak),
            alarm=self.alarm,
            streams=tuple(_stream(*key, stream) for key, stream in self._streams.items()),
        )


class CanaryWatch:
    """Goes through a ledger, and keeps what is known of each judge that was asked about anchors."""

    def __init__(self) -> None:
        self.rounds: dict[str, list[str]] = {}
        """The runs with anchors under each protocol, in their order, by the id that their anchors carry."""
        self.opened_at: dict[str, str] = {}
        """When each of these began."""
        self.round_of: dict[str, str] = {}
        """The id that the anchors of a run carry, by the run's id: a run that goes on with another's work has its."""
        self.judges: dict[tuple[str, str, str], JudgeWatch] = {}
        """What is known of each judge, by the digests of protocol, judge and prompt."""
        self._protocols: dict[str, EvalProtocol] = {}
        self._labels: dict[str, dict[str, float]] = {}
        self._recovered = False
        self._seen: set[str] = set()

    def take(self, entry: Entry) -> None:
        """Take an entry in; raises what reading an entry of another form raises."""
        if entry.kind is Kind.PROTOCOL:
            self._protocols[entry.key] = msgspec.convert(entry.content, EvalProtocol)
        elif entry.kind is Kind.RUN_OPENED:
            self._open(entry)
        elif entry.kind is Kind.JUDGEMENT and _MARK in entry.payload:
            self._judgement(read_judgement(entry))

    def of_protocol(self, protocol: str) -> Iterator[JudgeWatch]:
        """Yield the judges under a protocol, in the order in which they were first asked."""
        return (watch for key, watch in self.judges.items() if key[0] == protocol)

    def _open(self, entry: Entry) -> None:
        content = entry.content
        settings: dict[str, Any] = content.get("settings") or {}
        if canaries := settings.get("canaries"):
            runs = self.rounds.setdefault(content["protocol"], [])
            if canaries["round"] not in runs:
                runs.append(canaries["round"])
                self.opened_at[canaries["round"]] = entry.recorded_at
            if not (settings.get("jury") or {}).get("round"):  # Later rounds ask about outputs that were chosen.
                self.round_of[content["run"]] = canaries["round"]
            for anchor, labels in canaries["labels"].items():
                self._labels.setdefault(anchor, labels)  # Another label later would make earlier distances others.
        self._recovered = bool(settings.get("count_recovered"))

    def _judgement(self, record: JudgementRecord) -> None:
        task, judgement = record.task, record.judgement
        counts = judgement.status is Status.VALID or (self._recovered and judgement.status is Status.RECOVERED)
        if not is_canary(task.repeat) or task.id in self._seen or not counts:
            return
        self._seen.add(task.id)
        runs = self.rounds.get(task.protocol_digest, [])
        run = task.repeat.removeprefix(CANARY).partition("-")[0]
        if run not in runs or task.protocol_digest not in self._protocols:
            return
        key = (task.protocol_digest, task.judge_digest, task.prompt_digest)
        if key not in self.judges:
            watch = JudgeWatch(task.judge, task.judge_digest, task.prompt_digest, self._protocols[key[0]])
            watch.share_out(frozenset(name for labels in self._labels.values() for name in labels))
            self.judges[key] = watch
        labels = self._labels.get(task.sample_digest, {})
        self.judges[key].take(runs.index(run) + 1, run, task.sample_digest, judgement, labels)


def places_of(judgement: Judgement, protocol: EvalProtocol) -> Iterator[tuple[str, float]]:
    """Yield the scores of a judgement by dimension, as places from 0 to 1; the overall score has the empty name."""
    scale = protocol.scale(judgement.scale or None)
    ends = dict.fromkeys(judgement.scores, (scale.minimum, scale.maximum))
    for name, score in judgement.scores.items():
        low, high = ends[name]
        yield name, round((score - low) / (high - low), _DIGITS)
    if judgement.overall is not None:
        low, high = overall_range(protocol, scale)
        yield OVERALL, round((judgement.overall - low) / (high - low), _DIGITS)


def _stream(watched: Watched, dimension: str, stream: AnchorStream) -> StreamEvidence:
    return StreamEvidence(
        watched=watched,
        dimension=dimension,
        pairs=stream.pairs,
        parted=stream.parted,
        bound=None if stream.bound is None else _plain(stream.bound),
        observations=stream.observations,
        contradictions=stream.contradictions,
        e_value=_plain(stream.e_value),
    )


def _plain(number: float) -> float:
    return float(f"{number:.{_DIGITS}g}")
