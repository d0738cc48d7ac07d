"""What an import appends: once, with reasons, under a protocol for each scorer."""

import json

import msgspec
import pytest

from foreign_files import BY_TOOL, changed, foreign
from venire.domain.judgement import Status
from venire.errors import InputError
from venire.ledger.entry import Kind
from venire.ledger.memory import MemoryLedger
from venire.runner.records import JudgementRecord
from venire.workflows.audit import audit
from venire.workflows.import_results import import_results


def judgements(ledger):
    return [msgspec.convert(entry.content, JudgementRecord) for entry in ledger.read(kinds=[Kind.JUDGEMENT])]


@pytest.mark.parametrize("tool", sorted(BY_TOOL))
def test_importing_twice_changes_nothing_and_every_judgement_follows_from_its_record(tool):
    ledger = MemoryLedger()
    first = import_results(ledger, foreign(BY_TOOL[tool]))
    head = ledger.head()
    second = import_results(ledger, foreign(BY_TOOL[tool]))
    assert ledger.head() == head
    assert sum(each.added for each in first.scorers) == len(judgements(ledger)) > 0
    assert not any(each.added for each in second.scorers)
    assert audit(ledger).intact


@pytest.mark.parametrize("tool", sorted(BY_TOOL))
def test_whatever_has_no_score_is_invalid_with_a_reason_and_never_a_zero(tool):
    ledger = MemoryLedger()
    done = import_results(ledger, foreign(BY_TOOL[tool]))
    invalid = [each.judgement for each in judgements(ledger) if each.judgement.status is Status.INVALID]
    assert len(invalid) == sum(each.invalid for each in done.scorers) > 0
    for judgement in invalid:
        assert [each.rule for each in judgement.findings] == ["recorded.not-scored"]
    if tool != "mlflow":  # there, one was replaced, and its score is kept in the record
        assert not any(judgement.scores for judgement in invalid)


def test_an_import_that_was_broken_off_goes_on_where_it_stopped():
    whole, broken = MemoryLedger(), MemoryLedger()
    path = foreign(BY_TOOL["inspect"])
    import_results(whole, path)
    for entry in list(whole.read())[:20]:
        broken.adopt([entry])
    import_results(broken, path)
    for kind in Kind:
        assert sorted(broken.keys(kind)) == sorted(whole.keys(kind)), kind
    assert broken.head().sequence == whole.head().sequence


def test_a_judge_that_the_tool_does_not_name_is_unknown():
    ledger = MemoryLedger()
    import_results(ledger, foreign("promptfoo-museum.json"))
    names = {each.task.judge for each in judgements(ledger)}
    assert names == {"file://grader.js", "unknown (promptfoo icontains)"}


def test_what_was_never_judged_is_missing_and_says_why():
    ledger = MemoryLedger()
    done = import_results(ledger, foreign("inspect-panel.eval"))
    assert {each.protocol.id: each.missing for each in done.scorers} == {
        "inspect/model_graded_qa": 6,
        "inspect/model_graded_qa/combined": 2,
        "inspect/includes": 2,
    }
    reasons = {entry.content["error"] for entry in ledger.read(kinds=[Kind.ATTEMPT])}
    assert all("the search index is not reachable" in reason for reason in reasons)
    assert audit(ledger).completeness.missing == 10


def test_a_replaced_judgement_leaves_the_one_that_counts_to_its_successor():
    ledger = MemoryLedger()
    import_results(ledger, foreign("mlflow-traces.json"))
    by_people = [each for each in judgements(ledger) if each.task.judge == "ada@example.org"]
    assert [(each.task.repeat, each.judgement.status) for each in by_people] == [
        ("0", Status.VALID),
        ("0", Status.INVALID),
        ("reask-1", Status.VALID),
    ]
    again = [each.task.repeat for each in judgements(ledger) if each.task.judge == "openai:/made-up-judge"]
    assert again == ["0", "retest-1", "0"]


def test_a_judgement_that_changed_since_is_kept_beside_the_first(tmp_path):
    ledger = MemoryLedger()
    import_results(ledger, foreign("mlflow-traces.json"))
    before = len(judgements(ledger))

    def change(traces):
        for assessment in traces[0]["info"]["assessments"]:
            if assessment["assessment_name"] == "helpful":
                assessment["feedback"]["value"] = 2.0

    done = import_results(ledger, changed("mlflow-traces.json", tmp_path, change))
    assert {each.protocol.id: each.changed for each in done.scorers}["mlflow/helpful/human"] == 1
    assert len(judgements(ledger)) == before
    late = [entry.content for entry in ledger.read(kinds=[Kind.ATTEMPT])]
    assert [json.loads(each["text"])["scores"] for each in late] == [{"helpful": 2}]


def test_a_later_file_of_the_same_scorer_joins_the_protocol_that_has_room_for_it(tmp_path):
    ledger = MemoryLedger()
    import_results(ledger, foreign("inspect-agent.json"))

    def shorten(log):
        log["eval"]["eval_id"] = "another"
        for sample in log["samples"]:
            sample["scores"]["manners"]["value"] = {"polite": 1}

    import_results(ledger, changed("inspect-agent.json", tmp_path, shorten))
    assert len(set(ledger.keys(Kind.PROTOCOL))) == 2


def test_the_words_of_the_judge_and_the_record_of_the_tool_are_kept():
    ledger = MemoryLedger()
    import_results(ledger, foreign("inspect-panel.eval"))
    replies = list(ledger.read(kinds=[Kind.REPLY]))
    kept = [json.loads(entry.content["text"]) for entry in replies]
    assert "Wrong day.\nGRADE: I" in [each.get("reply") for each in kept]
    assert all(json.loads(entry.blob) for entry in replies)


def test_a_file_without_an_output_is_refused_and_leaves_nothing(tmp_path):
    ledger = MemoryLedger()
    empty = changed("inspect-agent.json", tmp_path, lambda log: log.update(samples=[]))
    with pytest.raises(InputError, match="no output"):
        import_results(ledger, empty)
    assert ledger.head().sequence == 0
