"""Panel scores of samples, ready to be compared between runs, models or variants; and what must be equal for that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec

from venire.errors import UsageError
from venire.reports.evidence import ReportEvidence
from venire.stats.ratings.columns import FACTOR_PREFIX
from venire.stats.ratings.panel_scores import panel_scores
from venire.stats.ratings.table import PrimarySet
from venire.words.said import say

if TYPE_CHECKING:
    import polars as pl

Keys = tuple[tuple[str, ...], ...]
"""The columns by which samples match, from the first to be tried on."""


def require_scores(material: ReportEvidence, source: str) -> None:
    """Raise `UsageError` if no score counts, or none of which the scale is known: there is nothing to compare."""
    frame = material.primary.table.frame
    if frame.is_empty():
        reasons = excluded_counts(material) or say("compare.no_judgement")
        raise UsageError("error.compare.no_scores", where=source, reasons=reasons)
    if material.has_verdicts_only:
        raise UsageError("error.compare.verdicts_only", where=source)
    given = frame.filter(frame["overall"].is_not_null())
    if len(given) and not given.select("overall_minimum", "overall_maximum").drop_nulls().height:
        low, high = given.select(low=given["overall"].min(), high=given["overall"].max()).row(0)
        code = "error.compare.no_scale" if material.choices.scale is None else "error.compare.no_overall_scale"
        raise UsageError(code, where=source, low=f"{low:g}", high=f"{high:g}")


def excluded_counts(material: ReportEvidence) -> tuple[str, ...]:
    """Say how many judgements do not count, by why."""
    counts = material.primary.excluded.items()
    codes = {reason: f"compare.excluded.{reason.replace(' ', '_').replace('-', '_')}" for reason, _ in counts}
    return tuple(say(codes[reason], count=count) for reason, count in counts)


def sliced(primary: PrimarySet, where: Mapping[str, str]) -> PrimarySet:
    """Return the ratings of a slice; raises `UsageError` for a factor that the data lacks."""
    return msgspec.structs.replace(primary, table=primary.table.only(where=where)) if where else primary


def scored_samples(
    material: ReportEvidence, dimension: str = "", where: Mapping[str, str] | None = None, judges: tuple[str, ...] = ()
) -> pl.DataFrame:
    """Return the panel score on 0–10 of each sample of a slice, with its factors and `output_id`.

    If judges are named, only their ratings make the score. Samples whose scale is not known have no row.
    """
    import polars as pl

    primary = sliced(material.primary, where or {})
    if judges:
        rater = primary.table.frame["rater"].cast(pl.String)
        kept = msgspec.structs.replace(primary.table, frame=primary.table.frame.filter(rater.is_in(judges)))
        weights = {name: given for name, given in primary.weights.items() if name in judges}
        primary = msgspec.structs.replace(primary, table=kept, weights=weights)
    if primary.table.frame.is_empty() or (dimension and dimension not in primary.dimensions):
        empty = {"unit": pl.String, "question_id": pl.String, "score": pl.Float64, "output_id": pl.String}
        return pl.DataFrame(schema=empty)
    frame = panel_scores(primary, dimension=dimension or None, renormalise=True).frame
    names = [material.outputs.get(unit, unit) for unit in frame["unit"].cast(pl.String)]
    return frame.with_columns(pl.Series("output_id", names, dtype=pl.String))


def run_keys(first: pl.DataFrame, second: pl.DataFrame) -> Keys:
    """Return how samples of two runs match: by the name of the output, else by all factors that both have.

    Names that stand for several outputs, as in bundles of several models, count together with the target model.
    """
    unique = all(side["output_id"].n_unique() == side.height for side in (first, second))
    named = ("output_id",) if unique else ("output_id", "target_model")
    factors = sorted(name for name in {*first.columns} & {*second.columns} if name.startswith(FACTOR_PREFIX))
    cells = [name for name in ("question_id", "prompt_variant", *factors) if _varies(first, name)]
    return (named, *(((*cells, "target_model"), tuple(cells)) if cells else ()))


def matched_by(material: ReportEvidence, factor: str) -> tuple[str, ...]:
    """Return the columns in which samples of two levels of a factor must be equal to make a pair."""
    others = ("question_id", "prompt_variant", "target_model", *(f"{FACTOR_PREFIX}{name}" for name in material.matched))
    return tuple(
        name for name in others if name != factor and len(material.levels(name.removeprefix(FACTOR_PREFIX))) > 1
    )


def _varies(frame: pl.DataFrame, column: str) -> bool:
    return column in frame.columns and frame[column].n_unique() > 1


def judge_versions(primary: PrimarySet) -> dict[str, tuple[str, ...]]:
    """Return the version of each judge: its digest and that of its prompt."""
    import polars as pl

    columns = pl.col("rater", "rater_version", "prompt_version").cast(pl.String).fill_null("")
    rows = primary.table.frame.select(columns).unique(maintain_order=True)
    return {judge: tuple(filter(None, version)) for judge, *version in rows.iter_rows()}


def what_changed(first: ReportEvidence, second: ReportEvidence) -> tuple[str, ...]:
    """Say which instruments differ between two runs, so that a difference could be theirs; empty if none do."""
    found = []
    if first.protocol and second.protocol and first.protocol.digest != second.protocol.digest:
        before, after = second.protocol.digest[:12], first.protocol.digest[:12]
        found.append(say("compare.protocol_changed", before=before, after=after))
    old, new = judge_versions(second.primary), judge_versions(first.primary)
    found.extend(
        say("compare.judge_changed", judge=judge, before=_short(old[judge]), after=_short(new[judge]))
        for judge in new
        if judge in old and old[judge] != new[judge]
    )
    return tuple(found)


def common_judges(first: ReportEvidence, second: ReportEvidence) -> tuple[str, ...]:
    """Return the judges that both runs have; raises `UsageError` if there is none."""
    one, two = first.primary.raters, second.primary.raters
    common = tuple(judge for judge in one if judge in two)
    if not common and one and two:
        raise UsageError("error.compare.no_common_judge", first=tuple(one), second=tuple(two))
    return common


def _short(version: tuple[str, ...]) -> str:
    if not version:
        return say("compare.no_version")
    first, *prompt = (part[:12] for part in version)
    return say("compare.with_prompt", version=first, prompt=prompt[0]) if prompt else first
