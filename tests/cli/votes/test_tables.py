"""Tables of votes: what a terminal shows of many rows, and what files for programs hold."""

from datetime import UTC, datetime

import polars as pl
import pytest

from venire.cli.votes.tables import (
    comparison_frame,
    draw_bar,
    estimates_frame,
    print_bins,
    read_slices,
    read_source,
    table_language,
    tell_account,
    tell_strangers,
    write_frame,
)
from venire.errors import InputError, UsageError
from venire.stats.result import Estimate
from venire.votes.analysis.judges_against_people import JudgeAgainstPeople
from venire.words.said import say

READING = {"column": (), "assume_zone": None, "duplicates": "latest", "prompt": None}
TERMINAL = {"format": "table", "limit": 50, "output": None}


def votes_in(path, *values):
    lines = [f"joke-{number},v{number},{value},p,2025-01-01T00:00:00Z" for number, value in enumerate(values)]
    path.write_text("\n".join(["inference_id,voter_id,vote,voter_prompt_id,vote_time", *lines]))
    return str(path)


def shown(capsys, frame, *, bar=None, **given):
    write_frame(frame, TERMINAL | given, bar=bar, title="")
    return capsys.readouterr()


@pytest.mark.parametrize(
    ("share", "bar"),
    [(0, ""), (-1, ""), (1, "█" * 20), (2, "█" * 20), (1 / 160, "▏"), (1 / 20, "█"), (11 / 160, "█▍"), (0.1, "██")],
)
def test_a_bar_has_twenty_places_of_eight_parts(share, bar):
    assert draw_bar(share) == bar.ljust(20)


def test_bins_are_drawn_against_the_fullest(capsys):
    print_bins([0, 5, 10, *[0] * 6, 1200])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"0.0–0.1 {' ' * 20} 0"
    assert lines[2] == f"0.2–0.3 {draw_bar(10 / 1200)} 10"
    assert lines[9] == f"0.9–1.0 {'█' * 20} 1,200"


def test_without_a_vote_no_bin_is_full(capsys):
    print_bins([0, 0])
    assert "█" not in capsys.readouterr().out


@pytest.mark.parametrize(("count", "cut"), [(10, False), (11, True)])
def test_ten_classes_are_named_and_more_are_hinted_at(tmp_path, capsys, count, cut):
    names = [f"class-{chr(97 + number)}" for number in range(count)]
    read_source(votes_in(tmp_path / "votes.csv", *names), READING | {"labels": True})
    told = capsys.readouterr().err
    assert f"{count} classes" in told
    assert "'class-j'" in told
    assert ("…" in told) is cut
    assert "'class-k'" not in told


@pytest.mark.parametrize(("offered", "said"), [({"labels": False}, True), ({}, False)])
def test_votes_that_may_be_classes_are_pointed_out_where_there_is_an_option_for_them(tmp_path, capsys, offered, said):
    read_source(votes_in(tmp_path / "votes.csv", 1, "funny"), READING | offered)
    assert ("--labels" in capsys.readouterr().err) is said


def test_a_table_without_a_vote_is_refused_with_the_commonest_reason(tmp_path):
    with pytest.raises(InputError, match="2") as caught:
        read_source(votes_in(tmp_path / "votes.csv", 7, 8), READING)
    assert caught.value.message.code == "error.cli.no_row_is_a_vote"
    with pytest.raises(InputError) as empty:
        read_source(votes_in(tmp_path / "votes.csv"), READING)
    assert empty.value.message.code == "error.cli.no_votes"


def test_several_files_are_refused_where_one_is_needed(tmp_path):
    with pytest.raises(UsageError) as caught:
        read_source(str(tmp_path / "*.parquet"), READING)
    assert caught.value.message.code == "error.cli.not_over_shards"


@pytest.mark.parametrize(("refused", "more"), [(10, ""), (11, "1 more")])
def test_ten_refused_rows_are_shown_and_the_others_counted(tmp_path, capsys, refused, more):
    read_source(votes_in(tmp_path / "votes.csv", 1, *["x"] * refused), READING)
    told = capsys.readouterr().err
    assert "row 11" in told
    assert "row 12" not in told
    assert (more in told) if more else "more" not in told


def test_a_table_of_votes_alone_needs_no_account(tmp_path, capsys):
    read = read_source(votes_in(tmp_path / "votes.csv", 1, 0), READING)
    assert capsys.readouterr().err == ""
    tell_account(read.table)
    assert capsys.readouterr().err == ""


def test_an_account_tells_what_became_of_every_row(tmp_path, capsys):
    read_source(votes_in(tmp_path / "votes.csv", 1, "x", "", 5), READING)
    told = capsys.readouterr().err.splitlines()
    assert told[0].endswith("votes.csv: 4 rows, 1 vote, 1 did not vote, 2 left out")
    assert len(told) == 5
    assert told[-1].startswith("  row 4:")
    assert told[-1].endswith("found '5'")


def test_votes_of_unknown_groups_are_counted_with_their_outputs(capsys):
    votes = pl.DataFrame({"inference_id": ["a", "a", "b", "c", "c"], "vote": [1.0, 0.5, 1.0, 0.0, None]})
    tell_strangers(votes, {"b": "x"}, "model")
    assert capsys.readouterr().err == "3 votes on 2 outputs left out: their model is not known\n"
    tell_strangers(votes, {"a": "x", "b": "x", "c": "y"}, "model")
    assert capsys.readouterr().err == ""


