"""Active judging: round by round, the pairs that shrink the errors of a ranking most, each choice on record.

A round is a run of its own. What it opens with says up to which entry judgements were counted, how likely each pair of
models was, how many outputs of each were left, and which were drawn; so an audit can derive the choice again.
"""

from __future__ import annotations

import asyncio
from itertools import combinations
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from venire.domain.canonical import digest
from venire.domain.judgement import Method, Winner
from venire.errors import InputError
from venire.inputs.pairs import SomePairs
from venire.ledger.entry import Kind
from venire.ledger.subjects import outline_of
from venire.runner.budget import Spending, left_of, total
from venire.runner.loop import final_reason, not_begun
from venire.runner.options import Budget
from venire.runner.plan import ids_of
from venire.runner.records import read_judgement
from venire.runner.run import PanelJob, RunResult, run_panel
from venire.runner.task import FIRST
from venire.stats.comparison.active_pairs import draw_pairs, pair_probabilities
from venire.words.said import say
from venire.workflows.ledgers import run_ledger
from venire.workflows.open_engine import open_engine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from venire.config import Settings
    from venire.domain.sample import Pair
    from venire.ledger.entry import Entry
    from venire.ledger.store import Ledger
    from venire.runner.context import RunSpec
    from venire.runner.events import JudgeCounts
    from venire.runner.loop import OnEvent
    from venire.runner.stop import StopSignal
    from venire.stats.observations import FloatArray

SETTING = "active"
"""Under which name the opening of a run holds its round."""
_FIRST_EACH = 4
"""In how many comparisons, on average, a model is in the first round."""
_GROWTH = 0.15
"""How many comparisons a later round has, as a share of those before it."""
_TOLERANCE = 1e-6
"""How far probabilities may lie from those that are derived again: other machines round otherwise."""


class ActiveRound(msgspec.Struct, frozen=True):
    """One round, as the ledger holds it. Pairs of models are listed as the upper triangle of a matrix, row by row."""

    number: int
    """The number of the round, from 0."""
    seed: int
    """The seed of the draw."""
    models: tuple[str, ...]
    """The models."""
    probabilities: tuple[float, ...]
    """How likely each pair of models was to be drawn."""
    available: tuple[int, ...]
    """How many pairs of outputs of each pair of models had not been drawn before."""
    chosen: tuple[tuple[int, int, str], ...]
    """What was drawn: the numbers of the two models, and the name of their outputs."""
    top: int | None = None
    """How many leaders' errors count; None for those of all models."""


class PairTally:
    """Who beat whom so far, by the judgements of a ledger in their order; each that counts does so for itself."""

    def __init__(self, ledger: Ledger, protocol: str) -> None:
        self._ledger = ledger
        self._protocol = protocol
        self._counts: dict[tuple[str, str, bool], int] = {}

    def take(self, entry: Entry) -> None:
        """Count a judgement if it is a valid one of this protocol, not asked again, and not by one of the models."""
        record = read_judgement(entry)
        judgement, task = record.judgement, record.task
        said = judgement.preference
        if judgement.protocol != self._protocol or not judgement.valid or said is msgspec.UNSET:
            return
        if task.repeat != FIRST or judgement.method is Method.SELF_JUDGE:
            return
        sample = self._ledger.find(Kind.SAMPLE, task.sample_digest)
        first, second = outline_of(sample, self._ledger).target_models if sample else ("", "")
        if said.winner is Winner.SECOND:
            first, second = second, first
        key = (first, second, said.winner is Winner.TIE)
        self._counts[key] = self._counts.get(key, 0) + 1

    def matrices(self, models: tuple[str, ...]) -> tuple[FloatArray, FloatArray]:
        """Return who won against whom, and who tied with whom."""
        places = {model: place for place, model in enumerate(models)}
        wins, ties = np.zeros((len(models), len(models))), np.zeros((len(models), len(models)))
        for (first, second, is_tie), count in self._counts.items():
            one, two = places.get(first), places.get(second)
            if one is None or two is None:
                continue
            if is_tie:
                ties[one, two] += count
                ties[two, one] += count
            else:
                wins[one, two] += count
        return wins, ties


