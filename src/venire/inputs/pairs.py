"""Pairs of outputs from ordinary samples: two models' outputs to the same question, in the orders that were chosen."""

from __future__ import annotations

from itertools import combinations
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING, Annotated, Literal

import msgspec

from venire.domain.canonical import digest
from venire.domain.sample import Sample, make_pair
from venire.errors import InputError
from venire.inputs.problems import tell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from venire.domain.sample import Pair
    from venire.inputs.problems import OnProblem

_SPOOL_BYTES = 2**22


class SomePairs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which pairs are judged, where a number or a name says it; exactly one of them is given."""

    baseline: str | None = None
    """The model that every other one is compared with."""
    share: Annotated[float, msgspec.Meta(gt=0, le=1)] | None = None
    """The share of all pairs that is judged, drawn fairly by hash from the run's seed."""

    top: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """As with `active`, but only the errors of so many leaders count, and of those who may still be among them."""

    def __post_init__(self) -> None:
        if [self.baseline, self.share, self.top].count(None) != 2:
            raise ValueError("choose needs one of baseline, share and top")


class PairPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which pairs of outputs are judged, and in which order each is shown."""

    order: Literal["both", "random", "fixed"] = "both"
    """`both` judges each pair twice, swapped; `random` once, in an order drawn by hash from the run's seed; `fixed`
    once, in the order of the samples."""
    choose: Literal["all", "neighbours", "active"] | SomePairs = "all"
    """`all` pairs of a question; `neighbours`, each model with the next one in the order of the samples and the last
    with the first; `{baseline: MODEL}`; `{share: 0.2}`; `active`, round by round within the run's budget those that
    shrink the errors of the ranking most; or `{top: 3}`, likewise for the errors of the leaders."""

    @property
    def is_active(self) -> bool:
        """Whether pairs are drawn round by round."""
        return self.choose == "active" or (isinstance(self.choose, SomePairs) and self.choose.top is not None)


def read_pairs(
    samples: Iterable[Sample], plan: PairPlan, *, seed: int, where: str, on_problem: OnProblem
) -> Iterator[Pair]:
    """Yield the pairs of samples question by question; only the outputs of one question are held at a time.

    A sample without a model, or whose task is another one than its question's, is a problem.
    """
    with SpooledTemporaryFile(_SPOOL_BYTES) as spool:
        questions = _Questions(spool, where, on_problem)
        for sample in samples:
            questions.add(sample)
        for outputs in questions.outputs():
            for first, second in _chosen(outputs, plan, seed):
                yield from _ordered(first, second, plan, seed)


def chance(seed: int, purpose: str, *samples: Sample) -> float:
    """Return a number from 0 to 1 that the seed and these outputs decide, whatever their order."""
    drawn = digest(purpose, [seed, sorted(sample.digest for sample in samples)])
    return int(drawn[:13], 16) / 16**13


class _Questions:
    """The outputs of each question; they wait in a temporary file."""

    def __init__(self, spool: IO[bytes], where: str, on_problem: OnProblem) -> None:
        self._spool = spool
        self._where = where
        self._on_problem = on_problem
        self._places: dict[str, list[tuple[int, int]]] = {}
        self._tasks: dict[str, str] = {}
        self._encode: Callable[[Sample], bytes] = msgspec.msgpack.Encoder().encode

    def add(self, sample: Sample) -> None:
        """Keep an output with those that answer the same question under the same prompt variant and factors."""
        if problem := self._problem(sample):
            tell(problem, self._on_problem)
            return
        packed = self._encode(sample)
        places = self._places.setdefault(_question_of(sample), [])
        places.append((self._spool.tell(), len(packed)))
        self._spool.write(packed)

    def outputs(self) -> Iterator[list[Sample]]:
        """Yield the outputs of each question, in the order of their first appearance."""
        decode = msgspec.msgpack.Decoder(Sample).decode
        for places in self._places.values():
            held = []
            for start, length in places:
                self._spool.seek(start)
                held.append(decode(self._spool.read(length)))
            yield held

    def _problem(self, sample: Sample) -> InputError | None:
        if not sample.target_model:
            return InputError("error.pair.no_model", where=self._where, name=sample.output_id)
        if not sample.question_id and not sample.task:
            return InputError("error.pair.no_question", where=self._where, name=sample.output_id)
        task = self._tasks.setdefault(_question_of(sample), digest("task-text", sample.task))
        if task != digest("task-text", sample.task):
            question = sample.question_id
            return InputError("error.pair.other_task", where=self._where, name=sample.output_id, question=question)
        return None


def _question_of(sample: Sample) -> str:
    asked = ["question", sample.question_id] if sample.question_id else ["task", sample.task]
    return digest("pair-question", [asked, sample.prompt_variant, sample.factors])


def _chosen(outputs: list[Sample], plan: PairPlan, seed: int) -> Iterator[tuple[Sample, Sample]]:
    choose = plan.choose
    share = choose.share if isinstance(choose, SomePairs) else None
    baseline = choose.baseline if isinstance(choose, SomePairs) else None
    models = list(dict.fromkeys(sample.target_model for sample in outputs))
    beside = {frozenset((model, models[place - 1])) for place, model in enumerate(models)}
    for first, second in combinations(outputs, 2):
        both = frozenset((first.target_model, second.target_model))
        if (
            len(both) == 2
            and (choose != "neighbours" or both in beside)
            and (baseline is None or baseline in both)
            and (share is None or chance(seed, "pair-share", first, second) < share)
        ):
            yield first, second


def _ordered(first: Sample, second: Sample, plan: PairPlan, seed: int) -> Iterator[Pair]:
    if plan.order == "random":  # By the outputs alone, so that another order of the table changes nothing.
        first, second = sorted((first, second), key=lambda sample: sample.digest)
        if chance(seed, "pair-order", first, second) < 0.5:
            first, second = second, first
    yield make_pair(first, second)
    if plan.order == "both":
        yield make_pair(second, first)
