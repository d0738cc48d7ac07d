"""Exact one-sided bounds of a proportion, and how likely so many failures are at a limit (Clopper & Pearson 1934)."""

from __future__ import annotations

from venire.errors import UsageError


def lower_bound(failures: int, trials: int, *, alpha: float = 0.05) -> float:
    """Return the bound that the true rate lies above with a confidence of 1 − α; 0 without a failure.

    >>> round(lower_bound(10, 20), 4)
    0.302
    """
    from scipy.special import betaincinv

    _require(failures, trials)
    return float(betaincinv(failures, trials - failures + 1, alpha)) if failures else 0.0


def upper_bound(failures: int, trials: int, *, alpha: float = 0.05) -> float:
    """Return the bound that the true rate lies below with a confidence of 1 − α; 1 if every trial failed.

    >>> round(upper_bound(0, 20), 4)
    0.1391
    """
    from scipy.special import betaincinv

    _require(failures, trials)
    return float(betaincinv(failures + 1, trials - failures, 1 - alpha)) if failures < trials else 1.0


def exceeding_p(failures: int, trials: int, limit: float) -> float:
    """Return the probability of at least so many failures if the true rate is the limit.

    >>> round(exceeding_p(9, 10, 0.5), 4)
    0.0107
    """
    from scipy.special import betainc

    _require(failures, trials)
    return float(betainc(failures, trials - failures + 1, limit)) if failures else 1.0


def _require(failures: int, trials: int) -> None:
    if not 0 <= failures <= trials:
        raise UsageError("error.stats.not_a_share", failures=failures, trials=trials)
