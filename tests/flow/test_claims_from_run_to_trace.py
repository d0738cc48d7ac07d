"""Claims on their way from a judge without a model to the report, the trace and the audit."""

import asyncio
import json
import runpy
from pathlib import Path

import msgspec
import pytest
import yaml
from click.testing import CliRunner

from experiment import QUICK, make_judge
from venire.cli.main import cli
from venire.domain.claim import ClaimFinding
from venire.domain.material import Material, MaterialKind
from venire.domain.sample import Sample
from venire.judges.registry import create_provider
from venire.ledger.location import open_ledger
from venire.protocols.catalogue import find_protocol
from venire.reports.report import Choices
from venire.runner.context import RunSpec
from venire.runner.executor import LocalEngine
from venire.runner.options import RunnerOptions
from venire.runner.run import run_panel
from venire.workflows.analyse import analyse
from venire.workflows.audit import audit
from venire.workflows.trace import trace

ANSWERS = Path(__file__).parents[2] / "examples" / "grounded" / "answers.jsonl"


def samples():
    for line in ANSWERS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        documents = [Material(each["id"], MaterialKind.DOCUMENT, each["text"]) for each in row.pop("documents")]
        yield Sample(**row, materials=tuple(documents))


@pytest.fixture(scope="module")
def ledger_path(tmp_path_factory):
    path = tmp_path_factory.mktemp("claims") / "ledger.sqlite"
    judges = (make_judge("literal"), make_judge("second"))
    spec = RunSpec(find_protocol("grounded"), judges, samples, RunnerOptions(**QUICK))
    ledger = open_ledger(str(path))
    providers = {judge.name: create_provider("matching", {}) for judge in judges}
    asyncio.run(run_panel(spec, ledger, LocalEngine(providers)))
    ledger.close()
    return path


@pytest.fixture(scope="module")
def report(ledger_path):
    return analyse(ledger_path, Choices())


@pytest.fixture(scope="module")
def section(report):
    return next(each for each in report.sections if each.id == "claims")


def test_the_report_gives_the_shares_of_claims_with_intervals_clustered_by_question(section):
    by_model = next(table for table in section.tables if table.id == "claims_target_model")
    cells = {row.names[0]: row.cells for row in by_model.rows}
    supported, contradicted, absent, claims, _ = cells["bot-2"]
    assert supported.value + contradicted.value + absent.value == pytest.approx(1)
    assert supported.low < supported.value < supported.high
    assert claims.value == supported.n["values"] == 34
    assert supported.n["clusters"] == 10
    assert supported.value == pytest.approx(14 / 34)


def test_judges_are_shown_one_by_one_where_there_are_several(section):
    by_judge = next(table for table in section.tables if table.id == "claims_rater")
    assert [row.names for row in by_judge.rows] == [("literal",), ("second",)]


def test_contradicted_claims_come_first_with_both_sides(section):
    listed = next(table for table in section.tables if table.id == "claims_not_supported")
    findings = [row.cells[0].word for row in listed.rows]
    assert findings == sorted(findings, key=["claim.contradicted", "claim.absent"].index)
    row = next(row for row in listed.rows if row.names == ("fines-bot-2", "literal"))
    assert [cell.text for cell in row.cells[1:4]] == [
        "The fine for a late book is 50 cents a day.",
        "fees",
        "The fine for a late book is 20 cents a day.",
    ]


def test_the_trace_walks_from_a_claim_to_both_passages(report, ledger_path):
    found = trace(report, "claims_not_supported.fines-bot-2.literal.passage", str(ledger_path))
    (judgement,) = found.judgements
    (claim,) = [each for each in judgement.claims if each.finding is ClaimFinding.CONTRADICTED]
    words, passage = judgement.evidence[claim.words], judgement.evidence[claim.passage]
    document = next(each for each in judgement.materials if each.id == passage.source)
    assert judgement.text[words.start : words.end] == "The fine for a late book is 50 cents a day."
    assert document.text[passage.start : passage.end] == "The fine for a late book is 20 cents a day."


@pytest.mark.parametrize(("language", "finding"), [("en", "contradicted"), ("zh", "与文档不符")])
def test_the_terminal_shows_both_sides_beside_one_another(ledger_path, language, finding):
    shown = CliRunner().invoke(cli, ["report", str(ledger_path), "--lang", language], env={"COLUMNS": "120"})
    lines = shown.output.splitlines()
    place = next(number for number, line in enumerate(lines) if "fines-bot-2 · literal" in line)
    assert lines[place].startswith(finding)
    assert "50 cents a day." in lines[place + 1]
    assert "20 cents a day." in lines[place + 1]


def test_the_audit_derives_every_judgement_by_claims_again(ledger_path):
    ledger = open_ledger(str(ledger_path), read_only=True)
    try:
        found = audit(ledger)
    finally:
        ledger.close()
    assert found.intact
    assert found.judged_again == 40
    assert found.underived == ()


def test_an_output_without_claims_is_counted_apart_and_has_no_share(tmp_path):
    document = Material("d", MaterialKind.DOCUMENT, "The shop opens at 9 am.")
    texts = {"a": "Hello!", "b": "The shop opens at 9 am."}
    judged = [Sample(name, text, target_model="m", materials=(document,)) for name, text in texts.items()]
    spec = RunSpec(find_protocol("grounded"), (make_judge("literal"),), lambda: iter(judged), RunnerOptions(**QUICK))
    ledger = open_ledger(str(tmp_path / "l.sqlite"))
    asyncio.run(run_panel(spec, ledger, LocalEngine({"literal": create_provider("matching", {})})))
    ledger.close()
    made = analyse(tmp_path / "l.sqlite", Choices())
    section = next(each for each in made.sections if each.id == "claims")
    assert [(note.key, note.arguments) for note in section.notes][1] == ("claims.none_in", {"count": 1})
    supported = section.tables[0].rows[0].cells[0]
    assert (supported.value, supported.n["values"]) == (1.0, 1)
    assert msgspec.json.encode(section.notes)


def test_the_script_makes_the_committed_answers():
    make = runpy.run_path(str(ANSWERS.with_name("make_answers.py")))
    corpus = yaml.safe_load(ANSWERS.with_name("corpus.yaml").read_text("utf-8"))
    made = [
        make["make_answer"](question, corpus["documents"], bot)
        for question in corpus["questions"]
        for bot in ("bot-1", "bot-2")
    ]
    assert made == [json.loads(line) for line in ANSWERS.read_text("utf-8").splitlines()]


def test_replies_found_in_files_are_held_against_the_documents_of_their_sample(tmp_path):
    claim = {"words": "Books may be kept for 3 weeks.", "finding": "supported"}
    claim["passage"] = claim["words"]
    for name, source in (("good", "lending"), ("bad", "fees")):
        (tmp_path / name).mkdir()
        reply = {"claims": [{**claim, "source": source}], "nothing_to_check": []}
        (tmp_path / name / "loan-period-bot-1.json").write_text(json.dumps(reply), encoding="utf-8")
    terms = ["--protocol", "grounded", "--sources", str(ANSWERS)]
    good, found = (
        CliRunner().invoke(cli, ["check", str(tmp_path / name), *terms], standalone_mode=False)
        for name in ("good", "bad")
    )
    assert (good.return_value, found.return_value) == (0, 1)
    assert "/claims/0/passage" in found.output
    assert "misplaced" in found.output
