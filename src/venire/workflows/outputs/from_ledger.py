"""Keeps the index of a ledger's outputs up to date, entry by entry, while runs go on."""

from __future__ import annotations

from itertools import islice
from typing import Any

import msgspec

from venire.domain.judgement import Preference, Winner
from venire.domain.judgement_key import JudgementKey
from venire.domain.protocol import EvalProtocol
from venire.domain.sample import PLACES, pair_name
from venire.domain.vote import Vote
from venire.errors import LedgerError
from venire.ledger.entry import Entry, Kind
from venire.ledger.location import file_of
from venire.ledger.store import Ledger
from venire.ledger.subjects import names_outputs, outline_of
from venire.runner.task import Task, is_probe
from venire.stats.ratings.rating import overall_range
from venire.votes.entries import VoteEntry, read_vote
from venire.workflows.outputs.index import IndexedJudgement, OutputIndex

_READ = (Kind.RUN_OPENED, Kind.PROTOCOL, Kind.SAMPLE, Kind.ATTEMPT, Kind.JUDGEMENT, Kind.VOTE, Kind.NOTE)
_BATCH = 500
_MEAN_VOTE = (
    "UPDATE output SET voted = (SELECT avg(given) FROM vote WHERE output_id = ? AND kind = 'person')"
    " WHERE output_id = ?"
)


class _Judged(msgspec.Struct, frozen=True, gc=False):
    """The part of a judgement that lists need; which protocol and sample it is on stands in its task."""

    sample: str
    sample_digest: str
    status: str
    overall: float | None = None
    verdict: str | None = None
    method: str | None = None
    scale: str = ""
    preference: Preference | None = None
    entries: tuple[_Judged, ...] = ()


class _Record(msgspec.Struct, frozen=True, gc=False):
    task: Task
    judgement: _Judged
    run: str = ""


_record = msgspec.json.Decoder(_Record)


