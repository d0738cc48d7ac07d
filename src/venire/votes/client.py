"""The calls that users of the `grandjury` package know, computed on this machine or by a Venire server.

Calls have the arguments of its client, and answers the shapes and numbers of its server as far as its maintainers'
notebooks print them. Results are plain dictionaries and numbers, the same from here and from a server. What Venire
counts on its own terms has its own names: the functions of `venire.votes`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import polars as pl

from venire.errors import UsageError
from venire.votes.analysis.ballots import as_names
from venire.votes.analysis.grand_jury_counts import (
    majority_count,
    rows_by_bucket,
    rows_by_inference,
    share_of_voters,
    shares_by_inference,
)
from venire.votes.decay.stream import ItemState
from venire.votes.decay.terms import Decay
from venire.votes.reading.cells import open_votes
from venire.votes.reading.duplicates import Duplicates
from venire.votes.reading.table import VoteOptions, VoteTable, check_zone, read_votes
from venire.votes.reading.values import Refusal
from venire.votes.remote import VoteServer

_ANY_ROWS = VoteOptions(duplicates=Duplicates.ALL, times_needed=False, labels=True)
_TRUTH = {"true": True, "false": False}
_END_OF_TIME = datetime(9999, 1, 1, tzinfo=UTC)


class GrandJuryClient:
    """Answers questions about votes. With `base_url`, a Venire server answers them, under `/api/v1`.

    `api_key` is sent to the server as a bearer token and is not needed otherwise. `decay` are the terms on which scores
    age: if left out, 0.1 per day here and a server's own there. `assume_zone` is the zone of times that have none; if
    left out, those are local times. The key goes over plain http to this machine only,
    unless `insecure_http` says otherwise.
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        decay: Decay | None = None,
        assume_zone: str | None = None,
        insecure_http: bool = False,
    ) -> None:
        check_zone(assume_zone)
        self._decay = decay
        self._zone = assume_zone
        self._server = VoteServer(base_url, api_key, insecure_http=insecure_http) if base_url else None
        self.api_key = api_key
        """The key that is sent to the server; None if there is none."""
        self.base_url = self._server.address if self._server else None
        """The server's address with `/api/v1`; None if answers are computed here."""

    def evaluate_model(
        self,
        previous_score: float = 0.0,
        previous_timestamp: str | datetime | None = None,
        votes: Sequence[float | None] | None = None,
        reputations: Sequence[float] | None = None,
        *,
        timestamp: str | datetime | None = None,
    ) -> dict[str, Any]:
        """Return the score after one batch of votes.

        The answer has `score`, `freshness` and `timestamp` (in UTC); then `alpha`, `variance`, `ambiguous` and `votes`,
        which are ours. The batch is cast at `timestamp`, now unless said otherwise; the previous score is an hour older
        unless `previous_timestamp` says so. Without votes the score stays; None is no vote. Raises `UsageError` for
        what is no number, and for lists of unequal length.
        """
        cast, weights = _cast(votes, reputations)
        now = self._moment(timestamp) if timestamp is not None else datetime.now(UTC)
        if previous_timestamp is not None:
            before = self._moment(previous_timestamp)
        else:
            before = now - min(timedelta(hours=1), now - datetime.min.replace(tzinfo=UTC))  # there is no year 0
        if now < before:
            raise UsageError("error.votes.batch_too_early", before=before.isoformat(), found=now.isoformat())
        if self._server:
            terms = self._decay
            return dict(
                self._server.ask(
                    "evaluate",
                    previous_score=previous_score,
                    previous_timestamp=_with_z(before),
                    timestamp=_with_z(now),
                    votes=cast,
                    reputations=weights,
                    decay_per_second=terms.rate_per_second if terms else None,
                    critical_variance=terms.critical_variance if terms else None,
                )
            )
        decay = self._decay or Decay()
        state = ItemState.resumed(previous_score, before, decay)
        for vote, weight in zip(cast, weights, strict=True):
            state = state.with_vote(vote, now, weight)
        return {
            "score": state.score,
            "freshness": state.freshness if cast else 0.0,
            "timestamp": _with_z(now),
            "alpha": state.alpha if cast else 1.0,
            "variance": state.batch_variance,
            "ambiguous": state.batch_variance > decay.critical_variance,
            "votes": len(cast),
        }

    def vote_histogram(self, data: object, duration_minutes: float = 60, gross: bool = True) -> dict[str, Any]:
        """Return the number of rows in each bucket of time, null votes too; by inference if not `gross`.

        Keys are the buckets' beginnings, `YYYY-MM-DD HH:MM:SS`: clock times as they are written where no time has a
        zone, and in UTC where times have one. Buckets lie on the grid that begins with 1970; empty ones are left out.
        """
        table, zoned = self._read_times(data)
        if self._server:
            rows = _records(table, "%Y-%m-%dT%H:%M:%S%.6f" + ("Z" if zoned else ""))
            return dict(
                self._server.ask("verdict/histogram", data=rows, duration_minutes=duration_minutes, gross=gross)
            )
        counted = rows_by_bucket(_named(table), duration_minutes, by_inference=not gross)
        if gross:
            return dict(counted.iter_rows())
        nested: dict[str, Any] = {}
        for inference, start, count in counted.iter_rows():
            nested.setdefault(inference, {})[start] = count
        return nested

    def vote_completeness(
        self,
        data: object,
        voter_list: Iterable[object],
        inference_ids: Iterable[object] | None = None,
        gross: bool = False,
    ) -> dict[str, float | None] | float | None:
        """Return the share of the listed voters who voted on each named inference, null votes counted.

        A single number, the share of those who voted on any inference, if `gross` or without `inference_ids`.
        """
        return self._completeness("verdict/completeness", data, voter_list, inference_ids, gross=gross)

    def population_confidence(
        self, data: object, voter_list: Iterable[object], inference_ids: Iterable[object] | None = None
    ) -> dict[str, float | None] | float | None:
        """Return what `vote_completeness` does; how sure a majority is tells `venire.votes.population_confidence`."""
        return self._completeness("verdict/population-confidence", data, voter_list, inference_ids)

    def majority_good_votes(
        self, data: object, good_vote: bool | float | str = True, threshold: float = 0.5
    ) -> dict[str, int]:
        """Return as `count` on how many inferences the share of good votes exceeds the threshold, nulls left out.

        True makes votes above 0.5 good, False those below; a number or a label makes exactly that vote good.
        """
        table = self._read(data)
        if self._server:
            return dict(
                self._server.ask(
                    "verdict/majority-good", data=_records(table), good_vote=good_vote, threshold=threshold
                )
            )
        return {"count": majority_count(table.frame, _good(good_vote, table.classes or {}), threshold)}

    def votes_distribution(self, data: object, inference_ids: Iterable[object] | None = None) -> dict[str, int]:
        """Return the number of rows on each inference, the largest first; 0 for named ones that have none."""
        table, wanted = self._read(data), _listed(inference_ids)
        if self._server:
            return dict(self._server.ask("verdict/votes-distribution", data=_records(table), inference_ids=wanted))
        return rows_by_inference(_named(table), wanted)

    def _completeness(
        self,
        route: str,
        data: object,
        voter_list: Iterable[object],
        inference_ids: Iterable[object] | None,
        **gross: bool,
    ) -> dict[str, float | None] | float | None:
        table, voters, wanted = self._read(data), list(voter_list), _listed(inference_ids)
        if self._server:
            answer: Any = self._server.ask(
                route, data=_records(table), voter_list=voters, inference_ids=wanted, **gross
            )
            return answer  # type: ignore[no-any-return]
        votes = _named(table)
        if wanted is None:
            return share_of_voters(votes, voters)
        names = as_names(wanted)
        if gross.get("gross"):
            return share_of_voters(votes.filter(pl.col("inference_id").is_in(names)), voters)
        return shares_by_inference(votes, voters, names)

    def _read(self, data: object) -> VoteTable:
        """Read votes of any kind, whenever they were cast, and refuse to answer from a part of them."""
        return _whole(read_votes(data, _ANY_ROWS))

    def _read_times(self, data: object) -> tuple[VoteTable, bool]:
        """Read votes with their times, and tell whether those have a zone; if not, their clock is taken for UTC."""
        opened = open_votes(data)
        options = msgspec.structs.replace(_ANY_ROWS, times_needed=True, assume_zone=self._zone)
        table = read_votes(opened, options, now=lambda: _END_OF_TIME)
        if not table.frame.height and set(table.refused) == {Refusal.NO_ZONE}:
            clock = msgspec.structs.replace(options, assume_zone="UTC")
            return _whole(read_votes(opened, clock, now=lambda: _END_OF_TIME)), False
        return _whole(table), True

    def _moment(self, given: str | datetime) -> datetime:
        """Read a moment; without a zone it is the assumed zone's, or local."""
        try:
            moment = given if isinstance(given, datetime) else datetime.fromisoformat(given)
            if moment.tzinfo is None and self._zone is not None:
                moment = moment.replace(tzinfo=ZoneInfo(self._zone))
            return moment.astimezone(UTC)
        except (ValueError, TypeError, OverflowError):
            raise UsageError("error.votes.not_time", found=given) from None


