"""What planned questions will be able to show: by the spread that is given, or that of what was judged already."""

from __future__ import annotations

import math

import pytest

from experiment import settings_for, venire
from venire.domain.sample import Sample
from venire.errors import UsageError
from venire.workflows.comparison.planned_power import planned_power

RULES = {"type": "rules", "rules": {"dimensions": {"*": [{"check": "length", "minimum": 8}]}}}


def outputs(questions, models=("alder", "birch"), variants=("",)):
    return [
        Sample(f"{q}-{model}-{variant}", f"An answer of {model} " + "and more " * 3 * ((q + (model == "birch")) % 3),
               question_id=f"q{q}", target_model=model, prompt_variant=variant)
        for q in range(questions)
        for model in models
        for variant in variants
    ]  # fmt: skip


def power(tmp_path, samples, **stated):
    return planned_power(settings_for(tmp_path, {"oak": RULES}, samples), **stated)


def test_the_least_difference_falls_with_the_root_of_the_questions_and_grows_with_the_spread(tmp_path):
    few, many = power(tmp_path, outputs(25), spread=2.0), power(tmp_path, outputs(100), spread=2.0)
    assert (few.questions, many.questions, few.judged) == (25, 100, 0)
    assert few.points.value == pytest.approx(2 * few.effect.value)
    assert many.points.value == pytest.approx((1.959964 + 0.841621) * 2.0 / math.sqrt(100), rel=0.02)
    assert few.points.value > 1.9 * many.points.value
    assert few.needed is None


def test_a_stated_difference_needs_so_many_questions(tmp_path):
    found = power(tmp_path, outputs(3), difference=0.5, spread=2.0)
    assert found.needed.value == pytest.approx((1.959964 + 0.841621) ** 2 * 16, rel=0.03)
    guessed = power(tmp_path, outputs(3), difference=0.5)
    assert (guessed.spread, guessed.needed) == (None, power(tmp_path, outputs(3), difference=0.5, spread=2.0).needed)


def test_models_are_compared_before_variants_and_only_questions_that_share_them_count(tmp_path):
    samples = [*outputs(4), *outputs(6, models=("alder",))[4:]]
    assert (power(tmp_path, samples).factor, power(tmp_path, samples).questions) == ("target_model", 4)
    variants = power(tmp_path, outputs(5, models=("alder",), variants=("long", "short")))
    assert (variants.factor, variants.questions) == ("prompt_variant", 5)
    assert power(tmp_path, outputs(5, models=("alder",))) is None


def test_the_spread_is_that_of_the_questions_that_were_judged(tmp_path):
    settings = settings_for(tmp_path, {"oak": RULES}, outputs(6))
    assert planned_power(settings).spread is None
    assert venire("judge", tmp_path / "venire.yaml", "--quiet") == 0
    found = planned_power(settings)
    assert (found.judged, found.spread > 0) == (6, True)
    assert found.points.value == pytest.approx(found.spread * found.effect.value)


@pytest.mark.parametrize(
    "stated", [{"difference": 0.0}, {"spread": -1.0}, {"spread": math.inf}, {"difference": math.nan}]
)
def test_what_is_not_above_nothing_is_refused(tmp_path, stated):
    with pytest.raises(UsageError):
        power(tmp_path, outputs(2), **stated)
