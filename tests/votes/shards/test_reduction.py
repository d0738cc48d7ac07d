"""Statistics of votes in many files: those of all votes together, whoever does the work."""

import polars as pl

from venire.distributed.shards import Engine
from venire.votes.reading.table import read_votes
from venire.votes.shards.reading import ShardWork
from venire.votes.shards.reduction import reduce_votes


def in_this_process():
    return ShardWork(engine=Engine.LOCAL, votes_in_a_part=60)


def all_votes(files):
    return read_votes(pl.concat(pl.read_parquet(path) for path in sorted(files.iterdir()))).frame


def test_any_summary_can_be_merged_and_rows_are_accounted_for(files):
    found = reduce_votes([str(files)], len, int.__add__, work=in_this_process())
    assert found.summary == all_votes(files).height == 243
    assert (found.account.rows, found.account.votes, found.account.duplicated) == (248, 242, 10)


def test_summaries_are_merged_in_the_order_of_parts(files, work):
    own = reduce_votes([str(files)], pl.DataFrame.to_dicts, list.__add__, work=work)
    again = reduce_votes([str(files)], pl.DataFrame.to_dicts, list.__add__, work=in_this_process())
    assert own.summary == again.summary
    assert len(own.summary) == 243