class LedgerReader:
    """Reads a ledger into an index. Several may fill one index: each goes on where the last has ended."""

    def __init__(self, ledger: Ledger, location: str) -> None:
        self._ledger = ledger
        self._scales: dict[tuple[str, str], tuple[float, float] | None] = {}
        self.index = OutputIndex(file_of(location))
        self._check_same_ledger()

    def close(self) -> None:
        """Let go of the index; the ledger is whoever's it was."""
        self.index.close()

    def progress(self) -> tuple[int, int]:
        """Return up to which entry the index was brought, and how many there are."""
        return self.index.position()[0], self._ledger.head().sequence

    def catch_up(self) -> bool:
        """Take in the next entries, all at once; return whether there may be more."""
        index = self.index
        with index.writing():
            position = index.position()[0]
            head = self._ledger.head()
            if head.sequence <= position:
                return False
            weights = dict(
                index.rows("SELECT substr(name, 8), CAST(value AS REAL) FROM state WHERE name LIKE 'weight:%'")
            )
            touched: set[int] = set()
            last: Entry | None = None
            for entry in islice(self._ledger.read(after=position, kinds=_READ), _BATCH):
                if entry.sequence > head.sequence:
                    break
                last = entry
                try:
                    touched |= self._take(entry, weights)
                except (KeyError, TypeError, msgspec.DecodeError) as error:
                    raise LedgerError(
                        "error.evidence.other_form",
                        where=f"entry {entry.sequence}",
                        kind=entry.kind.value,
                        name=type(error).__name__,
                        error=error,
                    ) from error
                position = entry.sequence
            index.score_again(touched, weights)
            if last is None:
                index.set_position(head.sequence, head.hash)
                return False
            index.set_position(last.sequence, last.hash)
            return True

    def _check_same_ledger(self) -> None:
        """Begin anew if the entry up to which the index was brought is not the one that the ledger has there."""
        position, known = self.index.position()
        if not position:
            return
        found = next(iter(self._ledger.read(after=position - 1)), None)
        if found is None or (found.sequence, found.hash) != (position, known):
            self.index.clear()

    def _take(self, entry: Entry, weights: dict[str, float]) -> set[int]:
        """Take in one entry; return the outputs whose scores it may change."""
        index = self.index
        if entry.kind is Kind.JUDGEMENT:
            return self._judgement(entry)
        if entry.kind is Kind.SAMPLE:
            if names_outputs(entry):  # The two outputs of a pair have entries of their own.
                samples = entry.content["pair"]["samples"]
                name = pair_name(*(self._name_of(digest) for digest in samples))
                index.execute("INSERT OR IGNORE INTO pair VALUES (?, ?, ?, ?)", (entry.key, *samples, name))
                return set()
            subject = outline_of(entry)
            for sample in () if subject.probe else subject.samples:
                index.put_output(sample, entry.key, sample.digest)
                if index.one("SELECT 1 FROM vote WHERE output_id = ? LIMIT 1", (sample.output_id,)):
                    index.execute(_MEAN_VOTE, (sample.output_id, sample.output_id))
        elif entry.kind is Kind.RUN_OPENED:
            return self._open(entry, weights)
        elif entry.kind is Kind.ATTEMPT:
            index.execute("INSERT INTO attempt VALUES (?, ?, ?)", (entry.key, entry.sequence, entry.payload))
        elif entry.kind is Kind.VOTE:
            cast = read_vote(entry.key, entry.payload)
            if isinstance(cast, VoteEntry):  # and not the words that voters were asked
                self._vote(entry, cast.vote)
        elif entry.kind is Kind.NOTE:
            index.execute("INSERT INTO note VALUES (?, ?, ?)", (entry.key, entry.sequence, entry.payload))
        return set()

    def _vote(self, entry: Entry, vote: Vote) -> None:
        """Take in a vote; one on a pair is for the output whose name comes first, and so against the other."""
        item, given = vote.inference_id, vote.vote
        pair = self.index.rows("SELECT first, second FROM pair WHERE name = ? LIMIT 1", (item,))
        first, *other = sorted(self._name_of(digest) for digest in pair[0]) if pair else [item]
        shares = [(first, given), *((name, None if given is None else 1.0 - given) for name in other)]
        for name, share in shares:
            row = (name, entry.key, entry.sequence, item, vote.voter_prompt_id, vote.voter_kind.value, share)
            self.index.execute("INSERT OR REPLACE INTO vote VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*row, entry.payload))
            self.index.execute(_MEAN_VOTE, (name, name))

    def _name_of(self, digest: str) -> str:
        return str(self.index.one("SELECT output_id FROM output WHERE digest = ? LIMIT 1", (digest,)) or "")

    def _open(self, entry: Entry, weights: dict[str, float]) -> set[int]:
        content = entry.content
        row = (entry.key, entry.sequence, entry.recorded_at, entry.payload)
        self.index.execute("INSERT OR REPLACE INTO run VALUES (?, ?, ?, ?)", row)
        changed = False
        for judge in content["judges"]:
            weight = 0.0 if judge.get("kind") == "recorded" else float(judge.get("weight") or 0.0)
            changed |= weights.get(judge["name"], weight) != weight
            weights[judge["name"]] = weight
            self.index.execute("INSERT OR REPLACE INTO state VALUES (?, ?)", (f"weight:{judge['name']}", repr(weight)))
        return {row[0] for row in self.index.rows("SELECT id FROM output WHERE judgements > 0")} if changed else set()

    def _judgement(self, entry: Entry) -> set[int]:
        record = _record.decode(entry.payload)
        whole = record.judgement
        if is_probe(record.task.repeat):
            return set()
        pair = self.index.rows("SELECT first, second FROM pair WHERE key = ?", (record.task.sample_digest,))
        if pair:
            return self._put_pair(entry, record, pair[0])
        if not whole.entries:
            known = [whole.sample_digest] if self._is_known(whole.sample_digest) else self._outputs_of(record.task)
            return self._put(entry, record, whole, whole.status, known, entry.key)
        touched: set[int] = set()
        for place, each in enumerate(whole.entries):
            status = each.status if whole.status == "valid" or each.status == "invalid" else whole.status
            known = [each.sample_digest] if self._is_known(each.sample_digest) else []
            known = known or self._outputs_of(record.task, each.sample)
            touched |= self._put(entry, record, each, status, known, str(JudgementKey(entry.key, place)))
        return touched

    def _put_pair(self, entry: Entry, record: _Record, outputs: tuple[Any, ...]) -> set[int]:
        """Take in a judgement on two outputs: of each of them it says that it won or lost, or that neither did."""
        judged, touched = record.judgement, set[int]()
        for place, digest, rival in zip(PLACES, outputs, reversed(outputs), strict=True):
            winner = judged.preference.winner if judged.preference else None
            verdict = "" if winner is None else "tie" if winner is Winner.TIE else "won" if winner == place else "lost"
            own = msgspec.structs.replace(judged, verdict=verdict, overall=None)
            touched |= self._put(entry, record, own, judged.status, [digest], entry.key, f"{place}:{rival}")
        return touched

    def _put(
        self, entry: Entry, record: _Record, judged: _Judged, status: str, digests: list[str], key: str, rival: str = ""
    ) -> set[int]:
        task = record.task
        judgement = IndexedJudgement(
            key=key,
            sequence=entry.sequence,
            judge=task.judge,
            version=f"{task.judge_digest[:16]} {task.prompt_digest[:16]}",
            repeat=task.repeat,
            status=status,
            method=judged.method or "",
            verdict=judged.verdict or "",
            score=self._on_ten(task.protocol_digest, judged),
            task=task.id,
            run=record.run,
            rival=rival,
        )
        found = (self.index.put_judgement(digest, task.protocol_digest, judgement) for digest in digests)
        return {number for number in found if number is not None}

    def _is_known(self, digest: str) -> bool:
        return bool(digest and self.index.one("SELECT 1 FROM output WHERE digest = ? LIMIT 1", (digest,)))

    def _outputs_of(self, task: Task, output_id: str = "") -> list[str]:
        """Return the outputs of a bundle, or the one of this name: a reply that cannot be read is about them all."""
        query = "SELECT DISTINCT digest FROM output WHERE subject = ? AND (output_id = ? OR ? = '')"
        return [row[0] for row in self.index.rows(query, (task.sample_digest, output_id, output_id))]

    def _on_ten(self, protocol: str, judged: _Judged) -> float | None:
        if judged.overall is None:
            return None
        ends = self._range(protocol, judged.scale)
        return (judged.overall - ends[0]) / (ends[1] - ends[0]) * 10 if ends and ends[1] > ends[0] else None

    def _range(self, protocol: str, scale: str) -> tuple[float, float] | None:
        name = (protocol, scale)
        if name not in self._scales:
            entry = self._ledger.find(Kind.PROTOCOL, protocol)
            rubric = msgspec.convert(entry.content, EvalProtocol) if entry else None
            self._scales[name] = overall_range(rubric, rubric.scale(scale or None)) if rubric else None
        return self._scales[name]
