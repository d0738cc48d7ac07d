"""Whether stated means can be recomputed from the scores they summarise."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from statistics import fmean
from typing import Any

import msgspec

from venire.domain import rule
from venire.domain.design import BundleDesign
from venire.domain.flag import Finding
from venire.domain.judge import fold_name
from venire.validation.contract import Path, pointer, show
from venire.validation.scores import as_number
from venire.validation.strict_json import shorten

_AGGREGATES: Path = ((), "aggregates")
# Chinese puts no blank around a number, so only Latin letters make it part of a name.
_NUMBER = re.compile(r"(?<![A-Za-z0-9_.])[-+]?[0-9]+(?:\.[0-9]+)?(?![A-Za-z0-9_]|\.[0-9])")
# What a number is out of, such as "/10", is no claim; but "8.2/7.9" are two.
_OUT_OF = re.compile(r"(?:/|\bout of\b|满分[为是]?)\s*[0-9]+(?:\.0+)?(?![A-Za-z0-9_]|\.[0-9])", re.IGNORECASE)
_FULL_WIDTH = str.maketrans("０１２３４５６７８９．－＋／", "0123456789.-+/")


class EntryTotals(msgspec.Struct, frozen=True):
    """The numbers of one entry that aggregates are computed from."""

    factors: Mapping[str, str]
    """The entry's place in the design."""
    computed: float
    """The sum of its scores."""
    stated: float
    """The total that the judge wrote, or the computed one where none is written."""
    scores: Mapping[str, float]
    """Its scores by dimension."""


def check_aggregates(given: Any, totals: list[EntryTotals], design: BundleDesign) -> tuple[Finding, ...]:
    """Report every stated mean that does not follow, and every summary that states no number.

    A mean counts as recomputed from the totals as stated or as summed: a wrong total is reported where it stands.
    """
    if not totals:
        return ()
    findings: list[Finding] = []
    if type(given) is dict:
        for field, value in given.items():
            if field == "avg_total":
                findings += _check_claim(value, _AGGREGATES, field, _means(totals), design)
            elif field in design.summaries:
                findings += _check_summary(value, (_AGGREGATES, field), totals, design.summaries[field], design)
            else:
                findings += _check_further(value, (_AGGREGATES, field), totals, design)
    else:
        findings += _check_words(given, totals, design)
    if not findings and not any(True for _ in _claims(given, _AGGREGATES)):
        findings.append(rule.AGGREGATE_NO_NUMBER.finding("/aggregates", "at least one number", show(given)))
    return tuple(findings)


def _check_summary(
    summary: Any, path: Path, totals: list[EntryTotals], factor: str, design: BundleDesign
) -> Iterator[Finding]:
    groups = _groups(totals, factor, design)
    claims = list(_claims(summary, path))
    if not claims:
        yield rule.AGGREGATE_NO_NUMBER.finding(pointer(path), "the mean of each group", show(summary))
    anywhere = _recomputable(totals, groups, design)
    for claim_path, claim in claims:
        named = _named_group(claim_path, path, groups)
        if named is None:
            admitted, wanted = anywhere, "a number that follows from the scores"
        else:
            entries = groups[named]
            exact = not isinstance(claim, str) and (
                _is_mean(claim_path) or fold_name(str(claim_path[-1])) == fold_name(named)
            )
            admitted = _means(entries) if exact else anywhere | _group_values(entries)
            wanted = f"{fmean(entry.computed for entry in entries):.4g}" if entries else "no entries in this group"
        yield from _compare(claim, claim_path, admitted, wanted, design.aggregate_tolerance)


def _check_further(value: Any, path: Path, totals: list[EntryTotals], design: BundleDesign) -> Iterator[Finding]:
    """Check the means in a field that the design does not name, for the groups that its keys name."""
    for claim_path, claim in _claims(value, path):
        named = {
            factor: group
            for factor, values in design.factors.items()
            if (group := _named_group(claim_path, _AGGREGATES, dict.fromkeys(values)))
        }
        key = fold_name(str(claim_path[-1]))
        if not isinstance(claim, str) and (_is_mean(claim_path) or key in map(fold_name, named.values())):
            members = [entry for entry in totals if named.items() <= entry.factors.items()]
            wanted = " or ".join(f"{mean:.4g}" for mean in sorted(_means(members))) or "no entries in this group"
            yield from _compare(claim, claim_path, _group_values(members), wanted, design.aggregate_tolerance)


