"""Which judges have passed their voir dire, where a run's configuration asks for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from venire.domain.protocol import EvalProtocol
from venire.domain.sample import PLACES, Bundle, Sample
from venire.ledger.entry import Entry, Kind
from venire.ledger.store import Ledger
from venire.ledger.subjects import outline_of
from venire.reports.recorded.judge_fitness import VoirDireRead, WorstProbe
from venire.runner.records import ReplyRecord, read_judgement
from venire.workflows.instruments.recorded import RecordedQualification, read_qualifications


class QualifiedJudges:
    """The last qualification of each version of a judge, and the judgements that lack one."""

    def __init__(
        self, ledger: Ledger, protocol: EvalProtocol | None, runs: Sequence[Mapping[str, Any]], last: int
    ) -> None:
        self._ledger = ledger
        settings = runs[-1].get("settings", {}) if runs else {}
        self.is_required = settings.get("require") == "voir-dire"
        self._held: dict[str, RecordedQualification] = {}
        if protocol is not None:
            for found in read_qualifications(ledger, last):
                if found.content.protocol == protocol.digest:
                    self._held[found.content.judge_digest] = found
        self._judging: dict[str, None] = {}
        self.left_out: set[str] = set()
        self.why_not: dict[str, str] = {}

    def take(self, judge: str, digest: str, judgement: Entry) -> None:
        """Take note of a judgement, and of whether its judge was qualified."""
        self._judging[digest] = None
        why = self._why_not(digest, judgement.recorded_at) if self.is_required else ""
        if why:
            self.left_out.add(judgement.key)
            self.why_not[judge] = why

    def _why_not(self, digest: str, moment: str) -> str:
        """Return why a judgement does not count: the end of a code of `summary.unqualified`; empty if it does."""
        held = self._held.get(digest)
        if held is None:
            return "not_examined"
        if held.content.outcome != "qualified":
            return held.content.outcome
        return "" if held.covers(moment) else "ended"

    def read(self) -> tuple[VoirDireRead, ...]:
        """Return the qualifications of the versions that have judged, or of all where none has."""
        wanted = [each for each in self._held.values() if each.content.judge_digest in self._judging]
        return tuple(map(self._read, wanted or self._held.values()))

    def _read(self, found: RecordedQualification) -> VoirDireRead:
        content = found.content
        keys = {each.probe: each.judgement for each in content.replies}
        worst = content.worst if content.outcome == "struck" else ()
        return VoirDireRead(
            sequence=found.sequence,
            recorded_at=found.recorded_at,
            content=content,
            worst=tuple(probe for name in worst if (probe := self._worst(name, keys[name]))),
        )

    def _worst(self, name: str, key: str) -> WorstProbe | None:
        entry = self._ledger.find(Kind.JUDGEMENT, key)
        task = read_judgement(entry).task if entry else None
        sample = self._ledger.find(Kind.SAMPLE, task.sample_digest) if task else None
        reply = self._ledger.find(Kind.REPLY, task.id) if task else None
        if sample is None or reply is None:
            return None
        shown = "\n\n".join(
            f"{place}: {each.text}" if place else each.text
            for place, each in _in_places(outline_of(sample, self._ledger))
        )
        return WorstProbe(probe=name, text=shown, reply=msgspec.convert(reply.content, ReplyRecord).text)


def _in_places(subject: Sample | Bundle) -> Iterator[tuple[str, Sample]]:
    """Yield what was judged; two outputs with the names that the judge knows them by."""
    return zip(PLACES if subject.pair else ("",), subject.samples, strict=True)
