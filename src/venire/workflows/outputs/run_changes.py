"""Two runs of a ledger side by side: what changed, which outputs got worse and better, and which verdicts flipped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

import msgspec

from venire.workflows.outputs.index import OutputIndex, repeat_number

MOST_LISTED = 100
"""How many outputs are listed in each direction."""
_AT_ONCE = 20_000
_EPSILON = 1e-9


class MatchedBy(StrEnum):
    """How an output of one run is found in the other."""

    NAME = "name"
    """It has the same name."""
    PLACE = "place"
    """It answers the same question under the same variant and factors, by the same model."""
    QUESTION = "question"
    """It answers the same question under the same variant and factors; the model may be another."""
    NOTHING = "nothing"
    """No output of the one run is found in the other."""


class RunSide(msgspec.Struct, frozen=True, kw_only=True):
    """One of the two runs."""

    run: str
    """Its id."""
    protocol: str
    """The digest of its protocol."""
    protocol_id: str
    """The protocol's name."""
    judges: dict[str, str]
    """Its judges, each with its version."""


class ChangedOutput(msgspec.Struct, frozen=True, kw_only=True):
    """An output that was judged in both runs."""

    before: str
    """The key of its page before."""
    after: str
    """The key of its page after."""
    name: str
    """What it is called."""
    model: str
    """The model that produced it, after."""
    score_before: float | None
    """The mean score of the judges who judged it both times, before."""
    score_after: float | None
    """The same, after."""
    flips: tuple[tuple[str, str, str], ...]
    """Judges whose verdict changed, each with the verdict before and after."""
    is_rewritten: bool
    """Whether the output itself is another."""

    @property
    def change(self) -> float:
        """By how much the score rose."""
        return 0.0 if self.score_before is None or self.score_after is None else self.score_after - self.score_before


class RunChanges(msgspec.Struct, frozen=True, kw_only=True):
    """What changed from one run to another."""

    before: RunSide
    """The one run."""
    after: RunSide
    """The other."""
    matched_by: MatchedBy = MatchedBy.NOTHING
    """How outputs were found again."""
    common: int = 0
    """How many outputs both runs have."""
    only_before: int = 0
    """How many only the one has."""
    only_after: int = 0
    """How many only the other has."""
    rewritten: int = 0
    """Of how many of the common ones the text is another."""
    worse_count: int = 0
    """How many got a lower score."""
    better_count: int = 0
    """How many got a higher score."""
    flips: dict[tuple[str, str], int] = {}
    """How often a judge's verdict changed from the one to the other."""
    worse: tuple[ChangedOutput, ...] = ()
    """Those that fell furthest first."""
    better: tuple[ChangedOutput, ...] = ()
    """Those that rose furthest first."""
    flipped: tuple[ChangedOutput, ...] = ()
    """Those with another verdict but the same score."""

    @property
    def judges_changed(self) -> tuple[str, ...]:
        """The judges of both runs whose version is another."""
        both = self.before.judges.keys() & self.after.judges.keys()
        return tuple(sorted(name for name in both if self.before.judges[name] != self.after.judges[name]))

    @property
    def is_comparable(self) -> bool:
        """Whether both runs asked by the same protocol: scores of different ones are never compared."""
        return self.before.protocol == self.after.protocol


class _Given(NamedTuple):
    repeat: int
    verdict: str
    score: float | None


class _OutputPlace(NamedTuple):
    key: str
    digest: str
    output_id: str
    question: str
    variant: str
    levels: str
    model: str


_Judged = dict[int, dict[str, _Given]]
_KEYS: dict[MatchedBy, Callable[[_OutputPlace], object]] = {
    MatchedBy.NAME: lambda place: place.output_id,
    MatchedBy.PLACE: lambda place: place.question and place[3:],
    MatchedBy.QUESTION: lambda place: place.question and place[3:6],
}


def side_of(run: Mapping[str, Any]) -> RunSide:
    """Return what the record of a run's opening says of it."""
    return RunSide(
        run=run["id"],
        protocol=run["protocol"],
        protocol_id=run.get("protocol_id", ""),
        judges={judge["name"]: judge.get("digest", "") for judge in run["judges"]},
    )


