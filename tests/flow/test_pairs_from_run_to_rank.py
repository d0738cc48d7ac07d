"""Two outputs side by side: from a table of outputs over judges on loopback to ranking, report and audit."""

import asyncio
import json
import shutil
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import combinations

import msgspec
import pytest
from click.testing import CliRunner

from judge_server import JudgeServer
from judging_pairs import MODELS, prefer, write_config, write_outputs
from venire.cli.main import cli
from venire.config import load_settings
from venire.domain.vote import Vote
from venire.errors import InputError
from venire.ledger.entry import Kind
from venire.ledger.location import open_ledger
from venire.protocols.voter_prompts import bundled_prompt
from venire.reports.report import Choices
from venire.runner.records import JudgementRecord
from venire.votes.decay.consensus import score_votes
from venire.votes.decay.terms import Batching, Decay
from venire.votes.entries import read_ledger_votes
from venire.workflows.analyse import analyse
from venire.workflows.audit import audit
from venire.workflows.import_votes import import_votes
from venire.workflows.judge import judge
from venire.workflows.plan import plan
from venire.workflows.rank import rank_pairs
from venire.workflows.trace import trace


def run(folder, questions=12, variants=("",), **more):
    """Run two judges, one of which gives the first place some points."""
    write_outputs(folder / "outputs.csv", questions, variants=variants)

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


@pytest.fixture(scope="module")
def voted(judged, tmp_path_factory):
    """The judged ledger with votes of three people, who like the last model best; one of them voted long ago."""
    path = tmp_path_factory.mktemp("voted") / "ledger.sqlite"
    shutil.copy(judged[0] / "ledger.sqlite", path)
    now = datetime(2026, 3, 1, tzinfo=UTC)
    votes = []
    for number in range(12):
        for place, (one, two) in enumerate(combinations(MODELS, 2)):
            for voter, sign, days in (("ada", 0, 0), ("bob", 0, 0), ("cy", 1, 30)):
                odd = (number + place + len(voter)) % 5 == 0  # Otherwise there would be no finite strength.
                votes.append(
                    Vote(
                        inference_id=f"q{number}-{one} | q{number}-{two}",
                        vote=float((sign == 1) != odd),
                        voter_id=voter,
                        vote_time=now - timedelta(days=days),
                        voter_prompt_id="prefer",
                    )
                )
    ledger = open_ledger(str(path))
    import_votes(ledger, votes, prompts=[bundled_prompt("prefer")])
    ledger.close()
    return path


def test_the_report_says_first_who_leads(voted):
    ranked = rank_pairs(voted, {}).ranking
    first = analyse(voted, Choices()).sections[0].notes[0]
    may_lead = [each.model for each in ranked.models if each.best == 1]
    assert first.key == ("rank.answer.sure" if may_lead == ["alder"] else "rank.answer.open")
    assert (first.arguments["leader"], first.arguments["comparisons"]) == ("alder", ranked.wins.comparisons)


def test_the_report_says_beside_it_how_far_to_trust_it(judged, voted):
    found = {}
    for name, path in (("judged", judged[0] / "ledger.sqlite"), ("voted", voted)):
        trust = analyse(path, Choices()).section("overview").table("trust")
        found[name] = {
            row.names[0]: (row.cells[0].word.removeprefix("state."), row.cells[1].text) for row in trust.rows
        }
    assert list(found["judged"]) == ["complete", "valid", "repeats", "order", "agree", "qualified", "people"]
    states = {name: state for name, (state, _) in found["judged"].items()}
    assert (states["complete"], states["valid"], states["repeats"]) == ("good", "good", "unknown")
    assert states["order"] == "poor"
    assert found["judged"]["people"] == ("poor", "Not compared with people's labels")
    assert found["voted"]["people"][1].startswith("Judges do not prefer what people prefer, on ")


def test_the_report_holds_each_judge_against_people_as_the_ranking_does(voted):
    cells = {cell.id: cell for cell in analyse(voted, Choices()).cells()}
    for each in rank_pairs(voted, {}).beside_people:
        assert cells[f"people_pairs.{each.judge}.same_winner"].value == pytest.approx(each.agreement.value)
        assert cells[f"people_pairs.{each.judge}.same_winner"].low == pytest.approx(each.agreement.low)
        assert cells[f"people_pairs.{each.judge}.common_pairs"].value == each.pairs > 0
        assert f"people_pairs.{each.judge}.kappa" in cells


