"""How many examples the tests draw whose input is drawn at random."""

from __future__ import annotations

import os


def draws(all_of_them: int) -> int:
    """Return how many to draw: all, or a quarter of them under VENIRE_QUICK=1, which `make test` sets."""
    return max(1, all_of_them // 4) if os.environ.get("VENIRE_QUICK") == "1" else all_of_them
