"""What must not be pooled: ratings of different protocols, profiles or versions of a judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venire.errors import PoolingError

if TYPE_CHECKING:
    import polars as pl

_VERSION = ["rater", "rater_version", "prompt_version"]


def require_one_version(frame: pl.DataFrame) -> None:
    """Raise `PoolingError` if a frame of ratings mixes protocols, profiles, or versions of a judge."""
    for column, why, how in (
        ("protocol", "another rubric, scale or verdict rule is another measurement", 'table.only(protocol="…")'),
        ("profile", "a reply may be valid under one set of rules and not under the other", 'table.only(profile="…")'),
    ):
        found = _counted(frame, [column])
        if len(found) > 1:
            listed = ", ".join(f"{name[0] or 'none'!s} ({count})" for name, count in found)
            raise PoolingError(
                f"expected judgements of one {column}, found {len(found)} (with how many judgements): {listed}",
                hint=f"They are not pooled, because {why}. Choose one with {how}.",
            )
    versions: dict[str, list[str]] = {}
    for (rater, digest, prompt), count in _counted(frame, _VERSION):
        label = " with prompt ".join(filter(None, (digest, prompt))) or "none"
        versions.setdefault(rater or "", []).append(f"{label} ({count})")
    for rater, found_versions in versions.items():
        if len(found_versions) > 1:
            raise PoolingError(
                f"expected one version of judge {rater!r}, found {len(found_versions)} (with how many judgements): "
                f"{', '.join(found_versions)}",
                hint="They are not pooled: a judge with another model, prompt or setting is another instrument. "
                f'Choose one with table.only(judge_versions={{"{rater}": "…"}}), or compare them on the same outputs '
                "with compare_judge_versions.",
            )


def _counted(frame: pl.DataFrame, columns: list[str]) -> list[tuple[tuple[str | None, ...], int]]:
    import polars as pl

    if frame.select(columns).unique().height <= 1:
        return []
    counts = frame.group_by(columns, maintain_order=True).agg(pl.col("judgement").n_unique())
    return [(tuple(row[:-1]), row[-1]) for row in counts.with_columns(pl.col(columns).cast(pl.String)).iter_rows()]
