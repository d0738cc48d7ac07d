"""From how many observations on something is said: one fewer, and it is said to be rough, or not known."""

import numpy as np
import pytest

from rating_rows import judgement_rows, overall_row, primary
from venire.errors import UsageError
from venire.stats import (
    attribute_change,
    brennan_prediger,
    cohen_d_z,
    cohen_kappa,
    confusion_by_slice,
    conger_kappa,
    fleiss_kappa,
    group_bias,
    gwet_ac,
    halo,
    hedges_g,
    icc,
    judge_competence,
    kendall,
    krippendorff_alpha,
    length_bias,
    pearson,
    position_bias,
    recalibrate,
    score_compression,
    self_preference,
    spearman,
)
from venire.stats.agreement.alpha_sums import alpha_sums
from venire.stats.uncertainty.clustered_share import clustered_share
from venire.stats.uncertainty.corrected_difference import corrected_difference
from venire.stats.uncertainty.prediction_powered import prediction_powered_mean
from venire.stats.uncertainty.stratified_correction import stratified_mean


def two_raters(count, categories=3):
    random = np.random.default_rng(7)
    first = random.integers(0, categories, count)
    return np.column_stack([first, np.where(random.random(count) < 0.7, first, (first + 1) % categories)])


ROUGH = {
    "fleiss": (fleiss_kappa, 20),
    "brennan prediger": (brennan_prediger, 20),
    "gwet": (gwet_ac, 20),
    "conger": (conger_kappa, 20),
    "cohen": (cohen_kappa, 20),
    "krippendorff": (lambda ratings: krippendorff_alpha(ratings, "nominal", replicates=50), 30),
    "icc": (lambda ratings: icc(ratings, "2,1"), 10),
    "pearson": (pearson, 10),
    "spearman": (spearman, 10),
    "kendall": (kendall, 10),
    "cohen d": (lambda ratings: cohen_d_z(ratings[:, 0], ratings[:, 1], clusters=np.arange(len(ratings))), 10),
    "hedges g": (lambda ratings: hedges_g(ratings[:, 0], ratings[:, 1], clusters=np.arange(len(ratings))), 10),
}


@pytest.mark.parametrize(("statistic", "least"), ROUGH.values(), ids=ROUGH)
def test_an_interval_over_few_units_is_called_rough(statistic, least):
    few, enough = statistic(two_raters(least - 1)), statistic(two_raters(least))
    assert few.low is not None
    assert f"{least - 1}" in few.note
    assert f"{least}" in few.note
    assert enough.low is not None
    assert enough.note == ""


@pytest.mark.parametrize("correlation", [pearson, spearman, kendall])
def test_a_correlation_has_an_interval_from_four_units_on(correlation):
    assert correlation([[1, 2], [2, 1], [3, 3]]).low is None
    assert correlation([[1, 2], [2, 1], [3, 3], [4, 4]]).low is not None


@pytest.mark.parametrize("effect", [cohen_d_z, hedges_g])
def test_an_effect_over_clusters_has_an_interval_from_five_on(effect):
    first = np.array([1.0, 3.0, 2.0, 5.0, 4.0])
    assert effect(first[:4], np.ones(4), clusters=range(4)).low is None
    assert effect(first, np.ones(5), clusters=range(5)).low is not None


@pytest.mark.parametrize("kappa", [fleiss_kappa, brennan_prediger, gwet_ac, conger_kappa, cohen_kappa])
def test_more_than_five_thousand_categories_are_scores(kappa):
    found = kappa([[number, number] for number in range(5001)])
    assert found.value is None
    assert "5,001" in str(found.reason) or "5001" in str(found.reason)


def test_more_than_4096_values_are_not_summed_up():
    assert alpha_sums([0] * 4096, range(4096), range(4096), "nominal")
    with pytest.raises(UsageError, match=r"4,?097"):
        alpha_sums([0] * 4097, range(4097), range(4097), "nominal")


def test_a_slice_of_five_verdicts_is_crossed():
    slices = ["four"] * 4 + ["five"] * 5
    assert set(confusion_by_slice(["y", "n", "y"] * 3, ["y"] * 9, slices)) == {"five"}


@pytest.mark.parametrize(("anchors", "known"), [(4, False), (5, True)])
def test_a_judges_part_is_known_from_five_anchors_on(anchors, known):
    old = np.arange(anchors, dtype=float)
    drift = np.where(old == 0, 0.5, 1.0)
    found = attribute_change([1.0, 2, 3], [1, 2, 3], [2.0, 3, 5], [1, 2, 3], old, old + drift)
    assert (found.judge.value is not None) is known
    assert (found.system.value is not None) is known


@pytest.mark.parametrize(("units", "judges", "known"), [(19, 3, False), (20, 3, True), (40, 2, False)])
def test_the_competence_of_judges_needs_three_of_them_and_twenty_outputs(units, judges, known):
    random = np.random.default_rng(3)
    truth = random.integers(0, 2, units)
    rows = [(unit, f"j{judge}", int(truth[unit] ^ (random.random() < 0.2))) for unit in range(units)
            for judge in range(judges)]  # fmt: skip
    found = judge_competence(*zip(*rows, strict=True))
    assert (not found.reason) is known


