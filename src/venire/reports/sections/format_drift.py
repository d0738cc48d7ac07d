"""Drift at a glance: what changed in the form of outputs between prompt variants, before any judge is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import fmean, median
from typing import TYPE_CHECKING

from venire.reports.cells import NOTHING, Draft, make_table, number_cell, text_cell, where
from venire.reports.report import Column, Note, ReportSection
from venire.reports.sections.drift import BASELINE
from venire.words.said import say

if TYPE_CHECKING:
    from venire.reports.recorded.outputs_read import CollectedForm
    from venire.reports.report import ReportCell, Rows, Table
    from venire.stats.drift.text_form import TextForm

LISTED = 20
"""How many pairs of outputs are listed with what changed, most changed first."""
LISTED_HEADINGS = 12
"""How many headings are listed with the lengths of their sections, those of most outputs first."""


def format_drift(forms: Sequence[CollectedForm], forbidden: Sequence[str] = ()) -> ReportSection | None:
    """Show how the form of outputs moves with the prompt, and which use forbidden words.

    None where fewer than two variants were collected and no word is forbidden.
    """
    variants = list(dict.fromkeys(each.variant for each in forms))
    if not forms or (len(variants) < 2 and not forbidden):
        return None
    first = BASELINE if BASELINE in variants else variants[0]
    variants = [first, *(name for name in variants if name != first)]
    pairs = list(_pairs(forms, first))
    tables = [
        _by_variant(forms, variants, first, pairs),
        *([_forbidden(forms, variants, forbidden)] if forbidden else []),
        *([_section_lengths(forms, variants)] if any(each.form.headings for each in forms) else []),
        *([_listed(pairs)] if pairs else []),
    ]
    read = Note("format_drift.read", {"baseline": first}) if len(variants) > 1 else Note("format_drift.one_variant")
    notes = [read, Note("format_drift.no_weight")]
    if forbidden:
        using = sum(bool(each.form.forbidden) for each in forms)
        found = Note("format_drift.forbidden", {"outputs": len(forms), "using": using, "words": len(forbidden)})
        notes.insert(0, found)
    return ReportSection("format_drift", tuple(notes), tuple(tables))


def _pairs(forms: Sequence[CollectedForm], first: str) -> Iterator[tuple[CollectedForm, CollectedForm]]:
    """Yield outputs beside the baseline's on the same case, target, factors and repeat."""
    bound = _bound_factors(forms)

    def cell(each: CollectedForm) -> tuple[object, ...]:
        factors = tuple(factor for factor in each.factors if factor[0] not in bound)
        return each.case, each.target, each.repeat, factors

    base = {cell(each): each for each in forms if each.variant == first}
    for each in forms:
        if each.variant != first and (beside := base.get(cell(each))):
            yield beside, each


def _bound_factors(forms: Sequence[CollectedForm]) -> set[str]:
    """Return the factors that have one level in each variant: they say no more than the variant does."""
    levels: dict[tuple[str, str], set[str]] = {}
    for each in forms:
        for name, level in each.factors:
            levels.setdefault((name, each.variant), set()).add(level)
    return {name for name, _ in levels} - {name for (name, _), found in levels.items() if len(found) > 1}


def _by_variant(
    forms: Sequence[CollectedForm],
    variants: Sequence[str],
    first: str,
    pairs: Sequence[tuple[CollectedForm, CollectedForm]],
) -> Table:
    drafts: list[Draft] = []
    for variant in variants:
        own = [each.form for each in forms if each.variant == variant]
        beside = [(before.form, after.form) for before, after in pairs if after.variant == variant]
        rows = _rows_of(variant)
        length = round(fmean(form.characters for form in own))
        cells = [
            number_cell(len(own), rows),
            number_cell(length, rows, method=say("method.mean"), n=len(own)),
            _share(own, lambda form: bool(form.headings), rows),
            _share(own, lambda form: form.is_json, rows),
            _share(own, lambda form: form.begins_as_refusal, rows),
            _share(own, lambda form: not form.characters, rows),
            *([text_cell(NOTHING, rows)] * 3 if variant == first else _beside(beside, rows)),
        ]
        drafts.append(((variant,), cells))
    columns = ("outputs", "characters", "with_headings", "json", "refusals", "empty_outputs", "length_ratio",
               "same_headings", "same_script")  # fmt: skip
    return make_table("format_drift", ("prompt_variant",), columns, drafts)


