"""The design of a collection: what is crossed, what each output is called, and how its prompt is filled."""

import pytest

from venire.domain.output import Case
from venire.errors import ConfigError
from venire.judges.panel import JudgeLimits, Price
from venire.targets.design import CollectDesign, CrossedDesign, PromptPart, PromptVariant, read_prompt_file
from venire.targets.target import Target
from venire.targets.template import parse_template

CASES = [Case("q1", {"topic": "rain", "level": "easy"}), Case("q2", {"topic": "snow", "level": ""})]


def part(text, **more):
    return PromptPart(parse_template(text, "here"), **more)


def variant(name="plain", text="About {{topic}}.", **more):
    return PromptVariant(name, part(text), **more)


def target(**parameters):
    return Target("bot", "python", "", {}, {}, parameters, Price(), JudgeLimits())


def outputs(design, cases=CASES, **parameters):
    return list(CrossedDesign(design, lambda: iter(cases)).outputs(target(**parameters)))


def test_every_case_variant_level_and_parameter_is_crossed_in_order():
    design = CollectDesign(
        (variant("plain", "{{tone}} {{topic}}"), variant("kind", factors={"mood": "kind"})),
        levels={"tone": {"calm": part("Calmly,"), "loud": part("Loudly,")}}, case_factors=("level",),
    )  # fmt: skip
    found = outputs(design, temperature=[0, 0.5], seed=7)
    assert len(found) == 2 * 2 * 2 * 2
    first, second, third = (each.place for each in found[:3])
    assert first.output_id == "q1-plain-calm-bot-0"
    assert (first.case, first.variant, first.target, first.repeat) == ("q1", "plain", "bot", 1)
    assert first.factors == {"level": "easy", "tone": "calm", "temperature": "0"}
    assert first.parameters == {"temperature": 0, "seed": 7}
    assert second.output_id == "q1-plain-calm-bot-0.5"
    assert third.output_id == "q1-plain-loud-bot-0"
    assert found[0].prompt.turns == ("Calmly, rain",)
    assert found[4].place.factors == {"level": "easy", "mood": "kind", "tone": "calm", "temperature": "0"}
    assert "level" not in found[-1].place.factors


@pytest.mark.parametrize(("value", "told"), [(None, "default"), (0.10, "0.1"), (1e-7, "1e-07"), (3, "3"), ("x", "x")])
def test_a_parameter_with_several_values_is_told_in_short(value, told):
    assert outputs(CollectDesign((variant(),)), heat=[value, "other"])[0].place.factors == {"heat": told}
    assert outputs(CollectDesign((variant(),)), heat=value)[0].place.factors == {}


def test_repeats_are_counted_from_one_and_named_where_there_are_several():
    once = outputs(CollectDesign((variant(),)))
    assert [each.place.output_id for each in once] == ["q1-plain-bot", "q2-plain-bot"]
    twice = outputs(CollectDesign((variant(),), repeats=2))
    assert [(each.place.output_id, each.place.repeat) for each in twice[:2]] == [
        ("q1-plain-bot-1", 1), ("q1-plain-bot-2", 2),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("only", "names"),
    [
        ((), ["q1-a-bot", "q1-b-bot", "q2-a-bot", "q2-b-bot"]),
        (({"variant": "a", "case": "q2"},), ["q2-a-bot"]),
        (({"variant": "a"}, {"topic": "snow"}), ["q1-a-bot", "q2-a-bot", "q2-b-bot"]),
        (({"target": "other"},), []),
        (({"mood": "kind"},), ["q1-b-bot", "q2-b-bot"]),
    ],
)
def test_parts_of_the_crossing_are_chosen_by_what_they_have_in_common(only, names):
    design = CollectDesign((variant("a"), variant("b", factors={"mood": "kind"})), only=only)
    assert [each.place.output_id for each in outputs(design)] == names


def test_a_system_message_and_further_turns_stand_beside_the_first_message():
    case = Case("q1", {"topic": "rain"}, turns=("One?", "Two?"))
    design = CollectDesign((variant("a", "So: {{turn}}", system=part("Of {{topic}}.")),))
    prompt = outputs(design, [case])[0].prompt
    assert (prompt.system, prompt.turns) == ("Of rain.", ("So: One?", "Two?"))
    assert outputs(CollectDesign((variant(),)), [CASES[0]])[0].prompt.system == ""


def test_variables_are_those_of_texts_files_and_levels(tmp_path):
    (tmp_path / "rain.txt").write_text("In a file: {{ topic }} {{level}}\n\n")
    design = CollectDesign(
        (PromptVariant("a", part("{{topic}}.txt", is_file=True), part("{{tone}}")),),
        levels={"tone": {"calm": part("Calm {{level}}")}}, folder=tmp_path,
    )  # fmt: skip
    assert design.names == {"topic", "tone", "level"}
    crossed = CrossedDesign(design, lambda: iter(CASES))
    assert crossed.check(CASES[:1]) == {"topic", "tone", "level"}
    assert next(crossed.outputs(target())).prompt.turns == ("In a file: rain easy",)


def test_a_case_of_several_turns_needs_a_place_for_the_first():
    crossed = CrossedDesign(CollectDesign((variant(),)), lambda: iter(()))
    with pytest.raises(ConfigError) as caught:
        crossed.check([Case("q1", {"topic": "rain"}, turns=("One?",))])
    assert caught.value.message.code == "error.prompt.no_turn"
    assert caught.value.values == {"case": "q1"}


def test_files_of_prompts_are_read_inside_their_folder_only(tmp_path):
    folder = tmp_path / "prompts"
    folder.mkdir()
    (folder / "bom.txt").write_bytes(b"\xef\xbb\xbfHi {{x}}\n")
    assert read_prompt_file(folder, "bom.txt", "here").parts == ("Hi ", "x", "")
    (tmp_path / "secret.txt").write_text("no")
    (folder / "bad.txt").write_bytes(b"ab\xff")
    for name, code in (("../secret.txt", "error.prompt.file_elsewhere"), ("none.txt", "error.prompt.no_file"),
                       ("bad.txt", "error.prompt.not_utf8")):  # fmt: skip
        with pytest.raises(ConfigError) as caught:
            read_prompt_file(folder, name, "here")
        assert caught.value.message.code == code
    assert caught.value.values == {"offset": 2}


def test_a_prompt_of_four_mebibytes_is_read_and_a_larger_one_is_not(tmp_path):
    largest = 4 * 1024 * 1024
    (tmp_path / "a.txt").write_bytes(b"x" * largest)
    assert len(read_prompt_file(tmp_path, "a.txt", "here").parts[0]) == largest
    (tmp_path / "a.txt").write_bytes(b"x" * (largest + 1))
    with pytest.raises(ConfigError) as caught:
        read_prompt_file(tmp_path, "a.txt", "here")
    assert caught.value.values == {"size": largest + 1, "most": largest}
