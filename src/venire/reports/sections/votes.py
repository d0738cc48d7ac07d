"""What voters say: scores that age, how fresh they are, where votes disagree, and the votes that they are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
import polars as pl

from venire.reports.cells import Draft, make_table, number_cell, text_cell, where, word_cell
from venire.reports.report import Note, ReportCell, ReportSection, Rows, Table
from venire.votes.decay.consensus import score_votes
from venire.votes.decay.groups import score_groups
from venire.votes.decay.items import ITEM
from venire.votes.decay.terms import Batching, Decay
from venire.votes.decay.trail import trail
from venire.votes.pairs import VotedPair
from venire.words.said import say

LISTED_OUTPUTS = 200
"""Up to how many outputs are listed; of more, the ambiguous ones come first."""
LISTED_VOTES = 1000
"""Up to how many votes the trail lists."""

_HEADS = {"voter_prompt": "voter_prompt_id", "voter_kind": "voter_kind"}
_METHOD = say("method.decayed_clustered")
_BY_QUESTION = say("method.decayed_clustered_twice")


class VoteEvidence(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """All votes that a ledger holds, and what it knows of the outputs and of what was asked."""

    frame: pl.DataFrame
    """The votes, with the number of each one's entry as `sequence`."""
    models: Mapping[str, str]
    """The model of each output, as far as it is known."""
    questions: Mapping[str, str]
    """What was asked under each voter prompt, as far as its words are known."""
    asked: Mapping[str, str] = {}
    """What each output answers, by its question_id; an output that has none stands for itself."""
    decay: Decay
    """The terms on which votes age."""
    level: float = 0.95
    """The coverage of intervals."""
    pairs: Mapping[str, VotedPair] = {}
    """The pairs that votes compare, by the name that they have in either order."""


def votes(evidence: VoteEvidence) -> ReportSection:
    """Score models and outputs by votes; each number can be walked back to the votes behind it."""
    frame = evidence.frame.with_columns(pl.col(*ITEM).cast(pl.String))
    items = score_votes(frame, evidence.decay).frame
    ordered = items.sort("ambiguous", "score", "inference_id", descending=[True, True, False])
    listed = ordered.head(LISTED_OUTPUTS)
    known = {output: model for output, model in evidence.models.items() if model}
    walked = _walked(frame, listed, evidence.decay)
    # What is the same for all scores is told in a sentence, not in a column.
    heads = tuple(head for head, name in _HEADS.items() if items[name].n_unique() > 1)
    trail_columns = ("vote", "reputation", "batch", "decay_factor", "vote_weight", "entry")
    tables = [
        *_models(frame, known, heads, evidence),
        make_table(
            "votes_output", ("output", *heads),
            ("vote_score", "freshness", "batch_variance", "vote_variance", "ambiguous", "votes", "last_vote"),
            (_output(row, heads, evidence) for row in listed.iter_rows(named=True)),
        ),
        make_table(
            "votes_trail", ("output", "voter", "vote_time"), trail_columns,
            (_vote(row) for row in walked.iter_rows(named=True)),
        ),
    ]  # fmt: skip
    return ReportSection("votes", tuple(_notes(frame, items, listed, walked, known, evidence)), tuple(tables))


def vote_sequences(evidence: VoteEvidence, rows: Rows) -> frozenset[int]:
    """Return the entries of the votes behind a cell."""
    if rows.sequences is not None:
        return frozenset(rows.sequences)
    output = pl.col("inference_id").cast(pl.String)
    columns = {
        "output": output,
        "target_model": output.replace_strict(dict(evidence.models), default="", return_dtype=pl.String()),
        "voter_prompt": pl.col("voter_prompt_id").cast(pl.String),
        "voter_kind": pl.col("voter_kind").cast(pl.String),
    }
    conditions = [columns[name].is_in(list(values)) for name, values in rows.where.items()]
    return frozenset(evidence.frame.filter(pl.col("vote").is_not_null(), *conditions)["sequence"])


def _notes(
    frame: pl.DataFrame,
    items: pl.DataFrame,
    listed: pl.DataFrame,
    walked: pl.DataFrame,
    known: Mapping[str, str],
    evidence: VoteEvidence,
) -> Iterator[Note]:
    cast = frame.filter(pl.col("vote").is_not_null())
    outputs, decay = items["inference_id"].n_unique(), evidence.decay
    yield Note(
        "votes.read",
        {
            "votes": cast.height,
            "voters": cast["voter_id"].n_unique(),
            "outputs": outputs,
            "rate": f"{decay.rate_per_second * 86400:.6g}",
            "batch": _batch(decay.batching),
        },
    )
    yield from _questions(items["voter_prompt_id"].unique().sort(), evidence.questions)
    yield Note(
        "votes.ambiguous",
        {"count": int(items["ambiguous"].sum()), "items": items.height, "critical": f"{decay.critical_variance:g}"},
        begins=True,
    )
    strangers = cast.filter(~pl.col("inference_id").is_in([*known, *evidence.pairs]))
    if strangers.height:
        yield Note("votes.no_model" if known else "votes.no_models", {"votes": strangers.height}, warning=bool(known))
    if listed.height < items.height:
        yield Note("votes.more", {"count": items.height - listed.height})
    key = "votes.trail" if walked.height == cast.height else "votes.trail_part"
    yield Note(key, {"shown": walked.height, "votes": cast.height}, begins=True)


