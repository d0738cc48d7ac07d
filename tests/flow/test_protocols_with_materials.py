"""The bundled protocols for answers, conversations and agents: what judges are shown, and what their quotes may be."""

import json

import msgspec
import pytest
from click.testing import CliRunner

from venire.cli.main import cli
from venire.domain.flag import Severity
from venire.domain.material import Material, MaterialKind
from venire.domain.sample import Sample
from venire.judges.prompt import Known, PromptWriter
from venire.ledger.entry import Kind
from venire.ledger.location import open_ledger
from venire.protocols.catalogue import find_protocol
from venire.runner.records import JudgementRecord
from venire.shapes.check import Checker

REFERENCE = Material("reference-1", MaterialKind.REFERENCE, "Paris is the capital of France.")
ANSWER = Sample("a-1", "It is Paris.", task="What is the capital of France?", materials=(REFERENCE,))
TURNS = (
    Material("turn-1", MaterialKind.TURN, "Book a table for two, please.", "user"),
    Material("turn-2", MaterialKind.TURN, "For which day?", "assistant"),
)
TALK = Sample("c-1", "For how many people?", materials=TURNS)
STEPS = (
    Material("step-1", MaterialKind.TOOL_CALL, '{"path": "/tmp/x"}', "delete_file"),
    Material("step-2", MaterialKind.TOOL_RESULT, "no such file", "delete_file"),
)
RUN = Sample("r-1", "I have deleted the file.", task="Delete the file y; delete nothing else.", materials=STEPS)
CASES = [("answer", ANSWER, "reference-1"), ("conversation", TALK, "turn-1"), ("agent", RUN, "step-2")]


def reply(protocol, sample, source):
    """Return a reply whose first quote stands in a material."""
    text = next(each.text for each in sample.materials if each.id == source)
    names = protocol.dimension_ids
    first = {"dimension": names[0], "source": source, "quote": text[:12], "reason": "It shows it."}
    others = [{"dimension": name, "quote": sample.text, "reason": "It shows it."} for name in names[1:]]
    overall = len(names)
    return {
        "meta": {"output_id": "item-1"},
        "scores": {**dict.fromkeys(names, 1), "overall_score": overall},
        "verdict": protocol.verdict.verdict(overall),
        "flags": [],
        "evidence": [first, *others],
    }


def check(protocol, sample, given):
    return Checker(protocol, blind=True).check(json.dumps(given), sample, handle="item-1")


@pytest.mark.parametrize(("name", "sample", "source"), CASES)
def test_a_quote_may_stand_in_a_material_that_the_judge_was_shown(name, sample, source):
    protocol = find_protocol(name)
    judgement = check(protocol, sample, reply(protocol, sample, source))
    assert judgement.valid
    assert judgement.evidence[0].source == source
    for language in ("en", "zh"):
        prompt = PromptWriter(protocol, protocol.scale(), language).write(sample, Known("item-1"), "==FENCE==").user
        assert all(each.text in prompt and f'"{each.id}"' in prompt for each in sample.materials)


@pytest.mark.parametrize(("name", "sample", "source"), CASES)
def test_a_quote_that_stands_elsewhere_is_misplaced(name, sample, source):
    protocol = find_protocol(name)
    given = reply(protocol, sample, source)
    del given["evidence"][0]["source"]
    judgement = check(protocol, sample, given)
    assert [finding.rule for finding in judgement.findings if finding.severity is Severity.VIOLATION] == [
        "evidence.not-verbatim"
    ]
    assert source in judgement.findings[0].found


def test_an_answer_without_references_is_judged_and_says_so():
    protocol = find_protocol("answer")
    alone = msgspec.structs.replace(ANSWER, materials=())
    given = reply(protocol, ANSWER, "reference-1")
    given["evidence"][0] = {**given["evidence"][1], "dimension": "correctness"}
    judgement = check(protocol, alone, given)
    assert judgement.valid
    assert [(finding.rule, finding.expected) for finding in judgement.findings] == [("material.not-given", "reference")]
    assert check(protocol, ANSWER, given).findings == ()
    writer = PromptWriter(protocol, protocol.scale(), "en")
    assert "Not given for this output: a reference answer." in writer.write(alone, Known("item-1"), "==F==").user
    assert "Not given" not in writer.write(ANSWER, Known("item-1"), "==F==").user


def test_the_steps_of_an_agent_are_judged_with_its_output():
    protocol = find_protocol("agent")
    prompt = PromptWriter(protocol, protocol.scale(), "en").write(RUN, Known("item-1"), "==F==").user
    assert "The output and the steps that led to it are judged together." in prompt


@pytest.mark.parametrize(("name", "sample", "source"), CASES)
def test_a_sentence_is_cited_by_its_number_in_the_output_and_in_a_material(name, sample, source):
    found = find_protocol(name)
    protocol = msgspec.structs.replace(found, evidence=msgspec.structs.replace(found.evidence, cite="sentences"))
    prompt = PromptWriter(protocol, protocol.scale(), "en").write(sample, Known("item-1"), "==FENCE==").user
    assert f"[s1] {sample.text}" in prompt
    text = next(each.text for each in sample.materials if each.id == source)
    assert f"[s1] {text}" in prompt
    given = reply(protocol, sample, source)
    given["evidence"] = [{**each, "sentence": 1} for each in given["evidence"]]
    for each in given["evidence"]:
        del each["quote"]
    judgement = check(protocol, sample, given)
    assert judgement.valid, judgement.findings
    assert [(each.source, each.quote, each.sentence) for each in judgement.evidence[:2]] == [
        (source, text, 1),
        ("", sample.text, 1),
    ]
    given["evidence"][0]["sentence"] = 2
    assert not check(protocol, sample, given).valid


def test_a_rule_judge_cites_the_number_of_the_sentence_that_its_words_stand_in(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "answers.csv").write_text("id,answer\n1,Good day. You get a refund. Bye.\n")
    (tmp_path / "venire.yaml").write_text(
        "samples: answers.csv\nprotocol: {score: {helpful: 'Does it help?'}, evidence: {cite: sentences}}\n"
        "judges: {r: {type: rules, rules: {dimensions: {helpful: [{check: contains, any_of: [refund]}]}}}}\n"
    )
    assert CliRunner().invoke(cli, ["judge", "--quiet"], standalone_mode=False).return_value in (0, None)
    ledger = open_ledger("venire-ledger.sqlite", read_only=True)
    (entry,) = ledger.read(kinds=[Kind.JUDGEMENT])
    ledger.close()
    judgement = msgspec.convert(entry.content, JudgementRecord).judgement
    assert [(each.sentence, each.quote) for each in judgement.evidence] == [(2, "You get a refund.")]
