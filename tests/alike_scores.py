"""Tables of scores that must be the same but for rounding."""

import numpy as np
import polars as pl

from venire.votes.decay.items import ITEM


def assert_alike(found: pl.DataFrame, wanted: pl.DataFrame, critical: float = 0.05) -> None:
    """Assert that two tables of scores, in any order, are the same but for rounding."""
    keys = [name for name in ITEM if name in wanted.columns]
    found, wanted = found.sort(keys), wanted.sort(keys)
    assert found.schema == wanted.schema
    exact = [*keys, "votes", "batches", "last_update"]
    assert found.select(exact).equals(wanted.select(exact))
    for name in ("score", "freshness", "batch_variance", "variance", "effective_votes"):
        np.testing.assert_allclose(found[name], wanted[name], rtol=1e-12, atol=1e-13)
    # Votes whose variance is the critical one but for rounding may fall on either side.
    close = ((wanted["variance"] - critical).abs() < 1e-12) | ((wanted["batch_variance"] - critical).abs() < 1e-12)
    assert ((found["ambiguous"] == wanted["ambiguous"]) | close).all()
