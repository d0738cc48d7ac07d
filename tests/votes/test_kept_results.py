"""What every public function on votes says of the same votes stays: numbers, counts, columns, methods and reasons."""

from __future__ import annotations

import pytest

import venire.votes as votes
from golden_values import assert_as_kept, short
from making_votes import vote_row
from venire.errors import VenireError
from votes.test_every_function import AS_OF, BAD, CALLS, GOOD

MIXED = [
    vote_row(
        ((item * voter) % 5) / 4, day=item / 3 + voter / 8, voter=f"v{voter}", item=f"i{item}",
        reputation=1 + voter % 3, prompt=("good", "clear")[item % 2],
        kind="judge" if voter == 5 else "person",
    )
    for item in range(7)
    for voter in range(6)
    if (item + voter) % 7
]  # fmt: skip
GIVEN = {"good": GOOD, "mixed": MIXED, "mixed twice": [*MIXED, *MIXED[:3]], **BAD}
MORE = {
    "duplicate_ballots": [{"least_ballots": 1}],
    "majority_good_votes": [{"good_vote": 0.25, "threshold": 0.3}, {"threshold": 0.0}],
    "score_votes": [
        {"as_of": AS_OF, "mix": ("person",)},
        {"decay": votes.Decay(rate_per_second=votes.half_life_rate(86_400.0)), "as_of": AS_OF},
    ],
    "vote_bursts": [{"of": "inference_id", "window_seconds": 86_400.0, "level": 0.9}],
    "vote_completeness": [{}],
    "vote_histogram": [{"bucket": "1 days", "zone": "Asia/Shanghai", "by": ("inference_id",)}],
    "voter_agreement": [{"metric": "nominal", "replicates": 0}, {"replicates": 50}],
    "votes_distribution": [{}],
}
"""Other arguments than the usual ones."""


def said(name, rows, arguments):
    try:
        found = getattr(votes, name)(rows, **arguments)
    except VenireError as error:
        return f"raises {type(error).__name__}: {short(error.message)}"
    return short(found)


@pytest.mark.parametrize("name", CALLS)
def test_what_every_function_says_stays(name):
    lines = [f"{kind}: {said(name, rows, CALLS[name])}" for kind, rows in GIVEN.items()]
    for more in MORE.get(name, ()):
        lines += [f"{kind} with {more}: {said(name, GIVEN[kind], more)}" for kind in ("good", "mixed", "one vote")]
    assert_as_kept(f"votes/{name}.txt", "".join(f"{line}\n" for line in lines))
