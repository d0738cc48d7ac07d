"""What exactly is sent to a judge: a template in the judge's language, filled with the protocol and fenced data."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from importlib.resources import files

import msgspec

from venire.domain.canonical import digest
from venire.domain.hidden import show_controls
from venire.domain.judgement import Method
from venire.domain.material import Material, MaterialKind
from venire.domain.protocol import Category, Dimension, EvalProtocol, Scale, in_language
from venire.domain.sample import Bundle, Sample
from venire.judges.prompt_form import PromptForm, make_form
from venire.judges.prompt_words.claims import CLAIM_WORDS
from venire.judges.prompt_words.materials import MATERIAL_WORDS
from venire.judges.prompt_words.pairs import PAIR_WORDS
from venire.judges.wording import WORDS
from venire.shapes.registry import shape_of
from venire.shapes.shape import UNKNOWN, Telling
from venire.validation.sentences import number_sentences

VERSION = "2"
"""The version of how prompts are put together; a change of wording changes their digest by itself."""

_STEP = MaterialKind.TOOL_CALL
_HANDLE = "⟦handle⟧"
_MARKS = "⟦⟧"
"""What prompts put around the code of a hidden character."""


class Prompt(msgspec.Struct, frozen=True):
    """The two messages of a request."""

    system: str
    """The system message."""
    user: str
    """The user message."""
    not_ascii: int = 0
    """How many characters of the user message are not ASCII."""


class Known(msgspec.Struct, frozen=True):
    """What a judge is told about who wrote the output."""

    handle: str
    """The opaque name of the sample; empty for a judge that is not blind."""
    judge: str = ""
    """The judge's own name, for a judge that is not blind."""
    method: Method = Method.CROSS_JUDGE
    """Whether it judges itself, for a judge that is not blind."""


@cache
def template_text(language: str, name: str = "judge") -> str:
    """Return a template in a language, by the name that the form of the replies gives it."""
    return files("venire.judges").joinpath("templates", f"{name}.{language}.txt").read_text(encoding="utf-8")


def template_digest(language: str, protocol: EvalProtocol | None = None) -> str:
    """Return the id of everything that prompts in a language, of this protocol, are made of."""
    more = more_words(language, protocol) if protocol else {}
    template = template_text(language, shape_of(protocol).template if protocol else "judge")
    return digest("prompt", [VERSION, template, WORDS[language], *([more] if more else [])])


def more_words(language: str, protocol: EvalProtocol) -> dict[str, str]:
    """Return the texts that only prompts of some protocols use; those of others do not change with them."""
    words = dict(MATERIAL_WORDS[language]) if protocol.materials else {}
    if protocol.evidence.cite == "sentences" or shape_of(protocol).template == "claims":
        words |= CLAIM_WORDS[language]
    if shape_of(protocol).template == "pair":
        words |= PAIR_WORDS[language]
    return words


def level_line(scale: Scale, level: str, meaning: str, language: str) -> str:
    """Say what a level of a scale means: one score, or a band of them; in English where prompts lack the language."""
    words = WORDS.get(language, WORDS["en"])
    if not scale.bands:
        return words["level"].format(level=level, meaning=meaning)
    end, low = scale.band_end(level), f"{float(level):g}"
    if end is None:
        return words["top_band"].format(low=low, high=f"{scale.maximum:g}", meaning=meaning)
    return words["band"].format(low=low, end=f"{end:g}", meaning=meaning)


