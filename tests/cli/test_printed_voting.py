"""What commands print stays where people vote, from outputs put to the vote to a curator's decision."""

from __future__ import annotations

import re
import socket
from datetime import datetime, timedelta

import pytest

from experiment import venire
from golden_values import assert_as_kept
from venire.server.config_file import registry_beside
from venire.server.people.registry import Registry

OUTPUTS = "output_id,question_id,target_model,task,text\n" + "".join(
    f"q{question}-{model},q{question},{model},Question {question}?,{model} says {question}.\n"
    for question in (1, 2)
    for model in ("alder", "birch")
)
VOTES = "inference_id,voter_id,vote,voter_prompt_id,vote_time\n" + "".join(
    f"q1-{model},{voter},{vote},funny,2025-01-01T00:00:0{second}Z\n"
    for model, votes in (("alder", (1, 0, 0)), ("birch", (0.9, 0.8, 0.6)))
    for second, (voter, vote) in enumerate(zip(("ann", "bob", "cy"), votes, strict=True))
)
SESSION = (
    "votes open outputs.csv --port {port} --invitations 2",
    "votes open outputs.csv --port {port} --public-url https://votes.example.org",
    "votes open outputs.csv pairs.sqlite --scale pairs",
    "votes open outputs.csv pairs.sqlite --scale pairs",
    "votes open outputs.csv asked.sqlite --question Good?",
    "votes open outputs.csv again.sqlite --question Good? --prompt grand-jury-en-zh",
    "votes open alone.csv alone.sqlite --scale pairs",
    "votes open bare.csv bare.sqlite",
    "votes open outputs.csv odd.sqlite --column text",
    "serve outputs.votes.sqlite --port {port}",
    "serve outputs.votes.sqlite --port {port} --read-only",
    "serve outputs.votes.sqlite --port {port} --public-url https://votes.example.org --drawn",
    "serve --outputs outputs.csv --port {port} --scale 1-5",
    "serve outputs.votes.sqlite --demo",
    "serve --demo --read-only",
    "serve --demo --drawn",
    "keys create --ledger outputs.votes.sqlite --role curator --name Ada",
    "keys create --ledger outputs.votes.sqlite --role reader --days 2",
    "keys invite --ledger outputs.votes.sqlite --count 2",
    "keys invite --ledger outputs.votes.sqlite --name Bob --url https://votes.example.org",
    "keys invite --ledger outputs.votes.sqlite --open",
    "keys invite --ledger outputs.votes.sqlite --open --name Bob",
    "keys invite --ledger outputs.votes.sqlite --count 2 --name Bob",
    "keys invite",
    "keys list --ledger outputs.votes.sqlite",
    "keys revoke --ledger outputs.votes.sqlite nothing",
    "keys free --ledger outputs.votes.sqlite nothing",
    "keys forget --ledger outputs.votes.sqlite nobody",
    "keys revoke --ledger outputs.votes.sqlite {curator}",
    "keys revoke --ledger outputs.votes.sqlite {invitation}",
    "keys revoke --ledger outputs.votes.sqlite {open_link}",
    "keys free --ledger outputs.votes.sqlite {second_invitation}",
    "keys forget --ledger outputs.votes.sqlite {reader}",
    "keys list --ledger votes.sqlite",
    "votes import votes.csv votes.sqlite --prompt-text funny=funny.txt",
    "votes import votes.csv votes.sqlite",
    "votes queue votes.sqlite",
    "votes decide votes.sqlite q1-alder accept --curator ann --note close",
    "votes decide votes.sqlite q1-birch another-round --curator bob",
    "votes decide votes.sqlite q9 accept --curator ann",
    "votes queue votes.sqlite --as-of 2030-01-01T00:00:00Z",
    "votes trace votes.sqlite q1-alder",
    "votes trace votes.sqlite q1-birch --decay 1/second",
    "votes trace votes.csv q1-alder --format csv",
    "votes export votes.sqlite --limit 2",
    "votes score votes.sqlite --format csv",
    "votes score votes.csv --format parquet",
)
LIFETIMES = {
    ("invitation", "juror", 7),
    ("key", "curator", None),
    ("key", "operator", 1),
    ("open_link", "juror", 7),
    ("open_link", "juror", 30),
}
"""The days that what the session made is good for; the reader's key is deleted with the reader."""
LINKS = re.compile(r"(login#[a-z]+_)\S+")
HIDDEN = (
    (re.compile(r"\b(v[a-z]{1,3}_)[\w-]{16,}"), r"\1…"),
    (re.compile(r"\b(?:juror|curator|operator|reader)-\w+\b"), "SOMEBODY"),
    (re.compile(r"(?<!\.)\b(?=[0-9a-f]*\d)[0-9a-f]{7,64}\b"), lambda found: f"…{len(found[0])}"),
    (re.compile(r"\b20(?!25)\d\d-\d\d-\d\d[T ][\d:.]+(?:Z|\+00:00)?"), "…"),
    (re.compile(r" {2,}"), "  "),
)
"""What differs from run to run; of digests, how many of their signs are shown stays."""


