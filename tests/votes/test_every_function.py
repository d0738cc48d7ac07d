"""Every public function on votes, with each kind of bad value in its votes and in its other arguments.

It answers with a clear error or with what can be said of the rest: never with NaN or infinity, never with a traceback.
"""

from __future__ import annotations

import inspect
import math
import operator
from datetime import UTC, datetime

import polars as pl
import pytest

import venire.votes as votes
from bad_values import NUMBERS, problem
from making_votes import vote_row

AS_OF = datetime(2025, 3, 1, tzinfo=UTC)
GOOD = [
    vote_row(((item * voter) % 5) / 4, day=item + voter / 8, voter=f"v{voter}", item=f"i{item}")
    for item in range(6)
    for voter in range(4)
]
OPTIONS = votes.VoteOptions()


def changed(**fields):
    """Spoil the first vote."""
    return [GOOD[0] | fields, *GOOD[1:]]


BAD = {
    "nothing": [],
    "one vote": GOOD[:1],
    "one voter": [row for row in GOOD if row["voter_id"] == "v1"],
    "one item": [row for row in GOOD if row["inference_id"] == "i1"],
    "all the same": [row | {"vote": 1.0} for row in GOOD],
    "nobody voted": [row | {"vote": None} for row in GOOD],
    "all nan": [row | {"vote": math.nan} for row in GOOD],
    "one nan": changed(vote=math.nan),
    "one infinite": changed(vote=math.inf),
    "one huge": changed(vote=1e308),
    "one negative": changed(vote=-0.5),
    "words": [row | {"vote": "yes"} for row in GOOD],
    "booleans": [row | {"vote": row["vote"] > 0.4} for row in GOOD],
    "no voter": changed(voter_id=None),
    "no item": changed(inference_id=""),
    "no time": changed(vote_time=None),
    "no zone": changed(vote_time=datetime(2025, 1, 1)),  # noqa: DTZ001
    "tomorrow": changed(vote_time=datetime(2999, 1, 1, tzinfo=UTC)),
    "reputation of nan": changed(reputation=math.nan),
    "infinite reputation": changed(reputation=math.inf),
    "negative reputation": changed(reputation=-1.0),
    "no columns": [{"x": 1}],
    "a number": 7,
    "no file": "there/is/no/such/file.csv",
    "nobody": None,
}

CALLS = {
    "crowd_truth": {},
    "duplicate_ballots": {"least_ballots": 2},
    "majority_good_votes": {"good_vote": 1.0, "threshold": 0.5},
    "population_confidence": {"voters": ["v0", "v1"]},
    "read_votes": {},
    "score_votes": {"as_of": AS_OF},
    "vote_bursts": {"window_seconds": 60.0, "level": 0.01},
    "vote_completeness": {"voters": ["v0"], "inferences": ["i0", "nobody"]},
    "vote_histogram": {"bucket": "60 minutes", "zone": "UTC"},
    "voter_agreement": {"metric": "interval", "replicates": 20, "seed": 1},
    "voter_reliability": {},
    "votes_distribution": {"inferences": ["i0"]},
}
HERE = votes.ShardWork(engine="local")
OVER_SHARDS = {
    "agreement_over_shards": {"replicates": 20, "seed": 1, "level": 0.95},
    "dawid_skene_over_shards": {"tolerance": 1e-6, "max_iterations": 20},
    "reduce_votes": {"summarise": len, "merge": operator.add},
    "score_shards": {"as_of": AS_OF},
}
RATES = {"decay_rate": {"rate": 0.1, "unit": "day"}, "half_life_rate": {"seconds": 3600.0}}
NAMES = {"bucket": ("", "0 minutes", "-1 hours", "often"), "zone": ("", "Atlantis/Capital"), "unit": ("", "moon")}


def spoiled(arguments):
    """Yield the arguments with each kind of bad value in place of one of them."""
    for name, good in arguments.items():
        kinds = NAMES.get(name, ())
        if isinstance(good, int | float) and not isinstance(good, bool):
            kinds = NUMBERS.values()
        for bad in kinds:
            yield f"{name}: {bad!r}", arguments | {name: bad}


def test_every_public_function_is_called():
    functions = {name for name in votes.__all__ if inspect.isfunction(getattr(votes, name))}
    assert functions == {*CALLS, *OVER_SHARDS, *RATES}


@pytest.mark.parametrize("name", CALLS)
def test_bad_votes_give_a_clear_error_or_are_left_out(name):
    function = getattr(votes, name)
    assert function(GOOD, **CALLS[name], options=OPTIONS) is not None
    found = {kind: problem(lambda bad=bad: function(bad, **CALLS[name])) for kind, bad in BAD.items()}
    assert {kind: each for kind, each in found.items() if each} == {}


@pytest.mark.parametrize("name", [*CALLS, *RATES])
def test_bad_arguments_give_a_clear_error_or_are_not_known(name):
    function, data = getattr(votes, name), (GOOD,) if name in CALLS else ()
    found = {case: problem(lambda bad=bad: function(*data, **bad)) for case, bad in spoiled((CALLS | RATES)[name])}
    assert {case: each for case, each in found.items() if each} == {}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shards")
    for kind, rows in {"good": GOOD, **BAD}.items():
        if isinstance(rows, list) and rows and kind not in ("booleans", "no zone"):
            frame = pl.DataFrame(rows, strict=False, infer_schema_length=None)
            frame.write_parquet(folder / f"{kind.replace(' ', '-')}.parquet")
    (folder / "broken.parquet").write_bytes(b"PAR1 and no more")
    (folder / "empty.csv").write_text("")
    return folder


@pytest.mark.parametrize("name", OVER_SHARDS)
def test_bad_shards_give_a_clear_error_or_are_left_out(name, folder):
    function = getattr(votes, name)
    assert function(folder / "good.parquet", work=HERE, **OVER_SHARDS[name]) is not None
    paths = [*sorted(folder.iterdir()), folder / "none*.parquet"]
    found = {path.name: problem(lambda path=path: function(path, work=HERE, **OVER_SHARDS[name])) for path in paths}
    assert {kind: each for kind, each in found.items() if each} == {}
    found = {
        case: problem(lambda bad=bad: function(folder / "good.parquet", work=HERE, **bad))
        for case, bad in spoiled(OVER_SHARDS[name])
    }
    assert {case: each for case, each in found.items() if each} == {}
