"""What other tools judged, from their own files to reports, traces, comparisons and new judgements."""

import json

import msgspec
import pytest
from click.testing import CliRunner

from foreign_files import BY_TOOL, changed, foreign
from venire.cli.main import cli
from venire.ledger.entry import Kind
from venire.ledger.location import open_ledger
from venire.runner.records import JudgementRecord

SCORERS = {
    "inspect": "inspect/model_graded_qa",
    "promptfoo": "promptfoo/answers",
    "deepeval": "deepeval/Correctness [GEval]",
    "mlflow": "mlflow/correctness",
    "openai-evals": "openai-evals/museum-fact",
}
PANEL = """
samples: {ledger: imported.sqlite}
protocol: {ask: "Judge the answer.", score: {helpful: "Does it answer the question?"}, scale: 1-5, evidence: no}
ledger: %s
judges:
  rule: {type: rules, rules: {dimensions: {helpful: [{check: contains, any_of: [opens, closed]}]}}}
"""


def run(*arguments):
    result = CliRunner().invoke(cli, [str(each) for each in arguments], standalone_mode=False)
    assert result.exception is None, result.exception
    return result


def imported(folder, *names):
    ledger = folder / "imported.sqlite"
    assert run("import", *map(foreign, names), "--ledger", ledger).return_value in (0, None)
    return ledger


@pytest.mark.parametrize("tool", sorted(BY_TOOL))
def test_a_report_says_where_the_judgements_come_from_and_every_number_is_traced_to_the_record(tool, tmp_path):
    ledger, report = imported(tmp_path, BY_TOOL[tool]), tmp_path / "report.json"
    shown = run("report", ledger, "--protocol", SCORERS[tool], "--full").output
    assert "neither replies nor quotes were checked by Venire" in " ".join(shown.split())
    assert "Run the same command again" not in shown
    assert "is not known: another tool asked them" in " ".join(shown.split())
    run("report", ledger, "--protocol", SCORERS[tool], "--json", report)
    cells = [
        cell
        for section in json.loads(report.read_text())["sections"]
        for table in section["tables"]
        for row in table["rows"]
        for cell in row["cells"]
    ]
    score = next(cell["id"] for cell in cells if cell["id"].endswith(".score"))
    traced = run("trace", report, score, "--ledger", ledger)
    assert '"recorded_by"' in traced.output
    assert run("audit", ledger).return_value == 0


def test_two_models_of_an_export_are_compared_on_the_questions_that_both_have(tmp_path):
    ledger = imported(tmp_path, "promptfoo-museum.json")
    compared = run("compare", ledger, "--models", "bot-1", "bot-2", "--protocol", "promptfoo/icontains")
    assert compared.return_value == 0
    assert "overall" in compared.output


def test_two_logs_are_compared_in_pairs(tmp_path):
    def worse(log):
        log["eval"]["eval_id"] = "second"
        for sample in log["samples"]:
            sample["scores"]["manners"]["value"]["polite"] = 2

    ledger, later = imported(tmp_path, "inspect-agent.json"), tmp_path / "later.sqlite"
    run("import", changed("inspect-agent.json", tmp_path, worse), "--ledger", later)
    assert "polite" in run("compare", ledger, later, "--protocol", "inspect/manners").output


@pytest.mark.parametrize("into", ["new.sqlite", "imported.sqlite"])
def test_old_outputs_are_judged_anew_without_being_made_again(tmp_path, into):
    imported(tmp_path, "inspect-panel.eval")
    config = tmp_path / "venire.yaml"
    config.write_text(PANEL % into)
    judged = run("judge", config, "--quiet")
    assert judged.return_value == 1, judged.output  # Two outputs were never made: the model failed.
    assert "there is no output 'price#1" in judged.output
    ledger = open_ledger(str(tmp_path / into), read_only=True)
    records = [msgspec.convert(entry.content, JudgementRecord) for entry in ledger.read(kinds=[Kind.JUDGEMENT])]
    ledger.close()
    anew = {each.judgement.sample.split("@")[0] for each in records if each.task.judge == "rule"}
    assert anew == {"closed#1", "closed#2", "opening#1", "opening#2"}
    assert all(each.judgement.valid for each in records if each.task.judge == "rule")
    assert run("audit", tmp_path / into).return_value == 0


@pytest.mark.parametrize("samples", ["{}", "{path: a.csv, ledger: b.sqlite}"])
def test_samples_are_in_a_file_or_in_a_ledger(tmp_path, samples):
    config = tmp_path / "venire.yaml"
    config.write_text((PANEL % "new.sqlite").replace("{ledger: imported.sqlite}", samples))
    refused = run("judge", config)
    assert refused.return_value == 2
    assert "either a path or a ledger" in refused.output
