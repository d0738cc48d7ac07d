"""A jury as far as it has come: its rounds, the replies to them, and the round that follows from both.

The same functions choose a round and derive it again in an audit: nothing but the ledger goes into them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from venire.domain.canonical import digest
from venire.domain.jury import JuryChoice, JuryTerms, StageTest, StageVerdict, draw_number
from venire.stats.adaptive.cascade import score_and_confidence, try_thresholds
from venire.stats.adaptive.estimate_rounds import estimates, next_chances
from venire.stats.adaptive.jury_asks import JuryAsks
from venire.stats.adaptive.selected_mean import DrawnRound, SelectedMean
from venire.workflows.jury.scores import JuryScores

if TYPE_CHECKING:
    from venire.stats.adaptive.jury_asks import BoolArray
    from venire.stats.observations import FloatArray, IntArray

_TOLERANCE = 1e-5
"""How far numbers may lie from those that are derived again: other machines round otherwise."""


class JuryState:
    """One jury: what was chosen so far, and what was replied."""

    def __init__(self, first: JuryChoice) -> None:
        if first.terms is None:
            raise ValueError("the first round has no terms")
        self.id = first.jury
        self.terms: JuryTerms = first.terms
        self.outputs = first.outputs
        self.labels = first.labels
        self.models = tuple(dict.fromkeys(first.models))
        places = {model: place for place, model in enumerate(self.models)}
        self.groups: IntArray = np.array([places[model] for model in first.models], dtype=np.intp)
        self.scores = JuryScores(self.terms, self.outputs)
        self.rounds: list[JuryChoice] = [first]

    @property
    def estimates_scores(self) -> bool:
        """Whether it estimates; otherwise it decides."""
        return self.terms.half_width is not None

    def drawn(self, rounds: int | None = None) -> BoolArray:
        """Return which asks were chosen, outputs by asks; only so many rounds count if a number is given."""
        found: BoolArray = np.zeros((len(self.outputs), len(self.terms.asks)), dtype=bool)
        found[:, : self.terms.start] = True
        for each in self.rounds[:rounds]:
            for output, ask, *_ in chosen_cells(each):
                found[output, ask] = True
        return found

    @property
    def unanswered(self) -> int:
        """How many asks of the last round have no judgement yet."""
        last = self.rounds[-1]
        cells = [(output, ask) for output, ask, *_ in chosen_cells(last)]
        if last.number == 0:
            cells = [(output, ask) for output in range(len(self.outputs)) for ask in range(self.terms.start)]
        return sum(cell not in self.scores.judgements for cell in cells)

    @property
    def is_finished(self) -> bool:
        """Whether it has been asked enough, as far as it can be."""
        return not self.unanswered and self.next() is None

    def add(self, choice: JuryChoice) -> None:
        """Take note of a round; one that is there already stands as it was recorded first."""
        if choice.number == len(self.rounds):
            self.rounds.append(choice)

    def next(self) -> JuryChoice | None:
        """Return the round that follows from what was replied; None if the jury has been asked enough."""
        if self.rounds[-1].rule == "end":
            return None
        return self._next_estimate() if self.estimates_scores else self._next_stage()

    def estimates(self) -> tuple[SelectedMean | None, ...]:
        """Return the estimate of each model, in the order of `models`, from the rounds that are finished."""
        rounds = len(self.rounds) - bool(self.unanswered)
        return estimates(self._asks(rounds), self._drawn_rounds(rounds), level=self.terms.level)

    def verdicts(self) -> Iterator[tuple[int, StageVerdict]]:
        """Yield what each stage decided, with the number of the stage from 0."""
        for each in self.rounds[1:]:
            for found in each.decided:
                yield each.number - 1, found

    def _asks(self, rounds: int | None = None) -> JuryAsks:
        drawn = self.drawn(rounds)
        low, high = self.terms.scale
        names = list(dict.fromkeys(ask.judge_digest for ask in self.terms.asks))
        return JuryAsks(
            values=np.where(drawn, self.scores.values, np.nan),
            answered=drawn,
            weights=np.array([ask.weight for ask in self.terms.asks]),
            judges=np.array([names.index(ask.judge_digest) for ask in self.terms.asks], dtype=np.intp),
            start=self.terms.start,
            groups=self.groups,
            span=high - low,
        )

    def _drawn_rounds(self, rounds: int | None = None) -> list[DrawnRound]:
        shape = (len(self.outputs), len(self.terms.asks))
        found = []
        for each in self.rounds[1:rounds]:
            chances, expected, drawn = np.zeros(shape), np.zeros(shape), np.zeros(shape, dtype=bool)
            for output, ask, chance, reply in each.cells:
                chances[output, ask], expected[output, ask] = chance, reply
            for output, ask, *_ in chosen_cells(each):
                drawn[output, ask] = True
            found.append(
                DrawnRound(probabilities=chances, expected=expected, drawn=drawn, shares=np.array(each.shares))
            )
        return found

    def _next_estimate(self) -> JuryChoice | None:
        number, rounds = len(self.rounds), self._drawn_rounds()
        found = next_chances(self._asks(), rounds, self.terms.half_width or 0.0, level=self.terms.level)
        if found is None:
            return None
        cells = tuple(
            (int(output), int(ask), float(found.probabilities[output, ask]), float(found.expected[output, ask]))
            for output, ask in np.argwhere(found.probabilities > 0)
        )
        return JuryChoice(
            jury=self.id,
            number=number,
            rule="where_uncertain" if rounds else "pilot",
            cells=cells,
            drawn=self._draw(number, cells),
            shares=tuple(found.shares.tolist()),
        )

    def drawn_again(self, choice: JuryChoice) -> tuple[int, ...]:
        """Return which asks are drawn with the probabilities that a round names."""
        return self._draw(choice.number, choice.cells) if self.estimates_scores else tuple(range(len(choice.cells)))

    def _draw(self, number: int, cells: Iterable[tuple[int, int, float, float]]) -> tuple[int, ...]:
        return tuple(
            place
            for place, (output, ask, chance, _) in enumerate(cells)
            if draw_number(self.id, number, self.outputs[output], ask, self.terms.seed) < chance
        )

    def _next_stage(self) -> JuryChoice:
        stage = len(self.rounds) - 1
        settled = {found.output for _, found in self.verdicts()}
        left = [output for output in range(len(self.outputs)) if output not in settled]
        means, sure = self._means(self.terms.start + stage)
        tests = self._tests(stage, left, means, sure)
        threshold = next((test.threshold for test in reversed(tests) if test.holds), None)
        decided = tuple(
            StageVerdict(output, self._verdict(float(means[output])), float(sure[output]))
            for output in left
            if threshold is not None and sure[output] >= threshold
        )
        now = {found.output for found in decided}
        rest = [output for output in left if output not in now]
        column = self.terms.start + stage
        is_end = not rest or column >= len(self.terms.asks)
        return JuryChoice(
            jury=self.id,
            number=stage + 1,
            rule="end" if is_end else "not_decided",
            cells=() if is_end else tuple((output, column, 1.0, 0.0) for output in rest),
            drawn=() if is_end else tuple(range(len(rest))),
            threshold=threshold,
            tests=tests,
            decided=decided,
            open=tuple(rest) if is_end else (),
        )

    def _means(self, columns: int) -> tuple[FloatArray, FloatArray]:
        low, high = self.terms.scale
        weights = np.array([ask.weight for ask in self.terms.asks[:columns]])
        values = np.where(self.drawn()[:, :columns], self.scores.values[:, :columns], np.nan)
        means, sure = score_and_confidence(values, weights, self.terms.bounds or (low, high), high - low)
        return np.round(means, 9), np.where(np.isnan(sure), -np.inf, sure)

    def _tests(self, stage: int, left: list[int], means: FloatArray, sure: FloatArray) -> tuple[StageTest, ...]:
        """Test the thresholds of a stage by the labels that are its own."""
        stages = len(self.terms.asks) - self.terms.start + 1
        own = [
            output
            for output in left
            if self.outputs[output] in self.labels
            and np.isfinite(sure[output])
            and stage_of(self.id, self.outputs[output], stages) == stage
        ]
        agrees = np.array([self._verdict(float(means[each])) == self.labels[self.outputs[each]] for each in own])
        found = try_thresholds(
            sure[own], agrees.astype(bool), level=self.terms.level, delta=(self.terms.delta or 0.0) / stages
        )
        return tuple(StageTest(*test[:3], round(test.p_value, 9), test.holds) for test in found)

    def _verdict(self, mean: float) -> str:
        fails, passes = self.terms.bounds or self.terms.scale
        if mean <= fails:
            return "FAIL"
        return "PASS" if mean >= passes else "PARTIAL"


def stage_of(jury: str, output: str, stages: int) -> int:
    """Return the stage whose thresholds the label of an output is used for: each stage has labels of its own."""
    return int(digest("jury-stage", [jury, output])[:13], 16) % stages


def chosen_cells(choice: JuryChoice) -> Iterator[tuple[int, int, float, float]]:
    """Yield the asks that a round has chosen."""
    for place in choice.drawn:
        yield choice.cells[place]


def is_same(recorded: JuryChoice, derived: JuryChoice | None) -> bool:
    """Tell whether a recorded round is the one that follows, but for rounding."""
    if derived is None:
        return False
    one, two = (
        msgspec.structs.replace(each, terms=None, cells=(), shares=(), drawn=()) for each in (recorded, derived)
    )
    is_near = all(_is_near(getattr(recorded, name), getattr(derived, name)) for name in ("cells", "shares"))
    return one == two and is_near


def _is_near(one: object, two: object) -> bool:
    first, second = np.array(one, dtype=np.float64), np.array(two, dtype=np.float64)
    return first.shape == second.shape and bool(np.allclose(first, second, rtol=0, atol=_TOLERANCE))
