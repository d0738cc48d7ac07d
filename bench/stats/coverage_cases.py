"""What the coverage table simulates: data with questions, and the interval of each statistic on them."""

from __future__ import annotations

import math
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from venire.stats.agreement.chance_corrected import percent_agreement
from venire.stats.agreement.cohen_kappa import cohen_kappa
from venire.stats.agreement.correlation import kendall, pearson, spearman
from venire.stats.agreement.fleiss_kappa import fleiss_kappa
from venire.stats.agreement.gwet_ac import gwet_ac
from venire.stats.agreement.icc import icc
from venire.stats.agreement.krippendorff_alpha import krippendorff_alpha
from venire.stats.comparison.bradley_terry import bradley_terry
from venire.stats.comparison.effect_size import hedges_g
from venire.stats.comparison.paired import mcnemar_exact, paired_t
from venire.stats.comparison.win_matrix import count_wins
from venire.stats.judges.many_facet import many_facet
from venire.stats.judges.panel_dependence import panel_dependence
from venire.stats.result import Estimate
from venire.stats.uncertainty.bayesian_mean import bayesian_mean
from venire.stats.uncertainty.bootstrap import bootstrap_mean
from venire.stats.uncertainty.clustered import clustered_mean
from venire.stats.uncertainty.clustered_difference import difference_of_means, slope_within
from venire.stats.uncertainty.clustered_share import clustered_share, share_difference
from venire.stats.uncertainty.intervals import t_interval
from venire.stats.uncertainty.prediction_powered import prediction_powered_mean
from venire.stats.uncertainty.rogan_gladen import corrected_share
from venire.votes.decay.groups import score_groups
from venire.votes.decay.terms import Decay

if TYPE_CHECKING:
    from collections.abc import Callable


Generator = np.random.Generator
SIZES = (10, 20, 50, 200)
ALIKE = 0.5
"""The correlation of latent values of one question."""

MANY = 400_000


class Case(NamedTuple):
    """One row of the table for each size."""

    name: str
    draw: Callable[[Generator, int, int], Estimate]
    """Draw a sample of so many questions with so many outputs each, and return the estimate."""
    truth: Callable[[int], float]
    """Return the true value for so many outputs to a question."""
    clustered: bool | None = None
    """Whether the row is with questions only (True), without only (False), or both (None)."""


def latent(generator: Generator, questions: int, per_question: int, columns: int = 1) -> np.ndarray:
    """Draw standard normal values, alike within a question."""
    size = (questions * per_question, columns)
    if per_question == 1:
        return generator.normal(size=size)
    shared = np.repeat(generator.normal(size=(questions, columns)), per_question, axis=0)
    return math.sqrt(ALIKE) * shared + math.sqrt(1 - ALIKE) * generator.normal(size=size)


def codes(questions: int, per_question: int) -> np.ndarray:
    return np.repeat(np.arange(questions), per_question)


def normal(values: np.ndarray) -> np.ndarray:
    return values


def skewed(values: np.ndarray) -> np.ndarray:
    """Return scores on 1–5, skewed as scores of good systems are."""
    return np.clip(np.rint(4.3 + 1.1 * values), 1, 5)


def binary(share: float, values: np.ndarray) -> np.ndarray:
    """Return 1 for the highest share of standard normal values."""
    from statistics import NormalDist

    return (values > NormalDist().inv_cdf(1 - share)).astype(float)


SHAPES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "normal": normal, "skewed 1–5": skewed, "binary 30 %": partial(binary, 0.3), "binary 5 %": partial(binary, 0.05),
}  # fmt: skip


@lru_cache
def mean_of(shape: str) -> float:
    return float(SHAPES[shape](np.random.default_rng(1).normal(size=4_000_000)).mean()) if shape != "normal" else 0.0


def mean_case(shape: str) -> Case:
    def draw(generator: Generator, questions: int, per_question: int) -> Estimate:
        return clustered_mean(
            SHAPES[shape](latent(generator, questions, per_question)[:, 0]), codes(questions, per_question)
        )

    return Case(f"mean, CR2, {shape}", draw, lambda _: mean_of(shape))


def unequal(generator: Generator, questions: int, _: int) -> Estimate:
    """One question in five has ten outputs, the others two."""
    sizes = np.where(np.arange(questions) % 5 == 0, 10, 2)
    clusters = np.repeat(np.arange(questions), sizes)
    return clustered_mean(generator.normal(size=questions)[clusters] + generator.normal(size=len(clusters)), clusters)


def share_case(share: float) -> Case:
    def draw(generator: Generator, questions: int, per_question: int) -> Estimate:
        return clustered_share(
            binary(share, latent(generator, questions, per_question)[:, 0]), codes(questions, per_question)
        )

    return Case(f"share of {100 * share:g} %", draw, lambda _: share)