class PromptWriter:
    """Writes prompts for one protocol, scale and language; what does not depend on the sample is made once."""

    def __init__(self, protocol: EvalProtocol, scale: Scale, language: str) -> None:
        self._protocol = protocol
        self._scale = scale
        self._language = language
        self._words = {**WORDS[language], **more_words(language, protocol)}
        self._shape = shape_of(protocol)
        self._telling = Telling(protocol, scale, self._words, self._numbers())
        system, _, user = template_text(language, self._shape.template).partition("[user]\n")
        self._system = system.removeprefix("[system]\n").strip()
        self._pieces = re.split(r"\$([a-z]+)", user.strip())  # texts, and between them the names of what is filled in
        self._forms: dict[tuple[str, bool], PromptForm] = {}
        self._title = lru_cache(maxsize=256)(self._write_title)

    def write(
        self, subject: Sample | Bundle, known: Known, fence: str, attached: frozenset[str] = frozenset()
    ) -> Prompt:
        """Write the prompt for a sample or bundle; `attached` names the samples that go along as documents instead."""
        category = self._protocol.category(subject.category)
        blind = bool(known.handle)
        filled = {
            "identity": (self._identity(subject, known, category),),
            "material": self._material(subject, fence, attached),
            "handle": (known.handle,),
            "example": () if blind else (self._example(_open_meta(subject, known), category),),
        }
        return Prompt(self._system, *self._form(category, blind=blind).fill(filled))

    def _form(self, category: Category | None, *, blind: bool) -> PromptForm:
        """Return what is the same for all samples of a category; of a blind judge's example all but its handle is."""
        key = (category.id if category else "", blind)
        if key not in self._forms:
            fixed = {
                "instructions": [in_language(self._protocol.instructions, self._language)],
                "numbers": [self._numbers()],
                "dimensions": [self._dimensions(category)],
                "levels": [self._levels(category)],
                "placeholders": [self._placeholders()],
                "fields": ["\n".join(self._shape.fields(self._telling, category, blind=blind))],
            }
            if blind:
                example = self._example({"output_id": _HANDLE}, category)
                fixed["example"] = re.split(f"{_MARKS[0]}(handle){_MARKS[1]}", example)
            self._forms[key] = make_form(self._pieces, fixed)
        return self._forms[key]

    def _placeholders(self) -> str:
        """Name everything in the example that has to be replaced."""
        scores = [self._words["all_scores"], f"`{self._protocol.overall.field}`"]
        named = self._shape.placeholders(self._telling)
        return self._telling.listed(scores + named if self._shape.template == "judge" else named)

    def _example(self, meta: Mapping[str, str], category: Category | None) -> str:
        return json.dumps(self._shape.example(self._telling, meta, category), ensure_ascii=False, indent=2)

    def _identity(self, subject: Sample | Bundle, known: Known, category: Category | None) -> str:
        lines = [self._who(subject, known)]
        if category:
            lines.append(self._words["category"].format(name=in_language(category.name, self._language)))
        return "\n".join(lines)

    def _who(self, subject: Sample | Bundle, known: Known) -> str:
        if known.handle:
            return self._words[self._shape.names["blind"]].format(handle=known.handle)
        return self._words[self._shape.names["open"]].format(
            output_id=_named(subject.name),
            model=self._telling.listed(map(_named, subject.target_models)),
            question=_named(subject.question_id),
            variant=_named(subject.prompt_variant),
            judge=known.judge,
            method=known.method.value,
        )

    def _numbers(self) -> str:
        kind = self._words["integers" if self._scale.integer else "decimals"]
        return kind.format(low=f"{self._scale.minimum:g}", high=f"{self._scale.maximum:g}")

    def _dimensions(self, category: Category | None) -> str:
        words, lines = self._words, []
        if "compared_by" in words and self._protocol.dimensions:
            lines.append(words["compared_by"] + "\n")
        for dimension in self._shown(category):
            share = f"{category.weights[dimension.id]:.0%}" if category else ""
            weight = words["weight"].format(share=share) if category else ""
            name, asks = in_language(dimension.name, self._language), in_language(dimension.asks, self._language)
            lines.append(words["dimension"].format(id=dimension.id, name=name, weight=weight, asks=asks))
            if self._has_levels(dimension):
                lines += [
                    f"    {words['level'].format(level=level, meaning=in_language(meaning, self._language))}"
                    for level, meaning in dimension.levels.items()
                ]
        return "\n".join(lines)

    def _levels(self, category: Category | None) -> str:
        """Return what the scores mean where dimensions do not say it: two anchors of one score would be rivals."""
        scale, words = self._scale, self._words
        lines = []
        if not all(map(self._has_levels, self._shown(category))):
            lines = [words["levels"]]
            language = self._language
            lines += [
                level_line(scale, level, in_language(text, language), language) for level, text in scale.levels.items()
            ]
        if not scale.integer:
            lines.append(words["within_bands" if scale.bands else "between_levels"])
        return "".join(f"\n{line}" for line in lines) + "\n" if lines else ""

    def _shown(self, category: Category | None) -> list[Dimension]:
        return [each for each in self._protocol.dimensions if not category or each.id in category.weights]

    def _has_levels(self, dimension: Dimension) -> bool:
        """Tell whether a dimension words this scale itself; its levels are worded for the first scale."""
        return bool(dimension.levels) and self._scale is self._protocol.scales[0]

    def _material(self, subject: Sample | Bundle, fence: str, attached: frozenset[str]) -> list[str]:
        words, shown = self._words, self._shape.material(self._words, subject, attached)
        parts = [words["attached"]] if attached else []
        given = subject.materials_of(self._protocol.shown_kinds)
        materials = [(self._title(each.kind, each.id, each.role), self._quotable(each)) for each in given]
        outputs = [(title, self._numbered(text) if title != words["task"] else text) for title, text in shown.texts]
        texts = [*materials, *outputs]
        if texts:
            beside = "judged_with_steps" if _STEP in self._protocol.shown_kinds else "judged_with_materials"
            beside = "judged_pair_with_materials" if "judged_pair" in words else beside
            judged = words[beside if materials else shown.judged]
            parts.append(words["fences"].format(fence=fence, judged=judged))
        if missing := self._not_given(given):
            parts.append(words["not_given"].format(kinds=self._telling.listed(missing)))
        if texts and self._telling.cites:
            parts.append(words["numbered"])
        parts += [_fenced(title, text, fence) for title, text in texts]
        return [piece for part in parts for piece in ("\n\n", part)][1:]

    def _not_given(self, materials: Iterable[Material]) -> list[str]:
        """Name the kinds of material that a subject with these has none of, though judges are shown them."""
        if self._protocol.materials is None:
            return []
        given = {each.kind for each in materials}
        return [self._words[f"kind_{kind.value}"] for kind in self._protocol.materials.shown if kind not in given]

    def _quotable(self, material: Material) -> str:
        return self._numbered(material.text) if material.kind in self._protocol.quoted_kinds else material.text

    def _numbered(self, text: str) -> str:
        """Put its number before each sentence, where the judge cites by numbers."""
        return number_sentences(text) if self._telling.cites else text

    def _write_title(self, kind: MaterialKind, name: str, role: str) -> str:
        return self._words[f"title_{kind.value}"].format(id=_named(name), role=_named(role))


def _open_meta(subject: Sample | Bundle, known: Known) -> dict[str, str]:
    """Return what a judge that is not blind is to copy into its reply on one sample."""
    return {
        "judge_model": known.judge,
        "target_model": subject.target_model,
        "question_id": subject.question_id,
        "prompt_variant": subject.prompt_variant,
        "output_id": subject.name,
        "method": known.method.value,
        "timestamp": "YYYY-MM-DD",
    }


def _fenced(title: str, text: str, fence: str) -> str:
    return f"{title}\n{fence}\n{show_controls(text, '⟦⟧')}\n{fence}"


def _named(name: str) -> str:
    """Quote an identifier, so that nothing in it can pass for a sentence of ours."""
    return json.dumps(show_controls(name or UNKNOWN, _MARKS), ensure_ascii=False)
