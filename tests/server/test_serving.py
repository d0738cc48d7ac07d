"""The commands: a demo that can be looked at, a configuration file, and keys."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread

import pytest
import uvicorn
from click.testing import CliRunner
from litestar.testing import TestClient

from making_courts import write_samples
from venire.cli.keys import keys
from venire.cli.serve import serve
from venire.errors import ConfigError, LedgerError, UsageError
from venire.ledger.location import open_ledger
from venire.protocols.voter_prompts import bundled_prompt
from venire.server.app import create_app
from venire.server.config_file import load_options, registry_beside
from venire.server.court.court import Court
from venire.server.demo import make_demo, make_links
from venire.server.options import DEFAULT_PROMPT, ServerOptions
from venire.server.people.person import Role
from venire.server.people.registry import CredentialKind, Registry
from venire.server.serve import uvicorn_config

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The demo's court with a client for readers."""
    options = asyncio.run(make_demo(tmp_path_factory.mktemp("demo"), NOW))
    court = Court(options)
    links = {each.role: each.link for each in make_links(court)}
    key = links[Role.READER].partition("#")[2]
    headers = {"host": "127.0.0.1:8600", "authorization": f"Bearer {key}"}
    with TestClient(create_app(options, court)) as http:
        http.headers.update(headers)
        yield court, http, links


def test_the_demo_has_something_to_show_everywhere(demo):
    _, http, _ = demo
    overview = http.get("/api/v1/overview").json()

    assert overview["samples"] == 48
    assert overview["valid"] > 100
    assert 0 < overview["ambiguous"] < overview["items"]
    assert http.get("/api/v1/audit").json()["intact"] is True
    assert http.get("/api/v1/runs").json()["items"][0]["state"] == "done"
    assert http.get("/api/v1/checkpoint").status_code == 200


def test_the_demo_gives_a_link_for_each_role(demo):
    court, _, links = demo

    assert set(links) == set(Role)
    for role, link in links.items():
        session = court.registry.open_session(link.partition("/login#")[2], timedelta(hours=1))
        assert session.credential.role is role


def test_a_report_leads_to_judgements_and_their_quotes(demo):
    _, http, _ = demo
    report = http.get("/api/v1/report").json()
    cells = [cell["id"] for section in report["sections"] for table in section.get("tables", ())
             for row in table["rows"] for cell in row["cells"] if cell["rows"]["among"] == "counted"]  # fmt: skip

    found = http.get("/api/v1/report/trace", params={"cell": cells[0], "limit": 2}).json()

    assert len(found["judgements"]) == 2
    key = found["judgements"][0]["line"]["judgement"]
    view = http.get(f"/api/v1/judgements/{key}").json()
    quotes = [each for each in view["judgement"]["evidence"] if each.get("start") is not None]
    assert quotes
    assert all(view["text"][each["start"] : each["end"]] for each in quotes)
    assert [link["kind"] for link in view["trail"]].count("judgement") == 1
    assert http.get("/api/v1/report/trace", params={"cell": "no such cell"}).status_code == 422


def test_judgements_are_listed_by_judge_sample_and_status(demo):
    _, http, _ = demo
    everything = http.get("/api/v1/judgements", params={"limit": 1000}).json()
    first = http.get("/api/v1/judgements", params={"judge": "strict", "limit": 10}).json()
    more = {"judge": "strict", "limit": 10, "after": first["next_after"]}
    second = http.get("/api/v1/judgements", params=more).json()

    assert everything["total"] == len(everything["items"])
    assert {row["judge"] for row in first["items"] + second["items"]} == {"strict"}
    assert not {row["key"] for row in first["items"]} & {row["key"] for row in second["items"]}
    assert http.get("/api/v1/judgements", params={"status": "invalid"}).json()["total"] == 0


def test_an_unknown_judgement_is_not_found(demo):
    assert demo[1].get("/api/v1/judgements/none").status_code == 404


def test_a_configuration_file_sets_up_a_server(tmp_path):
    (tmp_path / "server.yaml").write_text(
        'ledger: votes.sqlite\nport: 9000\nvote_scale: unit\ndecay: 7d\nvoter_prompt: {id: helpful, text: "Good?"}\n'
    )
    options = load_options(tmp_path / "server.yaml", port=9001)

    assert options.ledger == str(tmp_path / "votes.sqlite")
    assert options.registry == tmp_path / "votes.sqlite.people"
    assert (options.port, options.vote_scale, options.voter_prompt.text) == (9001, "unit", "Good?")
    assert options.decay.rate_per_second == pytest.approx(0.6931 / (7 * 86400), rel=1e-3)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("language: zh\n", ("accept-zh", "这份输出是否足以交给提出请求的人？")),
        ('language: zh\nvoter_prompt: {id: ok, text: "行吗？"}\n', ("ok", "行吗？")),
        ("language: en\n", (DEFAULT_PROMPT.id, DEFAULT_PROMPT.text)),
        ("voter_prompt: grand-jury\n", ("grand-jury", bundled_prompt("grand-jury").text)),
        ("voter_prompt: grand-jury-zh\n", ("grand-jury-zh", bundled_prompt("grand-jury-zh").text)),
    ],
)
def test_jurors_are_asked_in_the_language_of_the_pages_unless_other_words_are_given(tmp_path, text, asked):
    (tmp_path / "server.yaml").write_text(f"ledger: votes.sqlite\n{text}", "utf-8")

    prompt = load_options(tmp_path / "server.yaml").voter_prompt

    assert (prompt.id, prompt.text) == asked