def test_models_are_ranked_by_judges_unless_people_are_asked_for(voted):
    judges, people = rank_pairs(voted, {}), rank_pairs(voted, {}, by="people")
    assert [each.model for each in judges.ranking.models] == list(MODELS)
    assert [each.model for each in people.ranking.models] == list(reversed(MODELS))
    assert (judges.by, judges.votes) == ("judges", 216)
    assert people.ranking.clusters == 12
    both = rank_pairs(voted, {}, by="both")
    assert both.ranking.wins.comparisons == judges.ranking.wins.comparisons + people.ranking.wins.comparisons
    assert {each.judge for each in both.left_out} == {"fair", "leaning", "people"}


def test_votes_on_pairs_age_like_others_and_count_for_as_many_as_their_consensus_is_worth(voted):
    ledger = open_ledger(str(voted), read_only=True)
    scored = score_votes(read_ledger_votes(ledger).frame).frame
    ledger.close()
    found = rank_pairs(voted, {}, by="people")
    assert found.votes_worth == pytest.approx(scored["effective_votes"].sum(), rel=1e-9)
    assert found.votes_worth < 216
    at_once = rank_pairs(voted, {}, by="people", decay=Decay(batching=Batching.parse("3")))
    assert at_once.votes_worth == pytest.approx(216)
    before = rank_pairs(voted, {}, by="people", as_of=datetime(2026, 2, 15, tzinfo=UTC))
    assert before.votes == 72
    assert before.ranking.models[0].model == MODELS[0]


def test_judges_are_held_against_the_majority_of_people_on_pairs(voted):
    found = {each.judge: each for each in rank_pairs(voted, {}).beside_people}
    assert set(found) == {"fair", "leaning"}
    fair = found["fair"]
    assert fair.agreement.high < 0.5
    assert fair.kappa.value < 0
    assert fair.pairs <= 72


def test_the_command_ranks_by_people_and_says_what_their_votes_are_worth(voted, tmp_path):
    done = CliRunner().invoke(cli, ["rank", str(voted), "--by", "people", "--json", str(tmp_path / "r.json")])
    assert done.exit_code == 0, done.output
    said = " ".join(done.output.split())
    assert said.startswith("dogwood ")
    assert "216 votes of people on pairs count" in said
    assert "Judge fair prefers what most people prefer in" in said
    record = json.loads((tmp_path / "r.json").read_bytes())
    assert record["by"] == "people"
    assert record["votes"]["count"] == 216
    assert record["beside_people"][0]["judge"] == "fair"


def test_a_ledger_without_votes_on_pairs_has_no_ranking_by_people(judged):
    with pytest.raises(InputError, match="expected votes of people on pairs, found none"):
        rank_pairs(judged[0] / "ledger.sqlite", {}, by="people")


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


@pytest.fixture(scope="module")
def varied(tmp_path_factory):
    """Four questions under three prompt variants each."""
    folder = tmp_path_factory.mktemp("varied")
    run(folder, questions=4, variants=("", "-short", "-long"))
    return folder / "ledger.sqlite"


def test_variants_of_a_prompt_are_no_questions_of_their_own(varied):
    found = rank_pairs(varied, {})
    assert found.ranking.wins.comparisons == 2 * 4 * 3 * 6
    assert found.ranking.clusters == 4
    tables = {table.id: table for section in analyse(varied, Choices()).sections for table in section.tables}
    strengths = {row.names[0]: row.cells[0] for row in tables["ranking"].rows}
    for each in found.ranking.models:
        assert (strengths[each.model].low, strengths[each.model].high) == (each.strength.low, each.strength.high)


def test_each_variant_of_a_pair_is_shown_in_both_orders_for_itself(varied):
    found = rank_pairs(varied, {})
    fair, leaning = found.positions
    assert [each.observations for each in (*fair, *leaning)] == [72] * 4
    flips = [each.estimate.value * each.observations for each in (fair[1], leaning[1])]
    assert sum(flips) == pytest.approx(found.orders.flips)
    tables = {table.id: table for section in analyse(varied, Choices()).sections for table in section.tables}
    position = {row.names[0]: row.cells for row in tables["position"].rows}
    assert position["leaning"][1].value == pytest.approx(leaning[1].estimate.value)


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
