"""What a run writes down."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.domain.canonical import canonical_json
from venire.domain.judgement import Judgement, Status
from venire.domain.rule import JUDGE_OTHER_MODEL
from venire.judges.provider import Reply
from venire.ledger.entry import Head, Kind
from venire.ledger.hashing import link_all
from venire.runner.records import (
    KEPT_BODY_BYTES,
    ReplyRecord,
    failed_attempt_draft,
    judgement_draft,
    judgement_key,
    latency_of,
    not_asked_draft,
    read_judgement,
    reply_draft,
)
from venire.runner.task import make_task
from venire.words.said import say

TASK = make_task("oak", "judge", "protocol", "prompt", "sample")


def test_the_body_of_a_failed_request_is_kept_up_to_a_limit():
    reply = Reply(None, b"x" * (KEPT_BODY_BYTES + 1), 500, error="HTTP 500", error_kind="server")
    draft = failed_attempt_draft(TASK, "run", 2, reply)
    assert (draft.kind, draft.key, len(draft.blob)) == (Kind.ATTEMPT, TASK.id, KEPT_BODY_BYTES)
    assert (draft.payload["attempt"], draft.payload["outcome"], draft.payload["error"]) == (2, "server", "HTTP 500")


def test_a_task_that_was_not_asked_says_why():
    payload = not_asked_draft(TASK, "run", "not asked: no key").payload
    assert (payload["outcome"], payload["error"], payload["run"]) == ("not_asked", "not asked: no key", "run")


def test_latency_is_kept_to_the_microsecond_and_a_judgement_under_its_terms():
    assert latency_of(Reply("x", latency_seconds=0.12345678)) == 0.123457
    assert judgement_key(TASK.id, "a") != judgement_key(TASK.id, "b")


def judged(protocol, sample_digest):
    """A reply to a task, and its judgement by a protocol on a sample."""
    reply = ReplyRecord(make_task("oak", "a" * 64, "b" * 64, "c" * 64, "d" * 64), "text", "m", "h", False, "e" * 64)
    return reply, Judgement(protocol, "contract", "f" * 64, "out-1", sample_digest, Status.VALID, scores={"A": 2})


def entry_of(draft):
    [entry] = link_all([draft], Head(), "2025-01-31T12:00:00.000000Z")
    return entry


def test_a_judgement_is_stored_without_the_digests_that_stand_in_its_task():
    reply, judgement = judged("b" * 64, "d" * 64)
    entry = entry_of(judgement_draft(reply, judgement, "key", "run"))
    digests = re.findall(rb"[0-9a-f]{64}", entry.payload)
    assert len(digests) == len(set(digests)) == 6  # Its task's id and four more, and the reply's.
    assert read_judgement(entry).judgement == judgement


@pytest.mark.parametrize(("protocol", "sample_digest"), [("1" * 64, "d" * 64), ("b" * 64, "2" * 64), ("b" * 64, "")])
def test_a_judgement_of_another_protocol_or_sample_than_its_task_is_stored_with_both_digests(protocol, sample_digest):
    reply, judgement = judged(protocol, sample_digest)
    entry = entry_of(judgement_draft(reply, judgement, "key", "run"))
    assert entry.content["judgement"]["protocol"] == protocol
    assert read_judgement(entry).judgement == judgement


NUMBERS = st.none() | st.floats(-1e18, 1e18) | st.integers(0, 2**53 - 1) | st.sampled_from([0.0, 8.0, 2.5, 1e-6, 1 / 3])


@given(st.dictionaries(st.text("aé\U0001f600", max_size=2), NUMBERS.filter(lambda each: each is not None)), NUMBERS)
def test_a_judgement_is_stored_as_canonical_json_whatever_its_numbers(scores, overall):
    task = make_task("j", "a", "b", "c", "d")
    reply = ReplyRecord(task, "a text", "m", "h", False, "r", latency_seconds=0.25)
    findings = (JUDGE_OTHER_MODEL.finding("", say("unknown"), "é"),)
    judgement = Judgement(
        "p", "contract", "r", "s", "d", Status.VALID, scores=scores, overall=overall, findings=findings
    )
    draft = judgement_draft(reply, judgement, "key", "run")
    assert draft.payload_bytes == canonical_json(draft.payload)


@given(
    st.text(), st.floats(0, 1e6) | st.sampled_from([0.0, 1e-6, 3.0, 0.021333]), st.none() | st.integers(0, 2**53 - 1)
)
def test_a_reply_is_stored_as_canonical_json_whatever_its_numbers(text, latency, tokens):
    task = make_task("j", "a", "b", "c", "d")
    record = ReplyRecord(task, text, "m", "h", False, "r", latency_seconds=latency, input_tokens=tokens)
    draft = reply_draft(record, text.encode())
    assert draft.payload_bytes == canonical_json(draft.payload)
