"""A quote may not make another number of raised, circled or fractional digits."""

import pytest

from venire.domain.judgement import EvidenceLevel
from venire.validation.normalise import normalise
from venire.validation.number_folds import keeps_numbers, same_disguised_digits

NFKC = EvidenceLevel.NFKC


@pytest.mark.parametrize(
    ("text", "quote", "is_same"),
    [("x²", "x2", True), ("10²", "102", False), ("10²", "10²", True), ("1½", "11⁄2", False), ("步骤①", "步骤1", True)],
)
def test_a_disguised_digit_beside_a_digit_must_be_quoted_as_it_is(text, quote, is_same):
    there, here = normalise(text, NFKC), normalise(quote, NFKC)
    assert there.text == here.text
    assert keeps_numbers(there, 0, here) is is_same


def test_a_stretch_across_lines_must_have_all_disguised_digits():
    there = normalise("m² ab", NFKC)
    assert same_disguised_digits(there, 0, len(there.text), normalise("m² ab", NFKC))
    assert not same_disguised_digits(there, 0, len(there.text), normalise("m2 ab", NFKC))
