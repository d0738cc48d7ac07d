"""Means corrected slice by slice: right where judges err differently in each, and covering."""

import numpy as np
import pytest

from venire.stats.uncertainty.prediction_powered import prediction_powered_mean
from venire.stats.uncertainty.stratified_correction import stratified_mean


def drawn(generator, size=400, labelled=80):
    """Draw outputs of two slices: in the first the judge is right, in the second it knows nothing and is too kind."""
    slices = np.arange(size) % 2
    truth = generator.normal(size=size) + slices
    judged = np.where(slices == 0, truth + 0.1 * generator.normal(size=size), 3 + generator.normal(size=size))
    labels = np.full(size, np.nan)
    chosen = generator.permutation(size)[:labelled]
    labels[chosen] = truth[chosen]
    return labels, judged, slices


def test_each_slice_has_a_weight_of_its_own_and_the_interval_is_narrower():
    labels, judged, slices = drawn(np.random.default_rng(1))
    found = stratified_mean(labels, judged, slices)
    assert found.tuning[0] > 0.7
    assert found.tuning[1] < 0.35
    there = ~np.isnan(labels)
    plain = prediction_powered_mean(labels[there], judged[there], judged[~there]).corrected
    assert found.corrected.standard_error < 0.9 * plain.standard_error


def test_one_slice_is_the_plain_corrected_mean():
    labels, judged, _ = drawn(np.random.default_rng(2))
    there = ~np.isnan(labels)
    found = stratified_mean(labels, judged, np.zeros(len(labels)))
    plain = prediction_powered_mean(labels[there], judged[there], judged[~there])
    assert found.corrected.value == pytest.approx(plain.corrected.value)
    assert found.tuning[0] == pytest.approx(plain.tuning)
    assert found.corrected.standard_error == pytest.approx(plain.corrected.standard_error, rel=0.03)


def test_it_covers_with_and_without_questions():
    generator = np.random.default_rng(3)
    hits = 0
    for _ in range(120):
        labels, judged, slices = drawn(generator)
        found = stratified_mean(labels, judged, slices, clusters=np.arange(400) // 4).corrected
        hits += found.low <= 0.5 <= found.high
    assert hits >= 107  # 95 % less three simulation errors


def test_a_slice_with_few_labels_makes_it_unknown():
    labels, judged, slices = drawn(np.random.default_rng(4), labelled=12)
    found = stratified_mean(labels, judged, slices)
    assert found.corrected.value is None
    assert "10 are needed" in found.corrected.reason
