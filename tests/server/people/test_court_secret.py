"""A juror who has the source code, the pseudonym and every answer of the server learns nothing about an item."""

from __future__ import annotations

import stat
from datetime import UTC, datetime

import pytest

from making_courts import open_bar, sample_of
from venire.domain.vote import Vote
from venire.judges.blinding import sample_handle
from venire.ledger.location import open_ledger
from venire.server.court.ballot_order import place_in_order
from venire.server.people.court_secret import CourtSecret
from venire.server.people.registry import Registry

SAMPLES = 12


@pytest.fixture
def bar(tmp_path):
    with open_bar(tmp_path, samples=SAMPLES) as opened:
        yield opened


def order_of(bar, name="juror"):
    """Return the ledger positions of the items in the order in which a juror sees them."""
    items = []
    while (ballot := bar.ask("juror", "GET", "/api/v1/docket", name=name).json()["ballot"]) is not None:
        items.append(ballot["item"])
        bar.ask("juror", "POST", "/api/v1/votes", name=name, json={"item": items[-1], "vote": 1})
    return [bar.court.state.index.by_handle[item] for item in items]


def test_a_juror_cannot_compute_the_order_from_what_the_server_tells(bar):
    seen = order_of(bar)
    pseudonym = bar.ask("juror", "GET", "/api/v1/me").json()["pseudonym"]

    guessed = [place_in_order(pseudonym.encode()[:64], place, SAMPLES) for place in range(SAMPLES)]
    with_other_secret = CourtSecret(b"guess").order_key(pseudonym)

    assert sorted(seen) == list(range(SAMPLES))
    assert seen != guessed
    assert seen != [place_in_order(with_other_secret, place, SAMPLES) for place in range(SAMPLES)]
    assert seen == [
        place_in_order(bar.court.state.secret.order_key(pseudonym), place, SAMPLES) for place in range(SAMPLES)
    ]


def test_the_name_of_an_item_does_not_follow_from_its_content(bar):
    item = bar.ask("juror", "GET", "/api/v1/docket").json()["ballot"]["item"]

    assert item not in {sample_handle(sample_of(number).digest) for number in range(SAMPLES)}


def test_a_receipt_does_not_confirm_a_guessed_output(bar):
    item = bar.ask("juror", "GET", "/api/v1/docket").json()["ballot"]["item"]
    receipt = bar.ask("juror", "POST", "/api/v1/votes", json={"item": item, "vote": 1}).json()

    guesses = {
        Vote(
            inference_id=sample_of(number).output_id,
            vote=1.0,
            voter_id=bar.pseudonym("juror"),
            vote_time=datetime.fromisoformat(receipt["cast_at"]).astimezone(UTC),
            voter_prompt_id=bar.court.state.prompt_id,
        ).key
        for number in range(SAMPLES)
    }
    stored = {entry.key for entry in bar.court.state.ledger.read() if entry.key in guesses}
    assert len(stored) == 1  # The guess is a good one: the ledger has the vote under such a key.
    assert receipt["key"] not in guesses
    assert receipt["head"] is None


@pytest.mark.parametrize("way", ["batch", "undo", "change"])
def test_no_other_receipt_tells_a_real_key_either(tmp_path, way):
    with open_bar(tmp_path, second_vote="change") as bar:
        item = bar.ask("juror", "GET", "/api/v1/docket").json()["ballot"]["item"]
        one = {"item": item, "vote": 1}
        if way == "batch":
            answers = bar.ask("juror", "POST", "/api/v1/votes/batch", json={"votes": [one]}).json()["outcomes"]
            receipt = answers[0]["receipt"]
        else:
            bar.ask("juror", "POST", "/api/v1/votes", json=one)
            path = "/api/v1/votes/undo" if way == "undo" else "/api/v1/votes"
            receipt = bar.ask("juror", "POST", path, json={**one, "vote": 0} if way == "change" else None).json()

        keys = {entry.key for entry in bar.court.state.ledger.read()}
        assert receipt["key"]
        assert receipt["key"] not in keys
        assert receipt["replaces"] not in keys
        assert bool(receipt["replaces"]) == (way == "change")
        assert receipt["head"] is None


def test_operators_keep_real_keys(bar):
    vote = {"item": "secretmodel-1", "vote": 1, "voter_id": "someone"}

    receipt = bar.ask("operator", "POST", "/api/v1/votes", json=vote).json()

    assert receipt["key"] in {entry.key for entry in bar.court.state.ledger.read()}
    assert receipt["head"] == bar.court.state.head.sequence


def test_strangers_do_not_learn_how_much_was_recorded(bar):
    assert bar.ask("stranger", "GET", "/api/v1/ready").json() == {"status": "ok"}


def test_the_secret_stays_and_is_not_in_the_ledger(tmp_path):
    with open_bar(tmp_path) as bar:
        first = order_of(bar)
        name = bar.ask("juror", "GET", "/api/v1/me").json()["pseudonym"]
    registry = Registry(tmp_path / "people.sqlite")
    [(secret,)] = registry._store.select(("SELECT value FROM court_secret", ()))

    assert len(secret) == 64
    assert registry.court_secret().order_key(name) == CourtSecret(bytes.fromhex(secret)).order_key(name)
    assert [place_in_order(registry.court_secret().order_key(name), place, 3) for place in range(3)] == first
    for path in tmp_path.glob("ledger.sqlite*"):
        assert secret.encode() not in path.read_bytes()
        assert bytes.fromhex(secret) not in path.read_bytes()


def test_a_court_of_an_earlier_version_gets_its_secret_at_the_next_start(tmp_path):
    with open_bar(tmp_path) as bar:
        bar.court.registry._store.change([("DROP TABLE court_secret", ())])

    with open_bar(tmp_path) as bar:
        assert order_of(bar)


def test_files_of_a_court_are_its_owners_alone(tmp_path):
    with open_bar(tmp_path) as bar:
        bar.ask("juror", "GET", "/api/v1/docket")
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir() if path.is_file()}

    assert {"ledger.sqlite", "people.sqlite"} <= set(modes)
    assert set(modes.values()) == {0o600}, modes


def test_a_new_ledger_is_its_owners_alone_whatever_the_umask(tmp_path):
    import os

    before = os.umask(0)
    try:
        open_ledger(str(tmp_path / "new.sqlite")).close()
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / "new.sqlite").stat().st_mode) == 0o600
