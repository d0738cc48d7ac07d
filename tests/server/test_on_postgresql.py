"""The court on a ledger in PostgreSQL, with its keys there too: all that it does on a file."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
from click.testing import CliRunner

from courthouse import SPLIT, write_judged_ledger
from making_courts import Clock, open_bar
from postgres_server import READER, WRITER
from venire.cli.keys import keys
from venire.cli.ledger import ledger as ledger_command
from venire.errors import LedgerError
from venire.ledger.checkpoint import create_key
from venire.ledger.entry import Draft
from venire.ledger.location import open_ledger
from venire.server.people.person import Role
from venire.server.people.registry import CredentialKind, Registry
from venire.server.people.registry_postgres import set_up_people
from venire.workflows.copy_ledger import copy_ledger

VOTES = "/api/v1/votes"


def new_place(postgres) -> str:
    """Return the address of a new ledger as a server's role sees it."""
    database = postgres.new_ledger()
    set_up_people(postgres.url(database), [WRITER])
    return postgres.url(database, WRITER)


@pytest.fixture
def place(postgres):
    return new_place(postgres)


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    return write_judged_ledger(tmp_path_factory.mktemp("judged") / "ledger.sqlite")


@pytest.fixture
def judged_place(place, judged):
    source, target = open_ledger(str(judged), read_only=True), open_ledger(place)
    copy_ledger(source, target)
    source.close()
    target.close()
    return place


@pytest.fixture
def two(place, tmp_path):
    """Two courts on one ledger, as two processes would open them; the second knows the first one's people."""
    with ExitStack() as stack:
        first = stack.enter_context(open_bar(tmp_path, ledger=place, registry=place, samples=6))
        second = stack.enter_context(open_bar(tmp_path, ledger=place, registry=place, samples=0))
        second.secrets = first.secrets
        yield first, second


def docket(bar, name=""):
    return bar.ask("juror", "GET", "/api/v1/docket", name=name).json()


def vote(bar, item, value=1.0, *, name="", key=""):
    headers = {"idempotency-key": key} if key else {}
    return bar.ask("juror", "POST", VOTES, name=name, headers=headers, json={"item": item, "vote": value})


def look_away(bar, monkeypatch):
    """Let a court read nothing more of its own accord."""

    async def nothing():
        pass

    monkeypatch.setattr(bar.court.state, "catch_up", nothing)


def test_a_vote_by_one_court_is_seen_by_the_other_at_once(two):
    first, second = two
    item = docket(first)["ballot"]["item"]

    assert vote(first, item).status_code == 201

    seen = docket(second)
    assert seen["done"] == 1
    assert seen["ballot"]["item"] == docket(first)["ballot"]["item"] != item
    assert seen["last"]["item"] == item
    assert second.ask("reader", "GET", "/api/v1/overview").json()["votes"] == 1
    assert second.ask("reader", "GET", "/api/v1/scores").json()["items"][0]["votes"] == 1


def test_a_second_vote_by_the_other_court_is_refused(two):
    first, second = two
    item = docket(first)["ballot"]["item"]
    vote(first, item)

    assert vote(second, item, 0.0).status_code == 409


def test_a_court_that_has_not_looked_yet_refuses_a_second_vote_all_the_same(two, monkeypatch):
    """The rule is kept at the end of the ledger, and not by having read it a moment ago."""
    first, second = two
    item = docket(first)["ballot"]["item"]
    docket(second)

    look_away(second, monkeypatch)
    vote(first, item)
    before = second.court.state.head.sequence

    assert vote(second, item, 0.0).status_code == 409

    assert second.court.state.head.sequence == before + 1
    assert second.court.state.tally.votes == 1


def test_by_policy_a_second_vote_by_the_other_court_is_a_change(place, tmp_path, monkeypatch):
    terms = {"ledger": place, "registry": place, "second_vote": "change"}
    with open_bar(tmp_path, samples=2, **terms) as first, open_bar(tmp_path, samples=0, **terms) as second:
        second.secrets = first.secrets
        item = docket(first)["ballot"]["item"]
        docket(second)

        look_away(second, monkeypatch)
        one = vote(first, item, 1.0).json()
        other = vote(second, item, 0.0).json()

        assert other["replaces"] == one["key"]
        assert docket(first)["done"] == 1
        assert first.court.state.tally.frame()["vote"].to_list() == [0.0]