def cliff(generator: Generator, questions: int, per_question: int) -> Estimate:
    """Let the rate of hard breaks jump from 20 to 50 % between two variants that answer the same questions."""
    hard, one, two = latent(generator, questions, per_question, 3).T
    clusters = codes(questions, per_question)
    shares = ((hard + own) / math.sqrt(2) for own in (one, two))
    return share_difference(*(
        clustered_share(binary(rate, side), clusters) for rate, side in zip((0.2, 0.5), shares, strict=True)
    ))  # fmt: skip


def people(generator: Generator, questions: int, per_question: int) -> Estimate:
    """Let as many voters as there are questions, each with a taste of its own, vote three to an output in ten days."""
    outputs = questions * per_question
    output, voter = np.repeat(np.arange(outputs), 3), generator.integers(0, questions, 3 * outputs)
    quality, taste = latent(generator, questions, per_question)[:, 0], generator.normal(size=questions)
    votes = np.clip(0.5 + 0.15 * quality[output] + 0.1 * taste[voter] + 0.15 * generator.normal(size=len(output)), 0, 1)
    moment = pl.Series(1_788_000_000_000_000 + generator.integers(0, 864_000_000_000, len(output)))
    frame = pl.DataFrame({
        "inference_id": output.astype(str), "voter_prompt_id": "", "voter_kind": "person",
        "voter_id": voter.astype(str), "vote": votes, "reputation": 1.0,
        "vote_time": moment.cast(pl.Datetime("us", "UTC")),
    })  # fmt: skip
    asked = {str(place): f"q{place // per_question}" for place in range(outputs)}
    found = score_groups(frame, dict.fromkeys(asked, "m"), "model", Decay(rate_per_second=1e-6), questions=asked)
    return Estimate(value=found["score"][0], low=found["low"][0], high=found["high"][0], method="people's votes")


def bayesian_case(name: str, shape: str, scale: tuple[float, float]) -> Case:
    def draw(generator: Generator, questions: int, per_question: int) -> Estimate:
        values = SHAPES[shape](latent(generator, questions, per_question)[:, 0])
        return bayesian_mean(values, codes(questions, per_question), scale=scale)

    return Case(f"{name}, Bayesian, {shape}", draw, lambda _: mean_of(shape))


def bayesian_difference(generator: Generator, questions: int, per_question: int) -> Estimate:
    first, second = skewed(latent(generator, questions, per_question, 2)).T
    return bayesian_mean(first - second, codes(questions, per_question), scale=(-4.0, 4.0))


def two_judges(generator: Generator, questions: int, per_question: int, shape: str) -> np.ndarray:
    """Two judges who see the same quality with errors of their own."""
    quality, one, two = latent(generator, questions, per_question, 3).T
    first, second = (quality + 0.6 * one) / math.hypot(1, 0.6), (quality + 0.8 * two) / math.hypot(1, 0.8)
    return SHAPES[shape](np.column_stack([first, second]))


@lru_cache
def true_of_pairs(measure: Callable[..., Estimate], shape: str, weights: str) -> float:
    more = {"weights": weights} if weights else {}
    table = two_judges(np.random.default_rng(1), MANY, 1, shape)
    if measure is kendall and shape == "normal":  # Greiner's relation
        return 2 / math.pi * math.asin(1 / math.hypot(1, 0.6) / math.hypot(1, 0.8))
    if len(np.unique(table)) > 10 and measure is spearman:
        return 6 / math.pi * math.asin(1 / math.hypot(1, 0.6) / math.hypot(1, 0.8) / 2)
    return measure(table, **more).value or 0.0


def pair_case(name: str, measure: Callable[..., Estimate], shape: str, weights: str = "") -> Case:
    more = {"weights": weights} if weights else {}

    def draw(generator: Generator, questions: int, per_question: int) -> Estimate:
        clusters = codes(questions, per_question) if per_question > 1 else None
        return measure(two_judges(generator, questions, per_question, shape), clusters=clusters, **more)

    return Case(f"{name}, {shape}", draw, lambda _: true_of_pairs(measure, shape, weights))


def panel(generator: Generator, questions: int, per_question: int, shape: str) -> np.ndarray:
    """Four judges who see the same quality."""
    quality = latent(generator, questions, per_question)
    noise = generator.normal(size=(len(quality), 4))
    return SHAPES[shape]((quality + 0.7 * noise) / math.hypot(1, 0.7))


@lru_cache
def true_of_panel(measure: Callable[..., Estimate], shape: str) -> float:
    return measure(panel(np.random.default_rng(1), MANY, 1, shape)).value or 0.0


