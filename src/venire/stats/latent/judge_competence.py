"""How competent judges are by three models of hidden classes, how far the models agree, and whom they expose."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from venire.stats.latent.dawid_skene import dawid_skene
from venire.stats.latent.latent_class import LatentClassFit
from venire.stats.latent.mace import mace
from venire.stats.latent.one_coin import one_coin
from venire.stats.observations import encode, require_same_length
from venire.stats.result import Estimate
from venire.stats.uncertainty.clustered_share import clustered_share
from venire.stats.uncertainty.quantile import t_quantile
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from venire.stats.observations import FloatArray, IntArray

MODELS = {"dawid_skene": dawid_skene, "one_coin": one_coin, "mace": mace}
"""The models, from the one with the most parameters to those with few."""

FEWEST_JUDGES = 3
"""With two judges every difference may be the error of either, so that no model can tell who errs."""

FEWEST_UNITS = 20
"""How many units must have verdicts of so many judges for anything to be said."""

_GROUPS = 20
_EDGE = 1e-3


class ModelOfJudges(msgspec.Struct, frozen=True, kw_only=True):
    """What one model says of all judges."""

    fit: LatentClassFit
    """The fitted model, with its convergence."""
    competence: dict[Any, Estimate]
    """The competence of each judge, as the fit's method defines it."""
    apart: dict[Any, Estimate]
    """How far each judge's competence lies from the mean of the others'."""
    same_class: dict[str, Estimate]
    """For each other model the share of units that get the same most likely class from both."""

    @property
    def lowest(self) -> Any | None:
        """The judge of the lowest competence; None if it is not known or several share it."""
        known = {judge: each.value for judge, each in self.competence.items() if each.value is not None}
        least = min(known.values(), default=0.0)
        lowest = [judge for judge, value in known.items() if value - least < 1e-9]
        return lowest[0] if len(lowest) == 1 else None


class JudgeCompetence(msgspec.Struct, frozen=True, kw_only=True):
    """The competence of judges by three models."""

    models: dict[str, ModelOfJudges]
    """Each model by name; none if there is too little to say anything."""
    exposed: tuple[Any, ...]
    """The judges that every model puts below the rest, with intervals that do not reach 0."""
    votes: dict[Any, int]
    """How many votes each judge gave."""
    reason: str = ""
    """Why nothing is said; empty if something is."""


def judge_competence(
    units: ArrayLike,
    judges: ArrayLike,
    categories: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    seed: int = 0,
    level: float = 0.95,
) -> JudgeCompetence:
    """Fit Dawid–Skene, the one-coin model and MACE to votes, given as equally long lists, and compare them.

    Intervals come from leaving out whole `clusters` (questions; units without them), in at most 20 groups (Shao & Tu
    1995, The Jackknife and Bootstrap, §2.3). Stays silent below three judges or 20 units that three judges voted on.
    The models know no truth beyond what judges share: an error that all of them make cannot be seen.
    """
    votes = _read(units, judges, categories, clusters)
    counts = dict(zip(votes.names, np.bincount(votes.judges, minlength=len(votes.names)).tolist(), strict=True))
    reason = _too_little(votes)
    if reason:
        return JudgeCompetence(models={}, exposed=(), votes=counts, reason=reason)
    fits = {name: fit(votes.units, votes.judges, votes.categories, seed=seed) for name, fit in MODELS.items()}
    replicates = _replicates(votes)
    models = {
        name: ModelOfJudges(
            fit=_named(fit, votes),
            competence={
                judge: _within_range(each)
                for judge, each in _estimates(fit, votes, replicates[name], np.eye(len(votes.names)), level).items()
            },
            apart=_estimates(fit, votes, replicates[name], _against_others(len(votes.names)), level),
            same_class={other: _same_class(fit, fits[other], votes, level) for other in fits if other != name},
        )
        for name, fit in fits.items()
    }
    exposed = [judge for judge in votes.names if all(_is_below(model.apart[judge]) for model in models.values())]
    return JudgeCompetence(models=models, exposed=tuple(exposed), votes=counts)


class _Votes(NamedTuple):
    """Votes as numbers, without those of which a part is missing."""

    units: IntArray
    judges: IntArray
    categories: IntArray
    clusters: IntArray
    unit_names: NDArray[Any]
    names: list[Any]
    category_names: list[Any]


