"""Errors of Bradley–Terry strengths that allow for clusters: the "sandwich" covariance.

It is A⁻¹ (Σ_g s_g s_gᵀ) A⁻¹ · G/(G−1), with the information A and the sum s_g of the log-likelihood's derivatives over
all comparisons of cluster g (White 1982, Maximum Likelihood Estimation of Misspecified Models, Econometrica 50, 1–25).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from venire.stats.comparison.davidson_likelihood import bordered
from venire.stats.result import Estimate
from venire.stats.uncertainty.quantile import t_quantile
from venire.words.said import say

if TYPE_CHECKING:
    from venire.stats.comparison.bradley_terry import BradleyTerryFit
    from venire.stats.observations import FloatArray


def bread(information: FloatArray, models: int) -> FloatArray:
    """Return the inverse of the information for strengths that sum to 0; the first rows are the models'."""
    inverse: FloatArray = np.linalg.inv(bordered(information, models)).astype(np.float64)
    inverse[:models, :models] -= 1.0 / models
    return inverse


def with_clusters(
    fit: BradleyTerryFit, squares: FloatArray, clusters: int, method: str, *, level: float
) -> BradleyTerryFit:
    """Return a fit with intervals that allow for clusters; `squares` is Σ_g s_g s_gᵀ over so many clusters."""
    k = len(fit.models)
    if clusters < 2:
        reason = say("reason.one_cluster")
        alone = tuple(Estimate(value=each.value, method=method, n=fit.n, reason=reason) for each in fit.strengths)
        return msgspec.structs.replace(fit, strengths=alone, covariance=np.full((k, k), np.nan), method=method)
    inverse = bread(fit.information, k)
    covariance = (inverse @ squares @ inverse * (clusters / (clusters - 1)))[:k, :k]
    quantile = t_quantile(level, clusters - 1)
    n = {**fit.n, "clusters": clusters}
    strengths = tuple(
        interval(each.value or 0.0, float(covariance[place, place]), quantile, level, method, n)
        for place, each in enumerate(fit.strengths)
    )
    return msgspec.structs.replace(fit, strengths=strengths, covariance=covariance, method=method, n=n)


def interval(value: float, variance: float, quantile: float, level: float, method: str, n: dict[str, int]) -> Estimate:
    """Return a value with as many standard errors around it as the quantile says."""
    error = math.sqrt(max(variance, 0.0))
    margin = quantile * error
    return Estimate(
        value=value, low=value - margin, high=value + margin, level=level, standard_error=error, method=method, n=n
    )
