"""Difficulty and discrimination of questions: the two-parameter logistic model of item response theory.

A respondent of ability θ passes question i with probability 1/(1 + exp(−aᵢ(θ − bᵢ))): b is its difficulty on the scale
of abilities, whose mean is 0 and whose standard deviation is 1, and a is how sharply it tells respondents apart
(Birnbaum 1968). Parameters are fitted by marginal likelihood over a grid of abilities (Bock & Aitkin 1981,
Psychometrika 46, 443–459) with priors, log a ~ N(0, ½²) and b ~ N(0, 2²), since models are few (Mislevy 1986, Bayes
modal estimation in item response models, Psychometrika 51, 177–195). Errors are those of the observed information with
abilities unknown (Louis 1982, J. R. Statist. Soc. B 44, 226–233).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from venire.errors import UsageError
from venire.stats.observations import as_floats
from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import require_level
from venire.stats.uncertainty.quantile import normal_quantile
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from venire.stats.observations import FloatArray, IntArray

FEWEST = 5
"""How many respondents, and how many questions that some passed and some failed, the model takes at least."""
ROUGH_BELOW = 30
"""Below so many respondents the priors weigh much, and the results say so."""

_PRIOR = np.array([0.5, 2.0]) ** -2  # the precision of the priors on log a and b
_FLAT = np.zeros(2)
_GRID = np.linspace(-5.0, 5.0, 61)
_FARTHEST = np.array([[4.0], [10.0]])
"""How far log a and b go; without priors, answers that no finite curve fits best drive them on without end."""
_ENOUGH = 1e-5
_MOST_STEPS = 1000


class ItemParameters(msgspec.Struct, frozen=True, kw_only=True):
    """What the model says of one question."""

    item: Any
    """The question."""
    difficulty: Estimate
    """The ability at which half pass, in standard deviations of respondents; not known where all passed or failed."""
    discrimination: Estimate
    """The slope of the logistic curve there: about 1 is usual, near 0 tells nobody apart."""
    passed: int
    """How many respondents passed it."""
    answered: int
    """How many answered it."""


class ItemResponse(msgspec.Struct, frozen=True, kw_only=True):
    """All questions, and why nothing is known of them where that is so."""

    items: tuple[ItemParameters, ...]
    """The questions, in the order in which they were given."""
    respondents: int
    """How many respondents answered something."""
    method: str
    """How it was fitted."""
    reason: str = ""
    """Why no question has parameters; empty if some have."""


class _Fit(NamedTuple):
    """The parameters of each question, how likely each ability is for each respondent, and what they rest on."""

    log_slopes: FloatArray
    difficulties: FloatArray
    posterior: FloatArray
    table: FloatArray
    prior: FloatArray


def item_response(
    passes: ArrayLike, items: Sequence[Any] | None = None, *, has_priors: bool = True, level: float = 0.95
) -> ItemResponse:
    """Fit difficulty and discrimination of questions from a table of respondents × questions: 1, 0, or missing.

    Respondents are models, or judges who pass or fail. With fewer than five of them, or fewer than five questions that
    some passed and some failed, nothing is known. With hundreds of respondents, `has_priors=False` gives plain maximum
    likelihood. Raises `UsageError` for values other than 0 and 1.
    """
    require_level(level)
    table = as_floats(passes)
    if table.ndim != 2:
        raise UsageError("error.stats.passes_table", shape=str(table.shape))
    names = list(range(table.shape[1])) if items is None else list(items)
    if len(names) != table.shape[1]:
        raise UsageError("error.stats.passes_names", columns=table.shape[1], found=len(names))
    there = ~np.isnan(table)
    strange = table[there & (table != 0) & (table != 1)]
    if len(strange):
        raise UsageError("error.stats.passes", found=f"{strange[0]:g}")
    respondents = int(there.any(axis=1).sum())
    passed, answered = np.nansum(table, axis=0), there.sum(axis=0)
    varied = np.flatnonzero((passed > 0) & (passed < answered))
    prior = _PRIOR if has_priors else _FLAT
    method, reason = say("method.item_response" if has_priors else "method.item_response_flat"), ""
    if respondents < FEWEST:
        reason = say("reason.few_respondents", found=respondents, least=FEWEST)
    elif len(varied) < FEWEST:
        reason = say("reason.few_items", found=len(varied), least=FEWEST)
    known: dict[int, tuple[Estimate, Estimate]] = {}
    if not reason:
        rows = there.any(axis=1)
        fit = _fit(table[np.ix_(rows, varied)], prior)
        known = _estimates(fit, varied, method, level)
    nothing = Estimate.unknown(method, reason or say("reason.all_alike_item"), n={"respondents": respondents})
    found = []
    for place, name in enumerate(names):
        difficulty, discrimination = known.get(place, (nothing, nothing))
        found.append(
            ItemParameters(
                item=name, difficulty=difficulty, discrimination=discrimination, passed=int(passed[place]),
                answered=int(answered[place]),
            )
        )  # fmt: skip
    return ItemResponse(items=tuple(found), respondents=respondents, method=method, reason=reason)


def _estimates(fit: _Fit, places: IntArray, method: str, level: float) -> dict[int, tuple[Estimate, Estimate]]:
    slope_errors, difficulty_errors = _errors(fit)
    z, respondents = normal_quantile(level), len(fit.table)
    note = say("note.rough_respondents", found=respondents, least=ROUGH_BELOW) if respondents < ROUGH_BELOW else ""
    found = {}
    for column, place in enumerate(places):
        n = {"respondents": int((~np.isnan(fit.table[:, column])).sum())}
        b, b_error = float(fit.difficulties[column]), float(difficulty_errors[column])
        log_a, a_error = float(fit.log_slopes[column]), float(slope_errors[column])
        if abs(log_a) >= _FARTHEST[0, 0] or abs(b) >= _FARTHEST[1, 0]:
            endless = Estimate.unknown(method, say("reason.endless_item"), n=n)
            found[int(place)] = (endless, endless)
            continue
        if not math.isfinite(b_error + a_error):
            flat = say("reason.no_interval.flat_likelihood")
            known = [Estimate(value=each, method=method, n=n, reason=flat) for each in (b, math.exp(log_a))]
            found[int(place)] = (known[0], known[1])
            continue
        found[int(place)] = (
            Estimate(
                value=b, low=b - z * b_error, high=b + z * b_error, level=level, standard_error=b_error, method=method,
                n=n, note=note,
            ),
            Estimate(
                value=math.exp(log_a), low=math.exp(log_a - z * a_error), high=math.exp(log_a + z * a_error),
                level=level, method=method, n=n, note=note,
            ),
        )  # fmt: skip
    return found


def _chances(log_slopes: FloatArray, difficulties: FloatArray) -> FloatArray:
    """Return the chance of passing each question (rows) at each ability of the grid."""
    logits = np.exp(log_slopes)[:, None] * (_GRID - difficulties[:, None])
    chances: FloatArray = np.clip(1 / (1 + np.exp(-np.clip(logits, -30.0, 30.0))), 1e-12, 1 - 1e-12)
    return chances


def _fit(table: FloatArray, prior: FloatArray) -> _Fit:
    """Maximise the penalised marginal likelihood by EM; the M step is Newton's with expected information."""
    there = ~np.isnan(table)
    right, wrong = (np.where(there, table == side, 0.0).astype(np.float64) for side in (1.0, 0.0))
    share = (right.sum(axis=0) + 0.5) / (there.sum(axis=0) + 1)
    log_slopes, difficulties = np.zeros(table.shape[1]), -np.log(share / (1 - share))
    posterior = _posterior(right, wrong, log_slopes, difficulties)
    for _ in range(_MOST_STEPS):
        passing, trying = right.T @ posterior, there.T.astype(np.float64) @ posterior
        moved = 0.0
        for _ in range(3):
            steps = _newton(passing, trying, log_slopes, difficulties, prior)
            log_slopes, difficulties = np.clip(np.stack([log_slopes, difficulties]) + steps, -_FARTHEST, _FARTHEST)
            moved = max(moved, float(np.abs(steps).max()))
        posterior = _posterior(right, wrong, log_slopes, difficulties)
        if moved < _ENOUGH:
            break
    return _Fit(log_slopes, difficulties, posterior, table, prior)


