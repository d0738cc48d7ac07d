"""What each juror is shown next."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from making_courts import open_bar
from venire.server.court.ballot_order import place_in_order


@given(st.binary(max_size=64), st.integers(1, 300))
def test_every_juror_sees_every_item_once(key, count):
    assert sorted(place_in_order(key, position, count) for position in range(count)) == list(range(count))


def test_orders_of_jurors_differ_and_have_no_pattern():
    orders = {
        tuple(place_in_order(b"juror-%d" % number, position, 5) for position in range(5)) for number in range(2000)
    }

    assert len(orders) == 120  # All orders of five items come up.


@pytest.fixture
def bar(tmp_path):
    with open_bar(tmp_path, samples=12) as opened:
        yield opened


def docket(bar, name="juror"):
    return bar.ask("juror", "GET", "/api/v1/docket", name=name).json()


def vote(bar, item, name="juror"):
    return bar.ask("juror", "POST", "/api/v1/votes", name=name, json={"item": item, "vote": 1})


def test_a_docket_goes_through_all_items_and_ends(bar):
    seen = []
    while (now := docket(bar))["ballot"] is not None:
        assert (now["done"], now["total"]) == (len(seen), 12)
        seen.append(now["ballot"]["item"])
        assert vote(bar, seen[-1]).status_code == 201

    assert len(set(seen)) == 12
    assert docket(bar)["done"] == 12


def test_a_docket_stays_until_the_juror_votes(bar):
    assert docket(bar)["ballot"] == docket(bar)["ballot"]


def test_two_jurors_have_their_own_dockets(bar):
    firsts = {docket(bar, f"juror-{number}")["ballot"]["item"] for number in range(12)}

    assert len(firsts) > 3


def test_a_skipped_item_comes_last(bar):
    skipped = docket(bar)["ballot"]["item"]
    assert bar.ask("juror", "POST", "/api/v1/votes/skip", json={"item": skipped}).status_code == 204
    seen = []
    while (ballot := docket(bar)["ballot"]) is not None:
        seen.append(ballot["item"])
        vote(bar, seen[-1])

    assert seen[-1] == skipped
    assert len(seen) == 12


def test_items_that_are_put_off_again_and_again_come_in_turn(bar):
    def skip():
        item = docket(bar)["ballot"]["item"]
        bar.ask("juror", "POST", "/api/v1/votes/skip", json={"item": item})
        return item

    first_round = [skip() for _ in range(12)]

    assert len(set(first_round)) == 12
    assert [skip() for _ in range(12)] == first_round


def test_after_a_restart_what_was_put_off_still_comes_last(tmp_path):
    with open_bar(tmp_path, samples=4) as bar:
        skipped, secret = docket(bar)["ballot"]["item"], bar.secret("juror")
        bar.ask("juror", "POST", "/api/v1/votes/skip", json={"item": skipped})
    seen = []
    with open_bar(tmp_path) as bar:
        bar.secrets["juror"] = secret
        while (ballot := docket(bar)["ballot"]) is not None:
            seen.append(ballot["item"])
            vote(bar, seen[-1])

    assert seen[-1] == skipped
    assert len(seen) == 4


def test_a_restart_does_not_show_what_was_voted_on(tmp_path):
    with open_bar(tmp_path, samples=4) as bar:
        first = docket(bar)["ballot"]["item"]
        vote(bar, first)
        following, secret = docket(bar), bar.secret("juror")
    with open_bar(tmp_path) as bar:
        bar.secrets["juror"] = secret
        assert docket(bar)["ballot"] == following["ballot"]
        assert docket(bar)["done"] == 1


def test_every_item_whose_vote_was_taken_back_is_shown_again(bar):
    def take_back():
        assert bar.ask("juror", "POST", "/api/v1/votes/undo").status_code == 200

    first = docket(bar)["ballot"]["item"]
    vote(bar, first)
    second = docket(bar)["ballot"]["item"]
    take_back()
    vote(bar, second)
    take_back()
    seen = []
    while (ballot := docket(bar)["ballot"]) is not None:
        seen.append(ballot["item"])
        vote(bar, seen[-1])

    assert seen[:1] == [second]
    assert len(seen) == len(set(seen)) == docket(bar)["done"] == 12