def _forbidden(forms: Sequence[CollectedForm], variants: Sequence[str], words: Sequence[str]) -> Table:
    """Show the share of a variant's outputs that use each forbidden word; a word that none uses is left out."""
    used = {word for each in forms for word in each.form.forbidden}
    drafts: list[Draft] = []
    for word in (word for word in words if word in used):
        cells = []
        for variant in variants:
            own = [each.form for each in forms if each.variant == variant]
            cells.append(_share(own, lambda form, word=word: word in form.forbidden, _rows_of(variant)))
        drafts.append(((word,), cells))
    return make_table("forbidden_words", ("forbidden_word",), [Column(name, name) for name in variants], drafts)


def _section_lengths(forms: Sequence[CollectedForm], variants: Sequence[str]) -> Table:
    """Show how many characters stand under a heading, by variant; of a heading that stands twice both are taken."""
    lengths: dict[str, dict[str, list[int]]] = {}
    for each in forms:
        for heading, length in zip(each.form.headings, each.form.sections, strict=True):
            lengths.setdefault(heading, {}).setdefault(each.variant, []).append(length)
    ranked = sorted(lengths, key=lambda heading: -sum(map(len, lengths[heading].values())))[:LISTED_HEADINGS]
    drafts: list[Draft] = []
    for heading in ranked:
        found = [(variant, lengths[heading].get(variant, [])) for variant in variants]
        drafts.append(((heading,), [_median_length(own, _rows_of(variant)) for variant, own in found]))
    return make_table("section_lengths", ("heading",), [Column(name, name) for name in variants], drafts)


def _median_length(lengths: Sequence[int], rows: Rows) -> ReportCell:
    middle = median(lengths) if lengths else None
    reason = "" if lengths else say("reason.no_such_heading")
    return number_cell(middle, rows, method=say("method.median"), reason=reason, n=len(lengths))


def _rows_of(variant: str) -> Rows:
    return where({"prompt_variant": variant}, among="recorded")


def _beside(pairs: Sequence[tuple[TextForm, TextForm]], rows: Rows) -> list[ReportCell]:
    ratios = [after.characters / before.characters for before, after in pairs if before.characters]
    middle = median(ratios) if ratios else None
    return [
        number_cell(middle, rows, "coefficient", method=say("method.median"), n=len(ratios)),
        _share(pairs, lambda pair: pair[0].headings == pair[1].headings, rows),
        _share(pairs, lambda pair: pair[0].script == pair[1].script, rows),
    ]


def _share(items: Sequence[object], holds: Callable[..., bool], rows: Rows) -> ReportCell:
    share = sum(map(holds, items)) / len(items) if items else None
    return number_cell(share, rows, "share", method=say("method.share_of_outputs"), n=len(items))


def _listed(pairs: Sequence[tuple[CollectedForm, CollectedForm]]) -> Table:
    ranked = sorted(pairs, key=lambda pair: -_change(*pair))[:LISTED]
    heads, columns = ("question_id", "target_model", "prompt_variant"), ("length", "headings", "script")
    return make_table("format_pairs", heads, columns, [_draft(*pair) for pair in ranked])


def _draft(before: CollectedForm, after: CollectedForm) -> Draft:
    names = (after.case, after.target, after.variant)
    conditions = dict(zip(("question_id", "target_model", "prompt_variant"), names, strict=True))
    rows = where(conditions, among="recorded")
    old, new = before.form, after.form
    told = (
        f"{old.characters} → {new.characters}",
        f"{_shown(old.headings)} → {_shown(new.headings)}",
        f"{old.script or NOTHING} → {new.script or NOTHING}",
    )
    return names, [text_cell(text, rows) for text in told]


def _change(before: CollectedForm, after: CollectedForm) -> float:
    """Return how much of the form changed: headings lost or new, then another script, then length."""
    old, new = before.form, after.form
    longest = max(old.characters, new.characters, 1)
    changed = len(set(old.headings) ^ set(new.headings)) + (old.headings != new.headings)
    return changed + 2 * (old.script != new.script) + abs(old.characters - new.characters) / longest


def _shown(headings: tuple[str, ...]) -> str:
    text = ", ".join(headings) or NOTHING
    return text if len(text) <= 60 else f"{text[:59]}…"