def _read(units: ArrayLike, judges: ArrayLike, categories: ArrayLike, clusters: ArrayLike | None) -> _Votes:
    columns = [encode(units), encode(judges), encode(categories), encode(units if clusters is None else clusters)]
    for name, (_, codes) in zip(("judges", "categories", "clusters"), columns[1:], strict=True):
        require_same_length("units", columns[0][1], name, codes)
    there = np.logical_and.reduce([codes >= 0 for _, codes in columns])
    found = [np.unique(codes[there], return_inverse=True) for _, codes in columns]
    names = [column[0][present] for column, (present, _) in zip(columns, found, strict=True)]
    unit, judge, category, cluster = (inverse for _, inverse in found)
    return _Votes(unit, judge, category, cluster, names[0], names[1].tolist(), names[2].tolist())


def _too_little(votes: _Votes) -> str:
    judges = len(votes.names)
    if judges < FEWEST_JUDGES:
        return say("reason.few_judges", found=judges, least=FEWEST_JUDGES)
    if len(votes.category_names) < 2:
        return say("reason.same_verdicts")
    voted = np.unique(votes.units * judges + votes.judges) // judges
    whole = int((np.bincount(voted) >= FEWEST_JUDGES).sum())
    if whole < FEWEST_UNITS:
        return say("reason.few_outputs_with_verdicts", found=whole, judges=FEWEST_JUDGES, least=FEWEST_UNITS)
    return ""


def _replicates(votes: _Votes) -> dict[str, FloatArray]:
    """Return the competence of judges (columns) by each model without each group (rows); NaN if it is not known."""
    group_of = votes.clusters % _GROUPS
    groups = np.unique(group_of)
    found = {name: np.full((len(groups), len(votes.names)), np.nan) for name in MODELS}
    for row, group in enumerate(groups):
        kept = group_of != group
        for name, fit in MODELS.items():
            again = fit(votes.units[kept], votes.judges[kept], votes.categories[kept], restarts=0)
            found[name][row, list(again.judges)] = [math.nan if each is None else each for each in again.competence]
    return found


def _against_others(judges: int) -> FloatArray:
    """Return the weights that make each judge's competence minus the mean of the others'."""
    own = np.eye(judges)
    return own - (1 - own) / (judges - 1)


def _estimates(
    fit: LatentClassFit, votes: _Votes, replicates: FloatArray, weights: FloatArray, level: float
) -> dict[Any, Estimate]:
    values = weights @ np.array([math.nan if each is None else each for each in fit.competence])
    again = replicates @ weights.T
    return {
        judge: _jackknife(float(value), column, fit, level)
        for judge, value, column in zip(votes.names, values, again.T, strict=True)
    }


def _jackknife(value: float, replicates: FloatArray, fit: LatentClassFit, level: float) -> Estimate:
    groups = len(replicates)
    method, n = say("method.with_jackknife_by_question", method=fit.method), {**fit.n, "groups": groups}
    if math.isnan(value):
        return Estimate.unknown(method, fit.reason or say("reason.no_observations"), n=n, seed=fit.seed)
    if groups < 2 or np.isnan(replicates).any():
        return Estimate(value=value, method=method, n=n, seed=fit.seed, reason=say("reason.no_interval.few_questions"))
    error = math.sqrt((groups - 1) / groups * float(((replicates - replicates.mean()) ** 2).sum()))
    if error <= 1e-12:
        reason = say("reason.no_variation_error")
        return Estimate(value=value, method=method, n=n, seed=fit.seed, reason=reason)
    margin = t_quantile(level, groups - 1) * error
    return Estimate(
        value=value, low=value - margin, high=value + margin, level=level, standard_error=error, method=method, n=n,
        seed=fit.seed,
    )  # fmt: skip


def _within_range(competence: Estimate) -> Estimate:
    """Drop the interval of a competence of 0 or 1: a model that can go no further would look certain."""
    if competence.value is None or _EDGE < competence.value < 1 - _EDGE:
        return competence
    reason = say("reason.no_interval.end_of_range")
    return msgspec.structs.replace(competence, low=None, high=None, level=None, standard_error=None, reason=reason)


def _same_class(one: LatentClassFit, other: LatentClassFit, votes: _Votes, level: float) -> Estimate:
    pairs = zip(one.most_likely(), other.most_likely(), strict=True)
    first = np.unique(votes.units, return_index=True)[1]
    same = [None not in pair and pair[0] == pair[1] for pair in pairs]
    return clustered_share(np.array(same, dtype=np.float64), votes.clusters[first], level=level)


def _named(fit: LatentClassFit, votes: _Votes) -> LatentClassFit:
    categories = tuple(votes.category_names)
    return msgspec.structs.replace(fit, units=votes.unit_names, judges=tuple(votes.names), categories=categories)


def _is_below(apart: Estimate) -> bool:
    return apart.high is not None and apart.high < 0