def test_the_prompt_that_the_command_line_names_goes_before_that_of_the_file(tmp_path):
    (tmp_path / "server.yaml").write_text("ledger: votes.sqlite\nvoter_prompt: {id: ok, text: Fine}\n", "utf-8")
    assert load_options(tmp_path / "server.yaml", voter_prompt="grand-jury").voter_prompt.id == "grand-jury"
    with pytest.raises(UsageError, match="no voter prompt 'petty' comes with Venire"):
        load_options(tmp_path / "server.yaml", voter_prompt="petty")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("prot: 1\n", "unknown key"),
        ("port: 0\n", "server.yaml:1: expected `int` >= 1"),
        ("ledger: [\n", "not YAML"),
        ("port: 1\n", "ledger"),
    ],
)
def test_a_wrong_configuration_is_named_with_its_line(tmp_path, text, message):
    (tmp_path / "server.yaml").write_text(text)

    with pytest.raises(ConfigError) as wrong:
        load_options(tmp_path / "server.yaml")

    assert message in str(wrong.value)


def test_a_demo_takes_no_ledger():
    result = CliRunner().invoke(serve, ["x.sqlite", "--demo"])

    assert isinstance(result.exception, UsageError)


@pytest.fixture
def ledger(tmp_path):
    path = str(tmp_path / "ledger.sqlite")
    write_samples(path, 1)
    return path


@pytest.mark.parametrize(
    "asked", [(serve,), (keys, "create", "--role", "reader", "--ledger"), (keys, "invite", "--ledger")]
)
def test_a_misspelt_path_does_not_become_a_new_ledger(tmp_path, asked):
    command, *arguments = asked

    result = CliRunner().invoke(command, [*arguments, str(tmp_path / "ledgr.sqlite")])

    assert isinstance(result.exception, LedgerError)
    assert "there is no ledger here" in str(result.exception)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("asked", [("list",), ("revoke", "0123456789"), ("forget", "juror-1")])
def test_where_there_are_no_keys_none_are_listed_or_taken_away(ledger, asked):
    result = CliRunner().invoke(keys, [*asked, "--ledger", ledger])

    assert "there are no keys here" in str(result.exception)
    assert not Path(f"{ledger}.people").exists()


def test_a_signing_key_that_is_not_there_is_named_before_anything_is_served(ledger, tmp_path):
    result = CliRunner().invoke(serve, [ledger, "--signing-key", str(tmp_path / "none.key")])

    assert "none.key" in str(result.exception)


def test_ids_and_pseudonyms_are_listed_whole_on_a_narrow_terminal(ledger):
    CliRunner().invoke(keys, ["create", "--ledger", ledger, "--role", "operator", "--name", "[red]Ada[/red] " * 9])
    [made] = Registry(registry_beside(ledger)).list_all()

    listed = CliRunner().invoke(keys, ["list", "--ledger", ledger], env={"COLUMNS": "80"}).stdout

    assert made.id in listed
    assert made.pseudonym in listed
    assert "[red]" in listed


def test_a_key_is_made_listed_and_revoked(ledger):
    made = CliRunner().invoke(keys, ["create", "--ledger", ledger, "--role", "curator", "--name", "Ada"])
    secret = made.stdout.strip()
    registry = Registry(registry_beside(ledger))
    person = registry.person_of(secret)
    assert (person.role, person.name) == (Role.CURATOR, "Ada")

    listed = CliRunner().invoke(keys, ["list", "--ledger", ledger], env={"COLUMNS": "200"}).stdout
    assert person.credential in listed
    assert secret not in listed

    assert CliRunner().invoke(keys, ["revoke", "--ledger", ledger, person.credential]).exit_code == 0
    assert Registry(registry_beside(ledger)).person_of(secret) is None


def test_keys_are_made_where_the_servers_configuration_says(tmp_path):
    config = tmp_path / "server.yaml"
    config.write_text("ledger: votes.sqlite\nregistry: elsewhere.people\n")
    write_samples(tmp_path / "votes.sqlite", 1)

    made = CliRunner().invoke(keys, ["create", "--config", str(config), "--role", "reader"])

    assert Registry(tmp_path / "elsewhere.people").person_of(made.stdout.strip()).role is Role.READER
    assert isinstance(CliRunner().invoke(keys, ["list"]).exception, UsageError)


