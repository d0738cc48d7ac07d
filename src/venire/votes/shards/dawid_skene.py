"""Who votes reliably, from votes in many Parquet files: Dawid & Skene's EM, a step at a time where the votes are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce
from pathlib import Path

import msgspec
import numpy as np
import polars as pl

from venire.errors import UsageError
from venire.stats.fingerprints import fingerprints
from venire.stats.latent.dawid_skene_steps import (
    DawidSkeneFit,
    ErrorRates,
    ExpectedCounts,
    expected_counts,
    fit_in_steps,
    shard_votes,
)
from venire.votes.analysis.ballots import cast_ballots
from venire.votes.analysis.people_votes import people_of, prompts_of, require_one_prompt
from venire.votes.reading.account import VoteAccount
from venire.votes.reading.table import VoteOptions
from venire.votes.shards.partitions import PartFiles, ReadingPlan, from_bytes, part_votes, partition_rows, to_bytes
from venire.votes.shards.reading import OnProgress, ShardReading, ShardWork, open_shards

CATEGORIES = 100
"""The most distinct votes, each of which is a class; the tables of error rates grow with their square."""


class PartBallots(msgspec.Struct, frozen=True):
    """The ballots of a part, and what must be known of all parts before the first step."""

    ballots: bytes
    """The last vote of each voter on each inference, as `to_bytes` gives it."""
    voters: frozenset[str]
    """Who voted."""
    categories: frozenset[float]
    """The distinct votes."""
    prompts: frozenset[str]
    """The prompts."""
    shared: bool
    """Whether any inference has votes of two people."""
    account: VoteAccount
    """What became of its rows, as far as shards could not tell."""


class ShardDawidSkene(msgspec.Struct, frozen=True):
    """The fitted model of votes in many files."""

    fit: DawidSkeneFit
    """The model."""
    account: VoteAccount
    """What became of all rows."""


def dawid_skene_over_shards(
    patterns: str | Path | Sequence[str | Path],
    *,
    work: ShardWork | None = None,
    options: VoteOptions | None = None,
    prompt: str | None = None,
    tolerance: float = 1e-8,
    max_iterations: int = 1000,
    on_progress: OnProgress = lambda *_: None,
) -> ShardDawidSkene:
    """Estimate the error rates of each person under one prompt; distinct votes are the classes.

    The last vote of each voter on an inference counts. The result is that of `dawid_skene` for all ballots without
    random starts. Each step reads the ballots, three numbers each, anew. Raises `UsageError` for more than 100 distinct
    votes or none, `PoolingError` for several prompts.
    """
    with open_shards(patterns, work or ShardWork(), options, prompt, on_progress) as reading:
        parts, account = _ballots(reading)
        require_one_prompt(frozenset().union(*(part.prompts for part in parts)))
        voters = sorted(frozenset[str]().union(*(part.voters for part in parts)))
        scale = sorted(frozenset[float]().union(*(part.categories for part in parts)))
        _require_categories(scale)
        _require_shared(shared=any(part.shared for part in parts))
        paths = _write_down(reading.folder / "ballots", parts, voters)

        def step(parameters: ErrorRates | None) -> ExpectedCounts:
            tasks = ((path.name, path.read_bytes()) for path in paths)
            found = dict(reading.workers.map(partial(_step, len(voters), scale, parameters), tasks))
            return reduce(ExpectedCounts.plus, (found[number] for number in sorted(found)))

        fit = fit_in_steps(step, judges=voters, categories=scale, tolerance=tolerance, max_iterations=max_iterations)
    return ShardDawidSkene(fit, account)


def dawid_skene_of(votes: pl.DataFrame) -> DawidSkeneFit:
    """Estimate the same from votes in memory."""
    people = people_of(votes)
    require_one_prompt(prompts_of(people))
    ballots = cast_ballots(people)
    voters, scale = sorted(ballots["voter_id"].unique()), sorted(ballots["vote"].unique())
    _require_categories(scale)
    _require_shared(shared=bool(ballots["inference_id"].is_duplicated().any()))
    columns = (ballots[name].to_list() for name in ("inference_id", "voter_id", "vote"))
    own = shard_votes(*columns, known_judges=voters, scale=scale)
    return fit_in_steps(partial(expected_counts, own), judges=voters, categories=scale)


def competence_frame(fit: DawidSkeneFit) -> pl.DataFrame:
    """Return a row for each voter, the least competent first: `voter_id`, and the probability of a right vote."""
    rows = {"voter_id": list(fit.judges), "competence": list(fit.competence)}
    return pl.DataFrame(rows, schema={"voter_id": pl.String(), "competence": pl.Float64()}).sort(
        "competence", "voter_id"
    )


def _require_categories(scale: list[float]) -> None:
    if not scale:
        raise UsageError("error.shards.no_people")
    if len(scale) > CATEGORIES:
        raise UsageError("error.shards.too_many_values", most=CATEGORIES, found=len(scale))


def _require_shared(*, shared: bool) -> None:
    """Refuse votes that nothing can be held against: everyone would come out as always right."""
    if not shared:
        raise UsageError("error.shards.no_overlap")


def _ballots(reading: ShardReading) -> tuple[list[PartBallots], VoteAccount]:
    files = PartFiles(reading.folder / "rows", reading.plan.parts)
    account = reading.account(list(reading.partition(partial(partition_rows, reading.plan), files)))
    found = dict(reading.workers.map(partial(_part_ballots, reading.plan), files.load_all()))
    parts = [found[number] for number in sorted(found)]
    return parts, reduce(VoteAccount.plus, (part.account for part in parts), account)


def _part_ballots(plan: ReadingPlan, data: bytes) -> PartBallots:
    votes, account = part_votes(plan, data)
    people = people_of(votes)
    ballots = cast_ballots(people)
    names = ballots["inference_id"].unique(maintain_order=True)
    units = pl.DataFrame({"inference_id": names, "unit": fingerprints(names)})
    coded = ballots.join(units, on="inference_id", maintain_order="left").select("unit", "voter_id", "vote")
    return PartBallots(
        to_bytes(coded),
        frozenset(coded["voter_id"].unique()),
        frozenset(coded["vote"].unique()),
        prompts_of(people),
        bool(coded["unit"].is_duplicated().any()),
        account,
    )


def _write_down(folder: Path, parts: list[PartBallots], voters: list[str]) -> list[Path]:
    """Write the ballots of each part as numbers only, so that steps need not read names."""
    folder.mkdir()
    numbers = pl.DataFrame(
        {"voter_id": voters, "voter": np.arange(len(voters))}, schema_overrides={"voter_id": pl.String}
    )
    paths = []
    for number, part in enumerate(parts):
        coded = from_bytes(part.ballots).join(numbers, on="voter_id").select("unit", "voter", "vote")
        paths.append(folder / f"part {number + 1}")
        paths[-1].write_bytes(to_bytes(coded))
    return paths


def _step(voters: int, scale: list[float], parameters: ErrorRates | None, data: bytes) -> ExpectedCounts:
    ballots = from_bytes(data)
    columns = (ballots[name].to_numpy() for name in ("unit", "voter", "vote"))
    return expected_counts(shard_votes(*columns, known_judges=range(voters), scale=scale), parameters)
