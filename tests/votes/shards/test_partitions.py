"""Rows of shards are partitioned by inference, and met again in their partition."""

from datetime import UTC, datetime

import polars as pl
import pytest

from making_votes import vote_row
from venire.errors import InputError
from venire.votes.reading.duplicates import Duplicates
from venire.votes.reading.shards import find_shards
from venire.votes.reading.table import VoteOptions
from venire.votes.reading.values import Refusal
from venire.votes.shards.partitions import PartFiles, ReadingPlan, part_votes, partition, partition_rows, read_part

NOW = datetime(2025, 6, 1, tzinfo=UTC)


def frame_of(*items):
    return pl.DataFrame({"inference_id": list(items), "n": range(len(items))})


def test_all_rows_of_an_inference_meet_in_one_part_in_the_order_of_shards(tmp_path):
    files = PartFiles(tmp_path / "parts", 3)
    names = [f"i{number}" for number in range(20)]
    files.add(1, partition(frame_of(*names), 3))
    files.add(0, partition(frame_of(*reversed(names)), 3))
    parts = [read_part(data) for _, data in files.load_all()]
    assert sum(part.height for part in parts) == 40
    homes = [set(part["inference_id"]) for part in parts]
    assert sum(map(len, homes)) == 20
    assert all(part["shard"].to_list() == sorted(part["shard"]) for part in parts)
    assert list(files.load_all()) == []  # each part is read once


def test_a_part_without_rows_is_empty_but_for_the_first():
    first, *others = partition(frame_of(), 3)
    assert others == [b"", b""]
    assert first != b""


def read_all(tmp_path, rows, **options):
    """Write rows into files of four, read them in shards of two, and return their only part."""
    paths = []
    for number in range(0, len(rows), 4):
        path = tmp_path / f"{number}.parquet"
        pl.DataFrame(rows[number : number + 4], infer_schema_length=None).write_parquet(path)
        paths.append(str(path))
    shards = find_shards(paths, rows_in_a_shard=2)
    plan = ReadingPlan(VoteOptions(**options), None, 1, NOW, tuple(shard.source for shard in shards))
    found = [partition_rows(plan, (number, shard)) for number, shard in enumerate(shards)]
    files = PartFiles(tmp_path / "parts", 1)
    for shard in found:
        files.add(shard.number, shard.parts)
    return found, part_votes(plan, files.load(0)), paths


def rows_of(count):
    return [vote_row(0.5, day=number, voter=f"v{number}") for number in range(count)]


def test_a_bad_last_row_of_a_later_shard_is_told_with_its_number_and_file(tmp_path):
    rows = rows_of(8)
    rows[7]["vote"] = 7.0
    found, (votes, _), paths = read_all(tmp_path, rows)
    assert [shard.account.refused for shard in found] == [{}, {}, {}, {Refusal.OUTSIDE: 1}]
    (example,) = found[3].account.examples
    assert (example.row, example.reason) == (4, Refusal.OUTSIDE)
    assert example.found == f"'7.0' in {paths[1]}"
    assert votes.height == 7


def test_a_row_that_another_shard_has_too_is_told_where_it_stands_again(tmp_path):
    rows = [*rows_of(7), rows_of(1)[0]]
    _, (votes, account), paths = read_all(tmp_path, rows, duplicates=Duplicates.FIRST)
    assert (votes.height, account.duplicated, account.rows) == (7, 2, 0)
    (example,) = account.examples
    assert (example.row, example.reason, example.found.rpartition(" in ")[2]) == (4, Refusal.DUPLICATE, paths[1])


def test_no_row_may_stand_again_in_another_shard_if_none_may(tmp_path):
    with pytest.raises(InputError, match="2 rows are duplicate votes, one of them again as row 4") as caught:
        read_all(tmp_path, [*rows_of(7), rows_of(1)[0]], duplicates=Duplicates.ERROR)
    assert caught.value.where.endswith("4.parquet")