@pytest.fixture(scope="module", name="folder")
def folder_of_outputs(tmp_path_factory):
    made = tmp_path_factory.mktemp("voting")
    (made / "outputs.csv").write_text(OUTPUTS)
    (made / "alone.csv").write_text("".join(OUTPUTS.splitlines(keepends=True)[:2]))
    (made / "bare.csv").write_text("text\nNobody knows whose.\n")
    (made / "votes.csv").write_text(VOTES)
    (made / "funny.txt").write_text("Did it make you laugh?\n")
    return made


def shown_options(options, court, listening):
    """Stand in for a server that serves until it is stopped: print what it was told, and end."""
    names = ("host", "public_url", "read_only", "drawn", "vote_scale", "language", "demo")
    print(", ".join(f"{name} {getattr(options, name)}" for name in names), f"asks {options.voter_prompt.id}")
    listening.close()
    court.state.close()


def known_credentials():
    """Give the ids of what there is in the registry, by kind or by role; people have their pseudonyms."""
    place = registry_beside("outputs.votes.sqlite")
    if not place.exists():
        return {}
    registry = Registry(place)
    listed = registry.list_all()
    registry.close()
    invitations = [each.id for each in listed if each.kind == "invitation"]
    found = {each.kind: each.id for each in listed} | {each.role: each.id for each in listed}
    readers = {each.role: each.pseudonym for each in listed if each.role == "reader"}
    return found | readers | {"invitation": invitations[:1], "second_invitation": invitations[1:2]}


def lifetime_of(credential):
    """Give the days that a credential is good for; None if it has no end."""
    if not credential.expires_at:
        return None
    made, ends = (datetime.fromisoformat(each) for each in (credential.created_at, credential.expires_at))
    return round((ends - made) / timedelta(days=1), 2)


def test_what_is_printed_where_people_vote_stays(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "110")
    monkeypatch.setenv("VENIRE_LANG", "en")
    monkeypatch.setattr("venire.server.serve.serve", shown_options)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    told = []
    for command in SESSION:
        ids = {name: "".join(known) for name, known in known_credentials().items()}
        code = venire(*command.format(port=port, **ids).split())
        printed = capsys.readouterr()
        text = "".join(f"{line.rstrip()}\n" for line in f"{printed.out}{printed.err}".splitlines())
        told.append(f"$ venire {command}\n{text.replace(port, 'PORT')}exit {code}\n")
    text = LINKS.sub(r"\1…", "\n".join(told).replace(str(folder), "FOLDER"))
    for pattern, instead in HIDDEN:
        text = pattern.sub(instead, text)
    assert_as_kept("printed/voting.txt", text)
    kept = Registry(registry_beside("outputs.votes.sqlite"))
    assert {(each.kind.value, each.role.value, lifetime_of(each)) for each in kept.list_all()} == LIFETIMES
    kept.close()
