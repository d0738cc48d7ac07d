"""Replies about a pair: what a rule judge and a person's form write, and what the prompt asks for."""

import msgspec
import pytest

from judging_pairs import preference_reply
from valid_replies import PAIR, PREFERENCE, as_json
from venire.domain.protocol import PairPolicy
from venire.domain.sample import make_pair
from venire.errors import RuleError
from venire.judges.prompt import Known, PromptWriter
from venire.shapes.check import Checker
from venire.shapes.pair import PairShape
from venire.shapes.shape import DimensionScore, Signature

SHAPE = PairShape()
SIGNED = Signature("rules", "h", "2026-01-01")


def score_by_length(sample, dimensions):
    """Score outputs by their length, up to the highest score."""
    score = min(3, len(sample.text) // 20)
    return tuple(DimensionScore(name, score, sample.text[:5], "as long", passed=True) for name in dimensions)


def test_only_a_reply_with_a_winner_and_without_scores_is_of_this_form():
    assert SHAPE.is_form_of({"winner": "first"})
    assert not SHAPE.is_form_of({"winner": "first", "scores": {}})
    assert SHAPE.scored({"winner": "tie", "reasons": {"clarity": ""}}) == {"clarity"}


def test_a_rule_judge_writes_a_valid_reply_that_turns_round_with_the_order():
    first, second = PAIR.samples
    for pair, winner in ((PAIR, "first"), (make_pair(second, first), "second")):
        reply = SHAPE.compose(pair, PREFERENCE, score_by_length, SIGNED)
        judgement = Checker(PREFERENCE).check(as_json(reply), pair)
        assert judgement.valid, judgement.findings
        assert judgement.verdict == winner


def test_a_rule_judge_that_must_choose_between_equals_takes_the_same_in_either_order():
    protocol = msgspec.structs.replace(PREFERENCE, pairs=PairPolicy(ties=False))
    first, second = PAIR.samples
    chosen = set()
    for pair in (PAIR, make_pair(second, first)):
        reply = SHAPE.compose(pair, protocol, lambda sample, names: score_by_length(first, names), SIGNED)
        place = {"first": 0, "second": 1}[reply["winner"]]
        chosen.add(pair.samples[place].output_id)
        assert reply["strength"] == 1
    assert len(chosen) == 1


def test_a_rule_judge_needs_dimensions_and_two_outputs():
    bare = msgspec.structs.replace(PREFERENCE, dimensions=())
    with pytest.raises(RuleError, match="no dimensions"):
        SHAPE.compose(PAIR, bare, score_by_length, SIGNED)
    with pytest.raises(RuleError, match="compares two"):
        SHAPE.compose(PAIR.samples[0], PREFERENCE, score_by_length, SIGNED)


def test_a_filled_in_form_is_a_valid_reply():
    outputs = {"first": PAIR.samples[0].text, "second": PAIR.samples[1].text}
    reply = preference_reply("second", outputs)
    form = {"winner": "second", "strength": "2", "reason": "A remark."}
    form |= {f"reason.{name}": text for name, text in reply["reasons"].items()}
    form |= {f"quote.{each['output']}": each["quote"] for each in reply["quotes"]}
    written = SHAPE.from_form(PREFERENCE, None, PAIR.name, form)
    assert written == {**reply, "notes": "A remark."}
    assert Checker(PREFERENCE).check(as_json(written), PAIR).valid


def test_an_empty_form_names_no_winner():
    assert "winner" not in SHAPE.from_form(PREFERENCE, None, PAIR.name, {})


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_prompt_shows_task_and_outputs_under_neutral_names_and_hides_the_models(language):
    prompt = PromptWriter(PREFERENCE, PREFERENCE.scale(), language).write(PAIR, Known("item-1"), "===X===").user
    for sample in PAIR.samples:
        assert f"===X===\n{sample.text}\n===X===" in prompt
        assert sample.target_model not in prompt
        assert sample.output_id not in prompt
    assert prompt.count(PAIR.samples[0].task) == 1
    assert prompt.index(PAIR.samples[0].text) < prompt.index(PAIR.samples[1].text)


def test_materials_that_both_outputs_share_are_shown_once_and_others_name_their_output():
    from venire.domain.material import Material, MaterialKind

    shared = Material("d1", MaterialKind.DOCUMENT, "Both were given this.")
    own = Material("d2", MaterialKind.DOCUMENT, "Only the second had this.")
    first, second = PAIR.samples
    pair = make_pair(
        msgspec.structs.replace(first, materials=(shared,)), msgspec.structs.replace(second, materials=(shared, own))
    )
    prompt = PromptWriter(PREFERENCE, PREFERENCE.scale(), "en").write(pair, Known("item-1"), "===X===").user
    assert prompt.count(shared.text) == 1
    assert 'Document "second/d2"' in prompt


def test_where_ties_are_forbidden_the_prompt_says_so_and_the_schema_has_none():
    protocol = msgspec.structs.replace(PREFERENCE, pairs=PairPolicy(ties=False))
    prompt = PromptWriter(protocol, protocol.scale(), "en").write(PAIR, Known("item-1"), "===X===").user
    assert "You have to choose one" in prompt
    assert Checker(protocol).schema()["properties"]["winner"]["enum"] == ["first", "second"]
