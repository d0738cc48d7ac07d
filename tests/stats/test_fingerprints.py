import numpy as np

from venire.stats.fingerprints import fingerprints, poisson_weights


def test_weights_are_drawn_as_poisson_numbers_are():
    weights = poisson_weights(fingerprints(range(3000)), 5, range(500))
    assert abs(weights.mean() - 1) < 0.005
    assert abs(weights.var() - 1) < 0.01
    shares = [(weights == count).mean() for count in range(4)]
    np.testing.assert_allclose(shares, np.exp(-1) / np.array([1, 1, 2, 6]), atol=0.002)


def test_weights_of_names_replicates_and_seeds_are_independent():
    names = fingerprints(range(4000))
    weights = poisson_weights(names, 5, range(20))
    between = np.corrcoef(np.vstack([weights, poisson_weights(names, 6, range(20))]))
    assert np.abs(between - np.eye(40)).max() < 0.09  # 5.5 standard errors of 1/√4000


def test_weights_do_not_depend_on_what_is_drawn_beside_them():
    names = fingerprints(["ann", "bob", "cy"])
    alone = poisson_weights(names[1:2], 5, range(7, 9))
    assert alone.tolist() == poisson_weights(names, 5, range(20))[7:9, 1:2].tolist()
