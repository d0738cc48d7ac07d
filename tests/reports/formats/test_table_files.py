"""Reports as files: read again they are the same, in any language, and a spreadsheet takes no name for a formula."""

import csv
import io

import msgspec
import polars as pl
import pytest

from making_cells import cell, table
from venire.errors import InputError
from venire.reports.formats.table_files import decode_report, encode_report, table_rows, write_tables
from venire.reports.report import Choices, Note, Origin, Report, ReportSection
from venire.reports.words import ReportWords
from venire.words.said import Said, say


def report(*tables, notes=()):
    sections = (ReportSection("summary", (Note("summary.empty"),)), ReportSection("s", tuple(notes), tuple(tables)))
    return Report(
        software="venire 1", origin=Origin(kind="table", name="t.csv", digest=""), choices=Choices(), sections=sections
    )


SCORES = table(
    "mean word",
    oak=[
        cell(7.25, low=7.0, high=7.5, level=0.95, n={"values": 4}, method=say("method.mean"), note=say("unknown")),
        cell(None, unit="word", word="state.good"),
    ],
    elm=[cell(None, reason=say("reason.no_scores")), cell(None, unit="word", text="=1+1")],
)


def test_a_report_is_read_again_as_it_was_written():
    made = report(SCORES)
    data = encode_report(made, "en")
    again = decode_report(data, "r.json")
    assert msgspec.to_builtins(again, enc_hook=str) == msgspec.to_builtins(made, enc_hook=str)
    assert data.endswith(b"}\n")
    assert msgspec.json.decode(data)["report"] == 1


def test_what_cells_say_can_be_said_in_another_language_after_reading():
    found = decode_report(encode_report(report(SCORES), "en"), "r.json").sections[1].tables[0]
    first, second = found.rows[0].cells[0], found.rows[1].cells[0]
    for text, code in ((first.method, "method.mean"), (first.note, "unknown"), (second.reason, "reason.no_scores")):
        assert isinstance(text, Said)
        assert text.code == code


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_summary_stands_in_the_readers_language(language):
    data = msgspec.json.decode(encode_report(report(), language))
    assert data["summary"] == [ReportWords(language)("summary.empty")]


@pytest.mark.parametrize("data", [b"{}", b"[1]", b"no json", b"\xff\xfe"])
def test_what_is_no_report_is_refused_at_its_place(data):
    with pytest.raises(InputError) as caught:
        decode_report(data, "r.json")
    assert caught.value.where == "r.json"
    assert caught.value.message.code == "error.report.not_a_report"


def test_a_row_of_a_table_is_a_row_for_each_cell():
    rows = table_rows(SCORES)
    assert len(rows) == 4
    first = rows[0]
    assert (first["name.target_model"], first["column"], first["value"]) == ("oak", "mean", 7.25)
    assert (first["low"], first["high"], first["level"], first["n"]) == (7.0, 7.5, 0.95, '{"values":4}')
    assert (rows[1]["text"], rows[3]["text"]) == ("state.good", "=1+1")
    assert rows[2]["reason"] == say("reason.no_scores")
    assert (first["cell"], first["note"], first["method"]) == ("t.7.25", "not known", say("method.mean"))


def test_tables_are_files_named_after_them(tmp_path):
    odd = [msgspec.structs.replace(SCORES, id=name) for name in ("drift", "drift/../x é", "drift____x__", "drift")]
    files = write_tables(report(*odd), tmp_path / "deep" / "tables", "csv")
    assert [path.name for path in files] == ["drift.csv", "drift____x__.csv", "drift____x___2.csv", "drift_2.csv"]
    assert all(path.parent == tmp_path / "deep" / "tables" for path in files)
    rows = list(csv.DictReader(io.StringIO(files[0].read_text("utf-8-sig"))))
    assert [row["text"] for row in rows] == ["", "state.good", "", "'=1+1"]
    assert rows[0]["value"] == "7.25"


def test_parquet_holds_numbers_as_numbers(tmp_path):
    [path] = write_tables(report(SCORES), tmp_path, "parquet")
    frame = pl.read_parquet(path)
    assert frame["value"].to_list() == [7.25, None, None, None]
    assert frame["text"].to_list()[3] == "=1+1"
