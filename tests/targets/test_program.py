"""What programs are told, and what may come back."""

from venire.domain.material import Material, MaterialKind
from venire.domain.output import Case, OutputPlace, PlannedOutput, PromptText
from venire.judges.provider import Decoding, Message, Request
from venire.targets.program import reply_from, told

PLACE = OutputPlace("q1-a-bot-2", "q1", "a", "bot", {"language": "zh"}, {"temperature": 0.5}, 2)


def request(system="Be kind.", before=()):
    case = Case("q1", {"x": "é"}, (Material("d1", MaterialKind.DOCUMENT, "Water boils."),))
    planned = PlannedOutput(PLACE, case, PromptText(system, ("Hi",)))
    return Request("m-1", system, "Hi", Decoding(), {}, may_be_empty=True, planned=planned, before=before)


def test_a_program_is_told_the_whole_request():
    assert told(request(before=(Message("user", "One?"), Message("assistant", "Two.")))) == {
        "prompt": "Hi",
        "system": "Be kind.",
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "One?"},
            {"role": "assistant", "content": "Two."},
            {"role": "user", "content": "Hi"},
        ],
        "case": {"id": "q1", "x": "é"},
        "materials": [{"id": "d1", "kind": "document", "text": "Water boils."}],
        "variant": "a",
        "factors": {"language": "zh"},
        "target": "bot",
        "model": "m-1",
        "parameters": {"temperature": 0.5},
        "repeat": 2,
    }


def test_without_a_system_message_there_is_none_among_the_messages():
    assert told(request(system=""))["messages"] == [{"role": "user", "content": "Hi"}]


def test_a_text_is_the_output():
    reply = reply_from("fine\ud800", 0.5)
    assert (reply.text, reply.body, reply.latency_seconds) == ("fine\ud800", b"fine\xed\xa0\x80", 0.5)
    assert (reply.error, reply.model, reply.finish_reason) == (None, None, None)


def test_values_beside_the_text_are_kept():
    reply = reply_from(
        {"text": "", "model": "m-2", "finish_reason": "length", "input_tokens": 3, "output_tokens": 4}, 1.5
    )
    assert (reply.text, reply.model, reply.finish_reason) == ("", "m-2", "length")
    assert (reply.input_tokens, reply.output_tokens, reply.latency_seconds) == (3, 4, 1.5)


def test_anything_else_is_a_failure_that_says_what_was_found():
    for answer, found in ((None, "NoneType"), ({"text": 7}, "dict"), ({"text": "a", "more": 1}, "dict")):
        reply = reply_from(answer, 0.25)
        assert (reply.text, reply.error_kind, reply.latency_seconds) == (None, "bad_request", 0.25)
        assert reply.error.code == "error.target.answer"
        assert reply.error.values["found"] == found