def compare_runs(
    index: OutputIndex, before: RunSide, after: RunSide, planned: Mapping[str, Collection[bytes]]
) -> RunChanges:
    """Compare two runs; `planned` names the tasks of each, for a run counts what an earlier one has answered too."""
    if before.protocol != after.protocol:
        return RunChanges(before=before, after=after)
    old, new = _judged(index, before, planned), _judged(index, after, planned)
    places = _places(index, old.keys() | new.keys())
    matched_by, pairs = _match(old, new, places)
    changed = [_changed(old[first], new[second], places[first], places[second]) for first, second in pairs]
    worse = sorted((each for each in changed if each.change < -_EPSILON), key=lambda each: each.change)
    better = sorted((each for each in changed if each.change > _EPSILON), key=lambda each: -each.change)
    level = [each for each in changed if abs(each.change) <= _EPSILON and each.flips]
    return RunChanges(
        before=before,
        after=after,
        matched_by=matched_by,
        common=len(pairs),
        only_before=len(old) - len(pairs),
        only_after=len(new) - len(pairs),
        rewritten=sum(each.is_rewritten for each in changed),
        worse_count=len(worse),
        better_count=len(better),
        flips=dict(Counter(flip[1:] for each in changed for flip in each.flips).most_common()),
        worse=tuple(worse[:MOST_LISTED]),
        better=tuple(better[:MOST_LISTED]),
        flipped=tuple(level[:MOST_LISTED]),
    )


def _judged(index: OutputIndex, side: RunSide, planned: Mapping[str, Collection[bytes]]) -> _Judged:
    """Return of each output of a run what each judge gave it: the first valid reply."""
    tasks, found, last = planned.get(side.run, ()), _Judged(), 0
    query = (
        "SELECT rowid, output, judge, repeat, verdict, score, task, run FROM judgement"
        " WHERE rowid > ? AND status = 'valid' AND method <> 'self_judge' ORDER BY rowid LIMIT ?"
    )
    while rows := index.rows(query, (last, _AT_ONCE)):
        for _, output, judge, repeat, verdict, score, task, run in rows:
            number = repeat_number(repeat)
            if number is None or judge not in side.judges or not (run == side.run or bytes.fromhex(task) in tasks):
                continue
            known = found.setdefault(output, {})
            if judge not in known or number < known[judge].repeat:
                known[judge] = _Given(number, verdict, score)
        last = rows[-1][0]
    return found


def _places(index: OutputIndex, outputs: Collection[int]) -> dict[int, _OutputPlace]:
    query = "SELECT id, key, digest, output_id, question, variant, levels, model FROM output"
    return {number: _OutputPlace(*rest) for number, *rest in index.rows(query) if number in outputs}


def _match(old: _Judged, new: _Judged, places: Mapping[int, _OutputPlace]) -> tuple[MatchedBy, list[tuple[int, int]]]:
    """Find outputs of the one run in the other, by the first of the ways in which each has one counterpart at most."""
    for way, key in _KEYS.items():
        sides = []
        for run in (old, new):
            named = {key(places[output]): output for output in run if key(places[output])}
            sides.append(named if len(named) == len(run) else {})
        pairs = [(output, sides[1][name]) for name, output in sides[0].items() if name in sides[1]]
        if pairs:
            return way, pairs
    return MatchedBy.NOTHING, []


def _changed(
    old: Mapping[str, _Given], new: Mapping[str, _Given], before: _OutputPlace, after: _OutputPlace
) -> ChangedOutput:
    both = sorted(old.keys() & new.keys())
    scored = [(old[name].score, new[name].score) for name in both]
    known = [(first, second) for first, second in scored if first is not None and second is not None]
    flips = [(name, old[name].verdict, new[name].verdict) for name in both if old[name].verdict != new[name].verdict]
    place = tuple(filter(None, (after.question, after.variant, after.levels)))
    return ChangedOutput(
        before=before.key,
        after=after.key,
        name=" · ".join(place) or after.output_id,
        model=after.model,
        score_before=sum(first for first, _ in known) / len(known) if known else None,
        score_after=sum(second for _, second in known) / len(known) if known else None,
        flips=tuple(flips),
        is_rewritten=before.digest != after.digest,
    )
