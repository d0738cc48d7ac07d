"""The commands of `venire votes` about those who vote: whether they agree, who is reliable, and what looks odd."""

from __future__ import annotations

from typing import Any

import click

from venire.cli.arguments.command import HelpedCommand
from venire.cli.terminal.printing import tell
from venire.cli.votes.options import (
    format_options,
    label_option,
    reading_options,
    several_sources,
    shard_options,
    source_argument,
)
from venire.words.said import say


@click.command(cls=HelpedCommand)
@several_sources
@reading_options
@format_options
@shard_options
@label_option
@click.option("--metric", type=click.Choice(["interval", "nominal", "ordinal", "ratio"]))
@click.option("--replicates", type=click.IntRange(min=0), default=1000, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
def agreement(sources: tuple[str, ...], metric: Any, replicates: int, seed: int, **given: Any) -> None:
    """Show people's mean vote and Krippendorff's alpha under one prompt, with 95% intervals."""
    from venire.cli.votes.on_shards import in_shards, over_shards
    from venire.cli.votes.tables import estimates_frame, read_source, table_language, tell_account, write_frame
    from venire.votes.analysis.voter_ratings import metric_for, voter_agreement
    from venire.votes.shards.agreement import agreement_over_shards, mean_of_people

    if in_shards(sources, given):
        labels = given["labels"]
        chosen = metric_for(metric, labels=labels)
        with over_shards(given, times_needed=False) as shared:
            found = agreement_over_shards(sources, chosen, seed=seed, replicates=replicates, **shared)
        tell_account(found.account)
        mean, alpha = found.mean, found.alpha
    else:
        read = read_source(sources[0], given, times_needed=False)
        labels = read.labels
        alpha = voter_agreement(read.frame, metric_for(metric, labels=labels), replicates=replicates, seed=seed)
        mean = mean_of_people(read.frame, "voter_id", seed, replicates).estimate()
    estimates = {"alpha": alpha} if labels else {"mean": mean, "alpha": alpha}
    frame = estimates_frame(estimates, table_language(given))
    write_frame(frame, given, bar=None, title=say("votes.title.agreement"))


@click.command(cls=HelpedCommand)
@several_sources
@reading_options
@format_options
@shard_options
@label_option
@click.option("--method", type=click.Choice(["distance", "dawid-skene"]), default="distance", show_default=True)
def reliability(sources: tuple[str, ...], method: str, **given: Any) -> None:
    """Compare each voter with the others, the least reliable first."""
    from functools import partial

    from venire.cli.votes.on_shards import in_shards, over_shards
    from venire.cli.votes.tables import read_source, tell_account, write_frame
    from venire.votes.analysis.voter_distances import distance_sums, merge_distances, reliability_of
    from venire.votes.shards.dawid_skene import competence_frame, dawid_skene_of, dawid_skene_over_shards
    from venire.votes.shards.reduction import reduce_votes

    by_distance = method == "distance"
    if in_shards(sources, given):
        with over_shards(given, times_needed=False) as shared:
            if by_distance:
                sums = partial(distance_sums, labels=given["labels"])
                reduced = reduce_votes(sources, sums, merge_distances, **shared)
                frame, account = reliability_of(reduced.summary).frame, reduced.account
            else:
                fitted = dawid_skene_over_shards(sources, **shared)
                frame, account = competence_frame(fitted.fit), fitted.account
        tell_account(account)
    else:
        read = read_source(sources[0], given, times_needed=False)
        if by_distance:
            frame = reliability_of(distance_sums(read.frame, labels=read.labels)).frame
        else:
            frame = competence_frame(dawid_skene_of(read.frame))
    if not frame.height:
        tell("votes.nobody_compared", err=True)
    bar = "distance" if by_distance else "competence"
    write_frame(frame, given, bar=bar, title=say("votes.title.voters_by", method=say(f"votes.by.{method}")))


@click.command(cls=HelpedCommand)
@source_argument
@reading_options
@format_options
@label_option
@click.option("--by", type=click.Choice(["inference", "voter", "prompt"]), default="inference", show_default=True)
def quality(source: str, by: str, **given: Any) -> None:
    """Score inferences, voters or prompts by how votes agree, in the manner of CrowdTruth 2.0."""
    from venire.cli.votes.tables import read_source, write_frame
    from venire.votes.analysis.crowd_truth import crowd_truth

    read = read_source(source, given, times_needed=False)
    found = crowd_truth(read.frame, labels=read.labels)
    frame = {"inference": found.units, "voter": found.voters, "prompt": found.prompts}[by]
    code = "votes.title.quality" if found.converged else "votes.title.quality_unsettled"
    title = say(code, by=say(f"votes.by.{by}"), rounds=found.rounds)
    write_frame(frame.sort("quality", nulls_last=True, maintain_order=True), given, bar="quality", title=title)


@click.command(cls=HelpedCommand)
@source_argument
@reading_options
@format_options
@click.option("--window", default="1m", show_default=True)
@click.option("--least-ballots", type=click.IntRange(min=2), default=5, show_default=True)
def suspicious(source: str, window: str, least_ballots: int, **given: Any) -> None:
    """Show signs of vote stuffing: sudden bursts, votes cast again, and voters whose ballots are all alike."""
    from venire.cli.votes.tables import read_source, table_language, write_frame
    from venire.votes.analysis.suspicious_votes import suspicious_votes
    from venire.votes.decay.terms import parse_duration

    votes = read_source(source, given).frame
    length = parse_duration(window)
    spoken = table_language(given)
    frame = suspicious_votes(votes, window_seconds=length, least_ballots=least_ballots, language=spoken)
    write_frame(frame, given, bar=None, title=say("votes.title.suspicious", count=frame.height))


PEOPLE_COMMANDS = (agreement, reliability, quality, suspicious)
"""The commands, for the group to take up."""