def test_a_terminal_shows_the_rows_up_to_its_limit_and_counts_the_others(capsys):
    frame = pl.DataFrame({"voter_id": ["ann", "bob", "cy"], "votes": [1000, 500, 250]})
    all_rows = shown(capsys, frame, bar="votes", limit=3)
    assert all_rows.err == ""
    lines = all_rows.out.rstrip().splitlines()
    assert [line.split() for line in lines[-3:]] == [
        ["ann", "1,000", "█" * 20],
        ["bob", "500", "█" * 10],
        ["cy", "250", "█" * 5],
    ]
    some = shown(capsys, frame, limit=1)
    assert "bob" not in some.out
    assert "█" not in some.out
    assert some.err == "and 2 more; --limit shows more, --format writes all\n"


def test_a_share_is_drawn_as_it_is_and_a_missing_one_not_at_all(capsys):
    frame = pl.DataFrame({"inference_id": ["a", "b"], "score": [0.5, None]})
    first, second = shown(capsys, frame, bar="score").out.rstrip("\n").splitlines()[-2:]
    assert first.split() == ["a", "0.5000", "█" * 10]
    assert second.split() == ["b"]
    assert "█" not in shown(capsys, frame.clear(), bar="score").out


def test_cells_are_written_for_people(capsys):
    frame = pl.DataFrame(
        {
            "none": [None],
            "yes": [True],
            "no": [False],
            "infinite": [float("inf")],
            "when": [datetime(2025, 1, 2, 3, 4, 5, 678, tzinfo=UTC)],
            "list": [["x", "y"]],
            "name": ["a\x1b[31m"],
            "voter_kind": ["person"],
        }
    )
    row = shown(capsys, frame).out.splitlines()[-1]
    assert row.split() == ["yes", "inf", "2025-01-02", "03:04:05+00:00", "x", "y", "a⟨U+001B⟩[31m", "person"]


def test_numbers_stand_to_the_right_and_names_to_the_left(capsys):
    frame = pl.DataFrame({"name": ["a", "bbb"], "number": [1, 200]})
    first, second = shown(capsys, frame).out.splitlines()[-2:]
    assert first.index("a") == second.index("b")
    assert first.rindex("1") == second.rindex("0")


def test_a_table_goes_to_a_file_where_one_is_named(tmp_path, capsys):
    frame = pl.DataFrame({"name": ["a"], "votes": [2]})
    printed = shown(capsys, frame, output=tmp_path / "table.txt")
    assert printed.out == ""
    assert (tmp_path / "table.txt").read_text().split() == ["name", "votes", "a", "2"]


def test_formats_for_programs_hold_the_values_as_they_are(tmp_path, capsys):
    frame = pl.DataFrame(
        {"name": ["=1+1", "-x", "plain"], "kinds": [["a", "b"], [], ["c"]], "score": [0.25, None, 1.0]}
    )
    as_json = shown(capsys, frame, format="json").out
    assert '"name": "=1+1"' in as_json
    assert as_json.endswith("]\n")
    as_csv = shown(capsys, frame, format="csv").out
    assert as_csv == "name,kinds,score\n'=1+1,a b,0.25\n'-x,\"\",\nplain,c,1.0\n"
    shown(capsys, frame, format="csv", output=tmp_path / "votes.csv")
    assert (tmp_path / "votes.csv").read_text() == as_csv
    shown(capsys, frame, format="parquet", output=tmp_path / "votes.parquet")
    assert pl.read_parquet(tmp_path / "votes.parquet").equals(frame)


def test_parquet_is_not_sent_to_a_terminal(capsys):
    with pytest.raises(UsageError) as caught:
        shown(capsys, pl.DataFrame({"a": [1]}), format="parquet")
    assert caught.value.message.code == "error.cli.parquet_terminal"


def test_programs_read_english():
    assert table_language({"format": "csv"}) == "en"


def test_estimates_are_rows_with_their_interval_method_and_reason():
    known = Estimate(value=0.5, low=0.25, high=0.75, standard_error=0.125, n={"votes": 8}, method=say("method.mcnemar"))
    unknown = Estimate(value=None, n={}, method=say("method.mcnemar"), reason=say("votes.no_rows", where="x"))
    frame = estimates_frame({"mean": known, "alpha": unknown}, "en")
    first, second = frame.to_dicts()
    assert (first["value"], first["low"], first["high"], first["standard_error"]) == (0.5, 0.25, 0.75, 0.125)
    assert "8" in first["n"]
    assert first["method"]
    assert first["reason"] == ""
    assert second["value"] is None
    assert second["reason"].startswith("x: the table has no rows")
    assert frame.schema["value"] == pl.Float64
    assert estimates_frame({"mean": unknown}, "en").schema["high"] == pl.Float64


def test_slices_are_read_as_text_and_rows_without_one_left_out(tmp_path):
    path = tmp_path / "slices[1].csv"
    path.write_text("slice,inference_id,more\n1,001,x\n,b,x\n")
    assert read_slices(path) == {"001": "1"}
    assert read_slices(None) is None
    path.write_text("inference_id\na\n")
    with pytest.raises(InputError) as caught:
        read_slices(path)
    assert caught.value.message.code == "error.cli.slices"


def test_judges_and_people_are_compared_in_columns():
    ends = {name: Estimate(value=v, low=v - 0.1, high=v + 0.1, n={}, method="") for name, v in
            {"agreement": 0.9, "kappa": 0.5, "bias": 0.25, "correlation": 0.75}.items()}  # fmt: skip
    row = comparison_frame([JudgeAgainstPeople(judge="j", slice="", inferences=3, people=2, **ends)]).to_dicts()[0]
    assert row["judge"] == "j"
    assert (row["inferences"], row["people"]) == (3, 2)
    assert (row["kappa"], row["kappa_low"], row["kappa_high"]) == (0.5, 0.4, 0.6)
    assert {"agreement", "bias_low", "correlation_high", "slice"} <= row.keys()
