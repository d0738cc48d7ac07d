"""Sentences that know their code: stored, read again, pickled and joined."""

import pickle

from venire.words.language import Words
from venire.words.said import Said, as_text, clauses, coded, said_again, say


def test_a_sentence_is_a_text_that_knows_what_it_was_made_from():
    said = say("votes.more_rows", count=3)
    assert said == "and 3 more; --limit shows more, --format writes all"
    assert (said.code, said.values) == ("votes.more_rows", {"count": 3})
    again = pickle.loads(pickle.dumps(said))
    assert isinstance(again, Said)
    assert (again, again.code, again.values) == (said, said.code, said.values)


def test_clauses_are_joined_by_semicolons_and_can_be_said_in_another_language():
    joined = clauses(say("unknown"), "", say("unknown"), "b")
    assert joined == "not known; not known; b"
    assert Words("zh").of(joined) != joined
    assert clauses() == ""
    assert clauses("", "a") == "a"


def test_what_was_stored_is_said_again_if_it_would_be_said_so():
    said = say("list.of", items=(say("unknown"), "b", 2))
    stored = coded(said)
    assert stored == {"code": "list.of", "values": {"items": [{"code": "unknown", "values": {}}, "b", 2]}}
    again = said_again(str(said), stored)
    assert isinstance(again, Said)
    assert again.code == "list.of"
    assert not isinstance(said_again("other words", stored), Said)
    assert said_again("other words", stored) == "other words"


def test_what_cannot_be_said_again_stays_as_it_was_stored():
    for broken in (None, "text", {"code": "no.such.code", "values": {}}, {"values": {}}, {"code": "unknown"}, 7):
        assert said_again("kept", broken) == "kept"


def test_values_that_no_record_holds_are_stored_as_text():
    assert coded(None) is None
    assert coded(0.5) == 0.5
    assert coded({1}) == "{1}"
    assert coded([1, "a"]) == [1, "a"]


def test_sentences_are_written_as_text():
    assert as_text(say("unknown")) == "not known"