def panel_case(name: str, measure: Callable[..., Estimate], shape: str, **more: object) -> Case:
    def draw(generator: Generator, questions: int, per_question: int) -> Estimate:
        clusters = codes(questions, per_question) if per_question > 1 else None
        return measure(panel(generator, questions, per_question, shape), clusters=clusters, **more)

    return Case(f"{name}, {shape}", draw, lambda _: true_of_panel(measure, shape))


def nominal(ratings: object, **more: object) -> Estimate:
    return krippendorff_alpha(ratings, "nominal", **more)  # type: ignore[arg-type]


def judged_and_labelled(generator: Generator, n: int, per_question: int, shape: str) -> tuple[np.ndarray, ...]:
    """Label n outputs (or those of n questions, one in four) and let a judge see ten times as many."""
    questions = 10 * n if per_question == 1 else 4 * n
    quality, error = latent(generator, questions, per_question, 2).T
    truth = SHAPES[shape](quality)
    judged = SHAPES[shape]((quality + 0.5 * error + 0.2) / math.hypot(1, 0.5))
    labelled = np.zeros(len(truth), dtype=bool)
    labelled[generator.permutation(len(truth))[:n]] = True
    return truth, judged, labelled, codes(questions, per_question)


def corrected_case(shape: str) -> Case:
    def draw(generator: Generator, n: int, per_question: int) -> Estimate:
        truth, judged, there, clusters = judged_and_labelled(generator, n, per_question, shape)
        by = (clusters[there], clusters[~there]) if per_question > 1 else None
        return prediction_powered_mean(truth[there], judged[there], judged[~there], clusters=by).corrected

    return Case(f"PPI++ mean, n labels, {shape}", draw, lambda _: mean_of(shape))


def corrected_share_case(shape: str) -> Case:
    def draw(generator: Generator, n: int, per_question: int) -> Estimate:
        truth, judged, there, clusters = judged_and_labelled(generator, n, per_question, shape)
        return corrected_share(judged, np.where(there, truth, np.nan), clusters).corrected

    return Case(f"Rogan–Gladen share, n labels, {shape}", draw, lambda _: mean_of(shape))


def effect_case(shape: str) -> Case:
    def differences(generator: Generator, questions: int, per_question: int) -> np.ndarray:
        first, second = latent(generator, questions, per_question, 2).T
        return SHAPES[shape](first + 0.5) - SHAPES[shape](second)

    @lru_cache
    def truth(_: int) -> float:
        drawn = differences(np.random.default_rng(1), MANY, 1)
        return float(drawn.mean() / drawn.std())

    def draw(generator: Generator, questions: int, per_question: int) -> Estimate:
        values = differences(generator, questions, per_question)
        clusters = codes(questions, per_question) if per_question > 1 else None
        return hedges_g(values, np.zeros(len(values)), clusters=clusters)

    return Case(f"Hedges' g, {shape}", draw, truth)


def paired(generator: Generator, questions: int, per_question: int) -> Estimate:
    first, second = skewed(latent(generator, questions, per_question, 2)).T
    return paired_t(first, second, clusters=codes(questions, per_question)).difference


def group(generator: Generator, questions: int, per_question: int) -> Estimate:
    values = latent(generator, questions, per_question)[:, 0]
    inside = generator.random(len(values)) < 0.3
    inside[:2] = True, False
    return difference_of_means(values + inside, inside, codes(questions, per_question))


def slope(generator: Generator, questions: int, per_question: int) -> Estimate:
    predictor, values = latent(generator, questions, per_question, 2).T
    return slope_within(values + 0.5 * predictor, predictor, codes(questions, per_question))


def severity(generator: Generator, questions: int, per_question: int) -> Estimate:
    """Three judges whose severity depends on the question."""
    units = questions * per_question
    unit, judge = (axis.ravel() for axis in np.indices((units, 3)))
    own = latent(generator, questions, per_question, 3)
    values = generator.normal(size=units)[unit] - (judge - 1) + own[unit, judge]
    fit = many_facet(values, unit, judge, clusters=codes(questions, per_question)[unit])
    return fit.judges[0].severity


def dependence(generator: Generator, questions: int, per_question: int) -> Estimate:
    errors = latent(generator, questions, per_question) + latent(generator, questions, per_question, 4)
    clusters = codes(questions, per_question) if per_question > 1 else None
    return panel_dependence(errors, np.zeros(len(errors)), "abcd", clusters=clusters).mean_correlation


