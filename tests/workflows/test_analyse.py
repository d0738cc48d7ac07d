"""Reports of ledgers: votes are in them unless they are asked to be left out."""

import pytest

from venire.ledger.location import open_ledger
from venire.reports.report import Choices
from venire.workflows.analyse import analyse, analyse_ledger
from votes_command import run_votes


@pytest.fixture
def ledger(tmp_path):
    rows = [f"joke-{n % 2},voter-{n},{n % 2},funny,2025-01-01T00:00:{n:02}Z" for n in range(6)]
    (tmp_path / "votes.csv").write_text(
        "\n".join(["inference_id,voter_id,vote,voter_prompt_id,vote_time", *rows]), encoding="utf-8"
    )
    (tmp_path / "funny.txt").write_text("Did it make you laugh?\n")
    path = tmp_path / "votes.db"
    run_votes("import", tmp_path / "votes.csv", path, "--prompt-text", f"funny={tmp_path / 'funny.txt'}")
    return path


def test_a_ledger_of_votes_has_a_section_on_them(ledger):
    assert analyse(ledger, Choices()).section("votes") is not None


def test_votes_can_be_left_out(ledger):
    opened = open_ledger(str(ledger), read_only=True)
    try:
        assert analyse_ledger(opened, Choices(), name="v").section("votes") is not None
        assert analyse_ledger(opened, Choices(), name="v", with_votes=False).section("votes") is None
    finally:
        opened.close()