def _whole(table: VoteTable) -> VoteTable:
    """Return a table all of whose rows are votes. Raises `UsageError` for any other."""
    if not table.refused:
        return table
    first = table.examples[0]
    raise UsageError(
        "error.votes.mixed_zones" if first.reason is Refusal.NO_ZONE else "error.votes.not_all",
        where=table.where,
        refused=table.refused_count,
        rows=table.rows,
        row=first.row,
        reason=first.reason.said,
        found=first.found,
    )


def _named(table: VoteTable) -> pl.DataFrame:
    return table.frame.with_columns(pl.col("inference_id").cast(pl.String))


def _records(table: VoteTable, time_format: str | None = None) -> list[dict[str, object]]:
    """Return votes as records that JSON can say; without a format they have no time."""
    vote = pl.col("vote").replace_strict(table.classes or {}, return_dtype=pl.String())
    times = [pl.col("vote_time").dt.to_string(time_format)] if time_format else []
    return _named(table).select("inference_id", "voter_id", vote, *times).to_dicts()


def _listed(names: Iterable[object] | None) -> list[object] | None:
    return None if names is None else list(names)


def _good(good_vote: bool | float | str, classes: Mapping[float, str]) -> list[float]:
    """Return which classes are good. Raises `UsageError` if that cannot be told of all of them."""
    numbers = {code: _as_number(name) for code, name in classes.items()}
    if isinstance(good_vote, str):
        named = [code for code, name in classes.items() if name == good_vote]
        if named or not all(number is not None for number in numbers.values()):
            return named
        wanted = _TRUTH.get(good_vote.lower(), _as_number(good_vote))
        if wanted is None:
            raise UsageError("error.votes.good_vote", found=good_vote)
        good_vote = wanted
    if not isinstance(good_vote, bool):
        return [code for code, number in numbers.items() if number == float(good_vote)]
    for code, number in numbers.items():
        if number is None or not 0 <= number <= 1:
            raise UsageError("error.votes.not_unit", found=classes[code])
    side = 1 if good_vote else -1
    return [code for code, number in numbers.items() if number is not None and side * (number - 0.5) > 0]


def _as_number(name: str) -> float | None:
    """Read the name of a class as a number, true as 1 and false as 0; None if it is neither."""
    try:
        return float(_TRUTH.get(name.lower(), name))
    except ValueError:
        return None


def _cast(votes: Iterable[object] | None, reputations: Iterable[object] | None) -> tuple[list[float], list[float]]:
    """Return the votes that were cast, and the reputation of each."""
    given = [] if votes is None else list(votes)
    weights = [] if reputations is None else [_number(weight, "reputation") for weight in reputations]
    weights = weights or [1.0] * len(given)
    if len(weights) != len(given):
        raise UsageError("error.votes.reputations", votes=len(given), found=len(weights))
    cast = [(_number(vote, "vote"), weight) for vote, weight in zip(given, weights, strict=True) if vote is not None]
    return [vote for vote, _ in cast], [weight for _, weight in cast]


def _number(value: Any, what: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise UsageError("error.votes.not_number", what=what, found=value) from None


def _with_z(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
