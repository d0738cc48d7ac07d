"""`venire votes` from end to end: tables in, scores, queue, decisions and trails out."""

import csv
import json

import click
import polars as pl
import pytest
from click.testing import CliRunner

from making_votes import vote_frame, vote_row
from venire.cli.votes.commands import votes
from venire.errors import UsageError, VenireError
from venire.ledger.audit import audit_chain
from venire.ledger.entry import Kind
from venire.ledger.location import open_ledger
from votes_command import run_votes


@pytest.fixture
def table(tmp_path):
    rows = [("joke-1", voter, vote, "funny") for voter, vote in (("ann", 1), ("bob", 0), ("cy", 0))]
    rows += [("joke-2", voter, vote, "funny") for voter, vote in (("ann", 0.9), ("bob", 0.8), ("cy", 0.6))]
    path = tmp_path / "votes.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["inference_id", "voter_id", "vote", "voter_prompt_id", "vote_time"])
        writer.writerows([*row, f"2025-01-01T00:00:{number:02}Z"] for number, row in enumerate(rows))
    return path


@pytest.fixture
def ledger(table, tmp_path):
    (tmp_path / "funny.txt").write_text("Did it make you laugh?\n")
    path = tmp_path / "votes.db"
    run_votes("import", table, path, "--prompt-text", f"funny={tmp_path / 'funny.txt'}")
    return path


def entries(path, kind=Kind.VOTE):
    opened = open_ledger(str(path), read_only=True)
    try:
        return [entry.content for entry in opened.read(kinds=[kind])]
    finally:
        opened.close()


def test_scores_of_a_table_are_given_as_json(table):
    scores = {row["inference_id"]: row for row in json.loads(run_votes("score", table, "--format", "json").stdout)}
    assert scores["joke-1"]["score"] == pytest.approx(1 / 3)
    assert scores["joke-1"]["ambiguous"] is True
    assert round(scores["joke-2"]["variance"], 4) == 0.0156
    assert scores["joke-2"]["ambiguous"] is False


def test_scores_are_the_same_from_a_table_and_from_a_ledger(table, ledger):
    assert run_votes("score", table, "--format", "csv").stdout == run_votes("score", ledger, "--format", "csv").stdout


def test_imported_votes_are_hash_linked_entries(ledger):
    opened = open_ledger(str(ledger), read_only=True)
    assert audit_chain(opened).intact
    opened.close()
    assert sum("vote" in content for content in entries(ledger)) == 6


def test_a_table_without_rows_is_told_of(tmp_path):
    (tmp_path / "empty.jsonl").write_text("")
    told = run_votes("import", tmp_path / "empty.jsonl", tmp_path / "votes.db").stderr
    assert f"{tmp_path / 'empty.jsonl'}: the table has no rows" in told


def test_importing_twice_adds_nothing(table, ledger):
    assert "0 votes added" in run_votes("import", table, ledger).stdout
    assert sum("vote" in content for content in entries(ledger)) == 6


def test_a_vote_that_was_corrected_takes_the_place_of_the_first_but_both_stay(table, ledger):
    table.write_text(table.read_text().replace("joke-1,bob,0,", "joke-1,bob,1,"))
    assert "1 differed" in run_votes("import", table, ledger).stdout
    assert sum("vote" in content for content in entries(ledger)) == 7
    scores = json.loads(run_votes("score", ledger, "--format", "json").stdout)
    assert {row["inference_id"]: row["score"] for row in scores}["joke-1"] == pytest.approx(2 / 3)


def test_bad_rows_are_named_and_the_exit_code_says_so(table, tmp_path):
    table.write_text(table.read_text() + "joke-3,ann,7,funny,2025-01-01T00:00:00Z\n")
    result = run_votes("import", table, tmp_path / "votes.db", code=1)
    assert "row 7: vote is outside of 0 to 1, found '7'" in result.stderr
    assert "6 votes added" in result.stdout


