"""A protocol: the rubric, scales, evidence policy, verdict rule and reply contract, frozen by a digest."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Literal

import msgspec

from venire.domain.canonical import digest
from venire.domain.design import BundleDesign
from venire.domain.material import MaterialKind

Words = dict[str, str]
"""The same wording in one or several languages, by language code."""


def in_language(words: Mapping[str, str], language: str) -> str:
    """Return a wording in a language, or else in the first that it exists in.

    >>> in_language({"en": "Form"}, "zh")
    'Form'
    """
    return words.get(language) or next(iter(words.values()), "")


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a protocol file; a key that it does not know is an error."""


class Scale(_Part, frozen=True):
    """The numbers that a judge may give."""

    id: str
    """The name of the scale, such as `0-2`; a judge is configured with it."""
    minimum: float
    """The lowest score."""
    maximum: float
    """The highest score."""
    levels: dict[str, Words]
    """What the scores mean, by score, for dimensions that do not say it themselves."""
    integer: bool = False
    """Whether only whole numbers are allowed."""
    overall_alone: bool = False
    """Whether a reply may give an overall score without scores for dimensions."""
    bands: bool = False
    """Whether each level stands for all scores from its own up to the next level's, rather than for one score."""

    def band_end(self, level: str) -> float | None:
        """Return the score below which the band of a level ends; None for the highest, which ends at the maximum."""
        return min((float(other) for other in self.levels if float(other) > float(level)), default=None)


class Dimension(_Part, frozen=True):
    """One thing that is scored."""

    id: str
    """The key of its score in a reply."""
    name: Words
    """Its name for a reader."""
    asks: Words
    """What a judge has to look at."""
    levels: dict[str, Words] = {}
    """What each score means for this dimension; the scale's own wording where empty."""
    levels_are_ours: bool = False
    """Whether the level texts were written for Venire rather than taken from the source document."""


class Category(_Part, frozen=True):
    """A kind of task, with the dimensions that count for it."""

    id: str
    """The value of a sample's `category` factor."""
    name: Words
    """Its name for a reader."""
    weights: dict[str, float]
    """The weight of each dimension in the overall score; they sum to 1."""


class EvidencePolicy(_Part, frozen=True):
    """Which quotes a reply must give."""

    required: Literal["every_dimension", "nonzero_scores", "none"]
    """`every_dimension` needs at least one quote each; `nonzero_scores` allows an empty quote for a zero."""
    allow_ellipsis: bool = True
    """Whether a quote may contain an ellipsis; where not, even one that stands in the source is a violation."""
    cite: Literal["words", "sentences"] = "words"
    """`words` are copied by the judge; with `sentences` texts are shown numbered, and the judge gives the numbers."""


class MaterialPolicy(_Part, frozen=True):
    """Which materials of a sample a judge is shown, and what quotes may and must be taken from."""

    shown: tuple[MaterialKind, ...]
    """The kinds that a judge is shown beside the output."""
    quoted: tuple[MaterialKind, ...] = ()
    """The kinds that quotes may be taken from, beside the output itself."""
    must_have: tuple[MaterialKind, ...] = ()
    """The kinds of which every sample must have at least one; a sample without is a problem, and nobody is asked."""
    must_quote: tuple[MaterialKind, ...] = ()
    """The kinds of which each dimension that needs a quote needs one, where the sample has such a material."""


class PairPolicy(_Part, frozen=True):
    """How two outputs are compared, and what becomes of a pair that is judged in both orders."""

    ties: bool = True
    """Whether a judge may say that neither is better."""
    flipped: Literal["tie", "each", "none"] = "tie"
    """What a pair counts for whose outcome changes with the order: a `tie`, `each` outcome for itself, or `none`."""


class VerdictRule(_Part, frozen=True):
    """How a verdict follows from the overall score."""

    fail_at_most: float
    """An overall score up to this one is a FAIL; tested first."""
    pass_at_least: float
    """An overall score from this one on is a PASS; everything between is PARTIAL."""

    def verdict(self, overall: float) -> str:
        """Return `FAIL`, `PASS` or `PARTIAL`.

        >>> VerdictRule(fail_at_most=3, pass_at_least=7).verdict(6)
        'PARTIAL'
        """
        if overall <= self.fail_at_most:
            return "FAIL"
        return "PASS" if overall >= self.pass_at_least else "PARTIAL"


class Gate(_Part, frozen=True):
    """A dimension whose lowest score forbids any other dimension to be above its own lowest."""

    dimension: str
    """The dimension that closes the gate."""


class OverallRule(_Part, frozen=True):
    """How the overall score follows from the scores of the dimensions."""

    field: str
    """The key of the overall score in a reply."""
    rule: Literal["sum", "weighted"]
    """`sum` adds the scores; `weighted` uses the weights of the sample's category."""
    tolerance: float = 0.0
    """How far the stated overall may lie from the computed one."""
    mismatch: Literal["violation", "note"] = "violation"
    """What a larger difference is: a violation, or a note beside a judgement that stands on the computed one."""