def _check_words(given: Any, totals: list[EntryTotals], design: BundleDesign) -> Iterator[Finding]:
    """Check aggregates that are not an object at all, such as one paragraph."""
    admitted: set[float] = set()
    for factor in design.factors:
        admitted |= _recomputable(totals, _groups(totals, factor, design), design)
    for path, claim in _claims(given, _AGGREGATES):
        yield from _compare(claim, path, admitted, "numbers that follow from the scores", design.aggregate_tolerance)


def _groups(totals: list[EntryTotals], factor: str, design: BundleDesign) -> dict[str, list[EntryTotals]]:
    return {value: [entry for entry in totals if entry.factors[factor] == value] for value in design.factors[factor]}


def _check_claim(value: Any, parent: Path, key: str, means: set[float], design: BundleDesign) -> Iterator[Finding]:
    claims = list(_claims(value, (parent, key)))
    if not claims:
        yield rule.AGGREGATE_NO_NUMBER.finding(pointer((parent, key)), "a number", show(value))
    wanted = " or ".join(f"{mean:.4g}" for mean in sorted(means))
    for path, claim in claims:
        yield from _compare(claim, path, means, wanted, design.aggregate_tolerance)


def _compare(claim: Any, path: Path, admitted: set[float], wanted: str, tolerance: float) -> Iterator[Finding]:
    in_words = isinstance(claim, str)
    for number in _numbers_in(claim) if in_words else [claim]:
        if not any(abs(float(number) - value) <= tolerance + 1e-9 for value in admitted):
            found = f"{shorten(number, 24)} in {show(claim)}" if in_words else show(claim)
            yield rule.AGGREGATE_MISMATCH.finding(pointer(path), wanted, found)


def _numbers_in(words: str) -> list[str]:
    """Return the numbers that a sentence claims, as it writes them.

    >>> _numbers_in("隐式均分８.２（满分10分），explicit 7.9 out of 10 on q3: -0.3")
    ['8.2', '7.9', '-0.3']
    """
    return _NUMBER.findall(_OUT_OF.sub(" ", words.translate(_FULL_WIDTH)))


def _claims(summary: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Yield each number, and each sentence with a number in it; notes beside numbers are only remarks."""
    if isinstance(summary, dict):
        for key, item in summary.items():
            if fold_name(key) not in ("notes", "note", "summary", "备注") or not isinstance(item, str):
                yield from _claims(item, (path, key))
    elif isinstance(summary, list):
        for position, item in enumerate(summary):
            yield from _claims(item, (path, position))
    elif as_number(summary) is not None or (isinstance(summary, str) and _numbers_in(summary)):
        yield path, summary


def _named_group(claim_path: Path, summary_path: Path, groups: Mapping[str, Any]) -> str | None:
    """Return the group that the keys between the summary and a claim name, the longest name first."""
    keys = []
    while claim_path != summary_path:
        claim_path, key = claim_path
        keys.append(fold_name(str(key)))
    for group in sorted(groups, key=len, reverse=True):
        if any(fold_name(group) in key for key in keys):
            return group
    return None


def _is_mean(path: Path) -> bool:
    key = fold_name(str(path[-1]))
    return any(word in key for word in ("avg", "mean", "average", "均"))


def _means(entries: list[EntryTotals]) -> set[float]:
    if not entries:
        return set()
    # Not fmean: it raises for the sum of stated totals near the largest double.
    return {fmean(entry.computed for entry in entries), sum(entry.stated for entry in entries) / len(entries)}


def _group_values(entries: list[EntryTotals]) -> set[float]:
    """Return what a judge may state about a group: mean, count, sum, extremes, and means of dimensions."""
    if not entries:
        return {0.0}
    computed = [entry.computed for entry in entries]
    values = _means(entries) | {float(len(entries)), sum(computed), min(computed), max(computed)}
    for dimension in entries[0].scores:
        values.add(fmean(entry.scores.get(dimension, 0.0) for entry in entries))
    return values


def _recomputable(
    totals: list[EntryTotals], groups: Mapping[str, list[EntryTotals]], design: BundleDesign
) -> set[float]:
    values = _group_values(totals)
    means = {fmean(entry.computed for entry in entries) for entries in groups.values() if entries}
    for entries in groups.values():
        values |= _group_values(entries)
    values |= {one - other for one in means for other in means if one != other}
    return values | {float(len(design.cells))}
