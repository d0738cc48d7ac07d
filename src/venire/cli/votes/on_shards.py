"""Commands on votes over many Parquet files: on the processors of this machine, or on a cluster."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from venire.cli.terminal.printing import open_console, tell
from venire.cli.votes.options import options_of
from venire.words.said import say


def in_shards(sources: Sequence[str], given: dict[str, Any]) -> bool:
    """Tell whether sources are to be read in shards: by wish, or because there are several or they are elsewhere."""
    if given["engine"] or given["address"] or given["workers"] or len(sources) > 1:
        return True
    from venire.votes.reading.shards import names_several

    return names_several(sources[0])


@contextmanager
def over_shards(
    given: dict[str, Any], folder: Path | None = None, *, times_needed: bool = True
) -> Iterator[dict[str, Any]]:
    """Give what the options say to all work over shards, and show how far it is; parts lie in the folder meanwhile."""
    import msgspec

    from venire.distributed.shards import Engine
    from venire.votes.shards.reading import ShardWork

    work = ShardWork(
        engine=Engine(given["engine"] or (Engine.RAY if given["address"] else Engine.PROCESSES)),
        address=given["address"],
        workers=given["workers"],
        folder=folder,
    )
    options = options_of(given, times_needed=times_needed)
    if options.labels is None:  # No shard can tell for all of them.
        options = msgspec.structs.replace(options, labels=False)
    with _progress(quiet=given["quiet"]) as on_progress:
        yield {"work": work, "options": options, "prompt": given["prompt"], "on_progress": on_progress}


def score_in_shards(
    sources: Sequence[str], given: dict[str, Any], decay: Any, as_of: datetime | None, by: Sequence[str]
) -> None:
    """Score Parquet files in shards and write the scores as the options say."""
    from venire.cli.votes.tables import tell_account, write_frame
    from venire.votes.shards.scores import score_shards

    into_file = given["output"] if given["format"] == "parquet" else None
    with over_shards(given, into_file.parent if into_file else None) as shared:
        done = score_shards(
            sources,
            decay,
            as_of=as_of,
            by=by,
            interval=given["interval"],
            ambiguous=given["ambiguous"],
            output=into_file,
            **shared,
        )
    if done.dealt:
        tell("votes.dealt", reason=done.dealt, err=True)
    tell_account(done.account)
    if done.frame is None:
        tell("votes.scored_into", items=done.items, file=str(into_file))
        return
    frame = done.frame.sort("score", "inference_id", descending=[True, False])
    write_frame(frame, given, bar="score", title=say("votes.title.scores"))


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """Give a function that is told how far each stage is."""
    if quiet or not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=open_console(stderr=True), transient=True) as progress:
        tasks: dict[str, Any] = {}

        def show(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = progress.add_task(stage, total=total)
            progress.update(tasks[stage], completed=done)

        yield show
