"""What votes are grouped by: the model, variant or any other factor of the outputs that were voted on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import polars as pl

from venire.domain.sample import Sample
from venire.errors import InputError, UsageError
from venire.inputs.folder import ending_of
from venire.inputs.reader import read_samples
from venire.inputs.tables.columns import SYNONYMS
from venire.inputs.tables.rows import TABLE_ENDINGS
from venire.ledger.entry import Kind
from venire.ledger.store import Ledger
from venire.ledger.subjects import names_outputs, outline_of
from venire.reports.report import Choices, Origin
from venire.reports.sections.votes import VoteEvidence
from venire.votes.entries import read_ledger_votes
from venire.votes.reading.cells import open_votes
from venire.votes.reading.columns import assign_columns
from venire.votes.reading.table import VoteOptions
from venire.words.said import say
from venire.workflows.evidence.pair_votes import ledger_pairs
from venire.workflows.ledgers import opened_ledger

_FIELDS = {"model": "target_model", "variant": "prompt_variant", "question": "question_id"}


def find_levels(
    source: str, name: str, options: VoteOptions | None = None, samples: Path | None = None
) -> dict[str, str]:
    """Return the level of a factor, such as the model, for each output that votes may be on.

    It is looked for in the collection if one is named; otherwise in the columns of a table of votes, or in the samples
    of a ledger. Raises `UsageError` with what is known if nothing knows the factor.
    """
    if samples is not None:
        return levels_of_samples(read_samples(samples), name)
    if ending_of(Path(source)) in TABLE_ENDINGS:
        return _levels_of_table(source, name, options or VoteOptions())
    with opened_ledger(source, read_only=True) as ledger:
        return levels_of_samples(ledger_samples(ledger), name)


def levels_of_samples(samples: Iterable[Sample], name: str) -> dict[str, str]:
    """Return the level of each sample that has one."""
    levels: dict[str, str] = {}
    others: set[str] = set()
    for sample in samples:
        known = _known(sample)
        others.update(known)
        if known.get(name):
            levels[sample.output_id] = known[name]
    if not levels:
        raise _unknown(name, others)
    return levels


def read_vote_evidence(ledger: Ledger, choices: Choices, origin: Origin) -> VoteEvidence | None:
    """Read what a report says of votes, up to the entry that it was made from; None if there are none."""
    found = read_ledger_votes(ledger)
    frame = found.frame.filter(pl.col("sequence") <= origin.sequence)
    if not frame["vote"].count():
        return None
    samples = [(each.output_id, each.target_model, each.question_id) for each in ledger_samples(ledger)]
    models = {output: model for output, model, _ in samples}
    are_outputs = frame["inference_id"].cast(pl.String).is_in(list(models)).all()
    return VoteEvidence(
        frame=frame,
        models=models,
        asked={output: question for output, _, question in samples if question},
        pairs={} if are_outputs else ledger_pairs(ledger),
        questions={prompt.id: prompt.question for prompt in found.prompts.values()},
        decay=choices.decay,
        level=choices.level,
    )


def ledger_samples(ledger: Ledger) -> Iterator[Sample]:
    """Yield the samples of a ledger, those of bundles too; of one output the later one comes later."""
    for entry in ledger.read(kinds=[Kind.SAMPLE]):
        if names_outputs(entry):
            continue  # The outputs of a pair have entries of their own.
        subject = outline_of(entry)
        if not subject.probe:
            yield from subject.samples


def _known(sample: Sample) -> Mapping[str, str]:
    fields = {name: getattr(sample, field) for name, field in _FIELDS.items()}
    return {**sample.notes, **sample.factors, **{name: value for name, value in fields.items() if value}}


def _levels_of_table(source: str, name: str, options: VoteOptions) -> dict[str, str]:
    raw = open_votes(source, options.columns)
    columns = raw.frame.collect_schema().names()
    output = assign_columns(columns, options.columns, raw.where, ("inference_id",))["inference_id"]
    field = _FIELDS.get(name, name)
    wanted = [name, field, *SYNONYMS.get(field, ())]
    found = next(
        (column for word in wanted for column in columns if column.strip().casefold() == word.casefold()), None
    )
    if found is None:
        raise _unknown(name, columns)
    pairs = raw.frame.select(
        pl.col(output).cast(pl.String).alias("output"), pl.col(found).cast(pl.String).str.strip_chars().alias("level")
    )
    rows = pairs.drop_nulls().filter(pl.col("level") != "").unique(maintain_order=True).collect()
    twice = rows.filter(rows["output"].is_duplicated())
    if twice.height:
        first = twice["output"][0]
        levels = twice.filter(pl.col("output") == first)["level"].to_list()
        raise InputError(
            "error.evidence.several_levels",
            where=raw.where,
            name=name,
            output=first,
            levels=tuple(map(repr, levels[:3])),
        )
    return dict(rows.iter_rows())


def _unknown(name: str, others: Iterable[str]) -> UsageError:
    return UsageError(
        "error.evidence.unknown_level", name=name, known=tuple(map(repr, sorted(others))) or say("problem.nothing")
    )
