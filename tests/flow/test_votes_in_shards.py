"""`venire votes score` over many files, on each engine."""

import json

import polars as pl
import pytest

from alike_scores import assert_alike
from making_votes import vote_row
from venire.errors import ConfigError, UsageError
from votes_command import run_votes

pytestmark = pytest.mark.usefixtures("joined_cluster")


@pytest.fixture
def folder(tmp_path):
    """Three files of ten days each, and all rows in one."""
    folder = tmp_path / "votes"
    folder.mkdir()
    rows = [
        vote_row(number % 3 / 2, day=number / 10, voter=str(number % 7), item=f"i{number % 11}")
        for number in range(300)
    ]
    rows[250]["vote"] = 3.0
    frame = pl.DataFrame(rows)
    for number in range(3):
        frame.slice(number * 100, 100).write_parquet(folder / f"{number}.parquet")
    frame.write_parquet(tmp_path / "whole.parquet")
    return folder


def scores(*args):
    return pl.DataFrame(json.loads(run_votes("score", *args, "--format", "json").stdout)).with_columns(
        pl.col("last_update").str.to_datetime(time_zone="UTC")
    )


@pytest.mark.parametrize("engine", [[], ["--engine", "local"], ["--engine", "processes"], ["--engine", "ray"]])
def test_a_pattern_scores_as_one_table_does(engine, folder):
    found = scores(folder / "*.parquet", *engine)
    wanted = scores(folder.parent / "whole.parquet")
    assert_alike(found, wanted)
    assert found["inference_id"].to_list() == wanted["inference_id"].to_list()


def test_several_files_are_scored_as_one(folder):
    files = sorted(folder.iterdir())
    assert_alike(scores(*files), scores(folder.parent / "whole.parquet"))


def test_ray_deals_rows_where_sums_cannot_be_merged(folder):
    found = run_votes("score", folder / "*.parquet", "--engine", "ray", "--batch", "4", "--format", "json")
    wanted = run_votes("score", folder.parent / "whole.parquet", "--batch", "4", "--format", "json")
    assert json.loads(found.stdout) == json.loads(wanted.stdout)
    assert "rows were regrouped by output: which votes share a batch" in found.stderr


def test_rows_that_are_no_votes_are_told_with_their_file(folder):
    told = run_votes("score", folder / "*.parquet", "--engine", "local").stderr
    assert "3 files: 300 rows, 299 votes, 1 left out" in told
    assert f"row 51: vote is outside of 0 to 1, found '3.0' in {folder / '2.parquet'}" in told


def test_scores_are_streamed_into_parquet(folder, tmp_path):
    output = tmp_path / "scores.parquet"
    told = run_votes("score", folder, "--engine", "processes", "--format", "parquet", "--output", output)
    assert told.stdout == f"11 items scored into {output}\n"
    assert_alike(pl.read_parquet(output), scores(folder.parent / "whole.parquet"))


def test_workers_in_another_folder_find_files_by_a_relative_name(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert_alike(scores("*.parquet", "--engine", "ray"), scores("../whole.parquet"))


def test_a_pattern_without_files_is_told(folder):
    with pytest.raises(UsageError, match="no file matches"):
        run_votes("score", folder / "*.parq", "--engine", "processes")


def test_tables_that_are_not_parquet_are_told(folder):
    with pytest.raises(UsageError, match="expected Parquet files"):
        run_votes("score", "votes.csv", "--engine", "processes")


def test_a_cluster_that_does_not_answer_is_told(folder):
    with pytest.raises(ConfigError, match="no Ray cluster answers"):
        run_votes("score", folder, "--engine", "ray", "--address", "127.0.0.1:1")


def test_an_address_means_ray(folder):
    with pytest.raises(ConfigError, match="no Ray cluster answers"):
        run_votes("score", folder.parent / "whole.parquet", "--address", "127.0.0.1:1")


def test_an_address_for_another_engine_is_told(folder):
    with pytest.raises(UsageError, match="the engine processes has no address"):
        run_votes("score", folder, "--engine", "processes", "--address", "auto")