@pytest.mark.parametrize(("fitted", "tested", "known"), [(10, 10, True), (9, 10, False), (10, 9, False)])
def test_recalibration_needs_ten_labels_on_either_side(fitted, tested, known):
    judged = np.arange(fitted + tested, dtype=float)
    is_fit = np.arange(fitted + tested) < fitted
    found = recalibrate(judged, judged + np.sin(judged), is_fit)
    assert (found.after.value is not None) is known


@pytest.mark.parametrize(("labels", "others", "known"), [(10, 10, True), (9, 11, False), (11, 9, False)])
def test_a_slice_is_corrected_by_itself_from_ten_labels_and_ten_others_on(labels, others, known):
    judged = np.arange(labels + others, dtype=float) % 5
    given = np.where(np.arange(labels + others) < labels, judged + 0.5, np.nan)
    found = stratified_mean(given, judged, ["s"] * (labels + others))
    assert (found.corrected.value is not None) is known


@pytest.mark.parametrize(("ones", "said"), [(2, True), (3, False)])
def test_shares_corrected_by_few_labels_of_a_kind_are_called_rough(ones, said):
    labels = np.array([1.0] * ones + [0.0] * 30)
    found = prediction_powered_mean(labels, labels, np.array([0.0, 1.0] * 30))
    assert bool(found.corrected.note) is said


def corrected(labelled, groups):
    count = 4 * max(labelled, groups)
    is_first = np.arange(count) % 2 == 0
    judged = np.arange(count, dtype=float) % 7
    labels = np.full(count, np.nan)
    for side in (True, False):
        labels[np.flatnonzero(is_first == side)[:labelled]] = judged[np.flatnonzero(is_first == side)[:labelled]] + 1
    return corrected_difference(labels, judged, is_first, clusters=(np.arange(count) // 2) % groups).corrected


def test_a_corrected_difference_of_few_labels_or_questions_is_called_rough():
    from venire.stats.uncertainty.corrected_difference import FEWEST_LABELS

    assert f"{FEWEST_LABELS - 1}" in corrected(FEWEST_LABELS - 1, 12).note
    assert corrected(FEWEST_LABELS, 12).note == ""
    assert "9" in corrected(FEWEST_LABELS, 9).note
    assert corrected(FEWEST_LABELS, 10).note == ""


def test_few_of_either_kind_take_an_exact_interval():
    def method(successes):
        values = np.zeros(40)
        values[:successes] = 1
        return clustered_share(values, np.arange(40)).method

    assert method(4) == method(36) != method(5) == method(35)


def judged_by(count, *judges, **fields):
    random = np.random.default_rng(5)
    return [
        overall_row(f"u{number}", judge, float(random.integers(0, 11)), question_id=f"q{number // 2}", **{
            name: value(number) if callable(value) else value for name, value in fields.items()
        })
        for number in range(count)
        for judge in judges
    ]  # fmt: skip


BIASES = {
    "length": (lambda n: length_bias(primary(judged_by(n, "a", "b", length=lambda place: 10 + place))), 30),
    "language": (lambda n: group_bias(
        primary(judged_by(2 * n, "a", "b", factors=lambda place: {"language": "zh" if place % 2 else "en"}))), 10),
    "compression": (lambda n: score_compression(primary(judged_by(n, "a", "b"))), 20),
    "halo": (lambda n: halo(primary(
        row for number in range(n) for judge in "ab"
        for row in judgement_rows(f"u{number}", judge, {"X": number % 3, "Y": (number * 7 // 2) % 3},
                                  question_id=f"q{number}"))), 30),
    "position": (lambda n: position_bias(*zip(*[
        pair for number in range(n)
        for pair in ((f"a{number}", f"b{number}", 1.0, number), (f"b{number}", f"a{number}", float(number % 2), number))
    ], strict=True)), 20),
    "self": (lambda n: self_preference(primary(
        [overall_row(f"u{number}-{model}", judge, float((number + len(judge)) % 10), question_id=f"q{number}",
                     target_model=model, method="self_judge" if judge == model else "cross_judge")
         for number in range(n) for model in ("oak", "elm") for judge in ("oak", "ash")], include_self=True)), 10),
}  # fmt: skip


@pytest.mark.parametrize(("measure", "least"), BIASES.values(), ids=BIASES)
def test_a_bias_is_not_told_of_few_observations(measure, least):
    few, enough = measure(least - 1), measure(least)
    assert few
    assert {each.smallest for each in few} == {least}
    assert all(each.estimate.value is None for each in few)
    assert [each for each in enough if each.observations == least and each.estimate.value is not None]


def test_a_judge_is_nearly_constant_from_95_of_100_on():
    def is_constant(others):
        rows = [overall_row(f"u{number}", "a", 5.0 if number >= others else 6.0) for number in range(100)]
        return score_compression(primary(rows))[0].details["nearly constant"]

    assert is_constant(5) == 1.0
    assert is_constant(6) == 0.0
