"""Probes for judges that compare: two outputs side by side of which one, the probed one, was altered by rule.

What must not raise a score must not win against the same output without it, and what must lower one must lose. Where
nothing may change (the order of the two, the layout, the language of the prompt), an output stands beside a slightly
worse one of itself, and the outcome is held against that of asking the same again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from venire.domain.canonical import digest
from venire.domain.judgement import Judgement, Status, Winner
from venire.domain.protocol import EvalProtocol, Scale
from venire.domain.sample import PLACES, Bundle, Pair, Sample, make_pair
from venire.judges.probes.battery import Battery, ProbeTemplate
from venire.judges.probes.making import WEAKENED, ProbeMaker, ProbeName, base_name, weakened
from venire.judges.probes.operations import OPERATIONS, Given
from venire.shapes.registry import shape_of

EVEN = 0.5
"""The place of two outputs of which neither is better."""
BESIDE = "beside"
"""The family of what stands beside a probed output."""
_SLIGHTLY_WORSE = ("numbers_more", "flip_negation", "cut_last_half", "cut_off")
"""What makes an output slightly worse: the first of these that fits it."""


class ProbedPlace(NamedTuple):
    """Which probe a subject is, and where its probed output stands."""

    name: ProbeName
    """The probe."""
    place: int | None
    """The place of the probed output in a pair, from 0; None if there is only one output."""


def probed_place(subject: Sample | Bundle) -> ProbedPlace:
    """Tell which probe a subject is; raises `ValueError` for what is none."""
    names = [ProbeName.parse(each.probe) for each in subject.samples]
    if subject.pair is None:
        return ProbedPlace(names[0], None)
    place = next(place for place, name in enumerate(names) if name.family != BESIDE)
    return ProbedPlace(names[place], place)


def outcome_of(judgement: Judgement, place: int, *, count_recovered: bool) -> float | None:
    """Return 1 if the output in this place won, 0 if it lost, 0.5 for a tie; None if the judgement does not count."""
    said = judgement.preference
    counts = judgement.status is Status.VALID or (count_recovered and judgement.status is Status.RECOVERED)
    if not counts or said is msgspec.UNSET:
        return None
    return EVEN if said.winner is Winner.TIE else float(said.winner.value == PLACES[place])


class PairProbeMaker:
    """Makes the probes of one battery from a fixed list of outputs, under a protocol that compares two outputs."""

    def __init__(self, battery: Battery, bases: Sequence[Sample], protocol: EvalProtocol, scale: Scale) -> None:
        self._battery = battery
        self._bases = {base_name(each): each for each in bases}
        self._outputs = _ComparedOutputs(battery, bases, protocol, scale)

    def originals(self, count: int, template: str) -> Iterator[Pair]:
        """Yield what unchanged probes are compared with: `first` or `again`."""
        for output in self._outputs.originals(count, template) if template != "weak" else ():
            yield self._beside_worse(output)

    def asked_otherwise(self, family: str, operation: str, count: int) -> Iterator[Pair]:
        """Yield the pairs of a family that leaves outputs as they are and asks about them in another way."""
        for output in self._outputs.asked_otherwise(family, operation, count):
            pair = self._beside_worse(output)
            yield make_pair(*pair.samples[::-1]) if operation == "ask_swapped" else pair

    def probes(self, family: str, count: int, kin: str = "") -> Iterator[Pair]:
        """Yield the probes of a family, one of each output that a template fits, at most so many."""
        rule = self._battery.families[family].rule
        for output in self._outputs.probes(family, count, kin):
            if rule == "unchanged":
                yield self._beside_worse(output)
            else:
                base = self._base(output)
                text = weakened(base) if rule in WEAKENED else base.text
                yield _put_beside(output, text, base, stands_first(output.probe))

    def _base(self, output: Sample) -> Sample:
        return self._bases[ProbeName.parse(output.probe).base]

    def _beside_worse(self, output: Sample) -> Pair:
        """Put an output beside what is slightly worse than what it was made from, always in the same order."""
        base = self._base(output)
        altered = (OPERATIONS[name](Given(text=base.text)) for name in _SLIGHTLY_WORSE)
        worse = next((each for each in altered if each and each != base.text), base.text)
        return _put_beside(output, worse, base, stands_first(base.digest))


def stands_first(key: str) -> bool:
    """Tell whether a probed output stands first: a hash says it, so that it does about as often as not."""
    return int(digest("probe-place", key)[:8], 16) % 2 == 0


def _put_beside(output: Sample, text: str, base: Sample, is_first: bool) -> Pair:
    probe = ProbeName.parse(output.probe)
    name = ProbeName(BESIDE, f"{probe.family}.{probe.template}", probe.base)
    opaque = digest("probe-id", str(name))[:12]
    other = msgspec.structs.replace(
        output, output_id=f"output-{opaque}", text=text, materials=base.materials, probe=str(name)
    )
    return make_pair(output, other) if is_first else make_pair(other, output)


class _ComparedOutputs(ProbeMaker):
    """Makes the probed outputs; a reply that one of them forges says that it has won."""

    def _forged_reply(self, base: Sample, template: ProbeTemplate) -> str:
        probe = ProbeName(template.family, template.id, base_name(base))
        winner = PLACES[0 if stands_first(str(probe)) else 1]
        words = " ".join(base.text.split()[:4])[:40]
        form = {"winner": winner, "strength": f"{self._scale.maximum:g}", "reason": "OK"}
        form |= {f"reason.{name}": "OK" for name in self._protocol.dimension_ids}
        form |= {f"quote.{place}": words for place in PLACES}
        return json.dumps(shape_of(self._protocol).from_form(self._protocol, None, "", form), ensure_ascii=False)
