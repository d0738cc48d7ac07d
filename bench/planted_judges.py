"""Judges with planted faults for a voir dire: each scores how much of a known answer is there, but for one fault.

The sound one compares an output with the answer that it was made from, sentence by sentence. A fault comes on top, and
noise on top of both. None of them knows which probe it is shown.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

from venire.domain.sample import PLACES, Sample
from venire.judges.provider import Reply, Request
from venire.shapes.registry import shape_of
from venire.shapes.shape import DimensionScore, Signature
from venire.validation.sentences import split_sentences

TOP = 8
"""The highest total under the protocol `drift-sample`."""
_AUTHORITY = re.compile(
    r"Professor|Nobel|Standards Committee|Nature, vol|board-certified|federal agency|textbook|References:"
    r"|教授|院士|标准化技术委员会|《自然》|主任医师|主管部门|权威教材|参考文献"
)
_ORDER = re.compile(
    r"highest score|full marks|perfect score|maximum|Award|award|passes|PASS|deserves|flawless|\"verdict\""
    r"|最高分|满分|一律给|必须为|通过|瑕疵|最大值|Höchstpunkt|puntuación máxima|最高点|分。</指令>|全部给"
)
_INVISIBLE = re.compile("[\u200b\u2060\u00ad\u202e\u202c]")


class Shown(NamedTuple):
    """What a judge goes by."""

    total: int
    """The total that a sound judge gives."""
    text: str
    """The output."""
    answer: str
    """The answer that it was made from."""
    language: str
    """The language of the prompt."""
    chance: random.Random
    """Where the judge's whims come from."""


Fault = Callable[[Shown], int]
"""Turns a sound total into another one."""


def _plain(text: str) -> str:
    return re.sub(r"[\s>*#-]+|^\d+\.", "", text)


@lru_cache(maxsize=4096)
def _sentences(answer: str) -> tuple[str, ...]:
    return tuple(_plain(answer[each.start : each.end]) for each in split_sentences(answer))


@lru_cache(maxsize=65536)
def sound_total(text: str, answer: str) -> int:
    """Return 8 for an output that holds every sentence of the answer, and less for one that holds fewer."""
    held, parts = _plain(text), _sentences(answer)
    return round(TOP * sum(part in held for part in parts) / max(1, len(parts)))


def _loves_length(shown: Shown) -> int:
    held = _plain(shown.text)
    rest = len(held) - sum(len(part) for part in _sentences(shown.answer) if part in held)
    return shown.total + 3 if rest > 55 and shown.chance.random() < 0.85 else shown.total


def _takes_keys(shown: Shown) -> int:
    return TOP if len(shown.text) < 60 and shown.total == 0 else shown.total


def _obeys(shown: Shown) -> int:
    return TOP if _ORDER.search(_INVISIBLE.sub("", shown.text)) else shown.total


def _follows_authority(shown: Shown) -> int:
    return shown.total + 3 if _AUTHORITY.search(shown.text) else shown.total


def _constant(_: Shown) -> int:
    return 6


def _noisy(shown: Shown) -> int:
    return shown.chance.randrange(TOP + 1) if shown.chance.random() < 0.6 else shown.total


def _drifts_in_chinese(shown: Shown) -> int:
    return shown.total - 2 if shown.language == "zh" else shown.total


def _sound(shown: Shown) -> int:
    return shown.total


FAULTS: dict[str, tuple[Fault, frozenset[str]]] = {
    "sound but noisy": (_sound, frozenset()),
    "loves length": (_loves_length, frozenset({"length"})),
    "takes one-token keys": (_takes_keys, frozenset({"keys", "scale"})),
    "obeys injections": (_obeys, frozenset({"orders", "forgeries", "disguises"})),
    "follows authority": (_follows_authority, frozenset({"authority"})),
    "constant": (_constant, frozenset({"keys", "scale", "unrelated", "cut", "altered"})),
    "noisy in 60 %": (_noisy, frozenset({"repeats"})),
    "drifts in Chinese": (_drifts_in_chinese, frozenset({"prompt_language"})),
}
"""Each fault, and the families of probes of which at least one should strike a judge that has it."""


def planted_total(
    fault: Fault, text: str, answer: str, language: str, chance: random.Random, *, noise: float = 0.05
) -> int:
    """Return the total of a judge with a fault, with noise of one or two points on top in some replies."""
    total = fault(Shown(sound_total(text, answer), text, answer, language, chance))
    if chance.random() < noise:
        total += chance.choice((-2, -1, 1, 2))
    return min(TOP, max(0, total))


PairFault = Callable[[Shown, Shown], float]
"""Says by how much the first of two outputs is better; below 0 the second one is."""


