"""What every public function is given in place of good values, and what is wrong with an answer to them."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import polars as pl

from venire.errors import VenireError
from venire.stats import Estimate, RatingMatrix
from venire.stats.agreement.alpha_sums import AlphaSums
from venire.stats.agreement.bands import Band
from venire.stats.uncertainty.mean_sums import MeanSums

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NUMBERS = {
    "nan": math.nan,
    "infinity": math.inf,
    "minus infinity": -math.inf,
    "a negative": -3,
    "ninety-five": 95,
    "zero": 0,
}

OF_RESULTS = {
    "attribute_changes", "class_probabilities", "cliffs", "compare_judge_versions", "deciding_comparisons",
    "expected_counts", "fit_in_steps", "inverse_variance_weights", "masking_flips", "panel_weights", "roll_up",
    "score_difference", "shard_votes", "share_difference", "strength_changes", "worst_slices",
}  # fmt: skip
"""Functions that take what others return, and no bare numbers: `test_every_function_of_results` has them."""


def spoiled(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield each kind of bad value that an argument could have in place of a good one."""
    if isinstance(value, bool | str) or callable(value):
        return
    if isinstance(value, int | float):
        yield from NUMBERS.items()
    elif isinstance(value, list | np.ndarray):
        whole = np.asarray(value)
        yield "nothing", whole[:0].tolist() if whole.ndim == 1 else whole[:0]
        yield "all but one row", whole[:1]
        yield "one row less", whole[:-1]
        if len(whole) == 2 and whole.dtype.kind == "U":
            return  # the names of columns may be anything
        yield "all missing", np.full(whole.shape, math.nan)
        yield "all infinite", np.full(whole.shape, math.inf)
        yield "all equal", np.full(whole.shape, 1.0)
        yield "booleans", np.arange(whole.size).reshape(whole.shape) % 2 == 0
        yield "words", np.where(np.arange(whole.size).reshape(whole.shape) % 2 == 0, "x", "y")
        if whole.dtype.kind in "fiu":
            for name, strange in (("one missing", math.nan), ("one infinite", math.inf), ("one huge", 1e308)):
                changed = whole.astype(float)
                changed.flat[0] = strange
                yield name, changed


def problem(call: Callable[[], Any]) -> str:
    """Return what is wrong with the answer to a bad value; empty if nothing is."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            found = call()
        except VenireError:
            return ""
        except Exception as error:
            return repr(error)
    return "" if all(math.isfinite(number) for number in bare_numbers(found)) else f"not finite: {found!r}"


def bare_numbers(found: Any) -> Iterator[float]:
    """Yield every number of a result, however deep, those in frames too; arrays may have gaps and are left out."""
    if isinstance(found, Estimate):
        assert found.value is not None or found.reason
    if isinstance(found, Band | AlphaSums | MeanSums | RatingMatrix):
        return  # the outermost bands have no end, sums of nothing no lowest value, and units may be called anything
    if isinstance(found, float):
        yield found
    elif isinstance(found, pl.DataFrame):
        for name, kind in found.schema.items():
            if kind.is_float():
                yield from found[name].drop_nulls().to_list()
    elif isinstance(found, msgspec.Struct):
        for field in found.__struct_fields__:
            yield from bare_numbers(getattr(found, field))
    elif isinstance(found, dict):
        for each in found.values():
            yield from bare_numbers(each)
    elif isinstance(found, tuple | list):
        for each in found:
            yield from bare_numbers(each)
