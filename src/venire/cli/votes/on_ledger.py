"""The commands of `venire votes` that walk or write a ledger: queue, decide, trace, export, from-judgements."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from venire.cli.arguments.command import HelpedCommand
from venire.cli.terminal.printing import BAD, GOOD, tell
from venire.cli.votes.options import (
    decay_of,
    decay_options,
    format_options,
    parse_moment,
    reading_options,
    source_argument,
)
from venire.words.said import Said, clauses, say

if TYPE_CHECKING:
    from venire.domain.curation import Curation


@click.command(cls=HelpedCommand)
@click.argument("ledger")
@decay_options
@format_options
def queue(ledger: str, **given: Any) -> int:
    """List the items that wait for a curator, the most disputed first, each with its votes, prompt and reason."""
    import polars as pl
    from msgspec import structs

    from venire.cli.votes.tables import table_language, write_frame
    from venire.votes.entries import read_ledger_votes
    from venire.votes.open_items import open_items
    from venire.votes.queue import vote_queue
    from venire.words.language import Words
    from venire.workflows.ledgers import opened_ledger

    known = Words(table_language(given))
    with opened_ledger(ledger, read_only=True) as opened:
        votes = read_ledger_votes(opened)
        items = vote_queue(votes, decay_of(given), as_of=parse_moment(given["as_of"]))
        left = open_items(opened, votes)
    rows = [
        {
            "inference_id": item.inference_id,
            "voter_prompt_id": item.voter_prompt_id,
            "prompt": item.prompt or "",
            "score": item.score,
            "variance": item.variance,
            "reason": known.of(item.reason),
            "votes": ", ".join(f"{voter} {vote:g}" for voter, vote, _ in item.votes),
            "decided": known.of(clauses(*(_decided(each) for each in item.decisions))),
        }
        for item in items
    ]
    nothing = {"prompt": "", "score": None, "variance": None, "votes": "", "decided": ""}
    reason = known.of(say("problem.votes.left_open"))
    names = ("inference_id", "voter_prompt_id", "prompt", "score", "variance", "reason", "votes", "decided")
    opened_by_jury = ({**nothing, "reason": reason, **structs.asdict(each)} for each in left)
    rows += [{name: row[name] for name in names} for row in opened_by_jury]
    if not rows:
        tell("votes.nothing_waits")
        return 0
    write_frame(
        pl.DataFrame(rows, infer_schema_length=None), given, bar=None, title=say("votes.title.waiting", count=len(rows))
    )
    return 1


def _decided(decision: Curation) -> Said:
    return say("votes.decided_by", outcome=_outcome(decision), curator=decision.curator)


def _outcome(decision: Curation) -> Said:
    return say(f"vote_value.{decision.outcome.value}")


@click.command(cls=HelpedCommand)
@click.argument("ledger")
@click.argument("inference")
@click.argument("outcome", type=click.Choice(["accept", "reject", "ambiguous", "another-round"]))
@click.option("--curator", required=True)
@click.option("--prompt")
@click.option("--note", default="")
@decay_options
def decide(
    ledger: str, inference: str, outcome: str, curator: str, prompt: str | None, note: str, **given: Any
) -> None:
    """Record a curator's decision on INFERENCE, with the score and variance as the curator saw them."""
    from venire.domain.curation import Outcome
    from venire.votes.queue import decide as record_decision
    from venire.workflows.ledgers import opened_ledger

    with opened_ledger(ledger) as opened:
        decided = record_decision(
            opened,
            inference_id=inference,
            outcome=Outcome(outcome),
            curator=curator,
            now=datetime.now(UTC),
            voter_prompt_id=prompt,
            note=note,
            decay=decay_of(given),
        )
    score = say("votes.no_score") if decided.score is None else say("votes.score", score=f"{decided.score:.4f}")
    tell("votes.decided", outcome=_outcome(decided), inference=inference, score=score, votes=decided.votes)


@click.command(cls=HelpedCommand)
@source_argument
@click.argument("inference")
@decay_options
@reading_options
@format_options
def trace(source: str, inference: str, **given: Any) -> int:
    """Show every vote on INFERENCE, its batch, α and weight, and recompute the score before your eyes."""
    import polars as pl

    from venire.cli.votes.tables import read_source, write_frame
    from venire.votes.trace import trace_votes

    found = trace_votes(read_source(source, given), inference, decay_of(given), as_of=parse_moment(given["as_of"]))
    columns = ["vote_time", "voter_id", "vote", "reputation", "batch", "alpha", "batch_weight", "weight"]
    if given["format"] != "table":
        write_frame(pl.concat(item.votes for item in found), given, bar=None, title="")
        return 0 if all(item.holds for item in found) else 1
    for item in found:
        shown = [name for name in (*columns, "sequence", "prompt_digest") if name in item.votes.columns]
        frame = item.votes.select(shown)
        if "prompt_digest" in shown:
            frame = frame.with_columns(pl.col("prompt_digest").str.head(12))
        under = say("votes.under", prompt=item.voter_prompt_id) if item.voter_prompt_id else ""
        title = say(f"votes.title.trail_{item.voter_kind}", inference=inference, under=under)
        write_frame(frame, given, bar="weight", title=title)
        if item.prompt is not None:
            tell("votes.prompt", digest=item.prompt_digest[:12], prompt=item.prompt)
        tell(
            "votes.sums", mark=GOOD if item.holds else BAD, weights=f"{item.total_weight:.12f}",
            votes=f"{item.recomputed:.12f}", score=f"{item.score:.12f}", freshness=f"{item.freshness:.4f}",
        )  # fmt: skip
        for sequence, decision in item.decisions:
            when = decision.decided_at.isoformat(timespec="seconds")
            made = say("votes.decision", outcome=_outcome(decision), curator=decision.curator, time=when)
            code = "votes.decision_noted" if decision.note else "votes.decision_at"
            tell(code, sequence=sequence, decision=made, note=decision.note)
    return 0 if all(item.holds for item in found) else 1


@click.command(cls=HelpedCommand)
@source_argument
@reading_options
@format_options
def export(source: str, **given: Any) -> None:
    """Write all votes as a table, with the numbers of their entries in the ledger."""
    from venire.cli.votes.tables import read_source, write_frame

    write_frame(read_source(source, given).frame, given, bar=None, title=say("votes.title.votes"))


@click.command("from-judgements", cls=HelpedCommand)
@click.argument("judgements")
@click.argument("ledger")
@click.option("--rule", type=click.Choice(["overall", "verdict"]), required=True)
@click.option("--prompt")
def from_judgements(judgements: str, ledger: str, rule: Any, prompt: str | None) -> None:
    """Turn the valid judgements of one ledger into votes in another, or the same; they are marked as judges' votes."""
    from venire.votes.from_judgements import votes_of_judgements
    from venire.workflows.import_votes import import_votes
    from venire.workflows.ledgers import opened_ledger

    with opened_ledger(judgements, read_only=True) as opened:
        found = votes_of_judgements(opened, rule, voter_prompt_id=prompt)
    with opened_ledger(ledger) as target:
        done = import_votes(target, found.votes)
    tell("votes.added_by_rule", added=done.added, rule=rule, known=done.known)
    for reason, count in found.left_out.items():
        tell("votes.not_a_vote", count=count, reason=reason)


LEDGER_COMMANDS = (queue, decide, trace, export, from_judgements)
"""The commands, for the group to take up."""