def _questions(prompts: Iterable[str], questions: Mapping[str, str]) -> Iterator[Note]:
    for prompt in prompts:
        if prompt in questions:
            yield Note("votes.asked", {"prompt": prompt, "question": questions[prompt]}, begins=True)
        elif prompt:
            yield Note("votes.words_unknown", {"prompt": prompt}, begins=True)
        else:
            yield Note("votes.no_prompt", begins=True)


def _models(
    frame: pl.DataFrame, known: Mapping[str, str], heads: tuple[str, ...], evidence: VoteEvidence
) -> Iterator[Table]:
    groups = score_groups(frame, known, "target_model", evidence.decay, questions=evidence.asked)
    columns = ("vote_score", "freshness", "ambiguous_outputs", "outputs", "votes", "voters", "last_vote")
    if groups.height:
        drafts = (_group(row, heads, evidence) for row in groups.iter_rows(named=True))
        yield make_table("votes_model", ("target_model", *heads), columns, drafts)


def _group(row: Mapping[str, Any], heads: tuple[str, ...], evidence: VoteEvidence) -> Draft:
    rows = _rows(row, {"target_model": row["target_model"]})
    return (row["target_model"], *_names(row, heads)), [
        _score(row, rows, evidence, _BY_QUESTION),
        number_cell(row["freshness"], rows, "share", method=say("method.freshness")),
        number_cell(row["ambiguous"], rows),
        number_cell(row["outputs"], rows),
        number_cell(row["votes"], rows),
        number_cell(row["voters"], rows),
        text_cell(f"{row['last_update']:%Y-%m-%d}", rows),
    ]


def _output(row: Mapping[str, Any], heads: tuple[str, ...], evidence: VoteEvidence) -> Draft:
    rows = _rows(row, {"output": row["inference_id"]})
    return (row["inference_id"], *_names(row, heads)), [
        _score(row, rows, evidence),
        number_cell(row["freshness"], rows, "share", method=say("method.freshness")),
        number_cell(row["batch_variance"], rows, "coefficient", method=say("method.population_variance")),
        number_cell(row["variance"], rows, "coefficient", method=say("method.population_variance")),
        word_cell("yes" if row["ambiguous"] else "no", rows, method=say("method.critical_variance")),
        number_cell(row["votes"], rows),
        text_cell(f"{row['last_update']:%Y-%m-%d}", rows),
    ]


def _score(row: Mapping[str, Any], rows: Rows, evidence: VoteEvidence, method: str = _METHOD) -> ReportCell:
    low, high = row.get("low"), row.get("high")
    cell = number_cell(row["score"], rows, "coefficient", method=method if low is not None else say("method.decayed"))
    ends = {"low": low, "high": high, "level": evidence.level} if low is not None else {}
    return msgspec.structs.replace(cell, scale=(0.0, 1.0), n={"votes": row["votes"]}, **ends)


def _vote(row: Mapping[str, Any]) -> Draft:
    rows = Rows(among="votes", sequences=(row["sequence"],))
    return (row["inference_id"], row["voter_id"], f"{row['vote_time']:%Y-%m-%d %H:%M:%S} UTC"), [
        number_cell(row["vote"], rows, "coefficient", method=say("method.as_cast")),
        number_cell(row["reputation"], rows, "coefficient", method=say("method.as_cast")),
        number_cell(row["batch"], rows),
        number_cell(row["alpha"], rows, "coefficient", method=say("method.decay_factor")),
        number_cell(row["weight"], rows, "coefficient", method=say("method.score_share")),
        number_cell(row["sequence"], rows, method=say("method.entry_number")),
    ]


def _walked(frame: pl.DataFrame, listed: pl.DataFrame, decay: Decay) -> pl.DataFrame:
    """Return the trail of the listed outputs, of whole outputs only, as far as there is room."""
    room = listed.with_row_index("place").filter(pl.col("votes").cum_sum() <= LISTED_VOTES).select(*ITEM, "place")
    own = trail(frame.join(room, on=list(ITEM)).drop("place"), decay) if room.height else frame.head(0)
    if not own.height:
        names = ("batch", "alpha", "weight")
        return own.with_columns(pl.lit(None, pl.Float64).alias(name) for name in names)
    return own.join(room, on=list(ITEM)).sort("place", "vote_time", maintain_order=True)


def _rows(row: Mapping[str, Any], more: Mapping[str, str]) -> Rows:
    names = {"voter_prompt": str(row["voter_prompt_id"]), "voter_kind": str(row["voter_kind"])}
    return where(more, names, among="votes")


def _names(row: Mapping[str, Any], heads: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(str(row[_HEADS[head]]) for head in heads)


def _batch(batching: Batching) -> str:
    """Write batches as the command line takes them."""
    hours = batching.window_seconds / 3600
    if batching.by != "window" or not hours.is_integer():
        return str(batching)
    return f"{hours:g}h" if hours % 24 else f"{hours / 24:g}d"