def test_a_request_repeated_at_the_other_court_is_done_once(two):
    first, second = two
    item = docket(first)["ballot"]["item"]

    one, other = vote(first, item, key="k"), vote(second, item, key="k")

    assert (one.status_code, other.status_code) == (201, 201)
    assert one.json()["key"] == other.json()["key"]
    assert vote(second, item, 0.0, key="k").status_code == 422


def test_a_vote_is_taken_back_once_by_whichever_court(two):
    first, second = two
    item = docket(first)["ballot"]["item"]
    vote(first, item)

    assert second.ask("juror", "POST", f"{VOTES}/undo").status_code == 200

    assert first.ask("juror", "POST", f"{VOTES}/undo").status_code == 409
    assert docket(first)["done"] == 0
    assert docket(first)["ballot"]["item"] == item
    assert vote(first, item, 0.0).status_code == 201
    assert second.ask("reader", "GET", "/api/v1/overview").json()["votes"] == 1


def test_what_was_put_off_at_one_court_comes_last_at_the_other(two):
    first, second = two
    skipped = docket(first)["ballot"]["item"]
    first.ask("juror", "POST", f"{VOTES}/skip", json={"item": skipped})
    seen = []
    while (ballot := docket(second)["ballot"]) is not None:
        seen.append(ballot["item"])
        vote(second, seen[-1])

    assert seen[-1] == skipped
    assert len(seen) == 6


def test_an_item_is_decided_once_and_its_next_round_is_open_everywhere(two, monkeypatch):
    first, second = two
    item = docket(first, "a")["ballot"]["item"]
    vote(first, item, 1.0, name="a")
    vote(second, item, 0.0, name="b")
    vote(second, item, 0.0, name="c")
    [waiting] = second.ask("curator", "GET", "/api/v1/queue").json()["items"]
    assert first.ask("curator", "GET", "/api/v1/queue").json()["total"] == 1

    look_away(first, monkeypatch)
    body = {"inference_id": waiting["inference_id"], "outcome": "another-round"}
    assert second.ask("curator", "POST", "/api/v1/queue/decisions", json=body).status_code == 201
    assert first.ask("curator", "POST", "/api/v1/queue/decisions", json=body).status_code == 409

    answer = vote(first, item, 1.0, name="b")
    assert (answer.status_code, answer.json()["round"]) == (201, 2)


def test_a_session_opened_at_one_court_is_good_at_the_other_until_it_ends(two):
    first, second = two
    key = first.secret("operator")
    answer = first.http.post("/login", data={"secret": key}, headers={"host": "127.0.0.1:8600"}, follow_redirects=False)
    session = {"host": "127.0.0.1:8600", "cookie": f"venire_session={answer.cookies['venire_session']}"}

    assert second.http.get("/api/v1/me", headers=session).json()["role"] == "operator"

    person = second.court.registry.person_of(answer.cookies["venire_session"])
    second.http.post("/logout", headers={**session, "x-csrf-token": person.csrf_token}, follow_redirects=False)
    first.court.registry._known.clear()  # What is remembered for a second.
    assert first.http.get("/api/v1/me", headers=session).status_code == 401


