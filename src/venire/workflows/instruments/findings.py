"""Say of each judge whether it has changed, when, by how much, and whether it or the system moved the scores."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean

import msgspec

from venire.domain.judgement import Status
from venire.errors import InputError
from venire.ledger.entry import Entry, Kind
from venire.runner.canaries.evidence import JudgeEvidence
from venire.runner.records import read_judgement
from venire.runner.task import FIRST
from venire.stats.comparison.change_attribution import Blame, ChangeAttribution, attribute_change, blame
from venire.stats.sequential.change_point import locate_rise
from venire.workflows.instruments.canary_watch import READ, CanaryWatch, JudgeWatch
from venire.workflows.ledgers import opened_ledger, shown_location

ATTRIBUTION_LEVEL = 0.99
"""The coverage of the intervals by which the judge or the system is blamed."""


class LocatedChange(msgspec.Struct, frozen=True, kw_only=True):
    """When a judge changed, and how much."""

    before: int
    """The last run before the change, counted from 1."""
    after: int
    """The first run after it."""
    dimension: str
    """The dimension in which it shows most; empty for the overall score."""
    share: float
    """The share of anchors asked since that are judged otherwise."""
    shift: float | None
    """By how much overall scores of the same anchors moved, on the judge's own scale; None if it is not known."""


class CanaryFinding(msgspec.Struct, frozen=True, kw_only=True):
    """What anchors say about one judge."""

    evidence: JudgeEvidence
    """The evidence."""
    protocol: str
    """The name of the protocol."""
    runs: int
    """How many runs judged anchors."""
    change: LocatedChange | None = None
    """When it changed; None if it has not, or if it is not known when."""
    attribution: ChangeAttribution | None = None
    """What moved the scores of fresh outputs; None with only one run to look at."""
    blamed: Blame = "open"
    """Who moved them."""
    since: int = 0
    """From which run on fresh outputs are compared with those before."""


def read_canaries(location: str) -> tuple[CanaryFinding, ...]:
    """Go through a ledger; raises `InputError` if no run of it judged anchors."""
    watch, fresh = CanaryWatch(), _FreshOutputs()
    with opened_ledger(location, read_only=True) as ledger:
        for entry in ledger.read(kinds=[*READ, Kind.SAMPLE]):
            if entry.kind is not Kind.SAMPLE:
                watch.take(entry)
            fresh.take(entry)
    if not watch.rounds:
        raise InputError("error.canaries.none", where=shown_location(location))
    return tuple(_finding(each, watch, fresh) for each in watch.judges.values())


def _finding(judge: JudgeWatch, watch: CanaryWatch, fresh: _FreshOutputs) -> CanaryFinding:
    rounds = watch.rounds[judge.protocol.digest]
    evidence = judge.evidence()
    change = locate(judge, evidence) if evidence.has_changed else None
    asked = sorted({each.round for each in judge.verdicts})
    since = change.after if change else asked[-1]
    split = fresh.attribute(judge, since, watch.round_of, rounds) if since > asked[0] else None
    return CanaryFinding(
        evidence=evidence,
        protocol=judge.protocol.id,
        runs=len(asked),
        change=change,
        attribution=split,
        blamed=blame(split) if split else "open",
        since=since,
    )


def locate(judge: JudgeWatch, evidence: JudgeEvidence) -> LocatedChange | None:
    """Say between which two runs the anchors were first judged otherwise."""
    streams = [each for each in evidence.streams if each.watched == "change"]
    dimension = max(streams, key=lambda each: each.e_value).dimension
    told = [each for each in judge.verdicts if dimension in each.contradicts]
    rounds = sorted({each.round for each in told})
    groups = [[each.contradicts[dimension] for each in told if each.round == number] for number in rounds]
    if (place := locate_rise([sum(each) for each in groups], [len(each) for each in groups])) is not None:
        before, after = rounds[place - 1], rounds[place]
    elif rounds:  # The first verdicts, which have nothing to contradict, came before all of these.
        before, after = rounds[0] - 1, rounds[0]
    else:
        return None
    latest = {each.anchor: each.contradicts[dimension] for each in told if each.round >= after}
    pairs = paired_means(judge, after)
    shift = fmean(new - old for old, new in pairs) if pairs else None
    return LocatedChange(before=before, after=after, dimension=dimension, share=fmean(latest.values()), shift=shift)


def paired_means(judge: JudgeWatch, since: int) -> list[tuple[float, float]]:
    """Return for each anchor that was judged on both sides of a run its mean overall score before, and since."""
    sides: dict[str, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    for each in judge.verdicts:
        if each.overall is not None:
            sides[each.anchor][each.round >= since].append(each.overall)
    return [(fmean(old), fmean(new)) for old, new in sides.values() if old and new]


class _FreshOutputs:
    """The overall scores of outputs that are no anchors, by judge and run."""

    def __init__(self) -> None:
        self._questions: dict[str, str] = {}
        self._scores: dict[tuple[str, str, str], dict[str, tuple[str, str, float]]] = defaultdict(dict)

    def take(self, entry: Entry) -> None:
        """Take note of a sample's question, or of a judgement that counts."""
        if entry.kind is Kind.SAMPLE:
            sample = entry.content.get("sample", {})
            self._questions[entry.key] = sample.get("question_id") or entry.key
        elif entry.kind is Kind.JUDGEMENT:
            record = read_judgement(entry)
            task, judged = record.task, record.judgement
            if task.repeat == FIRST and judged.status is Status.VALID and judged.overall is not None:
                key = (task.protocol_digest, task.judge_digest, task.prompt_digest)
                self._scores[key].setdefault(task.id, (record.run, task.sample_digest, judged.overall))

    def attribute(
        self, judge: JudgeWatch, since: int, round_of: dict[str, str], rounds: list[str]
    ) -> ChangeAttribution | None:
        """Split the change of fresh outputs from before a run to since then; None if one side has none."""
        sides: tuple[list[tuple[str, float]], list[tuple[str, float]]] = ([], [])
        for run, sample, overall in self._scores[judge.protocol.digest, judge.digest, judge.prompt].values():
            if run in round_of:
                number = rounds.index(round_of[run]) + 1
                sides[number >= since].append((self._questions.get(sample, sample), overall))
        if not sides[0] or not sides[1]:
            return None
        (old_questions, old), (new_questions, new) = (tuple(zip(*side, strict=True)) for side in sides)
        pairs = paired_means(judge, since)
        return attribute_change(
            old,
            old_questions,
            new,
            new_questions,
            [pair[0] for pair in pairs],
            [pair[1] for pair in pairs],
            judge_name=judge.judge,
            level=ATTRIBUTION_LEVEL,
        )
