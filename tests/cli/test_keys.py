"""`venire keys`: keys and invitations are made, listed, revoked and forgotten."""

from __future__ import annotations

import sys
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from making_courts import write_samples
from venire.cli.keys import keys
from venire.errors import UsageError
from venire.server.config_file import registry_beside
from venire.server.people.person import Role
from venire.server.people.registry import CredentialKind, Registry


@pytest.fixture
def ledger(tmp_path):
    path = str(tmp_path / "ledger.sqlite")
    write_samples(path, 1)
    return path


@pytest.mark.parametrize("asked", [("list",), ("revoke", "0123456789"), ("forget", "juror-1")])
def test_where_there_are_no_keys_none_are_listed_or_taken_away(ledger, asked):
    result = CliRunner().invoke(keys, [*asked, "--ledger", ledger])

    assert "there are no keys here" in str(result.exception)
    assert not Path(f"{ledger}.people").exists()


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


def test_an_address_that_was_only_assumed_is_said_to_be_so(ledger):
    assumed = CliRunner().invoke(keys, ["invite", "--ledger", ledger]).stderr
    named = CliRunner().invoke(keys, ["invite", "--ledger", ledger, "--url", "https://j.example"]).stderr

    assert "http://127.0.0.1:8600 is where `venire serve` listens unless told otherwise" in assumed
    assert "unless told otherwise" not in named


def test_an_address_that_is_none_is_refused_for_invitations(ledger):
    result = CliRunner().invoke(keys, ["invite", "--ledger", ledger, "--url", "jury"])

    assert "expected a public address" in str(result.exception)


def test_a_person_can_be_forgotten(tmp_path):
    ledger = str(tmp_path / "ledger.sqlite")
    registry = Registry(registry_beside(ledger))
    issued = registry.issue(CredentialKind.INVITATION, Role.JUROR, name="Ada")

    assert CliRunner().invoke(keys, ["forget", "--ledger", ledger, issued.credential.pseudonym]).exit_code == 0

    assert Registry(registry_beside(ledger)).list_all() == []


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