class ActiveRounds:
    """The rounds of one configuration: those that the ledger holds, and the next one."""

    def __init__(self, spec: RunSpec, ledger: Ledger, choose: str | SomePairs) -> None:
        self._spec = spec
        self._ledger = ledger
        self._top = choose.top if isinstance(choose, SomePairs) else None
        self._candidates = _Candidates(spec)

    def next(self) -> ActiveRound | None:
        """Return the round that was begun and not finished, or else draw another; None if no pair is left."""
        rounds: dict[int, ActiveRound] = {}
        plans: dict[int, tuple[str, ...]] = {}
        tally = PairTally(self._ledger, self._spec.protocol.digest)
        for entry in self._ledger.read(kinds=[Kind.RUN_OPENED, Kind.JUDGEMENT]):
            if entry.kind is Kind.JUDGEMENT:
                tally.take(entry)
            elif (found := round_of(entry)) and entry.content["protocol"] == self._spec.protocol.digest:
                rounds[found.number] = found
                planned = entry.content["plan"].values()
                plans[found.number] = tuple(part for each in planned for part in each["parts"])
        number = max(rounds, default=-1) + 1
        if rounds and self._is_open(plans[number - 1]):
            return rounds[number - 1]
        used = {name for each in rounds.values() for *_, name in each.chosen}
        return self._draw(number, used, tally)

    def spec_of(self, chosen: ActiveRound, spent: Spending) -> RunSpec:
        """Return the run of a round, which may spend what earlier rounds have left."""
        names = frozenset(name for *_, name in chosen.chosen)
        subjects = self._spec.subjects

        def only_chosen() -> Iterator[Any]:
            return (each for each in subjects() if each.pair and outputs_name(each.pair) in names)

        settings = {**self._spec.settings, SETTING: chosen}
        options = msgspec.structs.replace(self._spec.options, budget=left_of(self._spec.options.budget, spent))
        return msgspec.structs.replace(self._spec, subjects=only_chosen, settings=settings, options=options)

    def _is_open(self, parts: tuple[str, ...]) -> bool:
        """Tell whether a plan has a task without a reply that was not given up either."""
        for part in parts:
            entry = self._ledger.find(Kind.PLAN, part)
            for task in ids_of(entry.blob) if entry else ():
                name = task.hex()
                if not self._ledger.find(Kind.REPLY, name) and not self._ledger.find(Kind.ATTEMPT, name):
                    return True
        return False

    def _draw(self, number: int, used: set[str], tally: PairTally) -> ActiveRound | None:
        models, seed = self._candidates.models, self._spec.options.seed
        available = self._candidates.available(used)
        wins, ties = tally.matrices(models)
        chances = pair_probabilities(wins, ties, available, top=self._top)
        count = _round_size(len(models), len(used))
        drawn = draw_pairs(chances, available, count, [seed, number])
        if not drawn:
            return None
        upper = np.triu_indices(len(models), 1)
        return ActiveRound(
            number=number,
            seed=seed,
            models=models,
            probabilities=tuple(chances[upper].tolist()),
            available=tuple(available[upper].tolist()),
            chosen=tuple(self._candidates.take(drawn, used, seed)),
            top=self._top,
        )


class _Candidates:
    """All pairs of outputs that may be drawn, by their models."""

    def __init__(self, spec: RunSpec) -> None:
        names: dict[tuple[str, str], dict[str, None]] = {}
        for subject in spec.subjects():
            if pair := subject.pair:
                first, second = sorted(pair.target_models)
                names.setdefault((first, second), {})[outputs_name(pair)] = None
        self.models = tuple(sorted({model for both in names for model in both}))
        if len(self.models) < 2:
            raise InputError("error.pair.nothing_to_draw")
        self._names = names

    def available(self, used: set[str]) -> NDArray[np.intp]:
        """Return how many pairs of outputs of each pair of models are not used yet."""
        size = len(self.models)
        left = np.zeros((size, size), dtype=np.intp)
        for one, two in combinations(range(size), 2):
            mine = self._names.get((self.models[one], self.models[two]), {})
            left[one, two] = sum(name not in used for name in mine)
        return left

    def take(self, drawn: list[tuple[int, int]], used: set[str], seed: int) -> Iterator[tuple[int, int, str]]:
        """Yield a pair of outputs for each draw, in an order that the seed decides."""
        waiting: dict[tuple[int, int], list[str]] = {}
        for one, two in drawn:
            if (one, two) not in waiting:
                mine = self._names[self.models[one], self.models[two]]
                fresh = (name for name in mine if name not in used)
                waiting[one, two] = sorted(fresh, key=lambda name: digest("pair-active", [seed, name]), reverse=True)
            yield one, two, waiting[one, two].pop()


