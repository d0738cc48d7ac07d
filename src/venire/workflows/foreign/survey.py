"""A first reading of another tool's results: who judged what, on which scale, and what was never judged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from venire.inputs.foreign.results import ForeignJudgement, ForeignResults, ForeignSample
from venire.judges.panel import Judge, JudgeLimits, Price
from venire.judges.provider import Decoding
from venire.runner.task import FIRST
from venire.stats.ratings.repeats import REASK

Named = tuple[str, str]
"""A scorer, and who judged by it: what a protocol is made for."""


class AskedOf(NamedTuple):
    """What a task is made of, beside its protocol."""

    judge: str
    """The digest of the judge."""
    sample: str
    """The digest of the sample."""
    repeat: str = FIRST
    """The repeat."""


class FoundScorer(msgspec.Struct):
    """What a first reading finds of one scorer."""

    named: Named
    """The scorer."""
    dimensions: dict[str, None] = {}
    """What it scores, in the order of the file."""
    scores: tuple[float, float] | None = None
    """The lowest and the highest score."""
    judges: dict[str, Judge] = {}
    """Who judged, by digest."""
    asked: list[AskedOf] = []
    """Everything that was to be judged, judged or not."""
    invalid: int = 0
    """How many judgements have no score that counts."""
    missing: int = 0
    """How much was to be judged and was not."""


class ForeignSurvey(msgspec.Struct):
    """What a first reading finds."""

    samples: int = 0
    """How many outputs there are."""
    found: dict[Named, FoundScorer] = {}
    """What there is of each scorer."""


def survey_results(results: ForeignResults) -> ForeignSurvey:
    """Read all results once, and keep who judged what."""
    survey = ForeignSurvey()
    unjudged: list[tuple[str, str]] = []
    for each in results.samples():
        survey.samples += 1
        unjudged += [(scorer, each.sample.digest) for scorer in each.unjudged]
        for named, judge, repeat, judgement in assigned(each, results):
            found = survey.found.setdefault(named, FoundScorer(named))
            found.dimensions.update(dict.fromkeys(judgement.scores))
            found.judges.setdefault(judge.digest, judge)
            found.asked.append(AskedOf(judge.digest, each.sample.digest, repeat))
            found.invalid += bool(judgement.not_scored)
            given = [*(found.scores or ()), *judgement.scores.values()]
            found.scores = (min(given), max(given)) if given else None
    for scorer, sample in unjudged:
        for found in _of_scorer(survey, scorer, results):
            found.asked += [AskedOf(judge, sample) for judge in found.judges]
            found.missing += len(found.judges)
    return survey


def _of_scorer(survey: ForeignSurvey, scorer: str, results: ForeignResults) -> list[FoundScorer]:
    """Return what was found of a scorer; of one that never came to judge, that an unknown judge should have."""
    known = [found for (name, _), found in survey.found.items() if name == scorer]
    if known:
        return known
    judge = _judge(ForeignJudgement(scorer=scorer), results)
    survey.found[scorer, ""] = FoundScorer((scorer, ""), judges={judge.digest: judge})
    return [survey.found[scorer, ""]]


def assigned(each: ForeignSample, results: ForeignResults) -> Iterator[tuple[Named, Judge, str, ForeignJudgement]]:
    """Yield each judgement with its scorer, judge and repeat.

    A further judgement of the same judge counts if none before it has a score; otherwise it is a consistency check.
    """
    before: dict[tuple[Named, str], list[ForeignJudgement]] = {}
    for judgement in each.judgements:
        # Who is no model must not be pooled with models; whether nobody or a model judged, the judge's name tells.
        named = (judgement.scorer, judgement.by if judgement.by in ("human", "code", "combined") else "")
        judge = _judge(judgement, results)
        earlier = before.setdefault((named, judge.digest), [])
        kind = REASK if all(one.not_scored for one in earlier) else "retest-"
        yield named, judge, f"{kind}{len(earlier)}" if earlier else FIRST, judgement
        earlier.append(judgement)


def _judge(judgement: ForeignJudgement, results: ForeignResults) -> Judge:
    unnamed = "combined" if judgement.by == "combined" else "unknown"
    return Judge(
        name=judgement.judge or f"{unnamed} ({results.tool} {judgement.scorer})",
        kind="recorded",
        model=judgement.judge if judgement.by == "judge" else "",
        weight=1.0,
        decoding=Decoding(temperature=None),
        options={},
        rules={"by": judgement.by, **judgement.settings},
        blind=False,
        mask_identity=False,
        attach_files=False,
        scale=None,
        language="en",
        family="",
        aliases=(),
        prompt_version="",
        price=Price(),
        limits=JudgeLimits(),
    )
