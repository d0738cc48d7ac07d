"""The replies to a jury's asks as numbers, taken from the judgements of a ledger in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from venire.domain.judgement import Method
from venire.domain.jury import JuryTerms
from venire.domain.protocol import EvalProtocol
from venire.runner.records import JudgementRecord
from venire.runner.task import FIRST
from venire.workflows.instruments.place import place_of

if TYPE_CHECKING:
    from venire.stats.observations import FloatArray

_REASK = "reask-"


class JuryScores:
    """The score of each valid reply, outputs by asks; NaN where there is none."""

    def __init__(self, terms: JuryTerms, outputs: tuple[str, ...]) -> None:
        self._terms = terms
        self._rows = {digest: row for row, digest in enumerate(outputs)}
        self._columns = {(ask.judge_digest, ask.repeat): column for column, ask in enumerate(terms.asks)}
        self.values: FloatArray = np.full((len(outputs), len(terms.asks)), np.nan)
        self.judgements: dict[tuple[int, int], int] = {}
        """The entry of the judgement of each ask that was answered."""

    def take(self, record: JudgementRecord, protocol: EvalProtocol, sequence: int = 0) -> None:
        """Take note of a judgement if it answers one of the jury's asks; one that does not count leaves no score."""
        task = record.task
        is_further = task.repeat.startswith(_REASK)
        column = self._columns.get((task.judge_digest, FIRST if is_further else task.repeat))
        row = self._rows.get(task.sample_digest)
        if row is None or column is None or task.protocol_digest != self._terms.protocol:
            return
        if is_further and not np.isnan(self.values[row, column]):
            return
        place = place_of(record.judgement, protocol, count_recovered=self._terms.count_recovered)
        if record.judgement.method is Method.SELF_JUDGE:
            place = None
        low, high = self._terms.scale
        self.values[row, column] = np.nan if place is None else low + place * (high - low)
        self.judgements[row, column] = sequence