def outputs_name(pair: Pair) -> str:
    """Return the short name of two outputs in either order."""
    return digest("pair-outputs", sorted(sample.digest for sample in pair.samples))[:20]


def round_of(opened: Entry) -> ActiveRound | None:
    """Return the round that a run opened with; None if it was no active one."""
    found = opened.content.get("settings", {}).get(SETTING)
    return msgspec.convert(found, ActiveRound) if found else None


class ChoiceAudit:
    """Derives the choices of active rounds again, entry by entry of a ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._tallies: dict[str, PairTally] = {}
        self._seen: list[ActiveRound] = []

    def problem(self, entry: Entry) -> str:
        """Say what is wrong with the round that an entry opens; empty if nothing is, or it opens none."""
        try:
            if entry.kind is Kind.JUDGEMENT and b'"preference"' in entry.payload:
                protocol = read_judgement(entry).judgement.protocol
                self._tally(protocol).take(entry)
            if entry.kind is not Kind.RUN_OPENED or not (found := round_of(entry)) or found in self._seen:
                return ""  # A round that goes on after a stop was chosen before.
            self._seen.append(found)
            is_same = is_derived(found, self._tally(entry.content["protocol"]))
        except (msgspec.MsgspecError, KeyError, TypeError, ValueError, IndexError) as error:
            return say("audit.not_readable", problem=str(error)) if entry.kind is Kind.RUN_OPENED else ""
        return "" if is_same else say("audit.other_choice", number=found.number)

    def _tally(self, protocol: str) -> PairTally:
        return self._tallies.setdefault(protocol, PairTally(self._ledger, protocol))


def is_derived(found: ActiveRound, tally: PairTally) -> bool:
    """Tell whether a round follows from the judgements before it, as far as the ledger can show."""
    size = len(found.models)
    upper = np.triu_indices(size, 1)
    chances, available = np.zeros((size, size)), np.zeros((size, size), dtype=np.intp)
    chances[upper], available[upper] = found.probabilities, found.available
    wins, ties = tally.matrices(found.models)
    derived = pair_probabilities(wins, ties, available, top=found.top)
    drawn = draw_pairs(chances, available, len(found.chosen), [found.seed, found.number])
    chosen = [(one, two) for one, two, _ in found.chosen]
    return bool(np.allclose(derived, chances, rtol=0, atol=_TOLERANCE)) and drawn == chosen


async def judge_in_rounds(settings: Settings, spec: RunSpec, stop: StopSignal, on_event: OnEvent) -> RunResult:
    """Run round after round until the budget is spent, a stop is asked for, or no pair is left."""
    result = not_begun(PanelJob(spec), "")
    async with open_engine(settings) as engine, run_ledger(settings, stop, on_event) as ledger:
        rounds = await asyncio.to_thread(ActiveRounds, spec, ledger, settings.pairs.choose)
        while not result.stopped and (chosen := await asyncio.to_thread(rounds.next)):
            of_round = rounds.spec_of(chosen, result.spent)
            ended = await run_panel(of_round, ledger, engine, stop=stop, on_event=on_event)
            result = merged(result, ended, spec.options.budget)
    return result


def merged(before: RunResult, after: RunResult, budget: Budget) -> RunResult:
    """Return what two runs under one budget came to together; the later one says why it ended."""
    counts: dict[str, JudgeCounts] = _sum(before.counts, after.counts)
    spent = total([before.spent, after.spent])
    return RunResult(counts, spent, final_reason(after.stopped, budget, spent))


def _sum(one: Any, two: Any) -> Any:
    """Add up counts, whatever they are nested in; words stay as they are."""
    if isinstance(one, dict):
        return {**one, **{name: _sum(one[name], each) if name in one else each for name, each in two.items()}}
    if isinstance(one, msgspec.Struct):
        return type(one)(*(_sum(getattr(one, name), getattr(two, name)) for name in one.__struct_fields__))
    return one + two if isinstance(one, (int, float)) else one


def _round_size(models: int, used: int) -> int:
    return max(_FIRST_EACH * models // 2, int(_GROWTH * used))
