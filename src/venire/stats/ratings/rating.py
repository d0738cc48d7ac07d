"""One rating: what one judge gave one sample on one dimension, with all that tells whether it may be counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from venire.domain.judgement import Method, Status
from venire.domain.judgement_key import JudgementKey
from venire.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from venire.domain.judgement import Judgement
    from venire.domain.protocol import EvalProtocol, Scale
    from venire.domain.sample import Sample

FIRST_TIME = "0"
"""The repeat of a task that is asked for the first time."""


class Rating(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the ratings table.

    A judgement gives a row for each dimension that has a score, or a single row without a dimension if none has.
    """

    unit: str
    """What was rated: the digest or the output_id of a sample."""
    rater: str
    """The judge's name on its panel."""
    rater_version: str = ""
    """The digest of the judge as an instrument."""
    protocol: str = ""
    """The digest of the protocol that was asked and checked."""
    profile: str = ""
    """Which of the protocol's sets of rules the reply was checked with."""
    prompt_version: str = ""
    """The digest of the prompt template, or the user's label of its version."""
    dimension: str = ""
    """The dimension; empty on a row that only carries its judgement."""
    score: float | None = None
    """The score as the judge gave it, on the judge's scale; None on a row without a dimension."""
    minimum: float | None = None
    """The lowest score of the judge's scale; None if the scale is not known."""
    maximum: float | None = None
    """The highest score of the judge's scale; None if the scale is not known."""
    repeat: str = FIRST_TIME
    """`0` for the first reply, `retest-…` for a consistency check, `reask-…` for a further try."""
    status: Status = Status.VALID
    """Whether the judgement counts."""
    method: Method | None = None
    """Whether the judge judged itself; None if judge or target is not known."""
    verdict: str | None = None
    """The judgement's verdict, repeated on each of its rows."""
    overall: float | None = None
    """The judgement's overall score, repeated on each of its rows."""
    overall_minimum: float | None = None
    """The lowest overall score that the protocol and scale allow."""
    overall_maximum: float | None = None
    """The highest overall score that the protocol and scale allow."""
    question_id: str = ""
    """The question that was answered; empty where the data has none."""
    prompt_variant: str = ""
    """The version of the prompt that produced the output; empty where the data has none."""
    target_model: str = ""
    """The model that produced the output; empty where the data has none."""
    length: int | None = None
    """How many characters the judged text has; None if it was not at hand."""
    factors: Mapping[str, str] = {}
    """Further factors of the sample, such as trigger type, language or category."""
    notes: Mapping[str, str] = {}
    """What else the data says of the sample; a report may be sliced by it, but nothing is paired by it."""
    weight: float | None = None
    """The judge's weight on its panel; None if it has none."""
    judgement: str
    """The key of the judgement, by which the row is walked back to the reply."""
    sequence: int | None = None
    """The number of the judgement's entry in the ledger; None outside of a ledger."""


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """Who was asked, how often, and where the judgement is kept: what a judgement itself does not say."""

    rater: str
    """The judge's name on its panel."""
    key: str
    """The key of the judgement."""
    rater_version: str = ""
    """The digest of the judge as an instrument."""
    prompt_version: str = ""
    """The digest of the prompt template, or the user's label of its version."""
    repeat: str = FIRST_TIME
    """Which repeat of the task it was."""
    weight: float | None = None
    """The judge's weight on its panel."""
    sequence: int | None = None
    """The number of the judgement's entry in the ledger."""
    target_model: str = ""
    """The model that produced the output, for judgements whose samples are not at hand."""


def ratings_of(
    judgement: Judgement,
    protocol: EvalProtocol,
    samples: Mapping[str, Sample],
    asked: Asked,
    *,
    entries_stand_alone: bool = False,
) -> Iterator[Rating]:
    """Yield the rows of a judgement, or of all entries of a bundle's judgement.

    `samples` are found by digest, then by output_id. Where a sample is not at hand, a bundle's design still tells the
    factors of its files. Entries of a bundle that is not valid as a whole do not count either, unless
    `entries_stand_alone` says so. Raises `UsageError` if the judgement was made under another protocol.
    """
    if judgement.protocol != protocol.digest:
        raise UsageError(
            "error.stats.other_protocol", where=asked.key, expected=protocol.digest[:12], found=judgement.protocol[:12]
        )
    if not judgement.entries:
        yield from _rows(judgement, judgement.status, asked.key, protocol, samples, asked)
        return
    for position, entry in enumerate(judgement.entries):
        stands = entries_stand_alone or judgement.valid
        status = entry.status if stands or entry.status is Status.INVALID else judgement.status
        yield from _rows(entry, status, str(JudgementKey(asked.key, position)), protocol, samples, asked)


def overall_range(protocol: EvalProtocol, scale: Scale) -> tuple[float, float]:
    """Return the lowest and the highest overall score that a protocol allows on a scale."""
    if protocol.overall.rule == "weighted":
        return scale.minimum, scale.maximum
    count = len(protocol.dimensions)
    return count * scale.minimum, count * scale.maximum


def _rows(
    judgement: Judgement,
    status: Status,
    key: str,
    protocol: EvalProtocol,
    samples: Mapping[str, Sample],
    asked: Asked,
) -> Iterator[Rating]:
    sample = samples.get(judgement.sample_digest) or samples.get(judgement.sample)
    scale = protocol.scale(judgement.scale or None)
    lowest, highest = overall_range(protocol, scale)
    origin = _origin_of_sample(sample) if sample else _origin_by_design(judgement, protocol, asked)
    scores: dict[str, float | None] = {**judgement.scores} or {"": None}
    for dimension, score in scores.items():
        yield Rating(
            unit=judgement.sample_digest or "/".join(filter(None, (asked.target_model, judgement.sample))) or key,
            rater=asked.rater,
            rater_version=asked.rater_version,
            protocol=judgement.protocol,
            profile=judgement.profile,
            prompt_version=asked.prompt_version,
            dimension=dimension,
            score=score,
            minimum=scale.minimum,
            maximum=scale.maximum,
            repeat=asked.repeat,
            status=status,
            method=judgement.method,
            verdict=judgement.verdict,
            overall=judgement.overall,
            overall_minimum=lowest,
            overall_maximum=highest,
            question_id=origin.question_id,
            prompt_variant=origin.prompt_variant,
            target_model=origin.target_model,
            length=origin.length,
            factors=origin.factors,
            notes=sample.notes if sample else {},
            weight=asked.weight,
            judgement=key,
            sequence=asked.sequence,
        )


class _Origin(NamedTuple):
    question_id: str
    prompt_variant: str
    target_model: str
    length: int | None
    factors: Mapping[str, str]


def _origin_of_sample(sample: Sample) -> _Origin:
    return _Origin(sample.question_id, sample.prompt_variant, sample.target_model, len(sample.text), sample.factors)


def _origin_by_design(judgement: Judgement, protocol: EvalProtocol, asked: Asked) -> _Origin:
    design = protocol.design
    cell = design.cell(judgement.sample) if design else None
    if design is None or cell is None:
        return _Origin("", "", asked.target_model, None, {})
    question, variant = cell.factors[design.question_factor], cell.factors[design.variant_factor]
    return _Origin(question, variant, asked.target_model, None, cell.factors)