def strength(generator: Generator, n: int, _: int) -> Estimate:
    truth = np.linspace(-1, 1, 6)
    first = generator.integers(0, 6, 4 * n + 60)
    second = (first + generator.integers(1, 6, len(first))) % 6
    half = (truth[first] - truth[second]) / 2
    drawn = generator.random(len(first)) * (np.exp(half) + np.exp(-half) + 0.5)
    outcome = np.where(drawn < np.exp(half), 1.0, np.where(drawn < np.exp(half) + 0.5, 0.5, 0.0))
    return bradley_terry(count_wins(first, second, outcome)).strengths[5]


def risk(generator: Generator, n: int, _: int) -> Estimate:
    cells = generator.choice(4, p=[0.6, 0.2, 0.1, 0.1], size=n)
    return mcnemar_exact(cells <= 1, (cells == 0) | (cells == 2)).difference


def bootstrapped(generator: Generator, questions: int, per_question: int) -> Estimate:
    values = latent(generator, questions, per_question)[:, 0]
    return bootstrap_mean(values, clusters=codes(questions, per_question), seed=generator, resamples=500)


def ignoring_questions(generator: Generator, questions: int, per_question: int) -> Estimate:
    return t_interval(latent(generator, questions, per_question)[:, 0])


def naive_judge(generator: Generator, n: int, per_question: int) -> Estimate:
    truth, judged, there, _ = judged_and_labelled(generator, n, per_question, "skewed 1–5")
    return prediction_powered_mean(truth[there], judged[there], judged[~there]).naive


CASES: tuple[Case, ...] = (
    *(mean_case(shape) for shape in ("normal", "skewed 1–5")),
    Case("mean, CR2, unequal questions", unequal, lambda _: 0.0, clustered=True),
    *(share_case(share) for share in (0.3, 0.05)),
    Case("cliff from 20 to 50 %", cliff, lambda _: 0.3),
    Case("people's votes on a model, by voter and question", people, lambda _: 0.5),
    Case("paired difference, skewed 1–5", paired, lambda _: 0.0),
    bayesian_case("mean", "skewed 1–5", (1.0, 5.0)),
    *(bayesian_case("share", shape, (0.0, 1.0)) for shape in ("binary 30 %", "binary 5 %")),
    Case("paired difference, Bayesian, skewed 1–5", bayesian_difference, lambda _: 0.0),
    Case("difference of two groups", group, lambda _: 1.0, clustered=True),
    Case("slope within questions", slope, lambda _: 0.5, clustered=True),
    *(effect_case(shape) for shape in ("normal", "skewed 1–5")),
    Case("paired risk difference", risk, lambda _: 0.1, clustered=False),
    *(corrected_case(shape) for shape in ("normal", "skewed 1–5", "binary 30 %")),
    corrected_share_case("binary 30 %"),
    *(pair_case("Pearson", pearson, shape) for shape in ("normal", "skewed 1–5", "binary 30 %")),
    *(pair_case("Spearman", spearman, shape) for shape in ("normal", "skewed 1–5")),
    *(pair_case("Kendall", kendall, shape) for shape in ("normal", "skewed 1–5")),
    *(pair_case("Cohen's kappa", cohen_kappa, shape) for shape in ("skewed 1–5", "binary 30 %")),
    pair_case("quadratic kappa", cohen_kappa, "skewed 1–5", "quadratic"),
    *(panel_case("Fleiss' kappa", fleiss_kappa, shape) for shape in ("skewed 1–5", "binary 30 %")),
    *(
        panel_case("Gwet's AC", gwet_ac, shape, categories=scale)
        for shape, scale in (("skewed 1–5", [1, 2, 3, 4, 5]), ("binary 30 %", [0, 1]))
    ),
    *(panel_case("percent agreement", percent_agreement, shape) for shape in ("skewed 1–5", "binary 30 %")),
    *(panel_case("alpha, interval", krippendorff_alpha, shape, replicates=1000) for shape in ("normal", "skewed 1–5")),
    panel_case("alpha, nominal", nominal, "binary 30 %", replicates=1000),
    *(panel_case("ICC(2,1)", icc, shape) for shape in ("normal", "skewed 1–5")),
    Case("severity of a judge", severity, lambda _: -1.0, clustered=True),
    Case("mean error correlation", dependence, lambda _: 0.5),
    Case("Bradley–Terry strength, 4n + 60 comparisons", strength, lambda _: 1.0, clustered=False),
    Case("mean, bootstrap by question", bootstrapped, lambda _: 0.0, clustered=True),
)

CONTRASTS: tuple[Case, ...] = (
    Case("for contrast: mean, t, questions ignored", ignoring_questions, lambda _: 0.0, clustered=True),
    Case("for contrast: the judge's own mean", naive_judge, lambda _: mean_of("skewed 1–5"), clustered=False),
)
"""What the others avoid."""
