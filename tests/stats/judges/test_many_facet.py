import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawing import draws
from golden_values import golden
from venire.stats.judges.many_facet import many_facet

CASE = golden("uncertainty_published")["many_facet"]


def sum_to_zero(codes, size):
    columns = np.eye(size)[codes]
    return columns[:, :-1] - columns[:, -1:]


def dense_fit(scores, samples, judges, dimensions):
    """Ordinary least squares with effects coded to sum to 0, by dense matrices."""
    sizes = [len(np.unique(codes)) for codes in (samples, judges, dimensions)]
    blocks = [sum_to_zero(samples, sizes[0]), -sum_to_zero(judges, sizes[1]), -sum_to_zero(dimensions, sizes[2])]
    design = np.column_stack([np.ones(len(scores)), *blocks])
    if np.linalg.matrix_rank(design) < design.shape[1]:
        return None
    inverse = np.linalg.inv(design.T @ design)
    effects = inverse @ design.T @ scores
    residuals = scores - design @ effects
    leverages = np.einsum("ij,jk,ik->i", design, inverse, design)
    return sizes, effects, np.diag(inverse), residuals, leverages, len(scores) - design.shape[1]


def test_the_published_table_has_the_published_error():
    scores = np.array(CASE["scores"], dtype=float)
    samples, judges = np.indices(scores.shape)
    fit = many_facet(scores.ravel(), samples.ravel(), judges.ravel())
    assert fit.degrees_of_freedom == CASE["degrees_of_freedom"]
    assert fit.residual_deviation**2 == pytest.approx(CASE["error_mean_square"], abs=5e-3)
    # In a complete table severities are the deviations of the judges' means.
    expected = scores.mean() - scores.mean(axis=0)
    assert [judge.severity.value for judge in fit.judges] == pytest.approx(expected)
    assert fit.abilities == pytest.approx(scores.mean(axis=1) - scores.mean())


@given(st.integers(0, 10**6), st.floats(0.5, 1.0), st.sampled_from([0.0, 1e6]))
@settings(max_examples=draws(40), deadline=None)
def test_effects_and_errors_are_those_of_dense_least_squares(seed, share, offset):
    generator = np.random.default_rng(seed)
    samples, judges, dimensions = (axis.ravel() for axis in np.indices((6, 3, 2)))
    kept = generator.random(len(samples)) < share
    samples, judges, dimensions = (
        np.unique(codes[kept], return_inverse=True)[1] for codes in (samples, judges, dimensions)
    )
    scores = generator.normal(size=len(samples)) + samples - 2.0 * judges + offset
    expected = dense_fit(scores, samples, judges, dimensions)
    fit = many_facet(scores, samples, judges, dimensions)
    if expected is None:
        assert not fit.connected
        assert fit.reason
        return
    (sample_count, judge_count, _), effects, factors, residuals, leverages, degrees = expected
    assert fit.degrees_of_freedom == degrees
    assert fit.mean.value == pytest.approx(effects[0])
    assert fit.abilities[:-1] == pytest.approx(effects[1:sample_count], abs=1e-7)
    severities = [judge.severity.value for judge in fit.judges]
    assert severities[:-1] == pytest.approx(effects[sample_count : sample_count + judge_count - 1], abs=1e-7)
    assert sum(severities) == pytest.approx(0, abs=1e-9)
    difficulties = [fit.dimensions[name].value for name in sorted(fit.dimensions)]
    assert difficulties[:-1] == pytest.approx(effects[sample_count + judge_count - 1 :], abs=1e-7)
    assert sum(difficulties) == pytest.approx(0, abs=1e-9)
    if degrees > 0:
        error = np.sqrt((residuals @ residuals) / degrees * factors)
        assert fit.mean.standard_error == pytest.approx(error[0], rel=1e-5)
        assert fit.ability_errors[:-1] == pytest.approx(error[1:sample_count], rel=1e-5)
        assert [judge.severity.standard_error for judge in fit.judges][:-1] == pytest.approx(
            error[sample_count : sample_count + judge_count - 1], rel=1e-5
        )
        for number, judge in enumerate(fit.judges):
            own = judges == number
            if (1 - leverages[own]).sum() > 1e-3:
                spread = np.sqrt((residuals[own] ** 2).sum() / (1 - leverages[own]).sum())
                assert judge.consistency.value == pytest.approx(spread, rel=1e-5)


