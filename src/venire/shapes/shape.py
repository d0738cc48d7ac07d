"""What a form of reply knows: how it is asked for, written by a rule judge or a person, recognised and read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

import msgspec

from venire.domain.judgement import Judgement
from venire.domain.material import MaterialKind
from venire.domain.protocol import Category, EvalProtocol, Scale
from venire.domain.sample import Bundle, Sample
from venire.errors import RuleError
from venire.validation.contract import Node
from venire.validation.terms import Occasion, Terms
from venire.words.language import Words

UNKNOWN = "unknown"
"""What stands for an identifier that a sample lacks: the contract asks for ones that are not empty."""


class DimensionScore(msgspec.Struct, frozen=True):
    """What a rule judge says about one dimension of one text."""

    dimension: str
    """The id of the dimension."""
    score: float
    """The score on the judge's scale; a whole number is an int where the scale has only those."""
    quote: str
    """Words of the text that show it; empty only if the text has none."""
    reason: str
    """Which checks passed or failed."""
    passed: bool
    """Whether all checks passed."""


Scores = tuple[DimensionScore, ...]
ScoreSample = Callable[[Sample, tuple[str, ...]], Scores]
"""How a rule judge scores some dimensions of a sample."""


class Signature(msgspec.Struct, frozen=True):
    """What a rule judge writes about itself and the occasion."""

    judge: str
    """What the judge calls itself."""
    handle: str
    """The opaque name of the sample; empty for a judge that is not blind."""
    date: str
    """The date of the reply."""
    words: Words = msgspec.field(default_factory=Words)
    """The words of the language that it replies in."""


class Telling:
    """What a judge is told with: the words of one language, for one protocol and scale."""

    def __init__(self, protocol: EvalProtocol, scale: Scale, words: Mapping[str, str], numbers: str) -> None:
        self.protocol = protocol
        self.words = words
        self.numbers = numbers
        self.cites = protocol.evidence.cite == "sentences"
        self.low = int(scale.minimum) if float(scale.minimum).is_integer() else scale.minimum

    def gates(self) -> list[str]:
        """Return the rule of each gate dimension."""
        return [self.words["gate"].format(dimension=gate.dimension, low=self.low) for gate in self.protocol.gates]

    def evidence(self, rule: str, quotes: str) -> list[str]:
        """Return the rules of quotes: which are needed, and how they are written."""
        policy, words = self.protocol.evidence, self.words
        if policy.required == "none":
            return [words[f"{rule}_none"]]
        needed = words[rule if policy.required == "every_dimension" else f"{rule}_nonzero"]
        ellipsis = words["same_ellipsis" if policy.allow_ellipsis else "no_ellipsis"]
        materials = self.protocol.materials
        if self.cites:
            kinds = materials.quoted if materials else ()
            rules = [words["cited_source"].format(kinds=self._kinds(kinds))] if kinds else []
            return [needed.format(low=self.low), *rules, *self._must_quote()]
        if materials is None or not materials.quoted:
            return [needed.format(low=self.low), words[quotes].format(ellipsis=ellipsis)]
        rules = [words["quotes_with_sources"].format(ellipsis=ellipsis, kinds=self._kinds(materials.quoted))]
        return [needed.format(low=self.low), *rules, *self._must_quote()]

    def _must_quote(self) -> list[str]:
        materials = self.protocol.materials
        kinds = materials.must_quote if materials else ()
        return [self.words["must_quote"].format(kinds=self._kinds(kinds))] if kinds else []

    def _kinds(self, kinds: Iterable[MaterialKind]) -> str:
        return self.listed(self.words[f"kind_{kind.value}"] for kind in kinds)

    def listed(self, names: Iterable[str]) -> str:
        """Return names as a list in a sentence."""
        *first, last = names
        return self.words["comma"].join(first) + (self.words["and"] if first else "") + last


class ShownTexts(msgspec.Struct, frozen=True):
    """What a judge is shown, besides what goes along as documents."""

    judged: str
    """Which sentence of the prompt says what of it is judged."""
    texts: tuple[tuple[str, str], ...]
    """The texts, each with its title."""


