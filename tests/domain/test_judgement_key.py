from __future__ import annotations

import pytest

from venire.domain.judgement_key import JudgementKey


@pytest.mark.parametrize("key", [JudgementKey("5ad1"), JudgementKey("5ad1", 0), JudgementKey("5ad1", 15)])
def test_what_was_written_is_read_again(key: JudgementKey) -> None:
    assert JudgementKey.parse(str(key)) == key


@pytest.mark.parametrize("text", ["", "/entries/1", "a/entries/", "a/entries/b", "a/entries/-1", "a/entries/²"])
def test_what_ends_with_no_place_is_a_key_as_a_whole(text: str) -> None:
    assert JudgementKey.parse(text) == JudgementKey(text)