def test_other_words_under_the_same_prompt_are_refused(ledger, table, tmp_path):
    (tmp_path / "other.txt").write_text("Was it rude?")
    with pytest.raises(UsageError, match="new name"):
        run_votes("import", table, ledger, "--prompt-text", f"funny={tmp_path / 'other.txt'}")


def test_disputed_items_wait_in_the_queue_until_a_curator_decides(ledger):
    waiting = json.loads(run_votes("queue", ledger, "--format", "json", code=1).stdout)
    assert [(row["inference_id"], row["prompt"]) for row in waiting] == [("joke-1", "Did it make you laugh?")]
    assert "variance of the last batch 0.2222 > 0.05" in waiting[0]["reason"]
    assert "ann 1, bob 0, cy 0" in waiting[0]["votes"]
    run_votes("decide", ledger, "joke-1", "reject", "--curator", "cur-1", "--note", "two to one")
    assert "nothing waits" in run_votes("queue", ledger).stdout
    assert "reject by cur-1" in run_votes("trace", ledger, "joke-1").stdout
    assert entries(ledger, Kind.DECISION)[0]["curation"]["variance"] == pytest.approx(2 / 9)


def test_another_round_brings_an_item_back_only_with_later_votes(ledger, table):
    run_votes("decide", ledger, "joke-1", "another-round", "--curator", "cur-1")
    assert "nothing waits" in run_votes("queue", ledger).stdout
    later = table.with_name("later.csv")
    later.write_text("inference_id,voter_id,vote,voter_prompt_id,vote_time\njoke-1,dee,1,funny," + _soon() + "\n")
    run_votes("import", later, ledger)
    assert "joke-1" in run_votes("queue", ledger, code=1).stdout


def _soon():
    from datetime import UTC, datetime, timedelta

    return (datetime.now(UTC) + timedelta(minutes=1)).isoformat()


def test_a_decision_on_what_nobody_voted_on_is_refused(ledger):
    with pytest.raises(UsageError, match="nobody voted"):
        run_votes("decide", ledger, "joke-9", "accept", "--curator", "cur-1")


def test_a_trail_shows_weights_that_sum_to_one_and_the_score_again(ledger):
    shown = run_votes("trace", ledger, "joke-2", "--batch", "vote").stdout
    assert "Σ weight = 1.000000000000" in shown
    assert "Did it make you laugh?" in shown
    rows = json.loads(run_votes("trace", ledger, "joke-2", "--batch", "vote", "--format", "json").stdout)
    scores = json.loads(run_votes("score", ledger, "--batch", "vote", "--format", "json").stdout)
    published = {row["inference_id"]: row["score"] for row in scores}["joke-2"]
    assert sum(row["weight"] * row["vote"] for row in rows) == pytest.approx(published, abs=1e-12)
    assert {row["batch"] for row in rows} == {1, 2, 3}
    assert all(row["prompt_digest"] for row in rows)


def test_a_trail_as_of_a_moment_shows_only_what_was_known(ledger):
    rows = json.loads(
        run_votes("trace", ledger, "joke-1", "--as-of", "2025-01-01T00:00:01Z", "--format", "json").stdout
    )
    assert [row["voter_id"] for row in rows] == ["ann", "bob"]


def test_histogram_completeness_confidence_and_distribution_are_tables(ledger):
    assert "Votes by day" in run_votes("histogram", ledger).stdout
    assert "6 of 6 ballots cast (100.0%)" in run_votes("completeness", ledger).stdout
    assert "6 of 8 ballots" in run_votes("completeness", ledger, *_voters("ann", "bob", "cy", "dee")).stdout
    assert "majority of 3 voters" in run_votes("confidence", ledger).stdout
    assert "0.8–0.9" in run_votes("distribution", ledger).stdout


def _voters(*names):
    return [part for name in names for part in ("--voter", name)]


