"""What a run writes down."""

from venire.judges.provider import Reply
from venire.ledger.entry import Kind
from venire.runner.records import KEPT_BODY_BYTES, failed_attempt_draft, judgement_key, latency_of, not_asked_draft
from venire.runner.task import make_task

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
