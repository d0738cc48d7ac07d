"""A reply by claims is valid only if both sides of every claim stand where it says, and no sentence is left out."""

import msgspec
import pytest

from valid_replies import (
    CITING,
    GROUNDED,
    GROUNDED_SAMPLE,
    JUDGE,
    as_json,
    changed,
    citing_reply,
    grounded_reply,
)
from venire.domain.claim import Claim, ClaimFinding
from venire.domain.flag import Flag
from venire.domain.judgement import EvidenceLevel, Method, Quotes
from venire.domain.protocol import VerdictRule
from venire.shapes.check import Checker

NAMES = ("claims", "nothing_to_check")
CHECKER, CITES = Checker(GROUNDED), Checker(CITING)


def check(change=lambda reply: None, *, checker=CHECKER, sample=GROUNDED_SAMPLE, reply=None):
    return checker.check(changed(reply or grounded_reply(), change), sample, judge=JUDGE)


def found(judgement):
    return [(finding.rule, finding.pointer) for finding in judgement.findings]


def claim(place=0, **fields):
    def change(reply):
        reply["claims"][place].update(fields)
        for name in [name for name, value in fields.items() if value is None]:
            del reply["claims"][place][name]

    return change


def test_the_score_is_the_share_of_claims_that_are_supported():
    judgement = check()
    assert judgement.valid
    assert judgement.findings == ()
    assert judgement.scores == {"supported": 1 / 3}
    assert (judgement.overall, judgement.method, judgement.scale) == (1 / 3, Method.CROSS_JUDGE, "0-1")
    assert judgement.claims == (
        Claim(ClaimFinding.CONTRADICTED, 0, 1),
        Claim(ClaimFinding.SUPPORTED, 2, 3),
        Claim(ClaimFinding.ABSENT, 4),
    )


def test_both_sides_of_a_claim_are_kept_with_their_places():
    judgement = check()
    words, passage = judgement.sides(judgement.claims[0])
    text, document = GROUNDED_SAMPLE.text, GROUNDED_SAMPLE.materials[0].text
    assert (text[words.start : words.end], words.source) == ("The library opens at 10 am.", "")
    assert (document[passage.start : passage.end], passage.source) == ("The library opens at 9 am.", "document-1")
    assert judgement.sides(judgement.claims[2])[1] is None
    assert judgement.quotes is Quotes.COMPARED


def test_the_quick_way_and_the_thorough_way_come_to_the_same():
    """A note in the reply does not change the judgement, but an escape makes the reply go the long way."""
    raw = as_json(grounded_reply())
    slowly = raw.replace(b"Hello!", b"Hello\\u0021")
    one, other = (CHECKER.check(each, GROUNDED_SAMPLE, judge=JUDGE) for each in (raw, slowly))
    assert msgspec.structs.replace(other, reply_sha256=one.reply_sha256) == one


def test_a_passage_of_another_document_is_misplaced():
    judgement = check(claim(source="document-2"))
    assert found(judgement) == [("evidence.not-verbatim", "/claims/0/passage")]
    assert "document-1" in str(judgement.findings[0].found)


@pytest.mark.parametrize("finding", ["supported", "contradicted"])
@pytest.mark.parametrize("fields", [{"passage": ""}, {"passage": None}, {"passage": None, "source": None}])
def test_a_finding_without_a_passage_is_no_finding(finding, fields):
    judgement = check(claim(finding=finding, **fields))
    assert found(judgement) == [("claim.no-passage", "/claims/0/passage")]
    assert judgement.flags == (Flag.PROTOCOL_VIOLATION,)


@pytest.mark.parametrize("source", ["output", "", "document-9", "reference-1"])
def test_a_passage_stands_in_a_document_and_nowhere_else(source):
    assert found(check(claim(source=source))) == [("evidence.unknown-source", "/claims/0/source")]


def test_a_paraphrase_is_neither_words_nor_passage():
    assert found(check(claim(passage="The library opens at nine."))) == [("evidence.not-verbatim", "/claims/0/passage")]
    assert found(check(claim(words="The library opens at ten."))) == [
        ("evidence.not-verbatim", "/claims/0/words"),
        ("claim.sentence-left-out", "/claims"),
    ]


def test_what_no_document_speaks_of_has_no_passage():
    judgement = check(claim(finding="absent"))
    assert found(judgement) == [("claim.absent-with-passage", "/claims/0/passage")]
    assert judgement.flags == (Flag.INTERNAL_INCONSISTENCY,)
    assert found(check(claim(2, source="document-1"))) == [("claim.absent-with-passage", "/claims/2/passage")]


