"""`venire compare` on judged pairs: two models, every two, and two runs, from tables and ledgers."""

import asyncio
import json
from functools import partial

import pytest
from click.testing import CliRunner

from judge_server import JudgeServer
from judging_pairs import prefer, write_config, write_outputs
from venire.cli.main import cli
from venire.config import load_settings
from venire.workflows.judge import judge


def compare(*arguments):
    return CliRunner().invoke(cli, ["compare", *map(str, arguments)], standalone_mode=False)


def write(path, rows):
    path.write_text("question,first,second,winner,judge\n" + "\n".join(rows) + "\n", "utf-8")
    return path


def rows(lost):
    """On each of 30 questions two judges hold alder against birch, and birch against cedar."""
    for number in range(30):
        for judge_name, shift in (("oak", 0), ("elm", 3)):
            yield f"q{number},alder,birch,{'second' if (number + shift) % 10 < lost else 'first'},{judge_name}"
            yield f"q{number},cedar,birch,{('tie', 'first', 'second', 'second', 'second')[number % 5]},{judge_name}"


@pytest.fixture
def pairs(tmp_path):
    return write(tmp_path / "pairs.csv", [*rows(2), "q0,alder,birch,?,oak"])


def test_two_models_are_compared_where_they_met_and_by_strength(pairs, tmp_path):
    result = compare(pairs, "--models", "birch", "alder", "--json", tmp_path / "found.json")
    assert result.return_value == 0, result.output
    assert result.output.startswith("alder is ahead of birch: strength of alder minus birch +1.59")
    flat = " ".join(result.output.split())
    assert "all 60 48 0 12 80.0 %" in flat
    assert "oak 30 24 0 6 80.0 %" in flat
    assert "The strengths also rest on comparisons with 1 other model: 120 in all." in flat
    assert "Left out: 1 row without a winner or a tie" in flat
    (found,) = json.loads((tmp_path / "found.json").read_text("utf-8"))["compared"]
    assert found["match"]["share"]["low"] < 0.8 < found["match"]["share"]["high"]
    assert found["difference"]["low"] > 0
    assert [each["judge"] for each in found["judges"]] == ["oak", "elm"]
    assert all(each["adjusted_p"] >= each["match"]["p_value"] for each in found["judges"])


def test_sides_that_are_named_the_other_way_round_differ_by_the_same(pairs, tmp_path):
    for name, sides in (("one", ("birch", "alder")), ("two", ("alder", "birch"))):
        compare(pairs, "--models", *sides, "--json", tmp_path / f"{name}.json")
    one, two = (json.loads((tmp_path / f"{name}.json").read_text("utf-8"))["compared"][0] for name in ("one", "two"))
    assert two["difference"]["value"] == pytest.approx(-one["difference"]["value"])
    assert two["match"]["share"]["value"] == pytest.approx(1 - one["match"]["share"]["value"])


@pytest.mark.parametrize("option", [(), ("--pairwise",)])
def test_one_table_compares_every_two_models_adjusted_for_all(pairs, tmp_path, option):
    result = compare(pairs, *option, "--json", tmp_path / "found.json")
    assert result.output.startswith("In 120 comparisons, 3 of 3 pairs of models differ in strength")
    record = json.loads((tmp_path / "found.json").read_text("utf-8"))
    assert record["order"] == ["alder", "birch", "cedar"]
    never = next(each for each in record["compared"] if {each["first"], each["second"]} == {"alder", "cedar"})
    assert (never["match"]["share"]["value"], never["difference"]["value"] > 2) == (None, True)
    assert all(each["adjusted_p"] >= each["p_value"] for each in record["compared"])


def test_two_tables_show_who_changed_and_how_many_pairs_came_out_alike(pairs, tmp_path):
    later = write(tmp_path / "later.csv", [*rows(9), *(f"q{n},dogwood,alder,first,oak" for n in range(5))])
    result = compare(pairs, later, "--json", tmp_path / "found.json")
    assert result.return_value == 0, result.output
    assert result.output.startswith("Changed in strength (p below 0.05")
    assert "Only in later.csv, left out: dogwood" in result.output
    record = json.loads((tmp_path / "found.json").read_text("utf-8"))
    changes = {each["model"]: each for each in record["changes"]}
    assert changes["alder"]["change"]["high"] < 0 < changes["birch"]["change"]["low"]
    # Of 120 pairs in both, those of alder and birch differ on 7 of 10 questions.
    assert record["same"]["pairs"] == 120
    assert record["same"]["same"]["value"] == pytest.approx(1 - 42 / 120)


