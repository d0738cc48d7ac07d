"""Compare two runs of judged pairs: which models grew stronger, and which pairs came out otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from venire.errors import PoolingError, UsageError
from venire.stats.agreement.cohen_kappa import cohen_kappa
from venire.stats.pairwise.strength_change import Comparisons, StrengthChange, strength_changes
from venire.stats.result import Estimate
from venire.stats.uncertainty.clustered_share import clustered_share
from venire.words.said import say
from venire.workflows.comparison.compared_models import notes_on
from venire.workflows.comparison.compared_scores import what_changed
from venire.workflows.comparison.source_pairs import SourcePairs, read_source_pairs

if TYPE_CHECKING:
    from venire.reports.report import Choices
    from venire.workflows.comparison.judged_pairs import JudgedPairs

PairKey = tuple[str, ...]
"""What tells a pair from others in either order: its name, or its question and its two models."""


class SamePairs(msgspec.Struct, frozen=True, kw_only=True):
    """Pairs that one judge compared in both runs."""

    pairs: int
    """How many there are; a pair counts once for each judge that compared it in both."""
    same: Estimate
    """The share that came out alike: the same model won, or neither did."""
    kappa: Estimate
    """Cohen's kappa of the two outcomes."""


class PairRunsComparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two runs of judged pairs."""

    first: str
    """The run that is subtracted."""
    second: str
    """The run that is subtracted from."""
    changes: tuple[StrengthChange, ...]
    """The strength of each model that both runs compared, the strongest of the second run first."""
    same: SamePairs
    """Pairs that both runs compared."""
    only_first: tuple[str, ...]
    """Models that only the first run holds."""
    only_second: tuple[str, ...]
    """Models that only the second run holds."""
    notes: tuple[str, ...]
    """What a reader should know."""


def compare_pair_runs(first: str | Path, second: str | Path, choices: Choices) -> PairRunsComparison:
    """Compare two tables or ledgers of judged pairs; changes are second minus first.

    If a judge changed between two ledgers, only pairs that both compared count: what changed then is the judge's doing.
    Raises `PoolingError` if the protocol differs, or a judge does and no pair is in both.
    """
    before, after = (read_source_pairs(source, choices) for source in (first, second))
    changed = _changed(before, after)
    old, new = before.pairs, after.pairs
    notes = []
    if changed:
        common = {*_keys(old)} & {*_keys(new)}
        if not common:
            raise PoolingError("error.compare.pair_judges_changed", changed=changed)
        old, new = (side.at([at for at, key in enumerate(_keys(side)) if key in common]) for side in (old, new))
        notes.append(say("compare.pair_judges_changed", changed=changed, pairs=len(common)))
    models = [{*side.first, *side.second} for side in (old, new)]
    changes = strength_changes(_comparisons(old), _comparisons(new), level=choices.level)
    if not changes:
        known = [tuple(sorted(each)) for each in models]
        raise UsageError("error.compare.no_common_models", first=known[0], second=known[1])
    names = _names(str(first), str(second))
    for side, source, pairs in ((before, names[0], old), (after, names[1], new)):
        said = notes_on(side._replace(pairs=pairs), len({*pairs.questions}))
        notes += [say("compare.of_source", source=source, note=note) for note in said]
    return PairRunsComparison(
        first=names[0],
        second=names[1],
        changes=changes,
        same=_same(old, new, choices.level),
        only_first=tuple(sorted(models[0] - models[1])),
        only_second=tuple(sorted(models[1] - models[0])),
        notes=tuple(notes),
    )


def _names(first: str, second: str) -> tuple[str, str]:
    """Return what the runs are called: the names of their files, or where they are if these are the same."""
    names = (Path(first).name, Path(second).name)
    return names if names[0] != names[1] else (first, second)


def _changed(before: SourcePairs, after: SourcePairs) -> tuple[str, ...]:
    """Say which judges changed between two ledgers; raises `PoolingError` if the protocol did."""
    old, new = before.evidence, after.evidence
    if old is None or new is None:
        return ()
    if old.protocol and new.protocol and old.protocol.digest != new.protocol.digest:
        names = [f"{each.id} {each.digest[:12]}" for each in (old.protocol, new.protocol)]
        raise PoolingError("error.compare.protocols", first=names[0], second=names[1])
    return what_changed(new, old)


def _comparisons(pairs: JudgedPairs) -> Comparisons:
    clusters = pairs.questions if all(pairs.questions) else None
    return Comparisons(pairs.first, pairs.second, pairs.outcome, clusters, pairs.weights)


def _keys(pairs: JudgedPairs) -> list[PairKey]:
    if pairs.names:
        return [(name,) for name in pairs.names]
    sides = zip(pairs.questions, pairs.first, pairs.second, strict=True)
    return [(question, *sorted((one, two))) for question, one, two in sides]


def _same(old: JudgedPairs, new: JudgedPairs, level: float) -> SamePairs:
    """Hold the outcomes of pairs that a judge compared in both runs against each other."""
    is_named = all(old.questions) and all(new.questions)
    before, after = (_outcomes(side) if is_named else {} for side in (old, new))
    both = [key for key in before if key in after]
    rows = [(before[key], after[key]) for key in both]
    signs = np.array([[np.sign(one[0] - 0.5), np.sign(two[0] - 0.5)] for one, two in rows]).reshape(-1, 2)
    questions = [one[1] for one, _ in rows]
    return SamePairs(
        pairs=len(both),
        same=clustered_share(signs[:, 0] == signs[:, 1], questions, level=level),
        kappa=cohen_kappa(signs, clusters=questions, level=level),
    )


def _outcomes(pairs: JudgedPairs) -> dict[tuple[str, PairKey], tuple[float, str]]:
    """Return, for each judge and pair, the mean points of the model whose name comes first, and the question."""
    sums: dict[tuple[str, PairKey], list[float]] = {}
    questions: dict[tuple[str, PairKey], str] = {}
    columns = zip(_keys(pairs), pairs.judges, pairs.first, pairs.second, pairs.outcome, pairs.questions, strict=True)
    for key, judge, one, two, outcome, question in columns:
        held = sums.setdefault((judge, key), [0.0, 0.0])
        held[0] += outcome if one < two else 1 - outcome
        held[1] += 1
        questions[judge, key] = question
    return {key: (round(top / count, 9), questions[key]) for key, (top, count) in sums.items()}
