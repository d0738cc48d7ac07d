"""Judged pairs in a ledger: those that count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from venire.domain.protocol import PairPolicy
from venire.errors import InputError
from venire.workflows.comparison.judged_pairs import JudgedPairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venire.reports.evidence import ReportEvidence
    from venire.reports.recorded.outputs_read import ShownPair
    from venire.stats.comparison.both_orders import Flipped


def flips_of(evidence: ReportEvidence) -> Flipped:
    """Return what a pair counts for whose outcome changes with the order."""
    policy = evidence.protocol.pairs if evidence.protocol else None
    return (policy or PairPolicy()).flipped


def pairs_of(evidence: ReportEvidence, where: str) -> JudgedPairs:
    """Return the comparisons of a ledger as columns.

    Raises `InputError` if its protocol does not compare two outputs, or no judgement counts.
    """
    if evidence.protocol is None or evidence.protocol.shape != "pair":
        name = evidence.protocol.id if evidence.protocol else ""
        raise InputError("error.rank.other_protocol", where=where, protocol=name)
    if not evidence.pairs:
        raise InputError("error.rank.nothing_counts", where=where, invalid=sum(evidence.primary.excluded.values()))
    shown: Sequence[ShownPair] = evidence.pairs
    return JudgedPairs(
        first=[each.first for each in shown],
        second=[each.second for each in shown],
        outcome=np.array([each.outcome for each in shown]),
        judges=[each.judge for each in shown],
        questions=[each.question for each in shown],
        first_lengths=_lengths([each.first_length for each in shown]),
        second_lengths=_lengths([each.second_length for each in shown]),
        names=[each.pair for each in shown],
        self_judged=evidence.primary.excluded.get("self-judged", 0),
    )


def _lengths(given: list[int | None]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    # An empty output has no logarithm of a length; so its length is not known to the model of lengths.
    return np.array([length or np.nan for length in given], dtype=np.float64)
