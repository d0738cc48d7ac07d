"""What the ledger holds of an answer and of a judgement gives both back, to the last byte."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiment import FakeProvider, good_reply, make_samples, run_fakes
from venire.domain.judgement import Evidence, Judgement, Status
from venire.ledger.entry import Kind
from venire.ledger.reply_text import cut_text, cut_words, fill_words, whole_body
from venire.runner.records import JudgementRecord, ReplyRecord

TEXT = 'A reply with "quotes", a line\nbreak, é, 判断, <b> & \u2028, long enough to be cut.'


def go_json(text):
    """Write a text as Go's standard encoder does."""
    written = json.dumps(text, ensure_ascii=False)
    for each in "<>&\u2028\u2029":
        written = written.replace(each, f"\\u{ord(each):04x}")
    return written


@pytest.mark.parametrize(
    ("write", "escapes"),
    [(lambda text: json.dumps(text, ensure_ascii=False), "utf8"), (json.dumps, "ascii"), (go_json, "html")],
)
def test_an_answer_is_kept_without_its_text_however_the_server_escapes_it(write, escapes):
    body = f'{{"message": {write(TEXT)}, "usage": 3}}'.encode()
    blob, place = cut_text(body, TEXT)
    assert blob == b'{"message": , "usage": 3}'
    assert place.escapes == escapes
    assert whole_body(blob, TEXT, place) == body


def test_an_answer_in_which_the_text_is_not_found_is_kept_whole():
    body = json.dumps({"delta": [TEXT[:30], TEXT[30:]]}).encode()
    assert cut_text(body, TEXT) == (body, None)
    assert whole_body(body, TEXT, None) == body


def test_a_text_is_found_behind_another_that_begins_like_it():
    body = json.dumps({"prompt": TEXT[:-1] + "?", "content": TEXT}, ensure_ascii=False).encode()
    blob, place = cut_text(body, TEXT)
    assert blob.endswith(b'"content": }')
    assert whole_body(blob, TEXT, place) == body


@given(st.text(), st.text(), st.text())
def test_any_answer_comes_back_as_it_was(before, text, after):
    body = before.encode("utf-8", "replace") + json.dumps(text).encode() + after.encode("utf-8", "replace")
    if text.isprintable():
        blob, place = cut_text(body, text)
        assert whole_body(blob, text, place) == body


def judgement_of(*quotes):
    evidence = tuple(Evidence("A", quote, reason, start=0) for quote, reason in quotes)
    return Judgement("p", "contract", "r", "s", "d", Status.VALID, evidence=evidence)


WORDS = st.text('ab\n" ', max_size=60)


@given(st.lists(st.tuples(WORDS, WORDS), max_size=3), st.lists(st.tuples(WORDS, WORDS), max_size=3), WORDS)
def test_quotes_and_reasons_come_back_those_of_entries_too(own, others, rest):
    text = rest.join(word for pair in own for word in pair) + rest
    whole = msgspec.structs.replace(judgement_of(*own), entries=(judgement_of(*others), judgement_of(*own)))
    stored, words = cut_words(whole, text)
    assert fill_words(stored, words, text) == whole


def test_too_few_places_are_an_error_and_not_a_judgement_with_other_words():
    text = "a first quote that is long enough, and a second quote that is long enough"
    stored, words = cut_words(judgement_of((text[:33], ""), (text[35:], "")), text)
    assert stored.evidence[0].quote == ""
    with pytest.raises(ValueError, match="more quotes than places"):
        fill_words(stored, words[:1], text)


def test_in_a_run_the_text_is_stored_once_and_is_found_again():
    def answer(request):
        reply = good_reply(request)
        body = json.dumps({"choices": [{"message": {"content": reply.text}}]}).encode()
        return msgspec.structs.replace(reply, body=body)

    _, ledger = run_fakes({"oak": FakeProvider(answer)}, make_samples(2))
    for entry in ledger.read(kinds=[Kind.REPLY]):
        record = msgspec.convert(entry.content, ReplyRecord)
        assert entry.blob == b'{"choices": [{"message": {"content": }}]}'
        whole = json.loads(whole_body(entry.blob, record.text, record.text_place))
        assert whole["choices"][0]["message"]["content"] == record.text
        judged = next(each for each in ledger.read(kinds=[Kind.JUDGEMENT]) if each.content["task"]["id"] == entry.key)
        judgement = msgspec.convert(judged.content, JudgementRecord)
        said = json.loads(record.text)["evidence"]
        assert [each.quote for each in judgement.with_words(record.text).evidence] == [each["quote"] for each in said]
        assert not any(each.quote for each in judgement.judgement.evidence)


def test_quotes_and_reasons_are_found_in_whatever_order_they_stand():
    first, second = "the first of two passages of a reply", "the second of two passages of a reply"
    text = f"{first}, {second}"
    whole = judgement_of((second, first), (first, second), (second, first))
    stored, words = cut_words(whole, text)
    assert not any(each.quote or each.reason for each in stored.evidence)
    assert fill_words(stored, words, text) == whole