@pytest.mark.parametrize("command", ["score", "histogram", "completeness", "confidence", "distribution", "export"])
def test_every_table_can_be_written_as_parquet_csv_and_json(command, ledger, tmp_path):
    path = tmp_path / "out.parquet"
    run_votes(command, ledger, "--format", "parquet", "--output", path)
    rows = pl.read_parquet(path).height
    assert rows == len(json.loads(run_votes(command, ledger, "--format", "json").stdout))
    assert rows == len(list(csv.DictReader(run_votes(command, ledger, "--format", "csv").stdout.splitlines())))


def test_parquet_is_not_printed(ledger):
    with pytest.raises(UsageError, match="--output"):
        run_votes("score", ledger, "--format", "parquet")


def test_an_export_can_be_imported_again(ledger, tmp_path):
    path = tmp_path / "again.csv"
    run_votes("export", ledger, "--format", "csv", "--output", path)
    run_votes("import", path, tmp_path / "other.db")
    assert (
        run_votes("score", tmp_path / "other.db", "--format", "csv").stdout
        == run_votes("score", ledger, "--format", "csv").stdout
    )


def test_names_that_spreadsheets_would_run_are_defused(tmp_path):
    vote_frame([vote_row(1, voter="=cmd()", item="a")]).write_parquet(tmp_path / "votes.parquet")
    assert "'=cmd()" in run_votes("export", tmp_path / "votes.parquet", "--format", "csv").stdout


def test_control_characters_in_names_do_not_reach_the_terminal(tmp_path):
    vote_frame([vote_row(1, item="a\x1b[31m")]).write_parquet(tmp_path / "votes.parquet")
    assert "\x1b" not in run_votes("score", tmp_path / "votes.parquet").stdout


def test_intervals_are_given_where_asked_for(ledger):
    rows = json.loads(run_votes("score", ledger, "--interval", "--format", "json").stdout)
    assert all(0 <= row["low"] <= row["score"] <= row["high"] <= 1 for row in rows)


def test_judges_are_compared_with_people_by_slice(tmp_path):
    rows = [vote_row(float(item % 2), voter=name, item=str(item)) for name in "xyz" for item in range(12)]
    rows += [
        vote_row(float(item % 2 == 1 or item == 0), voter="judge:m@1", item=str(item), kind="judge")
        for item in range(12)
    ]
    vote_frame(rows).write_parquet(tmp_path / "votes.parquet")
    (tmp_path / "slices.csv").write_text(
        "inference_id,slice\n" + "".join(f"{item},{'ab'[item > 5]}\n" for item in range(12))
    )
    found = json.loads(
        run_votes("compare", tmp_path / "votes.parquet", "--slices", tmp_path / "slices.csv", "--format", "json").stdout
    )
    by_slice = {row["slice"]: row for row in found}
    assert by_slice["all"]["agreement"] == pytest.approx(11 / 12)
    assert by_slice["all"]["agreement_low"] < 11 / 12 < by_slice["all"]["agreement_high"]
    assert by_slice["b"]["agreement"] == 1.0
    assert by_slice["all"]["bias"] == pytest.approx(1 / 12)


@pytest.mark.parametrize(
    "args", [("--as-of", "yesterday"), ("--as-of", "2025-01-01"), ("--decay", "fast"), ("--column", "vote")]
)
def test_options_that_say_nothing_are_refused(ledger, args):
    with pytest.raises(VenireError):
        run_votes("score", ledger, *args)


def test_every_command_has_help():
    for name in votes.commands:
        text = CliRunner().invoke(votes, [name, "--help"]).output
        assert text.startswith("Usage:")
    assert isinstance(votes, click.Group)


@pytest.mark.parametrize("output", ["nowhere/scores.parquet", "."])
def test_an_output_that_cannot_be_a_file_is_told_before_votes_are_read(tmp_path, monkeypatch, output):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="a file in a folder that exists"):
        run_votes("score", "not-looked-at.parquet", "--format", "parquet", "--output", output)
