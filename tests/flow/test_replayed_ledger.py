"""The replies of one run, judged again in another, without asking anyone."""

import json
from pathlib import Path

import pytest

from experiment import make_samples, venire, write_config, write_samples
from venire.config import load_settings
from venire.errors import ConfigError
from venire.ledger.entry import Kind
from venire.ledger.location import open_ledger
from venire.workflows.engine import make_providers

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
    settings = load_settings(write_config(folder, {"again": {"type": "replay", "options": options}}))
    with pytest.raises(ConfigError, match=f"(?s){words}"):
        make_providers(settings)


def test_two_different_replies_about_one_sample_are_not_chosen_from(folder: Path) -> None:
    config = write_config(
        folder,
        {"length": {"type": "rules", "rules": {"dimensions": {"*": [{"check": "length", "minimum": 9999}]}}}},
        ledger="first.sqlite",
    )
    venire("judge", config)
    settings = load_settings(write_config(folder, {"again": REPLAY}))
    with pytest.raises(ConfigError, match="two different replies of 'length'"):
        make_providers(settings)


def test_the_password_of_a_replayed_ledger_is_not_recorded(folder: Path) -> None:
    options = {"ledger": "postgresql://ann:secret@db.example/evals", "judge": "length"}
    settings = load_settings(write_config(folder, {"again": {"type": "replay", "options": options}}))
    assert "secret" not in json.dumps(settings.judges[0].rules)
    assert settings.judges[0].options["ledger"] == options["ledger"]
