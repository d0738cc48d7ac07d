"""The calls that users of the `grandjury` package know, computed on this machine or by a Venire server.

The shapes of calls are those of its 1.x client. What its server computes is closed; what is computed here is written
down in each method. Results are plain dictionaries and numbers, the same from here and from a server.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from venire.errors import UsageError
from venire.inputs.vote_values import Refusal
from venire.inputs.votes import VoteOptions, read_votes
from venire.stats.decay_stream import ItemState
from venire.stats.decay_terms import Decay
from venire.stats.vote_histogram import minutes
from venire.workflows import vote_analysis
from venire.workflows.vote_server import VoteServer, as_records


class GrandJuryClient:
    """Answers questions about votes. With `base_url`, a Venire server answers them, under `/api/v1`.

    `api_key` is sent to the server as a bearer token and is not needed otherwise. `decay` are the terms on which scores
    age here: 0.1 per day unless said otherwise. `assume_zone` is the zone of times that have none.
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        decay: Decay | None = None,
        assume_zone: str | None = None,
    ) -> None:
        self._decay = decay or Decay()
        self._options = VoteOptions(assume_zone=assume_zone)
        self._server = VoteServer(base_url, api_key) if base_url else None

    def evaluate_model(
        self,
        previous_score: float = 0.0,
        previous_timestamp: str | datetime | None = None,
        votes: Sequence[float | None] | None = None,
        reputations: Sequence[float] | None = None,
        *,
        timestamp: str | datetime | None = None,
    ) -> dict[str, Any]:
        """Return the score after one batch of votes: `score`, `freshness`, `alpha`, `variance`, `ambiguous`, `votes`.

        The batch is cast at `timestamp`, now unless said otherwise; the previous score is an hour older unless
        `previous_timestamp` says so. Without votes the score stays; None is no vote. Raises `UsageError`
        for what is no number, and for lists of unequal length.
        """
        cast, weights = _cast(votes, reputations)
        now = _moment(timestamp, self._options) if timestamp is not None else datetime.now(UTC)
        if previous_timestamp is not None:
            before = _moment(previous_timestamp, self._options)
        else:
            before = now - min(timedelta(hours=1), now - datetime.min.replace(tzinfo=UTC))  # there is no year 0
        if now < before:
            raise UsageError(
                f"expected a batch after the previous score of {before.isoformat()}, found {now.isoformat()}"
            )
        if self._server:
            return dict(
                self._server.ask(
                    "evaluate",
                    previous_score=previous_score,
                    previous_timestamp=before.isoformat(),
                    timestamp=now.isoformat(),
                    votes=cast,
                    reputations=weights,
                )
            )
        state = ItemState.resumed(previous_score, before, self._decay)
        for vote, weight in zip(cast, weights, strict=True):
            state = state.with_vote(vote, now, weight)
        return {
            "score": state.score,
            "freshness": state.freshness if cast else 0.0,
            "alpha": state.alpha if cast else 1.0,
            "variance": state.batch_variance,
            "ambiguous": state.batch_variance > self._decay.critical_variance,
            "votes": len(cast),
        }

    def vote_histogram(self, data: object, duration_minutes: float = 60, gross: bool = True) -> dict[str, Any]:
        """Return the number of votes in each bucket, by its beginning; by inference if not `gross`."""
        if self._server:
            return dict(
                self._ask(self._server, "verdict/histogram", data, duration_minutes=duration_minutes, gross=gross)
            )
        by = () if gross else ("inference_id",)
        frame = vote_analysis.vote_histogram(
            self._frame(data), bucket=minutes(duration_minutes), by=by, options=self._options
        ).frame
        if gross:
            return {start.isoformat(): count for start, count in frame.select("start", "votes").iter_rows()}
        nested: dict[str, Any] = {}
        for inference, start, count in frame.select("inference_id", "start", "votes").iter_rows():
            nested.setdefault(inference, {})[start.isoformat()] = count
        return nested

    def vote_completeness(
        self,
        data: object,
        voter_list: Iterable[object],
        inference_ids: Iterable[object] | None = None,
        gross: bool = False,
    ) -> dict[str, float | None] | float | None:
        """Return the share of the listed voters who voted on each inference, or on all of them if `gross`."""
        voters, wanted = list(voter_list), _listed(inference_ids)
        if self._server:
            answer: Any = self._ask(
                self._server, "verdict/completeness", data, voter_list=voters, inference_ids=wanted, gross=gross
            )
            return answer if gross else dict(answer)
        found = vote_analysis.vote_completeness(self._frame(data), voters, wanted, options=self._options)
        return found.overall if gross else dict(found.by_inference.select("inference_id", "completeness").iter_rows())

    def population_confidence(
        self, data: object, voter_list: Iterable[object], inference_ids: Iterable[object] | None = None
    ) -> dict[str, float]:
        """Return for each inference the probability that the majority so far is that of all listed voters."""
        voters, wanted = list(voter_list), _listed(inference_ids)
        if self._server:
            return dict(
                self._ask(self._server, "verdict/population-confidence", data, voter_list=voters, inference_ids=wanted)
            )
        found = vote_analysis.population_confidence(self._frame(data), voters, wanted, options=self._options)
        return dict(found.frame.select("inference_id", "confidence").iter_rows())

    def majority_good_votes(
        self, data: object, good_vote: bool | float | str = True, threshold: float = 0.5
    ) -> dict[str, int]:
        """Return the number of good votes on each inference on which more than the share `threshold` is good."""
        good = _good(good_vote)
        if self._server:
            return dict(self._ask(self._server, "verdict/majority-good", data, good_vote=good, threshold=threshold))
        found = vote_analysis.majority_good_votes(
            self._frame(data), good_vote=good, threshold=threshold, options=self._options
        )
        return dict(found.frame.filter(found.frame["majority"]).select("inference_id", "good").iter_rows())

    def votes_distribution(self, data: object, inference_ids: Iterable[object] | None = None) -> dict[str, int]:
        """Return the number of votes on each inference."""
        wanted = _listed(inference_ids)
        if self._server:
            return dict(self._ask(self._server, "verdict/votes-distribution", data, inference_ids=wanted))
        found = vote_analysis.votes_distribution(self._frame(data), wanted, options=self._options)
        return dict(found.frame.select("inference_id", "votes").iter_rows())

    def _frame(self, data: object) -> Any:
        """Read votes, and refuse to answer from a part of them."""
        table = read_votes(data, self._options)
        wrong = {reason: count for reason, count in table.refused.items() if reason is not Refusal.DUPLICATE}
        if wrong:
            first = next(each for each in table.examples if each.reason is not Refusal.DUPLICATE)
            raise UsageError(
                f"{sum(wrong.values())} of {table.rows} rows are not votes; row {first.row}: {first.reason.value} "
                f"(found {first.found})",
                where=table.where,
                hint='Repair or drop them. For times without a zone: GrandJuryClient(assume_zone="UTC").',
            )
        return table.frame

    def _ask(self, server: VoteServer, route: str, data: object, **terms: object) -> Any:
        return server.ask(route, data=as_records(self._frame(data)), **terms)


