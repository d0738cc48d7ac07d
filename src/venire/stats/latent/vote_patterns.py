"""Units whose votes are the same, taken together: a model of hidden classes says the same of all of them.

A few judges and categories allow a few hundred patterns of votes, however many units there are; EM over patterns
takes as much less time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from venire.stats.latent.latent_class import Votes
    from venire.stats.observations import FloatArray, IntArray

_BITS = 62
_WORTHWHILE = 2
"""So many units must share a pattern on average."""


def collapse(votes: Votes) -> tuple[Votes, IntArray | None]:
    """Return votes with a row for each pattern, and the pattern of each unit; as they are if few units share one."""
    most = int(votes.matrix.data.max(initial=0))
    bits = max(most.bit_length(), 1)
    width = votes.matrix.shape[1]
    if bits * width > _BITS:
        return votes, None
    # How often each judge stated each category stands side by side in one number.
    keys = votes.matrix.astype(np.int64) @ (np.int64(1) << bits * np.arange(width, dtype=np.int64))
    _, first, pattern, count = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    if len(first) * _WORTHWHILE > len(keys):
        return votes, None
    multiplicity = count.astype(np.float64)
    matrix: Any = votes.matrix[first].toarray()  # So few rows are multiplied quicker in full.
    transpose: Any = np.ascontiguousarray((matrix * multiplicity[:, None]).T)
    return votes._replace(matrix=matrix, transpose=transpose, multiplicity=multiplicity), pattern


def mean_by_pattern(start: FloatArray, pattern: IntArray, patterns: int) -> FloatArray:
    """Return the mean of the rows of each pattern."""
    sums = [np.bincount(pattern, weights=column, minlength=patterns) for column in start.T]
    return np.asarray(np.column_stack(sums) / np.bincount(pattern, minlength=patterns)[:, None])
