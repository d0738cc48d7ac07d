import numpy as np

from golden_values import golden
from venire.stats.latent.dawid_skene import dawid_skene

PUBLISHED = golden("uncertainty_published")["dawid_skene"]


def columns(rows):
    return [list(column) for column in zip(*rows, strict=True)]


def anaesthetists():
    return columns(
        (patient, observer, int(category))
        for patient, votes in enumerate(PUBLISHED["patients"])
        for observer, category in zip(PUBLISHED["observers"], votes, strict=True)
    )


def test_dawid_skene_gives_the_published_anaesthetists():
    fit = dawid_skene(*anaesthetists(), restarts=0)
    assert np.round(fit.class_probabilities, 2).tolist() == PUBLISHED["class_probabilities"]
    assert np.round(fit.confusion[0], 2).tolist() == PUBLISHED["first_observer"]
    assert fit.converged
    assert fit.n == {"votes": 315, "units": 45, "judges": 5, "categories": 4, "missing": 0}


def test_a_random_start_finds_a_likelier_fit_of_the_anaesthetists_than_the_published_one():
    alone, several = (dawid_skene(*anaesthetists(), restarts=restarts) for restarts in (0, 4))
    assert several.log_likelihood > alone.log_likelihood + 1
    assert len(set(np.round(several.restarts, 6))) > 1
