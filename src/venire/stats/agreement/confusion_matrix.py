"""How a judge's verdicts meet people's: the confusion matrix, whole or slice by slice, with shares and agreement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from venire.stats.agreement.cohen_kappa import cohen_kappa
from venire.stats.observations import encode, require_same_length
from venire.stats.result import Estimate
from venire.stats.uncertainty.clustered_share import clustered_share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

SMALLEST_SLICE = 5
"""How many pairs a slice needs for its agreement to be said."""


class ConfusionMatrix(msgspec.Struct, frozen=True, kw_only=True):
    """How often each verdict of a judge met each verdict of people."""

    labels: tuple[Any, ...]
    """The verdicts, in the order of rows and columns."""
    counts: NDArray[np.int64]
    """How many outputs got the verdict of the row from the judge and that of the column from people."""
    agreement: Estimate
    """The share of outputs on which both say the same."""
    kappa: Estimate
    """Cohen's kappa: agreement beyond chance."""
    recall: dict[Any, Estimate]
    """Of the outputs that people gave a verdict, the share that got it from the judge too."""
    precision: dict[Any, Estimate]
    """Of the outputs that the judge gave a verdict, the share that got it from people too."""
    missing: int
    """How many pairs were left out because either side has no verdict."""


def confusion_matrix(
    judge: ArrayLike,
    people: ArrayLike,
    *,
    labels: Sequence[Any] | None = None,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> ConfusionMatrix:
    """Cross two equally long lists of verdicts.

    `labels` gives the order of verdicts; without it they are sorted. `clusters` names the question of each output,
    which widens the intervals of shares. A share of nothing is not known.

    >>> confusion_matrix(["PASS", "PASS", "FAIL"], ["PASS", "FAIL", "FAIL"]).counts.tolist()
    [[1, 0], [1, 1]]
    """
    given, said = _verdicts(judge), _verdicts(people)
    require_same_length("verdicts_of_the_judge", given, "verdicts_of_people", said)
    names, codes = encode(np.concatenate([given, said]))
    order = _order(names.tolist(), labels)
    place = np.array([order.index(name) for name in names.tolist()], dtype=np.intp)
    known = (codes[: len(given)] >= 0) & (codes[len(given) :] >= 0)
    rows, columns = (place[side[known]] if len(place) else side[known] for side in np.split(codes, 2))
    questions = np.arange(len(known)) if clusters is None else encode(clusters)[1]
    require_same_length("verdicts_of_the_judge", given, "clusters", questions)
    groups = questions[known]
    k = len(order)
    counts = np.bincount(rows * k + columns, minlength=k * k).reshape(k, k)
    return ConfusionMatrix(
        labels=tuple(order),
        counts=counts,
        agreement=clustered_share(rows == columns, groups, level=level),
        kappa=cohen_kappa(np.column_stack([rows, columns]), clusters=None if clusters is None else groups, level=level),
        recall={name: _hits(rows, columns == each, each, groups, level) for each, name in enumerate(order)},
        precision={name: _hits(columns, rows == each, each, groups, level) for each, name in enumerate(order)},
        missing=int(len(known) - known.sum()),
    )


def confusion_by_slice(
    judge: ArrayLike,
    people: ArrayLike,
    slices: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    smallest: int = SMALLEST_SLICE,
    level: float = 0.95,
) -> dict[Any, ConfusionMatrix]:
    """Cross verdicts inside each slice, such as a language or a judge; slices of fewer than `smallest` are left out.

    All slices have the verdicts of the whole as rows and columns, so that they can be laid side by side.
    """
    given, said = _verdicts(judge), _verdicts(people)
    names, codes = encode(slices)
    require_same_length("verdicts_of_the_judge", given, "slices", codes)
    labels = confusion_matrix(given, said, level=level).labels
    questions = None if clusters is None else encode(clusters)[1]
    if questions is not None:
        require_same_length("verdicts_of_the_judge", given, "clusters", questions)
    found = {}
    for number, name in enumerate(names.tolist()):
        inside = codes == number
        matrix = confusion_matrix(
            given[inside], said[inside], labels=labels, clusters=None if questions is None else questions[inside],
            level=level,
        )  # fmt: skip
        if matrix.counts.sum() >= smallest:
            found[name] = matrix
    return found


def _verdicts(side: ArrayLike) -> NDArray[Any]:
    """Return verdicts as objects, so that a missing one stays None and does not become a text."""
    verdicts = list(side) if isinstance(side, (list, tuple)) else np.asarray(side).tolist()
    array = np.empty(len(verdicts), dtype=object)
    array[:] = verdicts
    return array


def _order(found: list[Any], labels: Sequence[Any] | None) -> list[Any]:
    """Return the labels in the order that was asked for; what was not named comes last."""
    asked = list(dict.fromkeys(labels or ()))
    return [*asked, *(name for name in found if name not in asked)]


def _hits(
    other: NDArray[np.intp], chosen: NDArray[np.bool_], label: int, groups: NDArray[Any], level: float
) -> Estimate:
    return clustered_share(other[chosen] == label, groups[chosen], level=level)