class CoarserRubric(_Part, frozen=True):
    """The protocol whose dimensions finer ones are mapped onto, as it was when the mapping was read."""

    id: str
    """Its id."""
    digest: str
    """Its digest."""
    minimum: float
    """The lowest score of a dimension."""
    maximum: float
    """The highest score of a dimension."""
    dimension_ids: tuple[str, ...]
    """The ids of its dimensions, in order."""
    names: dict[str, Words]
    """The name of each of its dimensions for a reader, by id."""
    verdict: VerdictRule | None = None
    """How its verdict follows from the sum of its dimensions; None if it has none."""


class RubricMapping(_Part, frozen=True):
    """A table that maps the dimensions of this protocol onto the fewer ones of another."""

    onto: CoarserRubric
    """The other protocol; a file names it by its id."""
    dimensions: dict[str, tuple[str, ...]]
    """For each dimension of the other protocol those of this one that make it up."""
    rule: Literal["lowest", "mean"] = "lowest"
    """What a dimension's score is: the lowest of those that make it up, or their mean."""


class EvalProtocol(_Part, frozen=True, dict=True):
    """What is asked of a judge and how the answer is checked. Any change gives another digest."""

    id: str
    """The name of the protocol."""
    version: str
    """The version its author gives it; the digest, not the version, tells protocols apart."""
    title: Words
    """The title for a reader."""
    source: Words
    """Where the rubric comes from."""
    shape: str
    """The form of the reply, such as `sample`, `bundle` or `criteria`: one of those in `venire.shapes`."""
    instructions: Words
    """What the judge is told before the dimensions."""
    scales: tuple[Scale, ...]
    """The scales that judges may be configured with; the first is the default."""
    dimensions: tuple[Dimension, ...]
    """What is scored, in the order in which it is shown."""
    overall: OverallRule
    """How the overall score is computed."""
    evidence: EvidencePolicy
    """Which quotes are needed."""
    verdict: VerdictRule | None = None
    """How the verdict follows; None if the protocol has none."""
    gates: tuple[Gate, ...] = ()
    """Dimensions whose lowest score forbids others to be higher."""
    categories: tuple[Category, ...] = ()
    """Kinds of tasks with their own weights; empty if all dimensions always count."""
    design: BundleDesign | None = None
    """For bundles, the planned set."""
    salvage: bool = False
    """Whether scores may be recovered from replies that are not strict JSON."""
    mapping: RubricMapping | None = None
    """How scores are mapped onto a coarser rubric in reports; None if they are not."""
    materials: MaterialPolicy | None = None
    """Which materials of samples a judge is shown and may quote; None if it sees only task and output."""
    pairs: PairPolicy | None = None
    """For pairs, how they are compared; None for protocols of other shapes."""

    @cached_property
    def digest(self) -> str:
        """The id of the protocol: a digest of all its content."""
        content = msgspec.to_builtins(self)
        # Keys of later versions: where they say nothing, ids stay as they are in old ledgers.
        for field in ("mapping", "materials", "pairs"):
            if content[field] is None:
                del content[field]
        if self.evidence.cite == "words":
            del content["evidence"]["cite"]
        for scale in content["scales"]:
            if not scale["bands"]:
                del scale["bands"]
        return digest("protocol", content)

    @cached_property
    def dimension_ids(self) -> tuple[str, ...]:
        """The ids of all dimensions, in order."""
        return tuple(dimension.id for dimension in self.dimensions)

    @property
    def own_factors(self) -> tuple[str, ...]:
        """The factors of samples that the protocol itself asks for: those of its design, and the category."""
        return (*(self.design.factors if self.design else ()), *(("category",) if self.categories else ()))

    @cached_property
    def shown_kinds(self) -> frozenset[MaterialKind]:
        """The kinds of material that a judge is shown."""
        return frozenset(self.materials.shown if self.materials else ())

    @cached_property
    def quoted_kinds(self) -> frozenset[MaterialKind]:
        """The kinds of material that quotes may be taken from."""
        return frozenset(self.materials.quoted if self.materials else ())

    @property
    def asks_for_quotes(self) -> bool:
        """Whether a judgement must give quotes, which are then to be compared with the judged text."""
        return self.evidence.required != "none"

    def scale(self, scale_id: str | None = None) -> Scale:
        """Return the scale with this id, or the default one; raises `KeyError` for an unknown id."""
        if scale_id is None:
            return self.scales[0]
        for scale in self.scales:
            if scale.id == scale_id:
                return scale
        raise KeyError(scale_id)

    def category(self, category_id: str) -> Category | None:
        """Return the category with this id, or None."""
        return next((category for category in self.categories if category.id == category_id), None)
