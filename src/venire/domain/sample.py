"""What is judged: one output of a model, a fixed set of outputs judged in one reply, or two that are compared."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import msgspec

from venire.domain.canonical import digest, digest_of, typed_json
from venire.domain.material import Material, MaterialKind

PLACES = ("first", "second")
"""What the two outputs of a pair are called, to judges and in quotes."""


class Source(msgspec.Struct, frozen=True):
    """The file that a sample's text was read from."""

    name: str
    """The file's name for a reader; never used as a path."""
    sha256: str
    """The digest of the file's bytes."""
    page_starts: tuple[int, ...] = ()
    """For paged files, the offset in the sample's text at which each page begins."""

    def page_at(self, offset: int) -> int | None:
        """Return the page, counted from 1, that holds this offset of the text; None if the file has no pages."""
        if not self.page_starts:
            return None
        return max(1, sum(1 for start in self.page_starts if start <= offset))


class Sample(msgspec.Struct, frozen=True, dict=True):
    """One output to be judged, with the identity that lets it be found again."""

    output_id: str
    """The unique name of the output, used to trace a judgement back to it."""
    text: str
    """The judged text."""
    question_id: str = ""
    """The question that was answered; empty where the data has none."""
    prompt_variant: str = ""
    """The version of the prompt that produced the output; empty where the data has none."""
    target_model: str = ""
    """The model that produced the output; empty where the data has none. A blind judge never sees it."""
    task: str = ""
    """The prompt that the output answers, shown to judges; empty where the data has none."""
    factors: dict[str, str] = {}
    """Factors of the design such as trigger type, language or category: those that the user or the protocol names."""
    source: Source | None = None
    """The file the text came from; None for text that came inside a table."""
    notes: dict[str, str] = {}
    """What else the data says of the output, such as a latency; kept, but no part of what the sample is."""
    materials: tuple[Material, ...] = ()
    """What a judge is shown beside the output, in this order; empty where the data has none."""

    probe: str = ""
    """For a probe of a voir dire, which one it is; empty for an output. Judges are not told."""

    kind: ClassVar[str] = "sample"
    """What it is, beside a bundle."""

    @property
    def name(self) -> str:
        """What it is called."""
        return self.output_id

    @property
    def samples(self) -> tuple[Sample, ...]:
        """The outputs to be judged: itself."""
        return (self,)

    @property
    def place(self) -> dict[str, Any]:
        """Its place in an experiment, as far as the data says it."""
        names = ("question_id", "prompt_variant", "target_model", "factors", "notes")
        return {name: getattr(self, name) for name in names if getattr(self, name)}

    @property
    def category(self) -> str:
        """The kind of task; empty where the data has none."""
        return self.factors.get("category", "")

    def materials_of(self, kinds: frozenset[MaterialKind]) -> tuple[Material, ...]:
        """Return the materials of some kinds."""
        return tuple(each for each in self.materials if each.kind in kinds) if kinds else ()

    @property
    def target_models(self) -> tuple[str, ...]:
        """The models that produced what is judged."""
        return (self.target_model,)

    @property
    def pair(self) -> Pair | None:
        """Itself as two outputs that are compared: it is one."""
        return None

    def find(self, output_id: str) -> Sample | None:  # noqa: ARG002
        """Return the output that a judgement is on: itself, whatever the judgement calls it."""
        return self

    def with_samples(self, samples: tuple[Sample, ...]) -> Sample:
        """Return the one sample that is to stand for this one."""
        return samples[0]

    @cached_property
    def digest(self) -> str:
        """The id of the sample: a digest of all its content but the notes."""
        if not (self.probe or self.source) and "".join(self.factors).isascii():
            plain = _PlainSample(
                self.output_id,
                self.text,
                self.question_id,
                self.prompt_variant,
                self.target_model,
                self.task,
                self.factors,
                materials=self.materials or msgspec.UNSET,
            )
            return digest_of("sample", typed_json(plain))
        content = msgspec.to_builtins(self)
        del content["notes"]
        if not self.materials:  # A key of a later version: ids without it stay as they are in old ledgers.
            del content["materials"]
        if not self.probe:
            del content["probe"]
        return digest("sample", content)

    def in_category(self, category: str) -> Sample:
        """Return the sample with a category, unless it says one itself or this one is empty."""
        if not category or "category" in self.factors:
            return self
        return msgspec.structs.replace(self, factors={**self.factors, "category": category})


class _PlainSample(msgspec.Struct, frozen=True, gc=False):
    """What the digest of a sample is over that is no probe and came from no file: most are such."""

    output_id: str
    text: str
    question_id: str
    prompt_variant: str
    target_model: str
    task: str
    factors: dict[str, str]
    source: None = None
    materials: tuple[Material, ...] | msgspec.UnsetType = msgspec.UNSET


