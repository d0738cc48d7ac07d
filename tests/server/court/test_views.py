"""Pages of lists."""

from __future__ import annotations

import pytest

from venire.server.court.views import Page, page_of


@pytest.mark.parametrize(
    ("after", "limit", "page"),
    [
        (0, 2, Page(("0", "1"), 4, 2)),
        (2, 2, Page(("2", "3"), 4, None)),
        (1, 9, Page(("1", "2", "3"), 4, None)),
        (9, 1, Page((), 4, None)),
    ],
)
def test_a_page_says_where_the_next_begins(after, limit, page):
    assert page_of(range(4), after, limit, str) == page
