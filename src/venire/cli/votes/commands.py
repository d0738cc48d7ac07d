"""`venire votes`: bring votes in, score them as they age, look at who voted what and when, and settle disputes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from venire.cli.arguments.command import HelpedGroup
from venire.cli.terminal.printing import tell
from venire.cli.votes.on_ledger import LEDGER_COMMANDS
from venire.cli.votes.on_people import PEOPLE_COMMANDS
from venire.cli.votes.opening import open_command
from venire.cli.votes.options import (
    decay_of,
    decay_options,
    format_options,
    label_option,
    options_of,
    parse_moment,
    read_prompt,
    reading_options,
    several_sources,
    shard_options,
    source_argument,
    table_options,
)
from venire.words.said import say


@click.group(cls=HelpedGroup)
def votes() -> None:
    """Votes of people and judges: consensus that ages, freshness, ambiguity, and the trail behind it."""


@votes.command("import")
@click.argument("table", type=click.Path(path_type=Path))
@click.argument("ledger")
@click.option("--prompt-text", multiple=True, metavar="ID=FILE")
@click.option("--prompt", default="")
@table_options
@click.option("--quiet", is_flag=True)
def import_command(
    table: Path, ledger: str, prompt_text: tuple[str, ...], prompt: str, quiet: bool, **reading: Any
) -> int:
    """Bring the votes of TABLE into LEDGER, each an entry of its own; what is there already is not added again."""
    from venire.cli.votes.progress import vote_progress
    from venire.cli.votes.tables import print_account
    from venire.protocols.voter_prompts import BUNDLED_PROMPTS, bundled_prompt
    from venire.votes.reading.table import read_votes
    from venire.workflows.import_votes import import_votes, votes_of_frame
    from venire.workflows.ledgers import opened_ledger

    options = options_of(reading)
    prompts = [read_prompt(given) for given in prompt_text]
    if prompt in BUNDLED_PROMPTS:
        prompts.append(bundled_prompt(prompt))
    read = read_votes(table, options)
    print_account(read)
    with opened_ledger(ledger) as opened, vote_progress(read.frame.height, quiet=quiet) as on_progress:
        done = import_votes(
            opened,
            votes_of_frame(read.frame, prompt),
            prompts=prompts,
            duplicates=options.duplicates,
            on_progress=on_progress,
        )
    tell("votes.imported", added=done.added, ledger=ledger, known=done.known, changed=done.changed)
    return 1 if read.refused_count else 0


@votes.command()
@several_sources
@decay_options
@reading_options
@format_options
@shard_options
@click.option("--ambiguous", is_flag=True)
@click.option("--interval", is_flag=True)
@click.option("--mix-prompts", is_flag=True)
@click.option("--mix-kinds", is_flag=True)
@click.option("--by", "factor", metavar="FACTOR")
@click.option("--samples", type=click.Path(path_type=Path))
def score(
    sources: tuple[str, ...], mix_prompts: bool, mix_kinds: bool, factor: str | None, samples: Path | None, **given: Any
) -> None:
    """Score every item: the consensus of its votes as it stands now, or as of a moment."""
    import polars as pl

    from venire.cli.votes.on_shards import in_shards, score_in_shards
    from venire.cli.votes.tables import read_source, write_frame
    from venire.errors import UsageError
    from venire.votes.decay.consensus import score_votes
    from venire.votes.decay.interval import weighted_intervals
    from venire.votes.decay.items import ITEM

    left_out = {name for name, mixed in (("voter_prompt_id", mix_prompts), ("voter_kind", mix_kinds)) if mixed}
    by = [name for name in ITEM if name not in left_out]
    decay, as_of = decay_of(given), parse_moment(given["as_of"])
    if samples and not factor:
        raise UsageError("error.cli.samples_without_by")
    if in_shards(sources, given):
        if factor:
            raise UsageError("error.cli.by_over_shards")
        score_in_shards(sources, given, decay, as_of, by)
        return
    read = read_source(sources[0], given)
    if factor:
        _score_groups(read.frame, sources[0], factor, samples, given, decay=decay, as_of=as_of, by=by)
        return
    if given["interval"]:
        frame = weighted_intervals(read.frame, decay, as_of=as_of, by=by)
    else:
        frame = score_votes(read.frame, decay, as_of=as_of, by=by).frame
    if given["ambiguous"]:
        frame = frame.filter(pl.col("ambiguous"))
    write_frame(
        frame.sort("score", "inference_id", descending=[True, False]),
        given,
        bar="score",
        title=say("votes.title.scores"),
    )


def _score_groups(
    votes: Any, source: str, factor: str, samples: Path | None, given: dict[str, Any], **terms: Any
) -> None:
    """Score the outputs of each model, platform or other level of a factor, and tell of those that have none."""
    import polars as pl

    from venire.cli.votes.tables import tell_strangers, write_frame
    from venire.votes.decay.groups import score_groups
    from venire.workflows.evidence.vote_levels import find_levels

    levels = find_levels(source, factor, options_of(given), samples)
    frame = score_groups(votes, levels, factor, **terms)
    tell_strangers(votes, levels, factor)
    if not given["interval"]:
        frame = frame.drop("low", "high")
    if given["ambiguous"]:
        frame = frame.filter(pl.col("ambiguous") > 0)
    write_frame(frame, given, bar="score", title=say("votes.title.scores_by", factor=factor))


@votes.command()
@source_argument
@reading_options
@format_options
@click.option("--bucket", default="day", show_default=True)
@click.option("--zone", default="UTC", show_default=True)
def histogram(source: str, bucket: str, zone: str, **given: Any) -> None:
    """Count votes in buckets of time."""
    from venire.cli.votes.tables import read_source, write_frame
    from venire.votes.analysis.vote_histogram import CALENDAR, vote_histogram

    frame = vote_histogram(read_source(source, given).frame, bucket=bucket, zone=zone).frame
    named = say(f"votes.bucket.{bucket}") if bucket in CALENDAR else bucket
    write_frame(frame, given, bar="votes", title=say("votes.title.votes_by", bucket=named))


@votes.command()
@source_argument
@reading_options
@format_options
@label_option
@click.option("--voter", "voters", multiple=True)
@click.option("--by", type=click.Choice(["inference", "voter"]), default="inference", show_default=True)
def completeness(source: str, voters: tuple[str, ...], by: str, **given: Any) -> None:
    """Show which share of ballots has been cast, by inference or by voter."""
    from venire.cli.votes.tables import read_source, write_frame
    from venire.votes.analysis.vote_completeness import vote_completeness

    found = vote_completeness(read_source(source, given, times_needed=False).frame, voters or None)
    frame = found.by_inference if by == "inference" else found.by_voter
    overall = say("unknown") if found.overall is None else f"{found.overall:.1%}"
    title = say("votes.title.cast", voted=found.voted, expected=found.expected, share=overall)
    write_frame(frame.sort("completeness"), given, bar="completeness", title=title)


@votes.command()
@source_argument
@reading_options
@format_options
@click.option("--voter", "voters", multiple=True)
def confidence(source: str, voters: tuple[str, ...], **given: Any) -> None:
    """Show how sure the majority of the whole population is, from those who voted."""
    from venire.cli.votes.tables import read_source, write_frame
    from venire.votes.analysis.population_confidence import population_confidence

    frame = read_source(source, given, times_needed=False).frame
    found = population_confidence(frame, voters or frame["voter_id"].unique(maintain_order=True))
    title = say("votes.title.confidence", voters=found.population)
    write_frame(found.frame.sort("confidence"), given, bar="confidence", title=title)


@votes.command()
@source_argument
@reading_options
@format_options
def distribution(source: str, **given: Any) -> None:
    """Show how many votes each inference has, and how they are spread from 0 to 1."""
    from venire.cli.votes.tables import print_bins, read_source, write_frame
    from venire.votes.analysis.votes_distribution import votes_distribution

    found = votes_distribution(read_source(source, given, times_needed=False).frame)
    title = say("votes.title.distribution", votes=found.votes)
    write_frame(found.frame.sort("votes", descending=True), given, bar="mean", title=title)
    if given["format"] == "table":
        print_bins(found.bins)


@votes.command()
@source_argument
@reading_options
@format_options
@click.option("--slices", type=click.Path(path_type=Path))
def compare(source: str, slices: Path | None, **given: Any) -> None:
    """Compare judges with people on what both voted on: agreement, kappa, bias and correlation, with intervals."""
    from venire.cli.votes.tables import comparison_frame, read_slices, read_source, write_frame
    from venire.votes.analysis.judges_against_people import judges_against_people

    votes = read_source(source, given, times_needed=False).frame
    found = judges_against_people(votes, slices=read_slices(slices))
    if not found:
        tell("votes.nothing_to_compare", err=True)
    write_frame(comparison_frame(found), given, bar=None, title=say("votes.title.against_people"))


for _command in (open_command, *LEDGER_COMMANDS, *PEOPLE_COMMANDS):
    votes.add_command(_command)
