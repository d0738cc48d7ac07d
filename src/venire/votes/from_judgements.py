"""Judgements of judges as votes, by a stated rule and marked as such, so that people and judges can be compared."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Literal

import msgspec

from venire.domain.judgement import Judgement, Method
from venire.domain.protocol import EvalProtocol
from venire.domain.vote import Vote, VoterKind
from venire.errors import LedgerError
from venire.ledger.entry import Entry, Kind
from venire.ledger.store import Ledger
from venire.runner.records import JudgementRecord, read_judgement
from venire.runner.task import is_probe
from venire.stats.ratings.rating import overall_range
from venire.words.said import say

Rule = Literal["overall", "verdict"]
"""How a judgement becomes a vote: its overall score scaled to 0–1, or PASS 1, PARTIAL 0.5, FAIL 0."""

VERDICT_VOTES = {"PASS": 1.0, "PARTIAL": 0.5, "FAIL": 0.0}
"""The vote that each verdict becomes."""


class JudgementVotes(msgspec.Struct, frozen=True):
    """The votes that judgements became, and how many became none."""

    votes: tuple[Vote, ...]
    """The votes; their voters are called `judge:NAME@VERSION`."""
    rule: Rule
    """The rule."""
    left_out: dict[str, int]
    """How many judgements did not become votes, by reason."""


def votes_of_judgements(ledger: Ledger, rule: Rule, *, voter_prompt_id: str | None = None) -> JudgementVotes:
    """Turn the valid judgements of a ledger into votes, one for each judge and sample.

    A vote is cast when its judgement was recorded. Its voter names the judge and its version, because judges of
    different versions are different instruments; its prompt is `protocol:` and the protocol's digest unless another
    is named. Where a judge was asked again after an invalid reply, the first valid judgement counts. Judgements that
    are not valid, of a judge's own outputs, from consistency checks or without such a score become no votes and are
    counted.
    """
    left_out: dict[str, int] = {}
    votes: list[Vote] = []
    for entry, record in _counting(ledger, left_out):
        protocol = _protocol(ledger, record.judgement.protocol, entry)
        for judgement in _single(record.judgement):
            value = vote_of(judgement, protocol, rule)
            if isinstance(value, str):
                left_out[value] = left_out.get(value, 0) + 1
                continue
            votes.append(
                Vote(
                    inference_id=judgement.sample,
                    vote=value,
                    voter_id=f"judge:{record.task.judge}@{record.task.judge_digest[:8]}",
                    vote_time=datetime.fromisoformat(entry.recorded_at),
                    voter_prompt_id=f"protocol:{protocol.digest[:12]}" if voter_prompt_id is None else voter_prompt_id,
                    voter_kind=VoterKind.JUDGE,
                    rule=rule,
                )
            )
    return JudgementVotes(tuple(votes), rule, left_out)


def _counting(ledger: Ledger, left_out: dict[str, int]) -> Iterator[tuple[Entry, JudgementRecord]]:
    """Yield one judgement for each judge and sample: the first valid one, or else the first."""
    asked: dict[tuple[str, ...], dict[str, tuple[Entry, JudgementRecord]]] = {}
    for entry in ledger.read(kinds=[Kind.JUDGEMENT]):
        record = read_judgement(entry)
        task = record.task
        if is_probe(task.repeat):
            continue
        key = (task.judge, task.judge_digest, task.protocol_digest, task.sample_digest)
        # A reply that was checked again has a later judgement, which stands.
        asked.setdefault(key, {})[task.repeat] = (entry, record)
    for repeats in asked.values():
        tries = [pair for repeat, pair in repeats.items() if not repeat.startswith("retest")]
        if len(repeats) > len(tries):
            reason = say("problem.judgement.retest")
            left_out[reason] = left_out.get(reason, 0) + len(repeats) - len(tries)
        tries.sort(key=lambda pair: pair[0].sequence)
        if tries:
            yield next((pair for pair in tries if pair[1].judgement.valid), tries[0])


def vote_of(judgement: Judgement, protocol: EvalProtocol, rule: Rule) -> float | str:
    """Return the vote that a judgement becomes, or the reason why it becomes none."""
    if not judgement.valid:
        return say(f"problem.judgement.{judgement.status.value}")
    if judgement.method is Method.SELF_JUDGE:
        return say("problem.judgement.self_judged")
    if rule == "verdict":
        return VERDICT_VOTES.get(judgement.verdict or "", say("problem.judgement.no_verdict"))
    if judgement.overall is None:
        return say("problem.judgement.no_overall")
    lowest, highest = overall_range(protocol, protocol.scale(judgement.scale or None))
    return min(1.0, max(0.0, (judgement.overall - lowest) / (highest - lowest)))


def _single(judgement: Judgement) -> Iterator[Judgement]:
    """Yield a judgement, or those of a valid bundle's samples."""
    if judgement.entries and judgement.valid:
        yield from judgement.entries
    else:
        yield judgement


def _protocol(ledger: Ledger, digest: str, entry: Entry) -> EvalProtocol:
    found = ledger.find(Kind.PROTOCOL, digest)
    if found is None:
        raise LedgerError("error.votes.no_protocol", where=f"entry {entry.sequence}", digest=digest[:12])
    return msgspec.convert(found.content, EvalProtocol)
