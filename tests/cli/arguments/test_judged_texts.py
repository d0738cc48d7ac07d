"""How options name the judged texts."""

import pytest

from venire.cli.arguments.judged_texts import aliases, columns, pdf_limits, source_names
from venire.errors import UsageError


def test_pairs_are_cut_at_the_first_equals_sign():
    assert columns(("text=answer", "id=a=b")) == {"text": "answer", "id": "a=b"}
    assert source_names({"source_names": ("oak=folder",)}, None) == {"oak": "folder"}
    assert aliases({"aliases": ("a=b", "c=d")}, None) == (("a", "b"), ("c", "d"))


@pytest.mark.parametrize("pair", ["text", "=answer", "text=", ""])
def test_half_a_pair_is_wrong_usage_with_an_example(pair):
    with pytest.raises(UsageError) as told:
        columns((pair,))
    assert "text=answer" in str(told.value) + told.value.hint


def test_limits_of_a_pdf_are_numbers_by_name():
    usual = pdf_limits({"pdf_limits": ()})
    given = pdf_limits({"pdf_limits": ("pages=7",)})
    assert (given.pages, given.seconds) == (7, usual.seconds)
    for wrong in ("pages=many", "leaves=7", "pages"):
        with pytest.raises(UsageError, match="pages"):
            pdf_limits({"pdf_limits": (wrong,)})