def test_a_sentence_that_is_left_out_makes_the_reply_incomplete():
    judgement = check(lambda reply: reply["claims"].pop(2))
    assert found(judgement) == [("claim.sentence-left-out", "/claims")]
    assert judgement.findings[0].found == "'Dogs may come in.'"
    assert judgement.flags == (Flag.INCOMPLETE_COVERAGE,)
    assert found(check(lambda reply: reply["nothing_to_check"].clear())) == [("claim.sentence-left-out", "/claims")]


def test_an_output_without_any_claim_has_no_share():
    sample = msgspec.structs.replace(GROUNDED_SAMPLE, text="Hello!")
    judgement = CHECKER.check(as_json({"claims": [], "nothing_to_check": ["Hello!"]}), sample)
    assert judgement.valid
    assert (judgement.overall, judgement.scores) == (None, {})


def test_a_sample_without_documents_cannot_be_judged():
    sample = msgspec.structs.replace(GROUNDED_SAMPLE, text="Dogs may come in.", materials=())
    reply = {"claims": [{"words": "Dogs may come in.", "finding": "absent"}], "nothing_to_check": []}
    assert found(CHECKER.check(as_json(reply), sample)) == [("evidence.no-source", "/claims")]


def test_without_the_texts_a_reply_says_that_its_quotes_were_not_compared():
    judgement = check(sample=None)
    assert found(judgement) == [("evidence.unchecked", "/claims")]
    assert judgement.quotes is Quotes.NOT_COMPARED
    assert judgement.overall == 1 / 3
    off = check(checker=Checker(GROUNDED, evidence=EvidenceLevel.OFF))
    assert found(off) == [("evidence.unchecked", "/claims")]
    assert [str(each.findings[0].found) for each in (judgement, off)] == ["no source for this sample", "evidence off"]


def test_a_verdict_follows_from_the_share():
    protocol = msgspec.structs.replace(GROUNDED, verdict=VerdictRule(fail_at_most=0.5, pass_at_least=1))
    assert check(checker=Checker(protocol)).verdict == "FAIL"


def test_too_many_claims_are_not_all_looked_up_and_not_valid():
    judgement = check(lambda reply: reply["claims"].extend(reply["claims"] * 400))
    assert ("contract.wrong-type", "/claims") in found(judgement)
    assert len(judgement.claims) == 1000


def test_a_cited_sentence_is_kept_with_its_number_and_its_words():
    judgement = check(checker=CITES, reply=citing_reply())
    assert judgement.findings == ()
    assert judgement.overall == 1 / 3
    words, passage = judgement.sides(judgement.claims[1])
    assert (words.sentence, words.quote, words.level) == (3, "图书可以借三周。", EvidenceLevel.EXACT)
    assert (passage.sentence, passage.quote, passage.source) == (2, "图书可以借三周。", "document-2")
    assert passage.start == GROUNDED_SAMPLE.materials[1].text.index("图书")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (claim(passage=3), ("evidence.not-verbatim", "/claims/0/passage")),
        (claim(passage=0), ("contract.wrong-type", "/claims/0/passage")),
        (claim(source="document-9"), ("evidence.unknown-source", "/claims/0/source")),
        (claim(source="output"), ("evidence.unknown-source", "/claims/0/source")),
        (claim(passage=None), ("claim.no-passage", "/claims/0/passage")),
        (claim(finding="absent"), ("claim.absent-with-passage", "/claims/0/passage")),
        (claim(2, sentence=3), ("claim.sentence-left-out", "/claims")),
        (claim(words="x"), ("contract.unknown-field", "/claims/0/words")),
    ],
)
def test_a_number_that_there_is_no_sentence_of_is_reported(change, expected):
    assert expected in found(check(change, checker=CITES, reply=citing_reply()))


def test_the_schema_of_a_sample_holds_its_documents_and_the_numbers_of_its_sentences():
    (claim_schema, nothing) = (CITES.schema(None, GROUNDED_SAMPLE)["properties"][name]["items"] for name in NAMES)
    properties = claim_schema["properties"]
    assert properties["sentence"] == nothing == {"type": "integer", "minimum": 1, "maximum": 4}
    assert properties["passage"]["maximum"] == 3
    assert properties["source"]["enum"] == ["document-1", "document-2"]
    quoting = CHECKER.schema(None, GROUNDED_SAMPLE)["properties"]["claims"]["items"]["properties"]
    assert quoting["source"]["enum"] == ["document-1", "document-2"]
    assert "enum" not in CHECKER.schema()["properties"]["claims"]["items"]["properties"]["source"]


def test_other_forms_of_reply_are_kept_without_a_word_about_claims():
    assert b"claims" not in msgspec.json.encode(msgspec.structs.replace(check(), claims=msgspec.UNSET))
    encoded = msgspec.json.encode(check())
    assert msgspec.json.decode(encoded, type=type(check())) == check()
