"""What a judge without a model can tell by words and numbers, and what it cannot."""

import pytest

from venire.domain.claim import ClaimFinding
from venire.judges.rule_judge.matching import match_claims

DOCUMENTS = {
    "a": "The library opens at 9 am on weekdays. Fines are 20 cents a day. Members pay 1,200 euros.",
    "b": "图书可以借三周，最多借5本。宠物不可以入内。",
}


@pytest.mark.parametrize(
    ("sentence", "finding", "source"),
    [
        ("The library opens at 9 am on weekdays.", ClaimFinding.SUPPORTED, "a"),
        ("On weekdays, the library opens at 9 am!", ClaimFinding.SUPPORTED, "a"),
        ("The library opens at 10 am on weekdays.", ClaimFinding.CONTRADICTED, "a"),
        ("Members pay 1200 euros.", ClaimFinding.SUPPORTED, "a"),
        ("Fines are not 20 cents a day.", ClaimFinding.CONTRADICTED, "a"),
        ("最多借5本。", ClaimFinding.SUPPORTED, "b"),
        ("最多借８本。", ClaimFinding.CONTRADICTED, "b"),
        ("宠物可以入内。", ClaimFinding.CONTRADICTED, "b"),
        ("Coffee is served in the garden.", ClaimFinding.ABSENT, ""),
        ("The reading room starts its day at nine.", ClaimFinding.ABSENT, ""),
        ("Can I help you?", None, ""),
        ("Hello!", None, ""),
    ],
)
def test_a_sentence_is_held_against_the_passage_that_shares_most_of_its_words(sentence, finding, source):
    (match,) = match_claims(sentence, DOCUMENTS)
    assert (match.finding, match.source) == (finding, source)
    assert match.words == sentence
    assert not match.passage or match.passage in DOCUMENTS[source]


def test_sentences_are_numbered_as_judges_see_them():
    first, second = match_claims("# Fees\nFines are 20 cents a day. Dogs are free.", DOCUMENTS)
    assert (first.number, first.passage_number, second.number) == (2, 2, 3)


def test_an_output_without_documents_is_absent_from_them():
    assert [match.finding for match in match_claims("Fines are 20 cents.", {})] == [ClaimFinding.ABSENT]


def test_of_passages_that_share_as_much_the_first_is_taken():
    twice = {"one": "Dogs may come in.", "two": "Dogs may come in."}
    (match,) = match_claims("Dogs may come in.", twice)
    assert (match.source, match.finding) == ("one", ClaimFinding.SUPPORTED)