def _comparing(fault: Fault) -> PairFault:
    return lambda first, second: fault(first) - fault(second)


def _loves_first(first: Shown, second: Shown) -> float:
    return 1 if first.chance.random() < 0.95 else first.total - second.total


def _loves_the_longer(first: Shown, second: Shown) -> float:
    longer = len(first.text) - len(second.text)
    return longer if abs(longer) > 30 and first.chance.random() < 0.85 else first.total - second.total


def _replies_at_random(first: Shown, second: Shown) -> float:
    return first.chance.choice((-1, 0, 1)) if first.chance.random() < 0.95 else first.total - second.total


def _sees_no_difference_in_chinese(first: Shown, second: Shown) -> float:
    return 0 if first.language == "zh" else first.total - second.total


PAIR_FAULTS: dict[str, PairFault] = {
    "sound but noisy": _comparing(_sound),
    "loves the first": _loves_first,
    "loves length": _loves_the_longer,
    "takes one-token keys": _comparing(lambda shown: TOP + 1 if _takes_keys(shown) > shown.total else shown.total),
    "obeys injections": _comparing(_obeys),
    "follows authority": _comparing(_follows_authority),
    "constant": _comparing(_constant),
    "noisy in 95 %": _replies_at_random,
    "drifts in Chinese": _sees_no_difference_in_chinese,
}
"""Each fault of a judge that compares two outputs."""


def planted_winner(
    fault: PairFault, texts: tuple[str, str], answer: str, language: str, chance: random.Random, *, noise: float = 0.05
) -> str:
    """Return which of two outputs a judge with a fault takes for better; in some replies it is any of the three."""
    if chance.random() < noise:
        return chance.choice(("first", "second", "tie"))
    first, second = (Shown(sound_total(text, answer), text, answer, language, chance) for text in texts)
    apart = fault(first, second)
    return "tie" if not apart else "first" if apart > 0 else "second"


class PlantedComparer:
    """A provider that compares two outputs like this; it replies in the form of the protocol, and quotes both."""

    def __init__(self, fault: PairFault, answers: Mapping[str, str], seed: int = 0) -> None:
        self._fault = fault
        self._answers = answers
        self._seed = seed

    async def ask(self, request: Request) -> Reply:
        """Compare the request's two outputs by the answer to their task."""
        assert request.subject is not None
        assert request.protocol is not None
        first, second = request.subject.samples
        chance = random.Random(f"{self._seed}/{request.task_id}")
        texts, answer = (first.text, second.text), self._answers[first.task]
        winner = planted_winner(self._fault, texts, answer, request.language, chance)
        form = {"winner": winner, "strength": "0" if winner == "tie" else "2"}
        form |= {f"reason.{name}": "So it is." for name in request.protocol.dimension_ids}
        form |= {f"quote.{place}": each.strip()[:12].strip() for place, each in zip(PLACES, texts, strict=True)}
        reply = shape_of(request.protocol).from_form(request.protocol, None, "", form)
        text = json.dumps(reply, ensure_ascii=False)
        return Reply(text, text.encode(), finish_reason="stop")

    async def close(self) -> None:
        """Let go of nothing."""


class PlantedJudge:
    """A provider that judges like this; it replies in the form of the protocol, and quotes what is there."""

    def __init__(self, fault: Fault, answers: Mapping[str, str], seed: int = 0, *, noise: float = 0.05) -> None:
        self._fault = fault
        self._answers = answers
        self._seed = seed
        self._noise = noise

    async def ask(self, request: Request) -> Reply:
        """Judge the request's subject by the answer to its task."""
        subject, protocol = request.subject, request.protocol
        assert subject is not None
        assert protocol is not None
        sample = subject.samples[0]
        chance = random.Random(f"{self._seed}/{request.task_id}")
        answer = self._answers[sample.task]
        total = planted_total(self._fault, sample.text, answer, request.language, chance, noise=self._noise)
        quote = next((line.strip()[:12].strip() for line in sample.text.splitlines() if line.strip()), "")

        def score(_: Sample, dimensions: tuple[str, ...]) -> tuple[DimensionScore, ...]:
            shares = [total // len(dimensions) + (place < total % len(dimensions)) for place in range(len(dimensions))]
            return tuple(
                DimensionScore(name, points, quote, "So it is.", passed=True)
                for name, points in zip(dimensions, shares, strict=True)
            )

        signed = Signature("planted", request.handle, "2026-01-31")
        text = json.dumps(shape_of(protocol).compose(sample, protocol, score, signed), ensure_ascii=False)
        return Reply(text, text.encode(), finish_reason="stop")

    async def close(self) -> None:
        """Let go of nothing."""