def test_severity_does_not_mix_up_leniency_with_the_mix_of_items():
    generator = np.random.default_rng(0)
    ability = np.repeat([1.0, 9.0], 100)
    samples, judges, scores = [], [], []
    for sample in range(200):
        # The strict judge mostly sees good samples, the lenient one mostly bad ones.
        for judge, severity in (("strict", 1.0), ("lenient", -1.0)):
            seen = 0.9 if (ability[sample] > 5) == (judge == "strict") else 0.3
            if generator.random() < seen:
                samples.append(sample)
                judges.append(judge)
                scores.append(ability[sample] - severity + generator.normal() * 0.2)
    lenient, strict = many_facet(scores, samples, judges).judges
    assert strict.raw_mean > lenient.raw_mean
    assert strict.severity.value == pytest.approx(1, abs=0.1)
    assert lenient.severity.value == pytest.approx(-1, abs=0.1)
    assert lenient.severity.low < -0.95 < lenient.severity.high or lenient.severity.value == pytest.approx(-1, abs=0.05)


def test_an_erratic_judge_is_told_from_a_steady_one():
    generator = np.random.default_rng(1)
    samples, judges = (axis.ravel() for axis in np.indices((300, 3)))
    scores = samples % 5 + generator.normal(size=900) * np.array([0.1, 0.1, 1.0])[judges]
    spreads = [judge.consistency.value for judge in many_facet(scores, samples, judges).judges]
    assert spreads[2] > 0.7
    assert max(spreads[:2]) < 0.75 * spreads[2]


@given(st.integers(0, 10**6), st.floats(0.6, 1.0))
@settings(max_examples=draws(40), deadline=None)
def test_severities_are_known_where_samples_share_no_dimension(seed, share):
    generator = np.random.default_rng(seed)
    samples, judges, place = (axis.ravel() for axis in np.indices((6, 3, 2)))
    dimensions = 2 * (samples % 3) + place  # Three kinds of samples, which have no dimension in common.
    kept = generator.random(len(samples)) < share
    samples, judges, dimensions = samples[kept], judges[kept], dimensions[kept]
    scores = generator.normal(size=len(samples)) + samples - 2.0 * judges
    without_judges = np.column_stack([np.eye(6)[samples], -np.eye(6)[dimensions]])
    design = np.column_stack([without_judges, -np.eye(3)[judges]])
    fit = many_facet(scores, samples, judges, dimensions)
    if np.linalg.matrix_rank(design) - np.linalg.matrix_rank(without_judges) < len(fit.judges) - 1:
        assert {judge.severity.value for judge in fit.judges} == {None}
        return
    effects = np.linalg.lstsq(design, scores, rcond=None)[0][12:]
    assert [judge.severity.value for judge in fit.judges] == pytest.approx(effects - effects.mean(), abs=1e-7)
    assert not fit.connected
    assert fit.reason == "disconnected: some dimensions share no samples with the rest"
    assert {each.value for each in fit.dimensions.values()} == {None}
    assert np.isnan(fit.abilities).all()


def test_judges_who_share_no_samples_are_reported_as_disconnected():
    fit = many_facet([1, 2, 3, 4], [0, 0, 1, 1], ["a", "b", "c", "d"])
    assert not fit.connected
    assert fit.groups == (("a", "b"), ("c", "d"))
    assert fit.reason.startswith("disconnected")
    assert [judge.severity.value for judge in fit.judges] == [None] * 4
    assert [judge.raw_mean for judge in fit.judges] == [1, 2, 3, 4]


def test_judges_who_each_scored_one_dimension_are_reported_as_confounded():
    fit = many_facet([1, 2, 3, 4], [0, 0, 1, 1], ["a", "b", "a", "b"], ["x", "y", "x", "y"])
    assert fit.reason.startswith("confounded")
    assert fit.dimensions["x"].value is None


def test_missing_scores_are_left_out_and_counted():
    fit = many_facet([1, None, 3, 4], ["s", "s", "t", "t"], ["a", "b", "a", "b"])
    assert fit.n["missing"] == 1
    assert fit.n["scores"] == 3


def test_nothing_one_score_one_judge_and_equal_scores_give_no_exception():
    assert many_facet([], [], []).reason == "no scores"
    assert many_facet([None], [1], [1]).reason == "no scores"
    single = many_facet([4.0], ["s"], ["a"])
    assert (single.mean.value, single.residual_deviation) == (4.0, None)
    assert "no degrees of freedom" in single.reason
    alone = many_facet([1.0, 2.0, 3.0], [1, 2, 3], ["a"] * 3)
    assert alone.judges[0].severity.value == 0
    assert alone.judges[0].consistency.value is None
    equal = many_facet([2.0] * 4, [1, 1, 2, 2], ["a", "b", "a", "b"])
    assert equal.judges[0].severity.low is None
    assert equal.residual_deviation == 0


def test_a_million_scores_are_fitted():
    generator = np.random.default_rng(2)
    samples, judges = generator.integers(0, 100_000, 1_000_000), generator.integers(0, 5, 1_000_000)
    scores = samples % 7 - judges * 0.5 + generator.normal(size=1_000_000)
    severities = [judge.severity.value for judge in many_facet(scores, samples, judges).judges]
    assert severities == pytest.approx([-1, -0.5, 0, 0.5, 1], abs=0.01)
