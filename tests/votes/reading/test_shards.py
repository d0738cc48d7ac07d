"""Parquet files as shards: which there are, and what is wrong with those that cannot be read."""

from datetime import UTC, datetime

import polars as pl
import pytest

from making_votes import vote_row
from object_store import object_store
from venire.errors import InputError, UsageError
from venire.votes.reading.duplicates import Duplicates
from venire.votes.reading.shards import Shard, find_shards, find_sources, read_shard
from venire.votes.reading.table import VoteOptions
from venire.votes.reading.values import Refusal


def now():
    return datetime.now(UTC)


@pytest.fixture
def folder(tmp_path):
    for name in "cab":
        pl.DataFrame([vote_row(number / 10, item=name) for number in range(10)]).write_parquet(
            tmp_path / f"{name}.parquet"
        )
    return tmp_path


def test_a_pattern_gives_files_in_the_order_of_their_names(folder):
    wanted = [str(folder / f"{name}.parquet") for name in "abc"]
    assert find_sources([str(folder / "*.parquet")]) == wanted
    assert find_sources([str(folder)]) == wanted


def test_sources_stay_in_the_order_in_which_they_are_named(folder):
    wanted = [str(folder / f"{name}.parquet") for name in "cab"]
    assert find_sources(wanted) == wanted


def test_a_pattern_reaches_into_folders(folder):
    (folder / "deep").mkdir()
    (folder / "a.parquet").rename(folder / "deep" / "a.parquet")
    assert str(folder / "deep" / "a.parquet") in find_sources([str(folder / "**" / "*.parquet")])


def test_a_name_with_signs_of_a_pattern_is_a_file_if_there_is_one(folder):
    odd = (folder / "a.parquet").rename(folder / "a[1].parquet")
    (source,) = find_sources([str(odd)])
    assert [shard.rows for shard in find_shards([source])] == [10]


def test_a_pattern_that_matches_nothing_is_told(folder):
    with pytest.raises(UsageError, match="no file matches") as caught:
        find_sources([str(folder / "*.parq")])
    assert "Quote the pattern" in caught.value.hint


def test_a_file_that_is_named_twice_is_told(folder):
    with pytest.raises(UsageError, match=r"a\.parquet is named twice"):
        find_sources([str(folder / "*.parquet"), str(folder / ".." / folder.name / "a.parquet")])


def test_other_tables_than_parquet_are_told(folder):
    (folder / "votes.csv").write_text("inference_id\n")
    with pytest.raises(UsageError, match=r"expected Parquet files, found .*votes\.csv"):
        find_sources([str(folder / "*")])


def test_large_files_are_several_shards(folder):
    source = str(folder / "a.parquet")
    assert find_shards([source], rows_in_a_shard=4) == [Shard(source, 0, 4), Shard(source, 4, 4), Shard(source, 8, 2)]


def test_a_file_that_is_not_there_is_told():
    with pytest.raises(InputError, match=r"/nowhere/a\.parquet: there is no such file"):
        find_shards(["/nowhere/a.parquet"])


def test_a_file_that_a_worker_cannot_see_is_told_with_what_clusters_need():
    with pytest.raises(InputError, match=r"/nowhere/a\.parquet: was there when the files were listed") as caught:
        read_shard(Shard("/nowhere/a.parquet", 0, 5), None, now)
    assert "All machines of a cluster" in caught.value.hint


def test_a_file_that_is_no_parquet_is_told_with_its_name(folder):
    (folder / "b.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(InputError, match=r"b\.parquet: is not a Parquet file"):
        find_shards(find_sources([str(folder / "*.parquet")]))


def test_a_file_that_is_damaged_inside_is_told_with_its_name(folder):
    path = folder / "b.parquet"
    data = bytearray(path.read_bytes())
    data[4:400] = b"\xff" * 396
    path.write_bytes(data)
    (shard,) = find_shards([str(path)])
    with pytest.raises(InputError, match=r"b\.parquet: cannot be read"):
        read_shard(shard, None, now)


def test_files_whose_columns_hold_other_fields_are_told(folder):
    path = folder / "b.parquet"
    pl.read_parquet(path).drop("reputation").write_parquet(path)
    with pytest.raises(InputError, match=r"b\.parquet: expected the columns of .*a\.parquet, .*reputation") as caught:
        find_shards(find_sources([str(folder / "*.parquet")]))
    assert "take its default" in caught.value.hint


def test_a_file_without_votes_in_it_is_told_with_its_columns(folder):
    pl.DataFrame({"x": [1]}).write_parquet(folder / "b.parquet")
    with pytest.raises(InputError, match=r"b\.parquet: no column for inference_id"):
        find_shards([str(folder / "b.parquet")])


def test_rows_of_a_shard_are_numbered_as_in_their_file(folder):
    path = folder / "a.parquet"
    rows = [vote_row(0.5, voter=str(number)) for number in range(8)]
    rows[5]["vote"] = 7.0
    pl.DataFrame(rows).write_parquet(path)
    table = read_shard(Shard(str(path), 4, 4), VoteOptions(), now)
    assert [(each.row, each.reason) for each in table.examples] == [(6, Refusal.OUTSIDE)]
    assert (table.rows, table.votes, table.where) == (4, 3, str(path))
    assert table.places.to_list() == [0, 2, 3]


def test_places_are_those_of_rows_that_stayed(folder):
    path = folder / "a.parquet"
    pl.DataFrame([vote_row(7), vote_row(0.5), vote_row(0.5), vote_row(0.25, day=1)]).write_parquet(path)
    assert read_shard(Shard(str(path), 0, 4), VoteOptions(), now).places.to_list() == [2, 3]


@pytest.fixture
def bucket(folder, monkeypatch):
    """The same files in an object store."""
    (folder / "bucket").mkdir()
    for name in "abc":
        (folder / f"{name}.parquet").rename(folder / "bucket" / f"{name}.parquet")
    with object_store(folder) as environment:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        yield "s3://bucket"


def test_objects_of_a_store_are_found_by_a_pattern_and_read(bucket):
    sources = find_sources([f"{bucket}/*.parquet"])
    assert sources == [f"{bucket}/{name}.parquet" for name in "abc"]
    shards = find_shards(sources, rows_in_a_shard=6)
    assert [shard.rows for shard in shards] == [6, 4] * 3
    table = read_shard(shards[1], VoteOptions(duplicates=Duplicates.ALL), now)
    assert (table.votes, table.where) == (4, f"{bucket}/a.parquet")


def test_a_pattern_that_no_object_matches_is_told(bucket):
    with pytest.raises(UsageError, match="no file matches 's3://bucket/none"):
        find_sources([f"{bucket}/none/*.parquet"])


def test_an_object_that_is_not_there_is_told_with_what_to_check(bucket):
    with pytest.raises(InputError, match=r"s3://bucket/d\.parquet: cannot be read: .*not found") as caught:
        find_shards([f"{bucket}/d.parquet"])
    assert "AWS_REGION" in caught.value.hint
    with pytest.raises(InputError, match=r"s3://bucket/d\.parquet: cannot be read"):
        read_shard(Shard(f"{bucket}/d.parquet", 0, 5), None, now)