class ReplyReader(Protocol):
    """Reads replies of one form under fixed terms."""

    def contract(self, category: Category | None = None, source: Any = None) -> Node:
        """Return the contract of a reply on a sample of a category, or of any; or on one prepared subject."""

    def check(self, raw: bytes, subject: Any, occasion: Occasion) -> Judgement:
        """Turn a reply into a judgement; the subject is a prepared one of the kind that the form judges, or None."""


class Shape(Protocol):
    """One form of a reply."""

    id: str
    """What protocols call it."""
    judges: str
    """The kind of subject that one reply is about: `sample` or `bundle`."""
    needs_design: bool
    """Whether its protocols plan a set of texts (`design`), all of which one reply is about."""
    uses: frozenset[str]
    """Which of the fields of a protocol that only some forms have an effect for."""
    is_read_without_text: bool
    """Whether a reply can be judged by the sample's category alone."""
    names: Mapping[str, str]
    """Which sentence of the prompt names the subject to a judge that is `blind`, and to one that is not, `open`."""

    template: str
    """The template of its prompts: `judge` for forms in which dimensions are scored."""

    def reader(self, terms: Terms) -> ReplyReader:
        """Return what reads replies under these terms."""

    def is_form_of(self, value: dict[str, Any]) -> bool:
        """Tell whether a reply has this form, whatever its dimensions are called."""

    def scored(self, value: dict[str, Any]) -> set[str]:
        """Return the dimensions that a reply of this form scores."""

    def placeholders(self, telling: Telling) -> list[str]:
        """Name what in the example has to be replaced, besides the scores and the overall score."""

    def fields(self, telling: Telling, category: Category | None, *, blind: bool) -> list[str]:
        """Return the rules of all fields, one a line."""

    def example(self, telling: Telling, meta: Mapping[str, str], category: Category | None) -> dict[str, Any]:
        """Return a reply of this form; `meta` is what a judge is to copy about a single sample."""

    def material(self, words: Mapping[str, str], subject: Any, attached: frozenset[str]) -> ShownTexts:
        """Return what a judge is shown of a subject; `attached` names the samples that go along as documents."""

    def compose(
        self, subject: Sample | Bundle, protocol: EvalProtocol, score: ScoreSample, signed: Signature
    ) -> dict[str, Any]:
        """Write the reply of a rule judge; raises `RuleError` if the subject does not suit the protocol."""

    def from_form(
        self, protocol: EvalProtocol, category: Category | None, item: str, form: Mapping[str, str]
    ) -> dict[str, Any]:
        """Write the reply that a form filled in by a person stands for; what was left out is missing in it too."""


def shown_sample(words: Mapping[str, str], subject: Sample, attached: frozenset[str]) -> ShownTexts:
    """Return what a judge is shown of a single sample."""
    is_shown = subject.output_id not in attached
    judged = ("judged_with_task" if subject.task else "judged_output") if is_shown else "judged_task_only"
    texts = [(words["task"], subject.task)] if subject.task else []
    texts += [(words["output"], subject.text)] if is_shown else []
    return ShownTexts(judged, tuple(texts))


def only_sample(subject: Sample | Bundle) -> Sample:
    """Return a single sample; raises `RuleError` for a bundle, which these forms do not judge."""
    if isinstance(subject, Bundle):
        raise RuleError("error.rules.needs_sample")
    return subject


def form_scores(form: Mapping[str, str], dimensions: Iterable[str]) -> dict[str, int]:
    """Return the scores that a person gave in a form."""
    given = {name: form.get(f"score.{name}", "") for name in dimensions}
    return {name: int(score) for name, score in given.items() if score.isascii() and score.isdigit()}


def scored_keys(holder: Any) -> set[str]:
    """Return the dimensions that an object scores under `scores`."""
    scores = holder.get("scores") if type(holder) is dict else None
    return set(scores) if type(scores) is dict else set()


def summarise(scores: Scores, words: Words) -> str:
    """Say which checks of a rule judge failed."""
    failed = [each.dimension for each in scores if not each.passed]
    return words("check.failed", dimensions=failed) if failed else words("check.all_passed")


def tidy(number: float) -> float:
    """Drop what floating point adds; whole numbers are written without a fraction."""
    rounded = round(number, 4)
    return int(rounded) if rounded == int(rounded) else rounded


def code(names: Iterable[str]) -> list[str]:
    """Return names as a prompt writes those of fields."""
    return [f"`{name}`" for name in names]
