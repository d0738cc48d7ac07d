import math

import numpy as np
import pytest
from bench.stats.corrected import draw, label, simulate
from hypothesis import given, settings
from hypothesis import strategies as st

from venire.errors import UsageError
from venire.stats.uncertainty.clustered import clustered_mean
from venire.stats.uncertainty.corrected_difference import FEWEST_LABELS, corrected_difference

MISSING = math.nan


def test_with_every_output_labelled_it_is_the_paired_difference_of_the_labels():
    generator = np.random.default_rng(1)
    first, second = generator.normal(1, 1, 30), generator.normal(0, 1, 30)
    is_first, questions = np.repeat([True, False], 30), np.tile(np.arange(30), 2)
    found = corrected_difference(
        np.concatenate([first, second]), generator.normal(size=60), is_first, clusters=questions
    ).corrected
    paired = clustered_mean(first - second, np.arange(30))
    assert found.value == pytest.approx(paired.value)
    assert found.standard_error == pytest.approx(paired.standard_error, rel=0.05)


@given(st.integers(0, 10**6))
@settings(deadline=None, max_examples=20)
def test_a_constant_favour_for_one_side_is_taken_out_whole(seed):
    generator = np.random.default_rng(seed)
    drawn = draw(generator, "normal", 40, 1, 0.0)
    labels = label(generator, drawn, 40)
    plain = corrected_difference(labels, drawn.judged, drawn.is_first, clusters=drawn.questions)
    favoured = corrected_difference(
        labels, drawn.judged + 3.0 * drawn.is_first, drawn.is_first, clusters=drawn.questions
    )
    assert favoured.naive.value == pytest.approx(plain.naive.value + 3)
    assert favoured.judge_bias.value == pytest.approx(plain.judge_bias.value + 3)
    assert favoured.corrected.value == pytest.approx(plain.corrected.value)
    assert (favoured.corrected.low, favoured.p_value) == pytest.approx((plain.corrected.low, plain.p_value))


def test_turning_the_sides_turns_the_sign():
    generator = np.random.default_rng(3)
    drawn = draw(generator, "skewed 1–5", 40, 1, 0.3)
    labels = label(generator, drawn, 30)
    one, two = (
        corrected_difference(labels, drawn.judged, side, clusters=drawn.questions).corrected
        for side in (drawn.is_first, ~drawn.is_first)
    )
    assert (one.value, one.low, one.high) == pytest.approx((-two.value, -two.high, -two.low))


def test_judges_that_know_nothing_get_no_weight_and_good_ones_make_it_narrower():
    generator = np.random.default_rng(4)
    drawn = draw(generator, "normal", 300, 1, 0.0)
    labels = label(generator, drawn, 60)
    useless = corrected_difference(labels, np.zeros(600), drawn.is_first, clusters=drawn.questions)
    assert useless.tuning == 0
    assert useless.corrected.value == pytest.approx(useless.labels_only.value)
    good = corrected_difference(labels, drawn.judged, drawn.is_first, clusters=drawn.questions)
    assert good.corrected.standard_error < 0.8 * good.labels_only.standard_error


def test_judges_and_people_part_only_where_the_favour_is_beyond_chance():
    generator = np.random.default_rng(5)
    drawn = draw(generator, "normal", 100, 1, 0.0)
    labels = label(generator, drawn, 80)
    fair = drawn.judged - 0.8 * drawn.is_first
    assert corrected_difference(labels, drawn.judged, drawn.is_first, clusters=drawn.questions).parts is True
    assert corrected_difference(labels, fair, drawn.is_first, clusters=drawn.questions).parts is False


@pytest.mark.parametrize(("shape", "size"), [("normal", (60, 1, 40)), ("skewed 1–5", (25, 4, 60))])
def test_it_covers_and_does_not_alarm_though_judges_favour_one_model(shape, size):
    covered, alarms, naive = simulate(shape, *size, effect=0.0, repetitions=400)
    error = math.sqrt(0.05 * 0.95 / 400)
    assert covered >= 0.95 - 2.5 * error
    assert alarms <= 0.05 + 2.5 * error
    assert naive > 0.5


def test_labels_that_are_likelier_for_some_outputs_are_weighted_by_the_inverse():
    generator = np.random.default_rng(6)
    covered = plain = 0
    for _ in range(200):
        drawn = draw(generator, "normal", 200, 1, 0.0)
        # Labels of the first model are sought where its outputs are bad, so that unweighted it looks worse.
        chance = np.where(drawn.is_first & (drawn.truth < 0), 0.6, 0.2)
        labels = np.where(generator.random(400) < chance, drawn.truth, MISSING)
        weighted, unweighted = (
            corrected_difference(
                labels, np.zeros(400), drawn.is_first, clusters=drawn.questions, probabilities=given
            ).corrected
            for given in (chance, None)
        )
        covered += weighted.low <= 0 <= weighted.high
        plain += unweighted.low <= 0 <= unweighted.high
    assert covered >= 180
    assert plain < 100


def test_too_few_labels_give_a_reason_or_say_that_the_interval_is_rough():
    generator = np.random.default_rng(7)
    drawn = draw(generator, "normal", 40, 1, 0.0)
    labels = np.where(drawn.is_first, drawn.truth, MISSING)
    none = corrected_difference(labels, drawn.judged, drawn.is_first, clusters=drawn.questions)
    assert none.corrected.value is None
    assert "2 labelled" in none.corrected.reason
    few = label(generator, drawn, 2 * FEWEST_LABELS - 4)
    assert corrected_difference(few, drawn.judged, drawn.is_first, clusters=drawn.questions).corrected.note
    many = label(generator, drawn, 60)
    assert not corrected_difference(many, drawn.judged, drawn.is_first, clusters=drawn.questions).corrected.note


@pytest.mark.parametrize(
    "wrong", [{"is_first": [1, 0, 1, 0]}, {"probabilities": [0.0, 1, 1, 1]}, {"probabilities": [1.5, 1, 1, 1]},
              {"clusters": [1, 2]}, {"level": 95}, {"judged": [1, 2]}],
)  # fmt: skip
def test_what_cannot_be_is_an_error(wrong):
    given = {"labels": [1, 2, 3, 4], "judged": [1, 2, 3, 4], "is_first": [True, False, True, False]}
    with pytest.raises(UsageError):
        corrected_difference(**(given | wrong))
