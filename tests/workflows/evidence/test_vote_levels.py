"""From a collection to a decayed score per model: `votes open`, `votes import` and `votes score --by`."""

import json
import math

import pytest

from venire.domain.vote import VoterPrompt
from venire.errors import InputError, UsageError
from venire.ledger.location import open_ledger
from venire.protocols.voter_prompts import BUNDLED_PROMPTS, bundled_prompt
from venire.votes.entries import find_prompt
from votes_command import run_votes

COLLECTION = """inference_id,model,platform,variant,prompt,output
j1,alder-1,forge,plain,Tell me a joke.,A scarecrow won an award.
j2,alder-1,forge,terse,Tell me a joke.,Parallel lines never meet.
j3,birch-2,harbor,plain,Tell me a joke.,A joke.
"""
VOTES = """inference_id,voter_id,vote,vote_time
j1,ann,1,2026-03-02T00:00:00Z
j2,bob,0.5,2026-03-02T00:00:00Z
j1,cy,0,2026-03-12T00:00:00Z
j3,ann,0,2026-03-02T00:00:00Z
j3,bob,1,2026-03-02T00:00:00Z
j9,bob,1,2026-03-02T00:00:00Z
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "jokes.csv").write_text(COLLECTION)
    (tmp_path / "votes.csv").write_text(VOTES)
    return tmp_path


@pytest.fixture
def ledger(folder):
    path = folder / "jokes.db"
    run_votes("open", folder / "jokes.csv", path)
    run_votes("import", folder / "votes.csv", path, "--prompt", "grand-jury")
    return path


def scores(*args):
    result = run_votes("score", *args, "--format", "json")
    return json.loads(result.stdout), result.stderr


def test_all_votes_on_the_outputs_of_a_model_age_as_one(ledger):
    found, told = scores(ledger, "--by", "model")
    by_model = {row["model"]: row for row in found}
    alpha = math.exp(-0.1 * 10)
    assert by_model["alder-1"]["score"] == pytest.approx(alpha * 0.75)
    assert by_model["alder-1"]["freshness"] == pytest.approx(1 - alpha)
    assert (by_model["alder-1"]["votes"], by_model["alder-1"]["outputs"], by_model["alder-1"]["voters"]) == (3, 2, 3)
    assert by_model["birch-2"]["score"] == pytest.approx(0.5)
    assert told == "1 vote on 1 output left out: their model is not known\n"


def test_what_is_ambiguous_is_counted_by_output_and_not_by_the_spread_of_a_model(ledger):
    found, _ = scores(ledger, "--by", "variant")
    assert {row["variant"]: row["ambiguous"] for row in found} == {"plain": 2, "terse": 0}
    assert [row["variant"] for row in scores(ledger, "--by", "variant", "--ambiguous")[0]] == ["plain"]


def test_any_column_of_the_collection_is_a_factor(ledger):
    assert {row["platform"] for row in scores(ledger, "--by", "platform")[0]} == {"forge", "harbor"}


def test_a_group_has_an_interval_where_it_is_asked_for(ledger):
    with_interval = {row["model"]: row for row in scores(ledger, "--by", "model", "--interval")[0]}
    assert with_interval["birch-2"]["low"] <= 0.5 <= with_interval["birch-2"]["high"]
    assert "low" not in scores(ledger, "--by", "model")[0][0]


def test_the_collection_may_lie_beside_a_table_of_votes(folder, ledger):
    beside, _ = scores(folder / "votes.csv", "--by", "model", "--samples", folder / "jokes.csv")
    within, _ = scores(ledger, "--by", "model")
    assert [row | {"voter_prompt_id": ""} for row in within] == beside


def test_the_model_may_be_a_column_of_the_table_of_votes(tmp_path):
    (tmp_path / "votes.csv").write_text(
        "inference_id,voter_id,vote,vote_time,Model\n"
        "a,x,1,2026-03-02T00:00:00Z,alder-1\na,y,1,2026-03-02T00:00:00Z,alder-1\nb,x,0,2026-03-02T00:00:00Z,birch-2\n"
    )
    assert {row["model"]: row["score"] for row in scores(tmp_path / "votes.csv", "--by", "model")[0]} == {
        "alder-1": 1.0,
        "birch-2": 0.0,
    }


def test_an_inference_of_two_models_is_refused(tmp_path):
    (tmp_path / "votes.csv").write_text(
        "inference_id,voter_id,vote,vote_time,model\n"
        "a,x,1,2026-03-02T00:00:00Z,alder-1\na,y,1,2026-03-02T00:00:00Z,birch-2\n"
    )
    with pytest.raises(InputError, match="one model of each output, found 'a' with 'alder-1', 'birch-2'"):
        run_votes("score", tmp_path / "votes.csv", "--by", "model")


def test_a_factor_that_nothing_tells_is_refused_with_what_is_known(folder, ledger):
    with pytest.raises(UsageError, match=r"the shape of the outputs is not known.*'model', 'platform', 'variant'"):
        run_votes("score", ledger, "--by", "shape")
    with pytest.raises(UsageError, match="model of the outputs is not known") as caught:
        run_votes("score", folder / "votes.csv", "--by", "model")
    assert "--samples" in caught.value.hint


def test_opening_a_vote_again_adds_nothing(folder, ledger):
    told = run_votes("open", folder / "jokes.csv", ledger).stdout
    assert told.startswith(f"0 outputs added to {ledger}, 3 were there already\n")
    assert "people are asked (grand-jury-en-zh): Would you accept this output" in told


def test_imported_votes_are_filed_under_the_bundled_prompt_and_its_words(ledger):
    traced = run_votes("trace", ledger, "j1").stdout
    assert bundled_prompt("grand-jury").digest[:12] in traced
    opened = open_ledger(str(ledger), read_only=True)
    try:
        assert find_prompt(opened, "grand-jury") == bundled_prompt("grand-jury")
    finally:
        opened.close()


def test_a_prompt_in_the_table_goes_before_the_one_of_the_command(folder):
    lines = VOTES.splitlines()
    rows = [f"{lines[0]},voter_prompt_id", f"{lines[1]},funny", f"{lines[2]},"]
    (folder / "mixed.csv").write_text("\n".join(rows) + "\n")
    run_votes("import", folder / "mixed.csv", folder / "mixed.db", "--prompt", "grand-jury")
    found, _ = scores(folder / "mixed.db")
    assert {row["inference_id"]: row["voter_prompt_id"] for row in found} == {"j1": "funny", "j2": "grand-jury"}


def test_votes_can_be_opened_under_words_of_ones_own(folder):
    (folder / "funny.txt").write_text("Did you laugh?\nOut loud counts double.\n")
    told = run_votes("open", folder / "jokes.csv", folder / "own.db", "--prompt-text", f"funny={folder / 'funny.txt'}")
    assert "people are asked (funny): Did you laugh?" in told.stdout


def test_a_prompt_that_does_not_come_with_venire_is_refused(folder):
    with pytest.raises(UsageError, match="no voter prompt 'petty-jury' comes with Venire") as caught:
        run_votes("open", folder / "jokes.csv", folder / "none.db", "--prompt", "petty-jury")
    assert "grand-jury, grand-jury-zh" in caught.value.hint
    assert not (folder / "none.db").exists()


@pytest.mark.parametrize("name", ["grand-jury", "grand-jury-zh"])
def test_a_bundled_prompt_says_what_to_decide_and_what_0_and_1_mean(name):
    prompt = bundled_prompt(name)
    assert prompt.question.endswith(("?", "？"))
    assert "1" in prompt.guidance
    assert "0" in prompt.guidance
    assert prompt.guidance.count("\n") == 3


@pytest.mark.parametrize("name", ["prefer", "prefer-zh"])
def test_a_bundled_prompt_on_pairs_says_what_to_decide_and_that_one_may_skip(name):
    prompt = bundled_prompt(name)
    assert prompt.question.endswith(("?", "？"))
    assert "skip" in prompt.guidance or "跳过" in prompt.guidance


def test_bundled_prompts_of_two_languages_are_two_prompts():
    assert len({bundled_prompt(name).digest for name in BUNDLED_PROMPTS}) == len(BUNDLED_PROMPTS) == 6


def test_a_prompt_of_one_line_has_no_guidance():
    assert (VoterPrompt("a", "Good?").question, VoterPrompt("a", "Good?").guidance) == ("Good?", "")


def test_samples_without_a_factor_and_a_factor_over_shards_are_wrong_usage(folder):
    with pytest.raises(UsageError, match="--samples says"):
        run_votes("score", folder / "votes.csv", "--samples", folder / "jokes.csv")
    with pytest.raises(UsageError, match="does not work over shards"):
        run_votes("score", folder / "a.parquet", folder / "b.parquet", "--by", "model")