def test_a_table_beside_itself_shows_no_change(pairs):
    output = " ".join(compare(pairs, pairs).output.split())
    assert output.startswith("There is no proof that any of 3 models changed in strength.")
    assert "120 pairs; 100.0 %" in output


def test_it_speaks_chinese(pairs):
    assert compare(pairs, "--models", "birch", "alder", "--lang", "zh").output.startswith("alder 领先于 birch")


def test_a_model_that_always_won_has_no_difference_but_a_share(tmp_path):
    path = write(tmp_path / "won.csv", [f"q{n},alder,birch,first,oak" for n in range(8)])
    result = compare(path, "--models", "birch", "alder")
    assert result.output.startswith("How far birch and alder are apart is not known:")
    assert "100.0 %" in result.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--models", "alder", "nobody"), "expected a model of these pairs"),
        (("--models", "alder", "alder"), "expected two different levels"),
        (("--variants", "a", "b"), "--variants is for scores"),
        (("--sequential",), "--sequential is for scores"),
        (("--models", "alder", "birch", "--pairwise"), "expected one ledger with one of"),
    ],
)
def test_what_pairs_cannot_answer_is_refused(pairs, arguments, said):
    result = compare(pairs, *arguments)
    assert (result.return_value, said in result.output) == (2, True), result.output


def test_pairs_are_not_compared_with_scores_nor_with_models_that_nobody_shares(pairs, tmp_path):
    scores = tmp_path / "scores.csv"
    scores.write_text("output_id,judge,score\na,oak,3\n", "utf-8")
    assert "found judged pairs in" in compare(pairs, scores).output
    other = write(tmp_path / "other.csv", ["q0,elder,fir,first,oak"])
    assert "expected two models that both sides compared" in compare(pairs, other).output


def judged(folder, lean=0, temperature=0.0):
    folder.mkdir()
    write_outputs(folder / "outputs.csv", 12)

    async def ask():
        async with JudgeServer(reply_for=prefer) as fair, JudgeServer(reply_for=partial(prefer, lean=lean)) as other:
            servers = {"fair": f"{fair.base_url}/v1", "other": f"{other.base_url}/v1"}
            config = write_config(folder, servers, runner={"insecure_http": True, "reask_share": 0})
            text = config.read_text("utf-8").replace(
                "model: other-model", f"model: other-model\n    temperature: {temperature}"
            )
            config.write_text(text, "utf-8")
            await judge(load_settings(config, need_keys=False))

    asyncio.run(ask())
    return folder / "ledger.sqlite"


def test_models_of_a_ledger_are_compared_with_each_pair_counted_once(tmp_path):
    ledger = judged(tmp_path / "one", lean=40)
    result = compare(ledger, "--models", "dogwood", "alder", "--json", tmp_path / "found.json")
    assert result.return_value == 0, result.output
    (found,) = json.loads((tmp_path / "found.json").read_text("utf-8"))["compared"]
    match = found["match"]
    assert match["won"] + match["tied"] + match["lost"] == 24  # 12 questions, two judges, both orders together
    assert "in both orders" in result.output
    assert [each["judge"] for each in found["judges"]] == ["fair", "other"]


def test_a_changed_judge_is_compared_on_the_pairs_that_both_runs_hold(tmp_path):
    ledgers = [judged(tmp_path / "one", lean=20), judged(tmp_path / "two", lean=40, temperature=0.5)]
    same = " ".join(compare(ledgers[0], ledgers[0]).output.split())
    assert "144 pairs; 100.0 %" in same
    assert "changed: only" not in same
    result = compare(*ledgers, "--json", tmp_path / "found.json")
    assert result.return_value == 0, result.output
    flat = " ".join(result.output.split())
    assert "judge 'other'" in flat
    assert "changed: only the 72 pairs in both are compared" in flat
    record = json.loads((tmp_path / "found.json").read_text("utf-8"))
    assert (record["first"], record["second"]) == tuple(map(str, ledgers))
    assert record["same"]["same"]["value"] < 1
    assert record["changes"][0]["model"] == "alder"
