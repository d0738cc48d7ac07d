"""What every public function says of the same eight values stays: numbers, counts, methods and reasons.

What the numbers should be is held by published values and second computations; here a change anywhere is seen.
"""

from __future__ import annotations

import inspect
import typing

import numpy as np
import pytest

import venire.stats as stats
from golden_values import assert_as_kept, short
from rating_rows import judgement_rows, primary
from stats.test_every_function import CALLS, GROUPS
from venire.domain.judgement import Method
from venire.errors import VenireError


def said_by(name, arguments):
    try:
        return short(getattr(stats, name)(**arguments))
    except VenireError as error:
        return f"raises {type(error).__name__}: {error.args[0]}"


def lines():
    for name, arguments in sorted(CALLS.items()):
        yield f"{name}: {said_by(name, arguments)}"
        for each, parameter in inspect.signature(getattr(stats, name)).parameters.items():
            if each in arguments and parameter.default is not parameter.empty:
                fewer = {key: value for key, value in arguments.items() if key != each}
                yield f"  without {each}: {said_by(name, fewer)}"


def test_what_every_function_says_stays():
    assert_as_kept("stats_results.txt", "\n".join(lines()) + "\n")


def rows_of(value):
    """Say whether an argument has a value for each of the eight rows."""
    return isinstance(value, (list, np.ndarray)) and len(value) == 8


def repeated(name, place, value):
    """Give six times as many rows: new questions, the same values beside others."""
    if name in {"clusters", "questions", "units", "before_questions", "after_questions"}:
        return np.concatenate([np.asarray(value) + 4 * time for time in range(6)])
    return np.concatenate([np.roll(value, time * place, axis=0) for time in range(6)])


def first_missing(value):
    array = np.array(value)
    if array.dtype.kind == "f":
        array[0] = np.nan
    return array


def of_scores(value, change):
    """Change what is neither a name nor a group nor a mark."""
    array = np.asarray(value)
    return change(array) if array.dtype.kind == "f" and len(np.unique(array)) > 3 else value


def zeros_and_ones(value):
    return of_scores(value, lambda scores: (scores >= 3).astype(float))


OTHER_ROWS = {
    "one row": lambda name, place, value: value[:1],
    "two rows": lambda name, place, value: value[:2],
    "rows alike": lambda name, place, value: np.repeat(np.asarray(value)[:1], 8, axis=0),
    "one question": lambda name, place, value: [1] * 8 if value is GROUPS else value,
    "all questions apart": lambda name, place, value: list(range(8)) if value is GROUPS else value,
    "a value missing": lambda name, place, value: first_missing(value),
    "zeros and ones": lambda name, place, value: zeros_and_ones(value),
    "thousands below zero": lambda name, place, value: of_scores(value, lambda scores: 1000 * scores - 9000),
    "many rows": repeated,
}
"""The same arguments with rows that leave little to say, or more."""


def lines_of_other_rows():
    for name, arguments in sorted(CALLS.items()):
        for shown, change in OTHER_ROWS.items():
            changed = {
                each: change(each, place, value) if rows_of(value) else value
                for place, (each, value) in enumerate(arguments.items())
            }
            if any(rows_of(value) for value in arguments.values()):
                yield f"{name}, {shown}: {said_by(name, changed)}"


def test_what_every_function_says_of_few_and_of_many_rows_stays():
    assert_as_kept("stats_results_of_other_rows.txt", "\n".join(lines_of_other_rows()) + "\n")


def other_choices(parameter, value):
    """Give other values of an option that is no row: its other words, its opposite, half of it or one more."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, float):
        return [value / 2]
    if isinstance(value, int):
        return [value + 1]
    return [word for word in words_of(parameter.annotation) if word != value]


def words_of(kind):
    if typing.get_origin(kind) is typing.Literal:
        return [each for each in typing.get_args(kind) if isinstance(each, str)]
    return [word for part in typing.get_args(kind) for word in words_of(part)]


def annotated(function):
    """Give a function's parameters with what their annotations mean, where it is known when it runs."""
    for name, parameter in inspect.signature(function).parameters.items():
        try:
            yield name, parameter.replace(annotation=eval(str(parameter.annotation), function.__globals__))
        except (NameError, SyntaxError):
            yield name, parameter


