"""Names as categories: the same names in every row, however their hashes fall."""

import numpy as np
import polars as pl
import pytest

from venire.votes.reading import names
from venire.votes.reading.names import as_categories

ROWS = 300_000


def drawn(distinct: int) -> pl.Series:
    numbers = np.random.default_rng(1).integers(distinct, size=ROWS)
    return pl.select(pl.format("the name of item {}", pl.Series(numbers)).alias("inference_id")).to_series()


@pytest.mark.parametrize("distinct", [1, 7, 5_000, 10 * ROWS])
@pytest.mark.parametrize("slots", [1 << 6, 1 << 20])
def test_every_row_keeps_its_name(distinct, slots, monkeypatch):
    """With 64 slots nearly all names share theirs with others; with ten times as many names as rows most are new."""
    monkeypatch.setattr(names, "_SLOTS", slots)
    given = drawn(distinct)
    found = as_categories(given)
    assert found.name == "inference_id"
    assert isinstance(found.dtype, pl.Categorical)
    assert found.cast(pl.String).equals(given)
    assert found.to_physical().max() == given.n_unique() - 1


def test_missing_names_stay_missing():
    given = pl.concat([drawn(100), pl.Series("inference_id", [None, "", " "])])
    assert as_categories(given).cast(pl.String).equals(given, null_equal=True)


def test_names_are_numbered_as_they_first_appear_and_always_alike():
    given = drawn(50)
    codes = as_categories(given).to_physical()
    assert codes.equals(as_categories(given).to_physical())
    assert codes.unique(maintain_order=True).to_list() == list(range(50))
