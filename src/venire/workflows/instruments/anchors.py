"""The anchors of a configuration: read, checked before anything is asked, and chosen for a run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from venire.config import Settings
from venire.domain.canonical import digest
from venire.domain.protocol import EvalProtocol
from venire.domain.sample import Bundle, Sample
from venire.errors import ConfigError, InputError
from venire.inputs.reader import read_samples
from venire.judges.panel import Judge
from venire.ledger.entry import Kind
from venire.ledger.store import Ledger
from venire.runner.canaries.plan import IS_ANCHOR, CanaryPlan, order_by_hash
from venire.runner.context import RunSpec
from venire.runner.loop import new_run_id
from venire.runner.plan import RunPlan
from venire.shapes.registry import shape_of
from venire.stats.ratings.rating import overall_range

_LABEL = "label"


def _content(sample: Sample) -> tuple[object, ...]:
    """Return what makes two outputs the same: what a judge is shown."""
    return sample.task, sample.text, sample.materials


class Anchors(msgspec.Struct, frozen=True):
    """Outputs that are judged again in each run, with what people said of them."""

    samples: dict[str, Sample]
    """The anchors by their digests."""
    labels: dict[str, dict[str, float]]
    """What people said, by anchor and dimension, as a place from 0 to 1."""
    where: str
    """The line of the configuration that names them."""

    def refuse_samples(self, subjects: Iterable[Sample | Bundle]) -> Iterator[Sample | Bundle]:
        """Yield the samples of a run; raises `ConfigError` at one that is an anchor too."""
        known = {_content(each): each.output_id for each in self.samples.values()}
        for subject in subjects:
            for sample in subject.samples:
                if anchor := known.get(_content(sample)):
                    raise ConfigError(
                        "error.canaries.is_sample", where=self.where, anchor=anchor, sample=sample.output_id
                    )
            yield subject


def read_anchors(settings: Settings) -> Anchors | None:
    """Read and check the anchors of a configuration; None if it has none."""
    given = settings.config.canaries
    if given is None:
        return None
    from venire.stats.sequential.anchor_stream import LEAST_PAIRS  # It imports NumPy.

    where, protocol = settings.source.where(("canaries",)), settings.protocol
    if shape_of(protocol).judges != "sample":
        raise ConfigError("error.canaries.shape", where=where, protocol=protocol.id)
    path = settings.folder / given.path
    if not path.exists():
        raise ConfigError("error.canaries.no_file", where=where, path=str(path))
    samples: dict[str, Sample] = {}
    labels: dict[str, dict[str, float]] = {}
    for sample in read_samples(path, materials=settings.material_terms):
        anchor = _as_anchor(sample.in_category(settings.samples.category), settings, str(path))
        samples[anchor.digest] = anchor
        if found := _labels(sample, protocol, str(path)):
            labels[anchor.digest] = found
    if len(samples) < LEAST_PAIRS:
        raise ConfigError("error.canaries.few", where=where, path=str(path), found=len(samples), least=LEAST_PAIRS)
    _refuse_one_class(labels, str(path))
    return Anchors(samples, labels, where)


def _as_anchor(sample: Sample, settings: Settings, path: str) -> Sample:
    """Mark a sample as an anchor; what else the file says of it stays out, so that no judge can tell."""
    categories = settings.protocol.categories
    if categories and not settings.protocol.category(sample.category):
        raise InputError("error.canaries.category", where=path, name=sample.output_id)
    return msgspec.structs.replace(sample, notes={}, probe=IS_ANCHOR)


def _labels(sample: Sample, protocol: EvalProtocol, path: str) -> dict[str, float]:
    """Read what people said: a column `label` for the overall score, `label.DIMENSION` for a dimension."""
    found = {}
    for column, text in sample.notes.items():
        name, _, dimension = column.partition(".")
        if name != _LABEL:
            continue
        if dimension and dimension not in protocol.dimension_ids:
            known = protocol.dimension_ids
            raise InputError("error.canaries.dimension", where=path, column=column, protocol=protocol.id, known=known)
        scale = protocol.scales[0]
        low, high = (scale.minimum, scale.maximum) if dimension else overall_range(protocol, scale)
        try:
            score = float(text)
        except ValueError:
            score = math.nan
        if not low <= score <= high:
            raise InputError(
                "error.canaries.label",
                where=path,
                name=sample.output_id,
                column=column,
                found=text,
                low=f"{low:g}",
                high=f"{high:g}",
            )
        found[dimension] = round((score - low) / (high - low), 9)
    return found


def _refuse_one_class(labels: dict[str, dict[str, float]], path: str) -> None:
    """Raise `InputError` where people said the same of every anchor: any judge that never varies would agree."""
    for dimension in dict.fromkeys(name for each in labels.values() for name in each):
        if len({each[dimension] for each in labels.values() if dimension in each}) == 1:
            column = f"{_LABEL}.{dimension}" if dimension else _LABEL
            raise InputError("error.canaries.one_class", where=path, column=column)


def apart_from(spec: RunSpec, anchors: Anchors | None) -> RunSpec:
    """Return a run that is refused when a sample turns out to be an anchor, too."""
    if anchors is None:
        return spec
    return msgspec.structs.replace(spec, subjects=lambda: anchors.refuse_samples(spec.subjects()))


class JuryAnchors(msgspec.Struct, frozen=True):
    """How a jury is watched: each judge in the first round that asks it, and all of them in one round of anchors."""

    jury: str
    """The id of the jury."""
    outputs: int
    """How many outputs it has: its share of anchors is of these, however few a judge is asked about."""


def with_canaries(
    spec: RunSpec,
    anchors: Anchors | None,
    plan: RunPlan,
    ledger: Ledger | None,
    share: float,
    jury: JuryAnchors | None = None,
) -> RunSpec:
    """Return a run with anchors among its samples: new in each run, the same in one that goes on with its work."""
    if anchors is None:
        return spec
    judges = [judge for judge in spec.judges if judge.kind != "replay"]  # A recording knows no anchors.
    ordinary = digest("canaries", sorted([judge.digest, plan.judges[judge.name].digest] for judge in judges))
    rounds, run = tuple(_earlier_rounds(ledger)), spec.run or new_run_id()
    begun = next((each for each in rounds if each.ordinary == ordinary), None)
    of_round = begun.round if begun else next((each.round for each in rounds if jury and each.jury == jury.jury), run)
    watched = {digest for each in rounds if each.round == of_round for digest in each.asked}
    earlier = [each.asked for each in rounds if each.round != of_round]
    asked = {}
    for judge in judges:
        if begun is not None and judge.digest in begun.asked:
            held = begun.asked[judge.digest]
            asked[judge.digest] = {key: times for key, times in held.items() if key in anchors.samples}
        elif judge.digest not in watched:
            most = math.ceil(share * (jury.outputs if jury else plan.judges[judge.name].tasks))
            asked[judge.digest] = _choose(judge, anchors, earlier, of_round, most)
    if not asked:
        return spec
    tasks = {judge.name: plan.judges[judge.name].tasks for judge in judges}
    canaries = CanaryPlan(
        round=of_round, ordinary=ordinary, anchors=anchors.samples, asked=asked, tasks=tasks, labels=anchors.labels
    )
    return msgspec.structs.replace(spec, run=run, canaries=canaries)


class _EarlierRound(msgspec.Struct, frozen=True):
    """What an earlier run says of its anchors; several runs may have done the work of one round."""

    round: str
    ordinary: str
    asked: dict[str, dict[str, int]]
    jury: str


def _earlier_rounds(ledger: Ledger | None) -> Iterator[_EarlierRound]:
    entries = ledger.read(kinds=[Kind.RUN_OPENED]) if ledger is not None else ()
    seen: set[tuple[str, str]] = set()
    for entry in entries:
        settings: dict[str, Any] = entry.content.get("settings", {})
        told, jury = settings.get("canaries"), settings.get("jury") or {}
        if told and (told["round"], told["ordinary"]) not in seen:
            seen.add((told["round"], told["ordinary"]))
            yield _EarlierRound(told["round"], told["ordinary"], told["asked"], jury.get("id", ""))


def _choose(
    judge: Judge, anchors: Anchors, earlier: list[dict[str, dict[str, int]]], run: str, most: int
) -> dict[str, int]:
    """Choose anchors for a judge: each one that it never saw twice, and of the others as many as the share says."""
    from venire.stats.sequential.anchor_stream import FIRST_VERDICTS

    times = dict.fromkeys(anchors.samples, 0)
    for each in earlier:
        for key, count in each.get(judge.digest, {}).items():
            if key in times:
                times[key] += count
    known = {key: count for key, count in times.items() if count}
    again = order_by_hash(known, run)[:most]
    return {**dict.fromkeys(again, 1), **{key: FIRST_VERDICTS for key in times if key not in known}}