def _posterior(right: FloatArray, wrong: FloatArray, log_slopes: FloatArray, difficulties: FloatArray) -> FloatArray:
    """Return how likely each ability of the grid is for each respondent (rows)."""
    chances = _chances(log_slopes, difficulties)
    logs = right @ np.log(chances) + wrong @ np.log1p(-chances) - _GRID**2 / 2
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    normed: FloatArray = weights / weights.sum(axis=1, keepdims=True)
    return normed


def _newton(
    passing: FloatArray, trying: FloatArray, log_slopes: FloatArray, difficulties: FloatArray, prior: FloatArray
) -> FloatArray:
    """Return a step of log a and of b for each question, from expected passes and tries at each ability."""
    chances, slopes = _chances(log_slopes, difficulties), np.exp(log_slopes)
    logits = slopes[:, None] * (_GRID - difficulties[:, None])
    residual, weight = passing - trying * chances, trying * chances * (1 - chances)
    slope_gradient = (residual * logits).sum(axis=1) - log_slopes * prior[0]
    place_gradient = -slopes * residual.sum(axis=1) - difficulties * prior[1]
    slope_information = (weight * logits**2).sum(axis=1) + prior[0]
    place_information = slopes**2 * weight.sum(axis=1) + prior[1]
    cross = -slopes * (weight * logits).sum(axis=1)
    # Far from all abilities a curve is flat there; without priors nothing is known then, and it stays where it is.
    size = np.maximum(slope_information * place_information - cross**2, 1e-300)
    steps = np.stack([
        (place_information * slope_gradient - cross * place_gradient) / size,
        (slope_information * place_gradient - cross * slope_gradient) / size,
    ])  # fmt: skip
    return np.asarray(np.clip(steps, -0.5, 0.5))


def _errors(fit: _Fit) -> tuple[FloatArray, FloatArray]:
    """Return the errors of log a and b of each question, with abilities unknown and other questions held fixed."""
    chances, slopes = _chances(fit.log_slopes, fit.difficulties), np.exp(fit.log_slopes)
    found = np.zeros((2, len(slopes)))
    for item, (chance, slope) in enumerate(zip(chances, slopes, strict=True)):
        rows = ~np.isnan(fit.table[:, item])
        posterior, logit = fit.posterior[rows], slope * (_GRID - fit.difficulties[item])
        residual, weight = fit.table[rows, item][:, None] - chance, chance * (1 - chance)
        scores = np.stack([residual * logit, -slope * residual])
        means = (posterior * scores).sum(axis=2)
        spread = np.einsum("jq,ajq,bjq->ab", posterior, scores, scores) - means @ means.T
        cross = float((posterior * slope * (residual - weight * logit)).sum())
        complete = np.array([
            [float((posterior * (weight * logit**2 - residual * logit)).sum()), cross],
            [cross, float((posterior * weight).sum()) * slope**2],
        ])  # fmt: skip
        information = complete - spread + np.diag(fit.prior)
        is_peak = information[0, 0] > 0 and np.linalg.det(information) > 0
        found[:, item] = np.sqrt(np.diag(np.linalg.inv(information))) if is_peak else np.inf
    return found[0], found[1]
