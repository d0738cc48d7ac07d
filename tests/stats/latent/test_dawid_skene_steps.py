from functools import reduce

import numpy as np
import pytest

import venire.stats
from venire.errors import UsageError
from venire.stats.latent.dawid_skene_steps import (
    ExpectedCounts,
    class_probabilities,
    expected_counts,
    fit_in_steps,
    shard_votes,
)


def split(where, *columns):
    """Return the columns of each of four shards."""
    places = np.asarray(where)
    return [tuple(np.asarray(column)[places == number] for column in columns) for number in range(4)]


def votes_of_a_crowd():
    generator = np.random.default_rng(4)
    truth = generator.integers(3, size=200)
    units = np.repeat(np.arange(200), 6)
    judges = np.tile([f"j{number}" for number in range(6)], 200)
    right = generator.random(1200) < np.tile([0.9, 0.8, 0.8, 0.7, 0.6, 0.4], 200)
    return units, judges, np.where(right, truth[units], generator.integers(3, size=1200))


def fit(parts):
    return fit_in_steps(
        lambda parameters: reduce(ExpectedCounts.plus, (expected_counts(part, parameters) for part in parts)),
        judges=[f"j{number}" for number in range(6)],
        categories=[0, 1, 2],
    )


def test_dawid_skene_over_shards_of_whole_units_is_that_of_all_votes():
    units, judges, stated = votes_of_a_crowd()
    known = {"known_judges": [f"j{number}" for number in range(6)], "scale": [0, 1, 2]}
    parts = [shard_votes(*columns, **known) for columns in split(units % 7 % 4, units, judges, stated)]
    found, wanted = fit(parts), venire.stats.dawid_skene(units, judges, stated, restarts=0)
    np.testing.assert_allclose(found.parameters.rates.transpose(0, 2, 1), wanted.confusion, atol=1e-9)
    np.testing.assert_allclose(found.competence, wanted.competence, atol=1e-9)
    np.testing.assert_allclose(found.trace, wanted.trace)
    assert (found.converged, found.n) == (wanted.converged, wanted.n)
    own = {
        unit: row
        for part in parts
        for unit, row in zip(part.units, class_probabilities(part, found.parameters), strict=True)
    }
    np.testing.assert_allclose([own[unit] for unit in wanted.units], wanted.posteriors, atol=1e-9)


def test_dawid_skene_refuses_a_unit_in_two_shards():
    units, judges, stated = votes_of_a_crowd()
    known = {"known_judges": [f"j{number}" for number in range(6)], "scale": [0, 1, 2]}
    parts = [shard_votes(*columns, **known) for columns in split(np.arange(1200) % 4, units, judges, stated)]
    with pytest.raises(UsageError, match="are spread over several shards"):
        fit(parts)


def test_dawid_skene_refuses_a_category_that_others_do_not_know():
    with pytest.raises(UsageError, match="expected only the categories that all shards know, found 9"):
        shard_votes([1], ["a"], [9], known_judges=["a"], scale=[0, 1])


def test_dawid_skene_without_votes_is_refused():
    with pytest.raises(UsageError, match="found none"):
        fit([shard_votes([], [], [], known_judges=[f"j{number}" for number in range(6)], scale=[0, 1, 2])])