def lines_of_other_choices():
    for name, arguments in sorted(CALLS.items()):
        for each, parameter in annotated(getattr(stats, name)):
            default = None if parameter.default is parameter.empty else parameter.default
            for other in other_choices(parameter, arguments.get(each, default)):
                yield f"{name}, {each} {short(other)}: {said_by(name, arguments | {each: other})}"


def test_what_every_function_says_with_each_other_choice_stays():
    assert_as_kept("stats_results_of_other_choices.txt", "\n".join(lines_of_other_choices()) + "\n")


def judged_rows(judges=("oak", "elm", "yew"), models=("alder", "birch", "oak"), dimensions=("FORM", "SENSE", "TONE")):
    """Yield scores of three judges, one of whom is a model that is judged, on twelve questions in two languages."""
    for question in range(12):
        for model_place, model in enumerate(models):
            for judge_place, judge in enumerate(judges):
                drawn = [(question * 7 + model_place * 5 + judge_place * 3 + place * place) % 11 for place in range(3)]
                scores = {name: float(each % 3) for name, each in zip(dimensions, drawn, strict=False)}
                if (question, judge) != (3, "yew"):
                    yield from judgement_rows(
                        f"{model}{question}", judge, scores, target_model=model, question_id=f"q{question}",
                        prompt_variant=("plain", "polite")[question % 2], length=40 + 13 * (drawn[0] + question),
                        method=Method.SELF_JUDGE if judge == model else Method.CROSS_JUDGE,
                        verdict="FAIL" if drawn[1] % 4 == 0 else "PASS",
                        factors={"language": ("en", "zh")[question % 2]},
                    )  # fmt: skip


SETS = {
    "all": primary(judged_rows(), include_self=True),
    "without own": primary(judged_rows()),
    "one judge": primary(judged_rows(judges=("elm",))),
    "one model": primary(judged_rows(models=("alder",))),
    "one dimension": primary(judged_rows(dimensions=("FORM",)), include_self=True),
}
ASKED = {
    "group_bias": ({}, {"dimension": "FORM"}),
    "halo": ({},),
    "length_bias": ({}, {"dimension": "FORM"}),
    "leniency": ({}, {"by_dimension": False}),
    "paired_contrasts": (
        {"factor": "target_model", "match": ("question_id",)},
        {"factor": "target_model", "match": ("question_id",), "baseline": "alder"},
        {"factor": "prompt_variant"},
    ),
    "panel_scores": ({}, {"dimension": "SENSE"}, {"weights": {"oak": 0.5, "elm": 0.25, "yew": 0.25}}),
    "score_compression": ({}, {"dimension": "FORM"}),
    "self_preference": ({}, {"dimension": "FORM"}),
    "slice_metrics": ({}, {"by": ("language",), "structure_dimension": "FORM"}, {"by_dimension": False}),
    "z_scores": ({}, {"dimension": "FORM"}),
}
"""What is asked of functions on ratings, beyond the usual."""


def test_what_functions_on_ratings_say_of_several_dimensions_judges_and_models_stays():
    lines = [
        f"{name} of {rows} with {options}: {said_by(name, {'primary': given, **options})}"
        for name, asked in ASKED.items()
        for rows, given in SETS.items()
        for options in asked
    ]
    assert_as_kept("stats_results_of_ratings.txt", "\n".join(lines) + "\n")


TOO_FEW = {"group_bias", "halo", "judge_competence", "length_bias", "self_preference"}
"""Functions that say of so few values that nothing is known, before they come to an interval."""
WITH_LEVEL = sorted(
    name for name in CALLS.keys() - TOO_FEW if "level" in inspect.signature(getattr(stats, name)).parameters
)


@pytest.mark.parametrize("name", WITH_LEVEL)
@pytest.mark.parametrize("level", [0.0, 1.0, 1.5])
def test_a_level_is_a_share_between_nothing_and_all(name, level):
    assert said_by(name, CALLS[name] | {"level": level}) == "raises UsageError: error.stats.level"
