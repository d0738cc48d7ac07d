"""Intervals from leaving out units, or whole clusters of them, in turn (Shao & Tu 1995, The Jackknife and Bootstrap).

Coefficients are worked on as Fisher's z, where their errors are about alike, and the interval uses
Student's t with as many degrees of freedom as there are groups less one. Above a hundred units or clusters, groups of
them are left out.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from msgspec.structs import replace

from venire.errors import UsageError
from venire.stats.observations import encode
from venire.stats.uncertainty.quantile import t_quantile
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike

    from venire.stats.observations import FloatArray, IntArray
    from venire.stats.result import Estimate

MOST_GROUPS = 100
"""How many groups are left out at most."""

_NEAR_ONE = 1 - 1e-12
_BOTH_WAYS = np.array([-1.0, 1.0])
_CELLS_AT_ONCE = 4_000_000

Drawn = Literal["unit", "cluster"]
"""What is left out."""

Scale = Literal["correlation", "intraclass", "effect"]
"""What a coefficient is: within ±1; an intraclass correlation (Fisher 1925, §39); or a standardised difference, whose
error grows with its size."""


class JackknifeGroups(NamedTuple):
    """Which group each unit is left out with."""

    group: IntArray
    """The number of each unit's group, from 0 on without gaps."""
    size: int
    """How many groups there are."""
    clusters: int | None
    """How many clusters the units are in; None if units stand for themselves."""

    @property
    def drawn(self) -> Drawn:
        """What is left out: units or clusters."""
        return "unit" if self.clusters is None else "cluster"

    def tally(self, cells: IntArray, size: int) -> Iterator[IntArray]:
        """Yield for each group how often each of the cells of a table occurs in it, of which there are `size`."""
        if size * self.size <= _CELLS_AT_ONCE:
            counts = np.bincount(self.group * size + cells, minlength=self.size * size)
            yield from counts.reshape(self.size, size)
            return
        for group in range(self.size):
            yield np.bincount(cells[self.group == group], minlength=size)


def jackknife_groups(units: int, clusters: IntArray | None, *, most: int = MOST_GROUPS) -> JackknifeGroups:
    """Deal units, or whole clusters of them, into at most so many groups.

    They are shuffled first, always in the same way: units in the order of their scores would make groups too alike.
    """
    codes = np.arange(units) if clusters is None else encode(clusters)[1]
    found = int(codes.max(initial=-1)) + 1
    if found > most:
        codes = np.random.default_rng(found).permutation(found)[codes]
    return JackknifeGroups(codes % most, min(found, most), None if clusters is None else found)


def cluster_codes_of(clusters: ArrayLike | None, units: int) -> IntArray | None:
    """Return the cluster of each unit as numbers. Raises `UsageError` unless each unit has one."""
    if clusters is None:
        return None
    codes = encode(clusters)[1]
    if len(codes) != units:
        raise UsageError("error.stats.clusters_of_units", units=units, found=len(codes))
    if (codes < 0).any():
        raise UsageError("error.stats.unit_without_cluster")
    return codes


def with_jackknife(
    blank: Estimate,
    left: FloatArray,
    groups: JackknifeGroups,
    *,
    level: float,
    scale: Scale = "correlation",
    raters: int = 2,
    least_error: float = 0.0,
    standard_error: float | None = None,
    rough_below: int = 0,
) -> Estimate:
    """Give a coefficient the interval that its values without each group make, on the scale of Fisher's z.

    Intraclass correlations have a z of their own that knows how many raters there are. `least_error` is a reach on the
    scale of z that theory gives: the wider interval is taken. `standard_error` is the published one of a coefficient
    whose units stand for themselves. Below `rough_below` units or clusters the interval is marked rough.
    """
    return with_jackknives(
        (blank,), left[None], groups, level=level, scale=scale, raters=raters, least_error=least_error,
        standard_error=standard_error, rough_below=rough_below,
    )[0]  # fmt: skip


def with_jackknives(
    blanks: Sequence[Estimate],
    left: FloatArray,
    groups: JackknifeGroups,
    *,
    level: float,
    scale: Scale = "correlation",
    raters: int | IntArray = 2,
    least_error: float = 0.0,
    standard_error: float | None = None,
    rough_below: int = 0,
) -> list[Estimate]:
    """Do what `with_jackknife` does for several coefficients of one scale at once; `left` has a row for each.

    `raters` may be a column of numbers; the mean of all raters is an intraclass correlation of one.
    """
    kind = groups.drawn
    if groups.clusters is not None:
        blanks = [replace(blank, n={**blank.n, "clusters": groups.clusters}) for blank in blanks]
    if groups.size < 2:
        return [replace(blank, reason=say(f"reason.no_interval.two_{kind}s")) for blank in blanks]
    values = np.array([[blank.value or 0.0] for blank in blanks])
    z = _z(np.concatenate((values, left), axis=1), scale, raters)
    reach = np.maximum(t_quantile(level, groups.size - 1) * _errors(z[:, 1:]), least_error)
    ends = _back(z[:, :1] + reach[:, None] * _BOTH_WAYS, scale, raters).tolist()
    apart = (left.max(axis=1) - left.min(axis=1)).tolist()
    errors = _errors(left).tolist()
    found = groups.size if groups.clusters is None else groups.clusters
    note = say(f"note.rough_{kind}s", found=found, least=rough_below) if found < rough_below else ""
    results = []
    for blank, (low, high), distance, error in zip(blanks, ends, apart, errors, strict=True):
        value = blank.value or 0.0
        if math.isnan(distance):
            results.append(replace(blank, reason=say(f"reason.no_interval.left_out_{kind}")))
        elif distance <= 1e-12 and not least_error:
            results.append(replace(blank, reason=say("reason.no_interval.same_agreement")))
        else:
            results.append(replace(
                blank, low=min(low, value), high=max(high, value), level=level,
                standard_error=error if standard_error is None or groups.clusters is not None else standard_error,
                method=say(f"method.with_jackknife_by_{kind}", method=blank.method), note=note,
            ))  # fmt: skip
    return results


def _errors(left: FloatArray) -> FloatArray:
    """Return the standard error of each value, from what it is without each group."""
    count = left.shape[1]
    apart = left - left.sum(axis=1, keepdims=True) / count
    apart *= apart
    return np.asarray(np.sqrt((count - 1) / count * apart.sum(axis=1)))


def _z(values: FloatArray, scale: Scale, raters: int | IntArray) -> FloatArray:
    """Bring coefficients to a scale on which their errors are about alike."""
    if scale == "effect":
        return np.arcsinh(values / math.sqrt(2))
    inside = np.minimum(values, _NEAR_ONE)
    if scale == "intraclass":
        return np.asarray(np.log(np.maximum(1 + (raters - 1) * inside, 1e-12) / (1 - inside)) / 2)
    return np.arctanh(np.maximum(inside, -_NEAR_ONE))


def _back(z: FloatArray, scale: Scale, raters: int | IntArray) -> FloatArray:
    if scale == "effect":
        return np.asarray(math.sqrt(2) * np.sinh(np.clip(z, -300.0, 300.0)))
    ratio = np.exp(2 * np.clip(z, -300.0, 300.0))
    return np.tanh(z) if scale == "correlation" else np.asarray((ratio - 1) / (ratio + (raters - 1)))
