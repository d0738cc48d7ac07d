"""`venire report` and `venire trace`, from the command line."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from experiment import make_samples, served_judge, venire, write_config, write_samples
from report_ledger import design, write_ledger
from venire.protocols.catalogue import find_protocol
from venire.reports.report import Choices
from venire.workflows.analyse import analyse


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    return write_ledger(tmp_path_factory.mktemp("flow") / "ledger.sqlite", design(), reask_share=0.2)


def test_a_ledger_is_reported_in_the_terminal(ledger, capsys):
    assert venire("report", ledger) == 0
    shown = capsys.readouterr().out
    for words in (
        "In plain words",
        "Leaderboard",
        "alder-1",
        "How scores change with the prompt",
        "--full",
        "judgements count",
    ):
        assert words in shown


def test_all_files_are_written_on_request(ledger, tmp_path, capsys):
    files = ("--html", tmp_path / "a/r.html", "--json", tmp_path / "r.json")
    assert venire("report", ledger, *files, "--csv", tmp_path / "csv", "--parquet", tmp_path / "parquet") == 0
    assert (tmp_path / "a/r.html").read_text().startswith("<!DOCTYPE html>")
    assert json.loads((tmp_path / "r.json").read_text())["summary"][0].startswith("What was compared: 32 outputs")
    assert (tmp_path / "csv/leaderboard.csv").exists()
    assert (tmp_path / "parquet/leaderboard.parquet").exists()
    said = capsys.readouterr().out.split()
    assert said[:2] == [str(tmp_path / "a/r.html"), str(tmp_path / "r.json")]
    assert {str(tmp_path / "csv/leaderboard.csv"), str(tmp_path / "parquet/leaderboard.parquet")} <= {*said}


def test_the_same_ledger_and_seed_give_the_same_bytes_in_another_process(ledger, tmp_path):
    code = "from venire.cli.main import main; main()"
    written = []
    for number in ("1", "2"):
        folder = tmp_path / number
        files = ["--html", folder / "r.html", "--json", folder / "r.json", "--csv", folder, "--parquet", folder]
        command = [sys.executable, "-c", code, "report", ledger, *files, "--seed", "7", "--lang", "zh"]
        environment = {**os.environ, "PYTHONHASHSEED": number, "TZ": ("UTC", "Asia/Shanghai")[number == "2"]}
        subprocess.run([str(part) for part in command], env=environment, check=True, capture_output=True)
        written.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert written[0] == written[1]
    assert len(written[0]) > 20


def test_another_seed_moves_only_what_is_resampled(tmp_path):
    ledger, cells = write_ledger(tmp_path / "ledger.sqlite", design(questions=10)), []
    for seed in (1, 2):
        venire("report", ledger, "--json", tmp_path / "r.json", "--seed", seed)
        sections = json.loads((tmp_path / "r.json").read_text())["sections"]
        rows = [row for section in sections for table in section["tables"] for row in table["rows"]]
        found = [cell for row in rows for cell in row["cells"]]
        cells.append({cell["id"]: (cell["value"], cell["low"], cell["high"]) for cell in found})
    changed = {name for name in cells[0] if cells[0][name] != cells[1][name]}
    assert any(name.startswith("alpha.") for name in changed)
    assert {name for name in changed if not name.startswith("alpha.")} <= {"verdicts.verdict.alpha_nominal"}


def test_a_configuration_stands_for_its_ledger(tmp_path, capsys):
    write_config(tmp_path, {"oak": served_judge("http://127.0.0.1:9", api_key_env="NOT_SET")})
    write_ledger(tmp_path / "ledger.sqlite", design(questions=1))
    assert venire("report", tmp_path / "venire.yaml") == 0
    assert "alder-1" in capsys.readouterr().out


def test_labels_by_people_fill_their_section(ledger, tmp_path, capsys):
    labels = tmp_path / "labels.csv"
    rows = [f"{sample.output_id},{number % 9}" for number, sample in enumerate(design())]
    labels.write_text("output_id,score\n" + "\n".join(rows) + "\nnobody,3\n")
    assert venire("report", ledger, "--labels", labels) == 0
    shown = capsys.readouterr().out
    assert "Judges beside people" in shown
    assert "1 label names an output that is not" in shown


def test_a_label_without_a_score_is_refused_with_its_line(ledger, tmp_path, capsys):
    labels = tmp_path / "labels.csv"
    labels.write_text("output_id,score\nx,\n")
    assert venire("report", ledger, "--labels", labels) == 2
    assert "labels.csv" in capsys.readouterr().err


def test_including_self_judgements_is_said_on_the_page(tmp_path):
    path = write_ledger(tmp_path / "l.sqlite", design(("oak-large", "birch-2")))
    for flags, sentence in (((), "left out as self-judged"), (("--include-self",), "own outputs are counted")):
        venire("report", path, "--html", tmp_path / "r.html", *flags)
        assert sentence in (tmp_path / "r.html").read_text()


def test_a_number_is_traced_to_the_quoted_words(ledger, tmp_path, capsys):
    venire("report", ledger, "--json", tmp_path / "r.json")
    capsys.readouterr()
    assert venire("trace", tmp_path / "r.json", "leaderboard.alder-1.mean", "--ledger", ledger, "--limit", 1) == 0
    shown = capsys.readouterr().out
    assert "32 rows are behind it; shown: 1." in shown
    assert "⟦An answer of worth" in shown
    assert "(reply)" in shown


def test_the_cells_of_a_report_can_be_listed(ledger, tmp_path, capsys):
    venire("report", ledger, "--json", tmp_path / "r.json")
    capsys.readouterr()
    assert venire("trace", tmp_path / "r.json") == 0
    assert "leaderboard.alder-1.mean\t" in capsys.readouterr().out


def test_a_trace_finds_the_ledger_beside_the_report(ledger, capsys):
    report = ledger.parent / "beside.json"
    venire("report", ledger, "--json", report)
    assert venire("trace", report, "judges.oak.valid", "--limit", 0) == 0
    assert "judges.oak.valid" in capsys.readouterr().out


def test_a_trace_without_its_ledger_says_what_to_do(ledger, tmp_path, monkeypatch, capsys):
    venire("report", ledger, "--json", tmp_path / "r.json")
    monkeypatch.chdir(tmp_path)
    assert venire("trace", tmp_path / "r.json", "judges.oak.valid") == 2
    assert "--ledger" in capsys.readouterr().err


@pytest.mark.parametrize(
    "flags", [("--factor", "weather"), ("--scale", 5, 1), ("--column", "score"), ("--structure", "NOT_THERE")]
)
def test_wrong_choices_are_refused(ledger, flags, capsys):
    assert venire("report", ledger, *flags) == 2
    assert capsys.readouterr().err


EIGHT = """
id: drift-eight
version: "1"
title: {en: Eight}
source: {en: Written for this test}
shape: sample
instructions: {en: Judge the output.}
scales:
  - {id: 0-2, minimum: 0, maximum: 2, integer: true, levels: {"2": {en: good}, "1": {en: fair}, "0": {en: bad}}}