def _listed(names: Iterable[object] | None) -> list[object] | None:
    return None if names is None else list(names)


def _good(good_vote: bool | float | str) -> bool | float:
    if isinstance(good_vote, str):
        words = {"true": True, "false": False}
        if good_vote.lower() in words:
            return words[good_vote.lower()]
        try:
            return float(good_vote)
        except ValueError:
            raise UsageError(f"expected true, false or a number as the good vote, found {good_vote!r}") from None
    return good_vote


def _cast(votes: Iterable[object] | None, reputations: Iterable[object] | None) -> tuple[list[float], list[float]]:
    """Return the votes that were cast, and the reputation of each."""
    given = [] if votes is None else list(votes)
    weights = [] if reputations is None else [_number(weight, "reputation") for weight in reputations]
    weights = weights or [1.0] * len(given)
    if len(weights) != len(given):
        raise UsageError(f"expected a reputation for each of {len(given)} votes, found {len(weights)}")
    cast = [(_number(vote, "vote"), weight) for vote, weight in zip(given, weights, strict=True) if vote is not None]
    return [vote for vote, _ in cast], [weight for _, weight in cast]


def _number(value: Any, what: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise UsageError(f"expected a {what} as a number, found {value!r}") from None


def _moment(given: str | datetime, options: VoteOptions) -> datetime:
    row = {"inference_id": "-", "voter_id": "-", "vote": 1, "vote_time": given}
    table = read_votes([row], options, now=lambda: datetime.max.replace(tzinfo=UTC) - timedelta(days=366))
    if not table.votes:
        raise UsageError(f"{table.examples[0].reason.value}: {given}", hint="Write e.g. 2025-01-31T12:00:00Z.")
    moment: datetime = table.frame["vote_time"][0]
    return moment.astimezone(UTC)
