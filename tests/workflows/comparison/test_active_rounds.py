"""Rounds of pairs: within the budget, going on after a stop, and derived again by an audit."""

import asyncio
from itertools import pairwise

import msgspec
import pytest

from judge_server import JudgeServer
from judging_pairs import prefer, write_config, write_outputs
from venire.config import load_settings
from venire.errors import ConfigError
from venire.ledger.entry import Kind
from venire.ledger.location import open_ledger
from venire.workflows.audit import audit
from venire.workflows.comparison.active_rounds import ChoiceAudit, round_of
from venire.workflows.judge import judge

MODELS = tuple("abcdefgh")


def run(folder, calls, choose="active", times=1):
    write_outputs(folder / "outputs.csv", 10, MODELS)
    runner = {"insecure_http": True, "reask_share": 0, "budget": {"calls": calls}}

    async def ask():
        async with JudgeServer(reply_for=prefer) as server:
            urls = {"fair": f"{server.base_url}/v1"}
            config = write_config(folder, urls, runner=runner, pairs={"order": "random", "choose": choose})
            settings = load_settings(config, need_keys=False)
            return [await judge(settings) for _ in range(times)], server.count

    return asyncio.run(ask())


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    folder = tmp_path_factory.mktemp("active")
    results, asked = run(folder, 70, {"top": 2}, times=2)
    ledger = open_ledger(str(folder / "ledger.sqlite"), read_only=True)
    yield ledger, results, asked
    ledger.close()


def rounds_in(ledger):
    return [found for entry in ledger.read(kinds=[Kind.RUN_OPENED]) if (found := round_of(entry))]


def test_rounds_end_with_the_budget_and_the_next_run_goes_on_with_the_open_round(judged):
    ledger, results, asked = judged
    assert [result.spent.calls for result in results] == [70, 70]
    assert asked == 140 == sum(1 for _ in ledger.keys(Kind.REPLY))
    assert [str(result.stopped) for result in results] == ["the budget of 70 calls is reached: 70 spent"] * 2
    rounds = rounds_in(ledger)
    assert rounds[0].number == 0
    assert len(rounds[0].chosen) == 16
    numbers = [each.number for each in rounds]
    again = [one for one, two in pairwise(numbers) if one == two]
    assert len(again) == 1  # The round that the first budget ended in.


def test_no_pair_of_outputs_is_drawn_twice(judged):
    rounds = {each.number: each for each in rounds_in(judged[0])}
    names = [name for each in rounds.values() for *_, name in each.chosen]
    assert len(names) == len(set(names)) >= 140


def test_an_audit_derives_every_choice_again_and_finds_one_that_was_changed(judged):
    ledger = judged[0]
    assert audit(ledger).intact
    checking = ChoiceAudit(ledger)
    problems = []
    for entry in ledger.read():
        problems += filter(None, [checking.problem(with_another_choice(entry))])
    assert [str(each) for each in problems] == ["the pairs of round 2 do not follow from the judgements before it"]


def with_another_choice(entry):
    """Return an entry, that of the third round with another pair in the place of the first."""
    found = round_of(entry) if entry.kind is Kind.RUN_OPENED else None
    if found is None or found.number != 2:
        return entry
    one, two, name = found.chosen[0]
    other = (one, two + 1 if two < 7 else 1, name) if one == 0 else (0, two, name)
    changed = msgspec.structs.replace(found, chosen=(other, *found.chosen[1:]))
    content = {**entry.content, "settings": {"active": msgspec.to_builtins(changed)}}
    return msgspec.structs.replace(entry, payload=msgspec.json.encode(content))


def test_all_pairs_are_judged_if_the_budget_lasts(tmp_path):
    write_outputs(tmp_path / "outputs.csv", 10, MODELS)
    (result,), asked = run(tmp_path, 10_000)
    assert asked == 280 == result.counts["fair"].valid
    assert not result.stopped


def test_without_a_budget_nothing_is_drawn(tmp_path):
    write_outputs(tmp_path / "outputs.csv", 1)
    config = write_config(tmp_path, {"fair": "http://127.0.0.1:1/v1"}, pairs={"choose": "active"})
    with pytest.raises(ConfigError, match="need a budget"):
        load_settings(config, need_keys=False)
