import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from venire.errors import UsageError
from venire.stats.judges.position_bias import position_bias


def comparisons(rule, questions=30):
    rows = [(first, second, rule(first, second), str(q)) for q in range(questions) for first, second in ("ab", "ba")]
    return [list(column) for column in zip(*rows, strict=True)]


@pytest.mark.parametrize(
    ("rule", "preference", "flips"),
    [
        (lambda first, second: 1, 0.5, 1.0),
        (lambda first, second: 0, -0.5, 1.0),
        (lambda first, second: float(first == "a"), 0.0, 0.0),
        (lambda first, second: 0.5, 0.0, 0.0),
        (lambda first, second: 1.0 if first == "a" else 0.5, 0.25, 1.0),
    ],
)
def test_position_bias_tells_places_from_outputs(rule, preference, flips):
    place, flip = position_bias(*comparisons(rule))
    assert (place.estimate.value, flip.estimate.value, place.observations) == (preference, flips, 30)


def test_pairs_of_a_question_that_have_names_of_their_own_are_not_taken_together():
    first, second, _, _ = comparisons(lambda *_: 1)
    names = [place // 2 for place in range(60)]
    outcome = [float((place // 2 % 2 == 0) == (place % 2 == 0)) for place in range(60)]  # Now a wins, now b.
    questions = [place // 4 for place in range(60)]
    together, _ = position_bias(first, second, outcome, questions)
    place, flips = position_bias(first, second, outcome, questions, pairs=names)
    assert (together.observations, place.observations) == (15, 30)
    assert (place.estimate.value, flips.estimate.value) == (0, 0)
    assert place.estimate.n["clusters"] == 15


def test_names_of_pairs_must_be_as_many_as_outcomes():
    with pytest.raises(UsageError, match="names of pairs"):
        position_bias(["a"], ["b"], [1], ["q"], pairs=["p", "r"])


def test_pairs_shown_in_one_order_do_not_count():
    place, flip = position_bias(["a"] * 40, ["b"] * 40, [1] * 40, range(40))
    assert (place.estimate.value, flip.estimate.value, place.observations) == (None, None, 0)


def test_position_bias_of_nothing_is_not_known():
    place, _ = position_bias([], [], [], [])
    assert place.estimate.reason == "only 0 observations, fewer than the 20 needed"


COMPARISON = st.tuples(st.sampled_from("abc"), st.sampled_from("abc"), st.sampled_from([0, 0.5, 1]), st.integers(0, 9))


@given(st.lists(COMPARISON, max_size=200))
@settings(max_examples=50)
def test_position_bias_is_that_of_a_plain_loop(drawn):
    shown = {}
    for first, second, outcome, question in drawn:
        shown.setdefault((question, first, second), []).append(outcome)
    values = [
        (statistics.fmean(shown[question, first, second]) + statistics.fmean(shown[question, second, first])) / 2 - 0.5
        for question, first, second in shown
        if first < second and (question, second, first) in shown
    ]
    columns = [list(column) for column in zip(*drawn, strict=True)] if drawn else [[], [], [], []]
    place, _ = position_bias(*columns)
    assert place.observations == len(values)
    if len(values) >= 20:
        assert place.estimate.value == pytest.approx(statistics.fmean(values), abs=1e-9)


def test_the_exact_p_value_is_that_of_a_sign_test_over_questions():
    # 15 questions lean to the first place, 5 to the second, 10 to none: binomial with 20 trials, 2·P(X ≥ 15) = 0.0414
    # (Siegel & Castellan 1988, Nonparametric Statistics, table D).
    def rule(first, second, number):
        return 1 if number < 15 else 0 if number < 20 else float(first == "a")

    rows = [(*pair, rule(*pair, number), number) for number in range(30) for pair in ("ab", "ba")]
    place, _ = position_bias(*(list(column) for column in zip(*rows, strict=True)))
    assert place.details["p_value"] == pytest.approx(0.0414, abs=5e-5)
    doubled = [(first + str(copy), second + str(copy), *rest) for first, second, *rest in rows for copy in range(3)]
    again, _ = position_bias(*(list(column) for column in zip(*doubled, strict=True)))
    assert again.details["p_value"] == place.details["p_value"]


@pytest.mark.parametrize("planted", [0.0, 0.15, 0.5])
def test_a_planted_love_of_the_first_place_is_found_within_the_stated_intervals(planted):
    """A judge takes the first with this probability, and else the better one: it flips as often, and leans by half."""
    leans = flips = found = 0
    for trial in range(40):
        random = np.random.default_rng([trial, int(planted * 100)])
        first, second, outcome, question = [], [], [], []
        for number in range(60):
            for better, worse in (("a", "b"), ("b", "c"), ("a", "c")):
                for one, two in ((better, worse), (worse, better)):
                    taken = 1.0 if random.random() < planted else float(one == better)
                    first.append(one)
                    second.append(two)
                    outcome.append(taken)
                    question.append(number)
        preference, flipped = position_bias(first, second, outcome, question)
        value, low, high = preference.estimate.value, preference.estimate.low, preference.estimate.high
        leans += planted == 0 == value or low <= planted / 2 <= high
        flips += flipped.estimate.low <= planted <= flipped.estimate.high
        found += preference.details.get("p_value", 1.0) < 0.05
    assert leans >= 34
    assert flips >= 34
    assert found == (0 if planted == 0 else 40)
