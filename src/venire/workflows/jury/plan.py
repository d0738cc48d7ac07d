"""What a jury is expected to cost before it is asked, beside the most that it can cost."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from venire.ledger.location import is_missing_file, open_ledger
from venire.stats.adaptive.drawn_asks import draw_probabilities
from venire.stats.adaptive.estimate_rounds import pilot_outputs
from venire.stats.adaptive.expected_replies import PRIOR_SPREAD
from venire.stats.uncertainty.quantile import normal_quantile
from venire.workflows.judge import spec_of
from venire.workflows.jury.recorded import find_jury
from venire.workflows.jury.rounds import first_round
from venire.workflows.jury.state import JuryState
from venire.workflows.jury.terms import prepare_jury

if TYPE_CHECKING:
    from collections.abc import Mapping

    from venire.config import Settings
    from venire.config.jury_file import JuryConfig
    from venire.workflows.plan import JudgePlan

DECIDES = 0.5
"""Which part of the outputs that reach a stage it is supposed to decide."""


class JuryExpectation(msgspec.Struct, frozen=True, kw_only=True):
    """What is expected of a jury."""

    asks: float
    """About how many tasks are still to be asked."""
    first: float
    """How many of them are asks of every output, which no choice can save."""
    cost: float | None
    """About what they cost; None if a judge has no price."""
    supposed: float
    """What is supposed for it: how far replies lie around what the first judges lead to expect, in points, or which
    part of the outputs a stage decides."""
    estimates: bool
    """Whether the jury estimates; otherwise it decides."""
    begun: bool
    """Whether the replies in the ledger say more than what is supposed."""


def expect_jury(settings: Settings, config: JuryConfig, greatest: Mapping[str, JudgePlan]) -> JuryExpectation:
    """Return what a jury is expected to be asked and to cost, given the most that each judge can be asked."""
    spec = spec_of(settings, lambda _: None)
    prepared = prepare_jury(settings, spec, config)
    state = JuryState(first_round(prepared))
    exists = settings.ledger != "memory:" and not is_missing_file(settings.ledger)
    if exists:
        with closing(open_ledger(settings.ledger, read_only=True)) as ledger:
            state = find_jury(ledger, prepared.id) or state
    begun = not np.isnan(state.scores.values).all()
    wanted: dict[str, float] = {ask.judge: 0.0 for ask in state.terms.asks}
    for ask, count in zip(state.terms.asks, expected_asks(state, begun=begun), strict=True):
        wanted[ask.judge] += count
    asks, first, cost = 0.0, 0.0, 0.0
    everywhere = {ask.judge for ask in state.terms.asks[: state.terms.start]}
    for judge, count in wanted.items():
        most = greatest[judge]
        left = most.tasks - most.done
        still = min(left, max(0.0, count + most.canaries - most.done))  # Anchors are asked about in any case.
        asks += still
        first += min(still, float(len(state.outputs))) if judge in everywhere else 0.0
        cost += (most.cost or 0.0) * still / left if left else 0.0
    low, high = state.terms.scale
    return JuryExpectation(
        asks=asks,
        first=first,
        cost=None if any(each.cost is None for each in greatest.values()) else cost,
        supposed=PRIOR_SPREAD * (high - low) if state.estimates_scores else DECIDES,
        estimates=state.estimates_scores,
        begun=begun,
    )


def expected_asks(state: JuryState, *, begun: bool) -> list[float]:
    """Return how often each ask of the jury is expected to be chosen in all."""
    if not state.estimates_scores:
        return _cascade(state)
    if not begun or state.unanswered:
        return _supposed(state)
    known: list[float] = state.drawn().sum(axis=0).astype(float).tolist()
    following = state.next()
    for _, ask, chance, _ in following.cells if following else ():
        known[ask] += chance
    return known


def _supposed(state: JuryState) -> list[float]:
    """Return what an estimate takes if replies lie around what is expected by the supposed spread."""
    terms = state.terms
    low, high = terms.scale
    counts = [float(len(state.outputs))] * terms.start + [0.0] * (len(terms.asks) - terms.start)
    weights = np.array([ask.weight for ask in terms.asks])
    for group in range(len(state.models)):
        outputs = int((state.groups == group).sum())
        sizes = np.repeat(weights[terms.start :], outputs) * PRIOR_SPREAD * (high - low)
        wanted = ((terms.half_width or 0.0) * outputs * float(weights.sum()) / normal_quantile(terms.level)) ** 2
        pilot = pilot_outputs(outputs, len(terms.asks) - terms.start)
        likely = draw_probabilities(sizes, wanted, pilot, np.inf)
        for place, chances in enumerate(likely.reshape(-1, outputs), start=terms.start):
            counts[place] += max(float(chances.sum()), pilot)
    return counts


def _cascade(state: JuryState) -> list[float]:
    """Return what a cascade takes: what was asked, and of the stages to come what is supposed."""
    terms, left = state.terms, float(len(state.outputs))
    counts = [left] * terms.start
    for place in range(len(terms.asks) - terms.start):
        known = state.rounds[place + 1] if place + 1 < len(state.rounds) else None
        if known is not None:
            left = float(len(known.cells))
        else:
            left = 0.0 if state.rounds[-1].rule == "end" else left * (1 - DECIDES)
        counts.append(left)
    return counts