def test_invitations_are_links_each_for_a_juror_of_its_own(ledger):
    links = (
        CliRunner().invoke(keys, ["invite", "--ledger", ledger, "--count", "3", "--url", "https://j.example/"]).stdout
    )
    secrets = [line.partition("https://j.example/login#")[2] for line in links.splitlines() if line.startswith("http")]
    registry = Registry(registry_beside(ledger))

    people = [registry.open_session(secret, timedelta(hours=1)).credential for secret in secrets]

    assert [person.role for person in people] == [Role.JUROR] * 3
    assert len({person.pseudonym for person in people}) == 3


def test_invitations_lead_to_the_address_that_the_configuration_names(ledger, tmp_path):
    (tmp_path / "server.yaml").write_text("ledger: ledger.sqlite\npublic_url: https://jury.example\n")

    made = CliRunner().invoke(keys, ["invite", "--config", str(tmp_path / "server.yaml")]).stdout

    assert made.startswith("https://jury.example/login#vi_")


def test_an_address_that_is_none_is_refused_for_invitations(ledger):
    result = CliRunner().invoke(keys, ["invite", "--ledger", ledger, "--url", "jury"])

    assert "expected a public address" in str(result.exception)


def test_a_port_that_another_server_has_is_named_before_any_link_is_printed(ledger):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = CliRunner().invoke(serve, [ledger, "--port", str(taken.getsockname()[1])])

    assert "cannot listen on 127.0.0.1" in str(result.exception)
    assert "login#" not in result.output


def test_every_start_tells_how_to_get_in(ledger, monkeypatch):
    monkeypatch.setattr(
        "venire.server.serve.serve", lambda options, court, listening: (listening.close(), court.state.close())
    )
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])

    first, second = (CliRunner().invoke(serve, [ledger, "--port", port]).output for _ in range(2))

    assert f"http://127.0.0.1:{port}/login#vk_" in first
    assert "login#" not in second
    assert "log in with a key or an invitation" in second


def test_a_person_can_be_forgotten(tmp_path):
    ledger = str(tmp_path / "ledger.sqlite")
    registry = Registry(registry_beside(ledger))
    issued = registry.issue(CredentialKind.INVITATION, Role.JUROR, name="Ada")

    assert CliRunner().invoke(keys, ["forget", "--ledger", ledger, issued.credential.pseudonym]).exit_code == 0

    assert Registry(registry_beside(ledger)).list_all() == []


def test_an_answer_is_json_that_others_can_read(demo):
    assert json.loads(demo[1].get("/api/v1/samples?limit=1").text)["items"][0]["output_id"]


def test_requests_that_do_not_arrive_in_time_are_given_up(tmp_path):
    """Half-sent requests must not hold sockets: neither a head without an end nor a body that stops."""
    ledger = str(tmp_path / "ledger.sqlite")
    open_ledger(ledger).close()
    listening = socket.create_server(("127.0.0.1", 0), backlog=1024)
    options = ServerOptions(
        ledger=ledger, registry=tmp_path / "people", port=listening.getsockname()[1], request_seconds=0.5
    )
    court = Court(options)
    key = court.registry.issue(CredentialKind.KEY, Role.READER).secret
    server = uvicorn.Server(uvicorn_config(options, court))
    thread = Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    head = f"POST /api/v1/evaluate HTTP/1.1\r\nHost: 127.0.0.1:{options.port}\r\nAuthorization: Bearer {key}\r\n"
    halves = ["", "GET /api", head, f"{head}Content-Length: 100\r\n\r\n{{"]
    try:
        slow = [socket.create_connection(("127.0.0.1", options.port), timeout=60) for _ in range(100) for _ in halves]
        for place, each in enumerate(slow):
            each.sendall(halves[place % len(halves)].encode())
        for each in slow:
            while each.recv(4096):  # Until it is closed: a server that waits makes this time out.
                pass
            each.close()
        with socket.create_connection(("127.0.0.1", options.port), timeout=60) as prompt:
            prompt.sendall(f"GET /api/v1/me HTTP/1.1\r\nHost: 127.0.0.1:{options.port}\r\n".encode())
            prompt.sendall(f"Authorization: Bearer {key}\r\n\r\n".encode())
            assert prompt.recv(4096).startswith(b"HTTP/1.1 200")
        assert not server.server_state.connections or len(server.server_state.connections) == 1
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


def test_keys_without_the_servers_libraries_say_what_to_install(ledger, monkeypatch):
    monkeypatch.setitem(sys.modules, "litestar", None)
    for module in [name for name in sys.modules if name.startswith("venire.server")]:
        monkeypatch.delitem(sys.modules, module)

    for command in (
        ["create", "--role", "reader"],
        ["invite"],
        ["list"],
        ["revoke", "x"],
        ["free", "x"],
        ["forget", "x"],
    ):
        result = CliRunner().invoke(keys, [*command, "--ledger", ledger])

        assert isinstance(result.exception, UsageError), (command, result.exception)
        assert "pip install 'venire[server]'" in result.exception.hint
