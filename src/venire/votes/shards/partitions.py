"""Rows of many shards dealt by inference into parts on disk, so that all rows of an inference meet in one part.

Workers deal what they read, and the process that called them writes it down: workers need no common folder.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

SHARD = "shard"
"""The column that says which shard a row came from."""

_HEAD = struct.Struct("<IQ")
_SAMPLE = ["", "a", "inference-1", "陪审"]


def deal(frame: pl.DataFrame, parts: int) -> list[bytes]:
    """Deal the rows of a frame into so many parts by a hash of their inference; one without rows may be empty."""
    if parts == 1:
        return [to_bytes(frame)]
    dealt = frame.with_columns(__part=pl.col("inference_id").hash(seed=0) % parts)
    groups = dealt.partition_by("__part", as_dict=True, include_key=False)
    groups.setdefault((0,), frame.clear())  # There is always a part, so that there are always scores, if only none.
    return [to_bytes(groups[(part,)]) if (part,) in groups else b"" for part in range(parts)]


def hashing_sign() -> int:
    """Return a number that differs where another version of Polars would deal differently."""
    return int(pl.Series(_SAMPLE).hash(seed=0).to_numpy().sum())


def to_bytes(frame: pl.DataFrame) -> bytes:
    """Return a frame in Arrow's format for files, compressed."""
    buffer = io.BytesIO()
    frame.write_ipc(buffer, compression="lz4")
    return buffer.getvalue()


def from_bytes(data: bytes) -> pl.DataFrame:
    """Return the frame of `to_bytes`."""
    return pl.read_ipc(io.BytesIO(data))


class PartFiles:
    """Parts in a folder, a file each, to which shards are added as they come."""

    def __init__(self, folder: Path, parts: int) -> None:
        folder.mkdir()
        self._paths = [folder / f"{part:06}" for part in range(parts)]

    def add(self, shard: int, dealt: Sequence[bytes]) -> None:
        """Add what a shard has of each part."""
        for path, data in zip(self._paths, dealt, strict=True):
            if data:
                with path.open("ab") as file:
                    file.write(_HEAD.pack(shard, len(data)))
                    file.write(data)

    def load(self, part: int) -> bytes:
        """Return all that was added to a part, for `read_part`."""
        return self._paths[part].read_bytes() if self._paths[part].exists() else b""

    def load_all(self) -> Iterator[tuple[str, bytes]]:
        """Yield the name and the content of every part that has any, one at a time; each is then removed."""
        for number, path in enumerate(self._paths):
            if path.exists():
                data = path.read_bytes()
                path.unlink()
                yield f"part {number + 1} of {len(self._paths)}", data


def read_part(data: bytes) -> pl.DataFrame:
    """Return the rows of a part, shard after shard in their order, with the column `shard`."""
    found: list[tuple[int, pl.DataFrame]] = []
    place = 0
    while place < len(data):
        shard, length = _HEAD.unpack_from(data, place)
        place += _HEAD.size
        found.append((shard, from_bytes(data[place : place + length])))
        place += length
    found.sort(key=lambda each: each[0])
    return pl.concat(
        (frame.with_columns(pl.lit(shard, pl.Int64).alias(SHARD)) for shard, frame in found), how="diagonal"
    )