def test_everything_that_was_judged_is_shown_from_the_database(judged_place, tmp_path):
    create_key(tmp_path / "signing.key")
    terms = {"ledger": judged_place, "registry": judged_place, "signing_key": tmp_path / "signing.key"}
    with open_bar(tmp_path, samples=0, **terms) as bar:

        def read(path, **terms):
            answer = bar.ask("reader", "GET", path, **terms)
            assert answer.status_code == 200, answer.text
            return answer.json()

        overview = read("/api/v1/overview")
        assert overview["votes"] == 24
        assert read("/api/v1/audit")["intact"] is True
        report = read("/api/v1/report")
        cell = next(
            cell["id"]
            for section in report["sections"]
            for table in section.get("tables", ())
            for row in table["rows"]
            for cell in row["cells"]
            if cell["rows"]["among"] == "counted"
        )
        traced = read("/api/v1/report/trace", params={"cell": cell, "limit": 1})
        view = read(f"/api/v1/judgements/{traced['judgements'][0]['line']['judgement']}")
        assert [link["kind"] for link in view["trail"]].count("judgement") == 1
        assert read("/api/v1/runs")["items"][0]["state"] == "done"
        digest = read("/api/v1/samples", params={"output_id": SPLIT})["items"][0]["digest"]
        assert read(f"/api/v1/samples/{digest}")["text"]
        assert len(read("/api/v1/queue")["items"][0]["votes"]) == 4
        signed = bar.ask("operator", "POST", "/api/v1/checkpoint").json()
        assert signed["sequence"] == overview["entries"]
        assert read("/api/v1/proof/3", params={"size": overview["entries"]})["merkle_root"] == signed["merkle_root"]
        for page in ("/", "/judges", "/queue", "/runs", "/audit", f"/cells/{cell}"):
            answer = bar.ask("reader", "GET", page, headers={"accept": "text/html"})
            assert answer.status_code == 200, page


def test_a_run_into_the_same_ledger_is_seen_while_the_court_is_open(judged, place, tmp_path):
    with open_bar(tmp_path, samples=0, ledger=place, registry=place) as bar:
        assert bar.ask("reader", "GET", "/api/v1/overview").json()["judgements"] == 0
        source, other = open_ledger(str(judged), read_only=True), open_ledger(place)
        entries = [each for each in source.read() if each.kind.value not in ("vote", "decision")]
        other.append([Draft(each.kind, each.content, each.key, each.blob) for each in entries])

        after = bar.ask("reader", "GET", "/api/v1/overview").json()

        assert after["judgements"] > 0
        assert after["entries"] == other.head().sequence
        item = docket(bar)["ballot"]["item"]
        assert vote(bar, item).status_code == 201
        source.close()
        other.close()


def test_a_minute_is_counted_alike_by_all_courts(place, tmp_path):
    clock = Clock()
    terms = {"ledger": place, "registry": place, "clock": clock}
    with open_bar(tmp_path, samples=2, **terms) as first, open_bar(tmp_path, samples=0, **terms) as second:
        second.secrets = first.secrets
        vote(first, docket(first)["ballot"]["item"])
        clock.advance(seconds=61)

        assert second.ask("juror", "POST", f"{VOTES}/undo").status_code == 409


def test_keys_are_made_and_revoked_in_the_database(place):
    made = CliRunner().invoke(keys, ["create", "--ledger", place, "--role", "curator", "--name", "爱达"])
    registry = Registry(place)
    person = registry.person_of(made.stdout.strip())
    assert (person.role, person.name) == (Role.CURATOR, "爱达")

    listed = CliRunner().invoke(keys, ["list", "--ledger", place], env={"COLUMNS": "200"}).stdout
    assert person.credential in listed
    assert CliRunner().invoke(keys, ["revoke", "--ledger", place, person.credential]).exit_code == 0
    again = Registry(place)
    assert again.person_of(made.stdout.strip()) is None
    assert CliRunner().invoke(keys, ["forget", "--ledger", place, person.pseudonym]).exit_code == 0
    assert again.list_all() == []
    registry.close()
    again.close()


def test_without_a_place_for_keys_it_is_said_what_to_run(postgres):
    database = postgres.new_database()
    with pytest.raises(LedgerError, match="no place for login keys") as missing:
        Registry(postgres.url(database, WRITER))
    assert f"--server {WRITER}" in missing.value.hint

    assert CliRunner().invoke(ledger_command, ["init", postgres.url(database)]).exit_code == 0
    with pytest.raises(LedgerError, match=f"the role {WRITER} may not use the login keys"):
        Registry(postgres.url(database, WRITER))

    done = CliRunner().invoke(ledger_command, ["init", postgres.url(database), "--server", WRITER, "--reader", READER])
    assert f"{WRITER} may append and read, and keep people's keys" in done.output
    registry = Registry(postgres.url(database, WRITER))
    registry.issue(CredentialKind.KEY, Role.READER)
    registry.close()
    with pytest.raises(LedgerError, match=f"the role {READER} may not use the login keys"):
        Registry(postgres.url(database, READER))
