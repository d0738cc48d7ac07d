"""All signs of vote stuffing in one table: bursts, votes cast again, and ballots that are alike."""

from __future__ import annotations

from datetime import timedelta
from typing import Literal

import polars as pl

from venire.votes.analysis.duplicate_ballots import duplicate_ballots
from venire.votes.analysis.vote_bursts import vote_bursts
from venire.words.language import Words

_BURSTS: dict[Literal["voter_id", "inference_id"], str] = {
    "voter_id": "suspicious.burst_of_voter",
    "inference_id": "suspicious.burst_on_inference",
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


def suspicious_votes(
    votes: pl.DataFrame, *, window_seconds: float = 60.0, least_ballots: int = 5, language: str = "en"
) -> pl.DataFrame:
    """Return a row for each sign: which, of whom, on what, when, how many votes, and what was found.

    Bursts of voters and on inferences come first, the least likely before others; then ballots that are alike, and
    votes cast again. The sign and what was found are said in the language.
    """
    words = Words(language)
    rows: list[dict[str, object]] = []
    length = timedelta(seconds=window_seconds)
    for of, sign in _BURSTS.items():
        found = vote_bursts(votes, of=of, window_seconds=window_seconds)
        for each in found.frame.iter_rows(named=True):
            rates = {"usual": f"{each['usual']:.2g}", "p": f"{each['p_value']:.1g}"}
            usual = words("suspicious.usual", window=str(length), **rates)
            when = {"since": each["start"], "until": each["start"] + length}
            rows.append({"sign": words(sign), of: each[of], **when, "votes": each["votes"], "found": usual})
    ballots = duplicate_ballots(votes, least_ballots=least_ballots)
    for each in ballots.identical.iter_rows(named=True):
        alike = words("suspicious.alike", voters=each["count"], outputs=each["ballots"])
        names = ", ".join(each["voters"])
        sign, cast = words("suspicious.ballots_alike"), each["count"] * each["ballots"]
        rows.append({"sign": sign, "voter_id": names, "votes": cast, "found": alike})
    for each in ballots.repeated.iter_rows(named=True):
        changed = words("suspicious.again_changed" if each["changed"] else "suspicious.again_same")
        named = {name: each[name] for name in ("voter_id", "inference_id", "voter_prompt_id", "votes")}
        rows.append(
            {
                "sign": words("suspicious.votes_again"),
                **named,
                "since": each["first"],
                "until": each["last"],
                "found": changed,
            }
        )
    return pl.DataFrame([{**dict.fromkeys(_COLUMNS), **row} for row in rows], schema=_COLUMNS)