dimensions: [%s]
overall: {field: overall_score, rule: sum}
evidence: {required: every_dimension}
mapping:
  onto: drift-sample
  dimensions: {FORMAT_COMPLIANCE: [d1, d2], INSTRUCTION_COMPLIANCE: [d3, d4],
    SEMANTIC_FIDELITY: [d5, d6], COMPLETENESS: [d7, d8]}
"""
RULES = {"dimensions": {"d2": [{"check": "contains", "any_of": ["nowhere"], "points": 2}], "*": [{"check": "length"}]}}


def test_a_report_shows_eight_dimensions_mapped_onto_four(tmp_path):
    dimensions = ", ".join(f"{{id: d{n}, name: {{en: D{n}}}, asks: {{en: D}}}}" for n in range(1, 9))
    (tmp_path / "eight.yaml").write_text(EIGHT % dimensions)
    (tmp_path / "rules.yaml").write_text(json.dumps(RULES))
    write_samples(tmp_path, make_samples(4))
    config = write_config(tmp_path, {"rules": {"type": "rules", "rules": "rules.yaml"}}, protocol="eight.yaml")
    assert venire("judge", config, "--quiet") == 0
    report = analyse(tmp_path / "ledger.sqlite", Choices())
    (table,) = [table for table in report.section("dimensions").tables if table.id == "dimension_mapping"]
    assert [column.id for column in table.columns[:4]] == list(find_protocol("drift-sample").dimension_ids)
    found = {column.id: table.column(column.id)[0].value for column in table.columns}
    # Without d2 the format has nothing, whatever d1 is; the others have all.
    assert (found["FORMAT_COMPLIANCE"], found["COMPLETENESS"], found["mean"]) == (0, 2, 6)
    assert (found["PASS"], found["PARTIAL"], found["FAIL"]) == (0, 1, 0)


def test_a_model_whose_bundle_lacks_a_file_is_named_with_what_is_missing(tmp_path, capsys):
    example = shutil.copytree(Path(__file__).parents[2] / "examples", tmp_path / "examples") / "drift"
    (example / "bundle/cedar-mini/q4 weak explicit.pdf").unlink()
    venire("judge", example / "bundle.yaml", "--lang", "en")
    capsys.readouterr()
    assert venire("report", example / "bundle.yaml", "--json", tmp_path / "report.json") == 0
    written = json.loads((tmp_path / "report.json").read_text())
    told = "The bundle of cedar-mini lacks 1 planned file: q4 weak explicit.pdf. A bundle is judged whole."
    assert told in written["summary"]
    board = next(section for section in written["sections"] if section["id"] == "leaderboard")["tables"][0]
    assert [row["names"] for row in board["rows"]] == [["alder-1"], ["cedar-mini"]]
