"""What must not be pooled: ratings of different protocols, profiles or versions of a judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venire.errors import PoolingError
from venire.words.said import Said, say

if TYPE_CHECKING:
    import polars as pl

_VERSION = ["rater", "rater_version", "prompt_version"]


def require_one_version(frame: pl.DataFrame) -> None:
    """Raise `PoolingError` if a frame of ratings mixes protocols, profiles, or versions of a judge."""
    for column in ("protocol", "profile"):
        found = _counted(frame, [column])
        if len(found) > 1:
            listed = tuple(_with_count(name[0] or "", count) for name, count in found)
            raise PoolingError(f"error.stats.pooled.{column}", count=len(found), found=listed)
    versions: dict[str, list[Said]] = {}
    for (rater, digest, prompt), count in _counted(frame, _VERSION):
        both = say("error.stats.version_prompt", version=digest, prompt=prompt)
        label = both if digest and prompt else digest or prompt or ""
        versions.setdefault(rater or "", []).append(_with_count(label, count))
    for rater, found_versions in versions.items():
        if len(found_versions) > 1:
            raise PoolingError(
                "error.stats.pooled.versions", judge=rater, count=len(found_versions), found=tuple(found_versions)
            )


def _with_count(name: str, count: int) -> Said:
    return say("error.stats.counted", name=name or say("error.stats.none"), count=count)


def _counted(frame: pl.DataFrame, columns: list[str]) -> list[tuple[tuple[str | None, ...], int]]:
    import polars as pl

    if frame.select(columns).unique().height <= 1:
        return []
    counts = frame.group_by(columns, maintain_order=True).agg(pl.col("judgement").n_unique())
    return [(tuple(row[:-1]), row[-1]) for row in counts.with_columns(pl.col(columns).cast(pl.String)).iter_rows()]
