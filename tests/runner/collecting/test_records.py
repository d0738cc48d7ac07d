"""What a collection writes into the ledger, field by field."""

import msgspec
import pytest

from venire.domain.output import Case, OutputPlace, OutputState, PlannedOutput, PromptText
from venire.judges.provider import Reply
from venire.ledger.entry import Draft, Kind
from venire.ledger.memory import MemoryLedger
from venire.runner.collecting.records import (
    OutputRecord,
    design_drafts,
    failed_output_draft,
    find_output_problem,
    late_output_draft,
    output_draft,
    output_not_asked_draft,
)
from venire.runner.collecting.task import OutputTask, task_digest, turn_task
from venire.runner.records import KEPT_BODY_BYTES

TASK = OutputTask("t1", "elm", "d1", 2)
PLACE = OutputPlace("o1", "c1", "plain", "elm")
ABOUT = {"task": "t1", "target": "elm", "output_id": "o1", "turn": 2}
RECORD = OutputRecord(TASK, PLACE, "case", "prompt", "Words.", attempt=3, run="r1")


def test_a_request_without_an_output_says_what_came_and_when_to_ask_again():
    reply = Reply(
        None, b"x" * (KEPT_BODY_BYTES + 1), 429, "busy", "rate_limit", retry_after_seconds=2.5,
        latency_seconds=0.12345678,
    )  # fmt: skip
    draft = failed_output_draft(TASK, PLACE, "r1", 3, reply)
    assert (draft.kind, draft.key, len(draft.blob)) == (Kind.OUTPUT_ATTEMPT, "t1", KEPT_BODY_BYTES)
    assert draft.payload == ABOUT | {
        "run": "r1", "attempt": 3, "outcome": "rate_limit", "error": "busy", "status": 429,
        "retry_after_seconds": 2.5, "latency_seconds": 0.123457,
    }  # fmt: skip


def test_an_output_that_was_not_asked_for_says_why():
    draft = output_not_asked_draft(TASK, PLACE, "r1", "no budget")
    assert (draft.kind, draft.key, draft.blob) == (Kind.OUTPUT_ATTEMPT, "t1", b"")
    assert draft.payload == ABOUT | {"outcome": "not_asked", "error": "no budget", "run": "r1"}


def test_an_output_that_came_late_is_kept_whole_as_an_attempt():
    draft = late_output_draft(RECORD, b"body")
    assert (draft.kind, draft.key, draft.blob) == (Kind.OUTPUT_ATTEMPT, "t1", b"body")
    whole = msgspec.structs.asdict(RECORD)
    assert draft.payload == whole | ABOUT | {"outcome": "late", "error": draft.payload["error"]}
    assert draft.payload["error"]


@pytest.mark.parametrize(("body", "kept"), [(b"Words.", b""), (b'{"text": "Words."}', b'{"text": "Words."}')])
def test_the_server_s_bytes_stand_beside_an_output_unless_they_are_the_output(body, kept):
    draft = output_draft(RECORD, body, lambda: Draft(Kind.NOTE, {}, ""))
    assert (draft.kind, draft.key, draft.blob, draft.payload) == (Kind.OUTPUT, "t1", kept, RECORD)


def test_an_output_knows_whether_it_is_whole():
    assert RECORD.state is OutputState.COMPLETE


CASE, PROMPT = Case("c1", {"question": "Why?"}), PromptText("Be brief.", ("Why?", "And then?"))
FIRST = turn_task(OutputTask(task_digest("d1", PROMPT.digest, "", PLACE), "elm", "d1", 2), 1)
ASKED = OutputRecord(FIRST, PLACE, CASE.digest, PROMPT.digest, "Words.")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({}, ""),
        ({"prompt_digest": "other"}, "error.ledger.no_prompt"),
        ({"case_digest": "other"}, "error.ledger.no_case"),
        ({"task": TASK}, "error.ledger.other_output"),
        ({"task": msgspec.structs.replace(FIRST, turn=2)}, "error.ledger.other_output"),
        ({"place": msgspec.structs.replace(PLACE, repeat=2)}, "error.ledger.other_output"),
    ],
)
def test_an_output_follows_from_its_case_its_prompt_and_its_place(change, code):
    ledger, record = MemoryLedger(), msgspec.structs.replace(ASKED, **change)
    ledger.append(design_drafts(PlannedOutput(PLACE, CASE, PROMPT)))
    ledger.append([output_draft(record, b"", lambda: Draft(Kind.NOTE, {}, ""))])
    assert [find_output_problem(each, ledger) for each in ledger.read(kinds=[Kind.CASE, Kind.PROMPT])] == ["", ""]
    found = find_output_problem(ledger.find(Kind.OUTPUT, record.task.id), ledger)
    assert getattr(found, "code", found) == code


@pytest.mark.parametrize(
    ("draft", "code"),
    [
        (Draft(Kind.PROMPT, {"bytes": 1}, "other", b"x"), "error.ledger.other_prompt"),
        (Draft(Kind.CASE, {"case": {"id": "c1"}}, "other"), "error.ledger.other_case"),
        (Draft(Kind.CASE, {"no": "case"}, "other"), "error.ledger.not_an_output"),
        (Draft(Kind.OUTPUT, {"text": "Words."}, "other"), "error.ledger.not_an_output"),
        (Draft(Kind.OUTPUT, ASKED, "other"), "error.ledger.other_output"),
        (Draft(Kind.NOTE, {}, "other"), ""),
    ],
)
def test_what_is_wrong_with_an_entry_of_a_collection_is_said(draft, code):
    ledger = MemoryLedger()
    ledger.append(design_drafts(PlannedOutput(PLACE, CASE, PROMPT)))
    ledger.append([draft])
    found = find_output_problem(ledger.find(draft.kind, "other"), ledger)
    assert getattr(found, "code", found) == code
