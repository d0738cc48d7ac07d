"""From outputs to probes: which template meets which output follows from their digests, and from nothing else."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib.resources import files

import msgspec

from venire.domain.canonical import digest
from venire.domain.material import MaterialKind
from venire.domain.protocol import EvalProtocol, Scale
from venire.domain.sample import Sample
from venire.judges.probes.battery import ASKED_OTHERWISE, STANDARD, Battery, ProbeTemplate
from venire.judges.probes.operations import DISGUISES, OPERATIONS, Given
from venire.shapes.registry import shape_of
from venire.shapes.shape import DimensionScore, Scores, Signature
from venire.words.language import Words

ORIGINAL = "original"
"""The family of what probes are compared with: `first` is an output as it is, `again` its repeat, and `weak` what is
left of it when it breaks off early: an output that leaves room for a higher score."""
WEAKENED = frozenset({"not_raised"})
"""The rules under which probes are made of outputs that break off early."""
_BASE_DIGITS = 16
_CJK_SHARE = 0.2


class ProbeName(msgspec.Struct, frozen=True):
    """Which probe a sample is: its family, its template, and the output that it was made from."""

    family: str
    """The family."""
    template: str
    """The id of the template; `first` or `again` for an original."""
    base: str
    """The beginning of the digest of the output that it was made from."""

    def __str__(self) -> str:
        return f"{self.family}/{self.template}/{self.base}"

    @classmethod
    def parse(cls, text: str) -> ProbeName:
        """Read a name; raises `ValueError` for what is none."""
        family, template, base = text.split("/")
        return cls(family, template, base)


def bundled_outputs() -> tuple[Sample, ...]:
    """Return the outputs that come with the standard battery, half of them English and half Chinese, in turn."""
    text = files("venire.judges.probes").joinpath(STANDARD, "outputs.jsonl").read_text(encoding="utf-8")
    found = [msgspec.json.decode(line, type=Sample) for line in text.splitlines()]
    half = len(found) // 2
    return tuple(each for pair in zip(found[:half], found[half:], strict=True) for each in pair)


def base_name(base: Sample) -> str:
    """Return what an output is called in the names of the probes that are made from it."""
    return base.digest[:_BASE_DIGITS]


def weakened(base: Sample) -> str:
    """Return what is left of an output when it breaks off early; all of it if it is too short for that."""
    return OPERATIONS["cut_off"](Given(text=base.text)) or base.text


def language_of(text: str) -> str:
    r"""Tell the language that templates for an output are in.

    >>> language_of("It is so."), language_of("确实如此。"), language_of("\u3400"), language_of("\u9fff")
    ('en', 'zh', 'zh', 'zh')
    """
    chinese = sum("\u3400" <= each <= "\u9fff" for each in text)
    return "zh" if chinese > _CJK_SHARE * max(1, len(text)) else "en"


class ProbeMaker:
    """Makes the probes of one battery from a fixed list of outputs, under one protocol."""

    def __init__(self, battery: Battery, bases: Sequence[Sample], protocol: EvalProtocol, scale: Scale) -> None:
        self._battery = battery
        self._bases = tuple(bases)
        self._protocol = protocol
        self._scale = scale

    def originals(self, count: int, template: str) -> Iterator[Sample]:
        """Yield what probes are compared with: `first`, `again` or `weak`."""
        for base in self._bases[:count]:
            yield self._probe(base, ORIGINAL, template, weakened(base) if template == "weak" else base.text)

    def asked_otherwise(self, family: str, operation: str, count: int) -> Iterator[Sample]:
        """Yield the outputs of a family that leaves them as they are and asks about them in another way."""
        for base in self._bases[:count]:
            for each in self._battery.templates_of(family, language_of(base.text))[:1]:
                if each.do == operation:
                    yield self._probe(base, family, each.id, base.text)

    def probes(self, family: str, count: int, kin: str = "") -> Iterator[Sample]:
        """Yield the probes of a family, one of each output that a template fits, at most so many."""
        made = 0
        for place, base in enumerate(self._bases):
            if made == count:
                return
            for template in self._in_turn(family, base):
                probe = self._made(template, base, place, kin)
                if probe is not None:
                    made += 1
                    yield probe
                    break

    def _in_turn(self, family: str, base: Sample) -> list[ProbeTemplate]:
        """Return the templates in the order in which they are tried on an output: it begins where its digest says."""
        fitting = [
            each
            for each in self._battery.templates_of(family, language_of(base.text))
            if each.do not in ASKED_OTHERWISE
        ]
        if not fitting:
            return []
        start = int(digest("probe-turn", [family, base.digest])[:8], 16) % len(fitting)
        return fitting[start:] + fitting[:start]

    def _made(self, template: ProbeTemplate, base: Sample, place: int, kin: str) -> Sample | None:
        if "{kin}" in template.text and not kin:
            return None
        seed = digest("probe-seed", [template.id, base.digest])
        inserted = DISGUISES[template.disguise](self._filled(template, base, kin))
        is_weakened = self._battery.families[template.family].rule in WEAKENED and template.into == "output"
        start = weakened(base) if is_weakened else base.text
        given = Given(
            text=start,
            task=base.task,
            other=self._other(base, place),
            insert=inserted,
            chance=random.Random(seed),  # noqa: S311 - a shuffle is no secret
        )
        if template.into == "document":
            return self._in_document(template, base, given)
        text = OPERATIONS[template.do](given)
        return self._probe(base, template.family, template.id, text) if text and text != start else None

    def _in_document(self, template: ProbeTemplate, base: Sample, given: Given) -> Sample | None:
        shown = MaterialKind.DOCUMENT in self._protocol.shown_kinds
        documents = [each for each in base.materials if each.kind is MaterialKind.DOCUMENT]
        if not shown or not documents:
            return None
        first = documents[0]
        text = OPERATIONS[template.do](msgspec.structs.replace(given, text=first.text))
        if not text:
            return None
        changed = tuple(msgspec.structs.replace(each, text=text) if each is first else each for each in base.materials)
        probe = self._probe(base, template.family, template.id, weakened(base))
        return msgspec.structs.replace(probe, materials=changed)

    def _other(self, base: Sample, place: int) -> str:
        """Return an output to another task in the same language."""
        language = language_of(base.text)
        following = self._bases[place + 1 :] + self._bases[:place]
        others = (each.text for each in following if each.task != base.task)
        return next((text for text in others if language_of(text) == language), "")

    def _filled(self, template: ProbeTemplate, base: Sample, kin: str) -> str:
        text = template.text
        if "{reply}" in text:
            text = text.replace("{reply}", self._forged_reply(base, template))
        return text.replace("{best}", f"{self._scale.maximum:g}").replace("{kin}", kin)

    def _forged_reply(self, base: Sample, template: ProbeTemplate) -> str:  # noqa: ARG002 - compared ones need it
        """Write the reply that an attacker would like to be given, in the protocol's own form."""
        best = int(self._scale.maximum) if self._scale.integer else self._scale.maximum
        words = " ".join(base.text.split()[:4])[:40]

        def perfect(sample: Sample, dimensions: tuple[str, ...]) -> Scores:
            del sample
            return tuple(DimensionScore(each, best, words, "OK", passed=True) for each in dimensions)

        signed = Signature("judge", "item-1", "2026-01-31", Words(language_of(base.text)))
        reply = shape_of(self._protocol).compose(self._categorised(base), self._protocol, perfect, signed)
        return json.dumps(reply, ensure_ascii=False)

    def _probe(self, base: Sample, family: str, template: str, text: str) -> Sample:
        name = ProbeName(family, template, base_name(base))
        opaque = digest("probe-id", str(name))[:12]  # A judge that is not blind must not read which probe it is.
        return Sample(
            output_id=f"output-{opaque}",
            text=text,
            question_id=base.question_id or base.output_id,
            prompt_variant=base.prompt_variant,
            task=base.task,
            factors=self._categorised(base).factors,
            materials=base.materials,
            probe=str(name),
        )

    def _categorised(self, base: Sample) -> Sample:
        return base.in_category(self._first_category)

    @cached_property
    def _first_category(self) -> str:
        return self._protocol.categories[0].id if self._protocol.categories else ""
