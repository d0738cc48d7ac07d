"""All signs of vote stuffing in one table: bursts, votes cast again, and ballots that are alike."""

from __future__ import annotations

from datetime import timedelta
from typing import Literal

import polars as pl

from venire.votes.analysis.duplicate_ballots import duplicate_ballots
from venire.votes.analysis.vote_bursts import vote_bursts

_BURSTS: dict[Literal["voter_id", "inference_id"], str] = {
    "voter_id": "burst of a voter",
    "inference_id": "burst on an inference",
}
_COLUMNS = {
    "sign": pl.String(),
    "voter_id": pl.String(),
    "inference_id": pl.String(),
    "voter_prompt_id": pl.String(),
    "since": pl.Datetime("us", "UTC"),
    "until": pl.Datetime("us", "UTC"),
    "votes": pl.Int64(),
    "found": pl.String(),
}


def suspicious_votes(votes: pl.DataFrame, *, window_seconds: float = 60.0, least_ballots: int = 5) -> pl.DataFrame:
    """Return a row for each sign: which, of whom, on what, when, how many votes, and what was found.

    Bursts of voters and on inferences come first, the least likely before others; then ballots that are alike, and
    votes cast again.
    """
    rows: list[dict[str, object]] = []
    length = timedelta(seconds=window_seconds)
    for of, sign in _BURSTS.items():
        found = vote_bursts(votes, of=of, window_seconds=window_seconds)
        for each in found.frame.iter_rows(named=True):
            usual = f"usually {each['usual']:.2g} in {length}, p = {each['p_value']:.1g}"
            when = {"since": each["start"], "until": each["start"] + length}
            rows.append({"sign": sign, of: each[of], **when, "votes": each["votes"], "found": usual})
    ballots = duplicate_ballots(votes, least_ballots=least_ballots)
    for each in ballots.identical.iter_rows(named=True):
        alike = f"{each['count']} voters with the same votes on the same {each['ballots']} inferences"
        names = ", ".join(each["voters"])
        rows.append(
            {"sign": "ballots alike", "voter_id": names, "votes": each["count"] * each["ballots"], "found": alike}
        )
    for each in ballots.repeated.iter_rows(named=True):
        changed = "voted again, differently" if each["changed"] else "voted again, the same"
        named = {name: each[name] for name in ("voter_id", "inference_id", "voter_prompt_id", "votes")}
        rows.append({"sign": "votes again", **named, "since": each["first"], "until": each["last"], "found": changed})
    return pl.DataFrame([{**dict.fromkeys(_COLUMNS), **row} for row in rows], schema=_COLUMNS)
