"""How lists are asked for page by page."""

from __future__ import annotations

from typing import Annotated

from litestar.params import Parameter

MOST_ON_A_PAGE = 1000
"""How many things a page may have."""

After = Annotated[
    int, Parameter(ge=0, le=2**53 - 1, description="Where the page before ended: its `next_after`; 0 for the first.")
]
"""Where a page begins."""
Limit = Annotated[int, Parameter(ge=1, le=MOST_ON_A_PAGE, description="How many things the page may have.")]
"""How long a page may be."""
Text = Annotated[str, Parameter(max_length=500)]
"""A name to look for."""
