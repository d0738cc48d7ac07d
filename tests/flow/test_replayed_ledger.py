"""The replies of one run, judged again in another, without asking anyone."""

from pathlib import Path

import pytest

from experiment import make_samples, reading, venire, write_config, write_samples
from postgres_server import PASSWORD, PostgresServer
from venire.config import load_settings
from venire.errors import ConfigError
from venire.ledger.entry import Kind
from venire.ledger.location import open_ledger
from venire.workflows.open_engine import make_providers

RULES = {"type": "rules", "rules": {"dimensions": {"*": [{"check": "length", "minimum": 3}]}}}
REPLAY = {"type": "replay", "options": {"ledger": "first.sqlite", "judge": "length"}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder whose first ledger holds the replies of a rule judge, every one of them asked twice."""
    write_samples(tmp_path, make_samples(3))
    config = write_config(tmp_path, {"length": RULES}, ledger="first.sqlite", runner={"reask_share": 1})
    assert venire("judge", config) == 0
    return tmp_path


def texts(path: Path) -> list[tuple[str, str]]:
    ledger = open_ledger(str(path), read_only=True)
    try:
        kept = [entry.content for entry in ledger.read(kinds=[Kind.REPLY])]
    finally:
        ledger.close()
    return sorted((each["task"]["sample_digest"], each["text"]) for each in kept if each["task"]["repeat"] == "0")


@pytest.mark.parametrize("blind", [True, False])
def test_recorded_replies_are_judged_again(folder: Path, blind: bool) -> None:
    judges = {"again": {**REPLAY, "blind_evaluation": blind}}
    code = venire("judge", write_config(folder, judges, runner={"reask_share": 1}))
    assert code == (0 if blind else 1)  # a blind judge's reply names its sample by a handle
    assert texts(folder / "ledger.sqlite") == texts(folder / "first.sqlite")


def test_another_protocol_judges_the_same_replies(folder: Path) -> None:
    stricter = "id: stricter\nextends: drift-sample\nverdict: {fail_at_most: 5, pass_at_least: 8}\n"
    (folder / "stricter.yaml").write_text(stricter)
    venire("judge", write_config(folder, {"again": REPLAY}, protocol="stricter.yaml"))
    assert texts(folder / "ledger.sqlite") == texts(folder / "first.sqlite")


def test_a_sample_without_a_recorded_reply_is_listed_as_failed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_samples(folder, make_samples(4))
    assert venire("judge", write_config(folder, {"again": REPLAY})) == 1
    assert "no reply is recorded" in "".join(capsys.readouterr())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"ledger": "first.sqlite"}, "no reply of a judge 'again'.*Its judges are: length"),
        ({"ledger": "first.sqlite", "path": "x.jsonl"}, "found path, ledger"),
    ],
)
def test_what_cannot_be_replayed_is_an_error_before_anything_is_asked(
    folder: Path, options: dict[str, str], words: str
) -> None:
    config = write_config(folder, {"again": {"type": "replay", "options": options}})
    with pytest.raises(ConfigError, match=f"(?s){words}"):
        make_providers(load_settings(config))


def test_two_different_replies_about_one_sample_are_not_chosen_from(folder: Path) -> None:
    config = write_config(
        folder,
        {"length": {"type": "rules", "rules": {"dimensions": {"*": [{"check": "length", "minimum": 9999}]}}}},
        ledger="first.sqlite",
    )
    venire("judge", config)
    with pytest.raises(ConfigError, match=r"venire.yaml:\d+: .*two different replies of 'length'"):
        load_settings(write_config(folder, {"again": REPLAY}))


def test_the_password_of_a_replayed_ledger_is_not_recorded(folder: Path, postgres: PostgresServer) -> None:
    address = postgres.tcp_url(postgres.new_ledger())
    assert venire("ledger", "copy", folder / "first.sqlite", address) == 0
    options = {"ledger": address, "judge": "length"}
    assert venire("judge", write_config(folder, {"again": {"type": "replay", "options": options}})) == 0
    secret = PASSWORD.replace(" ", "%20").encode()
    with reading(folder / "ledger.sqlite") as ledger:
        assert not any(secret in entry.payload or PASSWORD.encode() in entry.payload for entry in ledger.read())


def digest_of(folder: Path, options: dict[str, str]) -> str:
    return load_settings(write_config(folder, {"again": {"type": "replay", "options": options}})).judges[0].digest


def test_other_replies_under_the_same_path_are_another_instrument(folder: Path) -> None:
    file = folder / "replies.jsonl"
    file.write_text('{"output_id": "s0", "text": "one"}\n')
    before = digest_of(folder, {"path": "replies.jsonl"})
    assert digest_of(folder, {"path": str(file.rename(folder / "moved.jsonl"))}) == before
    file.write_text('{"output_id": "s0", "text": "two"}\n')
    assert digest_of(folder, {"path": "replies.jsonl"}) != before


def test_a_replayed_ledger_is_told_by_the_replies_that_are_taken_from_it(folder: Path) -> None:
    before = digest_of(folder, REPLAY["options"])
    (folder / "copy.sqlite").write_bytes((folder / "first.sqlite").read_bytes())
    assert digest_of(folder, {**REPLAY["options"], "ledger": "copy.sqlite"}) == before
    venire("judge", write_config(folder, {"other": RULES}, ledger="first.sqlite"))
    assert digest_of(folder, REPLAY["options"]) == before
    write_samples(folder, make_samples(4))
    venire("judge", write_config(folder, {"length": RULES}, ledger="first.sqlite"))
    assert digest_of(folder, REPLAY["options"]) != before


def test_a_judge_may_replay_the_ledger_that_it_is_recorded_in(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = write_config(folder, {"again": REPLAY}, ledger="first.sqlite")
    assert venire("judge", config) == 0
    capsys.readouterr()
    assert venire("judge", config) == 0
    assert "3 of these were in the ledger already and not asked again" in capsys.readouterr().out


def test_a_recording_that_is_missing_is_told_with_its_line(folder: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"venire.yaml:\d+: the recording .*missing.jsonl cannot be read: No such file"
    ):
        digest_of(folder, {"path": "missing.jsonl"})
