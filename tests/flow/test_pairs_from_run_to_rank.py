"""Two outputs side by side: from a table of outputs over judges on loopback to ranking, report and audit."""

import asyncio
import json
from functools import partial

import msgspec
import pytest
from click.testing import CliRunner

from judge_server import JudgeServer
from judging_pairs import MODELS, prefer, write_config, write_outputs
from venire.cli.main import cli
from venire.config import load_settings
from venire.ledger.entry import Kind
from venire.ledger.location import open_ledger
from venire.reports.report import Choices
from venire.runner.records import JudgementRecord
from venire.workflows.analyse import analyse
from venire.workflows.audit import audit
from venire.workflows.judge import judge
from venire.workflows.plan import plan
from venire.workflows.rank import rank_pairs
from venire.workflows.trace import trace


def run(folder, questions=12, **more):
    """Run two judges, one of which gives the first place some points."""
    write_outputs(folder / "outputs.csv", questions)

    async def ask():
        async with JudgeServer(reply_for=prefer) as fair, JudgeServer(reply_for=partial(prefer, lean=40)) as leaning:
            servers = {"fair": f"{fair.base_url}/v1", "leaning": f"{leaning.base_url}/v1"}
            config = write_config(folder, servers, runner={"insecure_http": True, "reask_share": 0}, **more)
            settings = load_settings(config, need_keys=False)
            planned = plan(settings)
            result = await judge(settings)
            return result, planned, fair.count + leaning.count

    return asyncio.run(ask())


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pairs")
    return folder, *run(folder)


def test_every_pair_is_planned_and_asked_in_both_orders(judged):
    _, result, planned, asked = judged
    assert {name: each.tasks for name, each in planned.items()} == {"fair": 144, "leaning": 144}
    assert asked == 288
    assert {name: counts.valid for name, counts in result.counts.items()} == {"fair": 144, "leaning": 144}


def test_models_are_ranked_by_the_ledger_and_a_flip_counts_as_a_tie(judged):
    found = rank_pairs(judged[0] / "ledger.sqlite", {})
    assert [each.model for each in found.ranking.models] == list(MODELS)
    assert found.orders.both == 144
    assert found.orders.flipped == "tie"
    assert found.ranking.wins.ties.sum() == 2 * (found.orders.flips + _same_worth(judged[0]))
    assert found.ranking.clusters == 12


def test_the_judge_that_loves_the_first_place_is_found_and_the_other_is_not(judged):
    found = rank_pairs(judged[0] / "ledger.sqlite", {})
    (fair, fair_flips), (leaning, flips) = found.positions
    assert fair.judge == "fair"
    assert fair.estimate.value == 0 == fair_flips.estimate.value
    assert leaning.estimate.low > 0.1
    assert flips.estimate.low > 0.2


def test_the_command_prints_the_ranking_and_what_a_flip_counts_for(judged, tmp_path):
    done = CliRunner().invoke(cli, ["rank", str(judged[0] / "ledger.sqlite"), "--json", str(tmp_path / "r.json")])
    assert done.exit_code == 0, done.output
    assert "count as a tie" in " ".join(done.output.split())
    assert json.loads((tmp_path / "r.json").read_bytes())["orders"]["both"] == 144


def test_the_report_shows_verdicts_and_positions(judged):
    report = analyse(judged[0] / "ledger.sqlite", Choices())
    tables = {table.id: table for section in report.sections for table in section.tables}
    position = {row.names[0]: row.cells for row in tables["position"].rows}
    assert position["leaning"][0].low > 0
    assert position["fair"][0].value == 0


def test_the_report_leads_with_the_ranking_and_its_numbers_lead_back_to_both_outputs(judged):
    path = judged[0] / "ledger.sqlite"
    report = analyse(path, Choices())
    tables = {table.id: table for section in report.sections for table in section.tables}
    assert [row.names[0] for row in tables["ranking"].rows] == list(MODELS)
    assert len(tables["wins"].rows) == 4
    found = trace(report, "wins.alder.birch", str(path), limit=1)
    assert found.total == 48
    assert found.judgements[0].text.startswith("first:\nAnswer 0")
    assert "\n\nsecond:\nAnswer 0" in found.judgements[0].text


def test_outputs_are_stored_once_and_every_judgement_can_be_derived_again(judged):
    ledger = open_ledger(str(judged[0] / "ledger.sqlite"), read_only=True)
    kinds = [next(iter(entry.content)) for entry in ledger.read(kinds=[Kind.SAMPLE])]
    assert (kinds.count("sample"), kinds.count("pair")) == (48, 144)
    found = audit(ledger)
    assert found.intact
    assert found.judged_again == 288
    record = msgspec.convert(next(iter(ledger.read(kinds=[Kind.JUDGEMENT]))).content, JudgementRecord)
    assert {each.source for each in record.judgement.evidence} == {"first", "second"}
    assert all(each.start == 0 for each in record.judgement.evidence)
    ledger.close()


def test_a_second_run_asks_nothing_again(judged):
    folder = judged[0]
    settings = load_settings(folder / "venire.yaml", need_keys=False)
    assert sum(each.tasks - each.done for each in plan(settings).values()) == 0


@pytest.mark.parametrize(
    ("pairs", "tasks"),
    [
        ({"order": "random"}, 18),
        ({"order": "fixed", "choose": "neighbours"}, 12),
        ({"order": "both", "choose": {"baseline": "birch"}}, 18),
    ],
)
def test_fewer_pairs_or_one_order_can_be_chosen(tmp_path, pairs, tasks):
    result, planned, _ = run(tmp_path, questions=3, pairs=pairs)
    assert planned["fair"].tasks == tasks == result.counts["fair"].valid


def _same_worth(folder):
    """How many pairs, over both judges, a judge found equal in both orders."""
    ledger = open_ledger(str(folder / "ledger.sqlite"), read_only=True)
    found = {}
    for entry in ledger.read(kinds=[Kind.JUDGEMENT]):
        record = msgspec.convert(entry.content, JudgementRecord)
        key = (record.task.judge, frozenset(record.judgement.sample.split(" | ")))
        found.setdefault(key, []).append(record.judgement.verdict)
    ledger.close()
    return sum(given == ["tie", "tie"] for given in found.values())