class Bundle(msgspec.Struct, frozen=True, dict=True):
    """A fixed set of samples that is judged in one reply."""

    name: str
    """What the bundle is called, usually its folder."""
    samples: tuple[Sample, ...]
    """The samples, in the order of the protocol's design."""
    target_model: str = ""
    """The model that produced all of the outputs; empty where it is not known."""
    kind: ClassVar[str] = "bundle"
    """What it is, beside a sample."""

    @property
    def probe(self) -> str:
        """Nothing: no bundle is a probe."""
        return ""

    @property
    def question_id(self) -> str:
        """Nothing: the design of its protocol gives its outputs their places."""
        return ""

    @property
    def prompt_variant(self) -> str:
        """Nothing, for the same reason."""
        return ""

    @property
    def category(self) -> str:
        """Nothing: all files are judged alike."""
        return ""

    @property
    def place(self) -> dict[str, Any]:
        """Nothing: the design knows it."""
        return {}

    @property
    def pair(self) -> Pair | None:
        """Itself if it is two outputs that are compared."""
        return None

    @property
    def target_models(self) -> tuple[str, ...]:
        """The model that produced the outputs."""
        return (self.target_model,)

    def materials_of(self, kinds: frozenset[MaterialKind]) -> tuple[Material, ...]:
        """Return the materials of some kinds of all its samples."""
        return tuple(each for sample in self.samples for each in sample.materials_of(kinds))

    def find(self, output_id: str) -> Sample | None:
        """Return the output of this name; None if the bundle holds none."""
        return next((sample for sample in self.samples if sample.output_id == output_id), None)

    def with_samples(self, samples: tuple[Sample, ...]) -> Bundle:
        """Return the bundle with other samples."""
        return msgspec.structs.replace(self, samples=samples)

    @cached_property
    def digest(self) -> str:
        """The id of the bundle: a digest of its name, model and the ids of its samples."""
        return digest("bundle", [self.name, self.target_model, [sample.digest for sample in self.samples]])


class Pair(Bundle, frozen=True, dict=True):
    """Two outputs to one task, in the order in which they are shown; swapped it is another pair."""

    kind: ClassVar[str] = "pair"

    @property
    def probe(self) -> str:
        """For a probe of a voir dire, which its two outputs are, in their order; empty for outputs of models."""
        probes = [sample.probe for sample in self.samples]
        return " | ".join(probes) if all(probes) else ""

    @property
    def pair(self) -> Pair:
        """Itself."""
        return self

    @property
    def question_id(self) -> str:
        """The question that both outputs answer."""
        return self.samples[0].question_id

    @property
    def prompt_variant(self) -> str:
        """The version of the prompt that produced both."""
        return self.samples[0].prompt_variant

    @property
    def category(self) -> str:
        """The kind of task."""
        return self.samples[0].category

    @property
    def place(self) -> dict[str, Any]:
        """The place in an experiment that both outputs share."""
        return {name: value for name, value in self.samples[0].place.items() if name not in ("target_model", "notes")}

    @property
    def target_models(self) -> tuple[str, ...]:
        """The models that produced the two outputs."""
        return tuple(sample.target_model for sample in self.samples)

    @property
    def either_order(self) -> str:
        """What it is called in either order."""
        return pair_name(*(sample.output_id for sample in self.samples))

    @property
    def outline(self) -> Sample:
        """The place of the pair in an experiment, as that of one output without a text by both models."""
        models = pair_name(*self.target_models)
        return msgspec.structs.replace(self.samples[0], output_id=self.name, text="", target_model=models, materials=())

    def materials_of(self, kinds: frozenset[MaterialKind]) -> tuple[Material, ...]:
        """Return the materials of some kinds: those of both outputs once, others under the place of their output."""
        first, second = (sample.materials_of(kinds) for sample in self.samples)
        shared = tuple(each for each in first if each in second)
        own = [
            msgspec.structs.replace(each, id=f"{place}/{each.id}")
            for place, materials in zip(PLACES, (first, second), strict=True)
            for each in materials
            if each not in shared
        ]
        return (*shared, *own)

    @cached_property
    def digest(self) -> str:
        """The id of the pair: a digest of the ids of its two outputs in their order."""
        return digest("pair", [sample.digest for sample in self.samples])


def pair_name(first: str, second: str) -> str:
    """Return what two outputs or models are called together, in either order."""
    return " | ".join(sorted((first, second)))


def make_pair(first: Sample, second: Sample) -> Pair:
    """Put two outputs side by side."""
    return Pair(name=f"{first.output_id} | {second.output_id}", samples=(first, second))
