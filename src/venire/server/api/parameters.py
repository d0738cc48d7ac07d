"""What calls are given: the court, and where a page of a list begins."""

from __future__ import annotations

from typing import Annotated

from litestar.di import NamedDependency
from litestar.params import QueryParameter

from venire.server.court.court import Court

InCourt = NamedDependency[Court]
"""The court, given to handlers as `court`."""
MOST_ON_A_PAGE = 1000
"""How many things a page may have."""

After = Annotated[
    int,
    QueryParameter(ge=0, le=2**53 - 1, description="Where the page before ended: its `next_after`; 0 for the first."),
]
"""Where a page begins."""
Limit = Annotated[int, QueryParameter(ge=1, le=MOST_ON_A_PAGE, description="How many things the page may have.")]
"""How long a page may be."""
Text = Annotated[str, QueryParameter(max_length=500)]
"""A name to look for."""
