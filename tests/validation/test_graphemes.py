"""No quote stops in the middle of what a reader takes for one character."""

import pytest

from venire.validation.graphemes import splits_grapheme


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("cafe\u0301s", [4]), ("👩\u200d🚀", [1, 2]), ("👍\U0001f3fd", [1]), ("中文", []), ("ab", []),
        ("\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7", [1, 3]), ("\u1100\u1161\u11a8", [1, 2]), ("가나", []), ("ｶﾞ", [1]),
    ],
)  # fmt: skip
def test_only_places_inside_a_character_split_it(text, inside):
    assert [place for place in range(len(text) + 1) if splits_grapheme(text, place)] == inside


@pytest.mark.parametrize(("at", "splits"), [(255, True), (256, False), (257, False), (258, False)])
def test_letters_of_flags_are_counted_back_only_so_far(at, splits):
    """A row of 128 flags is longer than any text has; a longer one would cost time, and is cut anywhere."""
    assert splits_grapheme("\U0001f1e6" * 600, at) is splits
