"""Every public function that takes what others return, with each kind of bad result in its arguments.

It answers with a clear error or with "not known" and the reason: never with NaN or infinity, never with a traceback.
"""

from __future__ import annotations

import math
from functools import partial

import msgspec
import numpy as np
import polars as pl
import pytest

import venire.stats as stats
from bad_values import OF_RESULTS, problem, spoiled
from rating_rows import judgement_rows, primary
from venire.errors import UsageError
from venire.stats import Estimate, PrimarySet, RatingsTable
from venire.stats.judges.learnt_weights import JudgeError
from venire.stats.latent.dawid_skene_steps import ErrorRates, ExpectedCounts
from venire.stats.pairwise.strength_change import Comparisons

HALVES = [1, 0, 0.5, 1, 0, 0.5, 1, 0]
GROUPS = [1, 1, 2, 2, 3, 3, 4, 4]
BITS = [1, 0, 1, 1, 0, 0, 1, 0]
NAMES = ["a", "b", "a", "b", "a", "b", "a", "b"]
RIVALS = ["b", "a", "c", "c", "b", "a", "c", "c"]
WINS = stats.count_wins(NAMES, RIVALS, HALVES)
FIT = stats.bradley_terry(WINS)
SHARE = stats.wilson_interval(2, 9)
VOTES = stats.shard_votes(GROUPS, NAMES, BITS, known_judges=["a", "b"], scale=[0, 1])
RATES = stats.expected_counts(VOTES, None).maximised()
COMPARED = Comparisons(NAMES, RIVALS, HALVES, GROUPS, [1.0] * 8)


def rows():
    """Give ratings of two models by two judges of two versions, on a dimension and overall."""
    return [
        row
        for number in range(6)
        for model in ("alder", "birch")
        for judge, weight in (("oak", 2), ("elm", 3))
        for version in ("v1", "v2")
        for row in judgement_rows(
            f"{model}{number}", judge, {"structure": (number * weight + len(version)) % 3, "tone": number % 2},
            target_model=model, question_id=f"q{number}", rater_version=version, verdict=("PASS", "FAIL")[number % 2],
            prompt_variant="long" if number % 3 else "short", length=40 + 7 * number, protocol="p",
        )
    ]  # fmt: skip


ROWS = rows()
FIRST = [row for row in ROWS if row.rater_version == "v1"]


def changed(given, **fields):
    return [msgspec.structs.replace(row, **fields) for row in given]


def one_changed(given, **fields):
    return [*changed(given[:1], **fields), *given[1:]]


def bad_rows(given):
    """Yield each kind of bad ratings."""
    yield "nothing", []
    yield "one row", given[:1]
    yield "one output", [row for row in given if row.unit == "alder1"]
    yield "one judge", [row for row in given if row.rater == "oak"]
    yield "one question", [row for row in given if row.question_id == "q1"]
    yield "one model", [row for row in given if row.target_model == "alder"]
    yield "all the same", changed(given, score=1.0, overall=2.0, verdict="PASS")
    yield "no scores", changed(given, score=None, overall=None)
    yield "no verdicts", changed(given, verdict=None)
    yield "no scale", changed(given, minimum=None, maximum=None, overall_minimum=None, overall_maximum=None)
    yield "an empty scale", changed(given, minimum=1.0, maximum=1.0, overall_minimum=1.0, overall_maximum=1.0)
    yield "no names", changed(given, question_id="", target_model="", prompt_variant="")
    yield "no lengths", changed(given, length=None)
    yield "no versions", changed(given, rater_version="", prompt_version="")
    yield "all invalid", changed(given, status=stats.ratings.rating.Status.INVALID)
    for name, strange in (("nan", math.nan), ("infinity", math.inf), ("minus infinity", -math.inf), ("huge", 1e308)):
        yield f"one {name}", one_changed(given, score=strange, overall=strange)
        yield f"all {name}", changed(given, score=strange, overall=strange)
    yield "a scale of nan", changed(given, minimum=math.nan, maximum=math.nan, overall_minimum=math.nan)
    yield "weights of nan", changed(given, weight=math.nan)
    yield "negative weights", changed(given, weight=-1.0)


def bad_results(value):
    """Yield each kind of bad result that a function could be given in place of a good one."""
    if isinstance(value, PrimarySet):
        yield from ((kind, primary(given)) for kind, given in bad_rows(FIRST))
    elif isinstance(value, RatingsTable):
        yield from ((kind, RatingsTable.from_rows(given)) for kind, given in bad_rows(ROWS))
    elif isinstance(value, pl.DataFrame):
        yield from bad_frames(value)
    elif isinstance(value, Comparisons):
        for field in value._fields:
            for kind, bad in spoiled(getattr(value, field)):
                yield f"{field}: {kind}", value._replace(**{field: bad})
    elif isinstance(value, stats.comparison.win_matrix.WinMatrix | ErrorRates):
        for field in value.__struct_fields__:
            for kind, bad in spoiled(getattr(value, field)):
                yield f"{field}: {kind}", msgspec.structs.replace(value, **{field: bad})
            if isinstance(getattr(value, field), np.ndarray):
                yield f"{field}: negative", msgspec.structs.replace(value, **{field: -getattr(value, field)})
    elif isinstance(value, Estimate):
        yield "not known", Estimate.unknown("share", "no values")
        yield "no interval", Estimate(value=0.5, method="share")
        yield "above one", Estimate(value=7.0, low=6.0, high=8.0, level=0.95, method="mean")
        yield "below zero", Estimate(value=-0.5, low=-1.0, high=0.0, level=0.95, method="mean")
        yield "of another level", msgspec.structs.replace(value, level=0.5)
        yield "one end", msgspec.structs.replace(value, low=None)
        yield "beside its interval", msgspec.structs.replace(value, low=0.9, high=1.0)
    else:
        yield from spoiled(value)


def bad_frames(good):
    """Yield each kind of bad frame of scores."""
    yield "nothing", good.head(0)
    yield "one row", good.head(1)
    yield "no score column", good.drop("score")
    yield "no unit column", good.drop("unit")
    yield "no question column", good.drop("question_id")
    for kind, score in (
        ("all missing", None), ("all nan", math.nan), ("all infinite", math.inf), ("all huge", 1e308), ("words", "x"),
        ("all equal", 1.0), ("booleans", True),
    ):  # fmt: skip
        yield kind, good.with_columns(score=pl.lit(score))
    for kind, strange in (("one missing", None), ("one nan", math.nan), ("one infinite", math.inf)):
        yield kind, good.with_columns(score=pl.Series([strange, *good["score"].to_list()[1:]]))
    yield "questions missing", good.with_columns(question_id=pl.lit(None, dtype=pl.String))


FRAME = pl.DataFrame({
    "unit": [f"u{number}" for number in range(8)], "question_id": [f"q{number // 2}" for number in range(8)],
    "score": [3.0, 4.0, 2.0, 5.0, 1.0, 4.0, 2.5, 3.5],
})  # fmt: skip
OTHER_FRAME = FRAME.with_columns(score=pl.Series([2.0, 4.0, 3.0, 5.0, 2.0, 4.0, 2.0, 3.0]))
TABLE, PRIMARY = RatingsTable.from_rows(ROWS), primary(FIRST)
AFTER = primary([row for row in ROWS if row.rater_version == "v2"])
SLICES = stats.slice_metrics(PRIMARY, ["target_model"], structure_dimension="structure")
ERRORS = {"oak": JudgeError(1.0, 10), "elm": JudgeError(2.0, 10)}
BAD_ERRORS = {
    "nothing": {}, "one judge": {"oak": ERRORS["oak"]}, "not known": {"oak": JudgeError(None, 0)},
    **{
        f"{field}: {kind}": ERRORS | {"oak": msgspec.structs.replace(ERRORS["oak"], **{field: bad})}
        for field in ("variance", "scores") for kind, bad in spoiled(1.0)
    },
}  # fmt: skip
TESTS = {"form": {"a": 3.0, "b": 4.0}, "tone": {"c": 2.0}}
WEIGHTS = {"form": 0.5, "tone": 0.5}


def bad_scores_of_tests():
    yield from {"nothing": {}, "no tests": {"form": {}}, "missing": {"form": {"a": None}}, "strange": {"x": {}}}.items()
    yield from ((kind, TESTS | {"form": {"a": bad, "b": 4.0}}) for kind, bad in spoiled(1.0))


def bad_weights():
    yield from {"nothing": {}, "one short": {"form": 1.0}, "all zero": dict.fromkeys(WEIGHTS, 0.0)}.items()
    yield from ((kind, WEIGHTS | {"form": bad}) for kind, bad in spoiled(1.0))


def step(parameters, votes=VOTES):
    return stats.expected_counts(votes, parameters)


def bad_steps():
    """Yield steps whose sums are bad."""
    good = step(None)
    sums = {"no votes": {"votes": 0}}
    for field in ("counts", "classes"):
        sums |= {f"{field}: {kind}": {field: bad} for kind, bad in spoiled(getattr(good, field))}
        sums[f"{field}: negative"] = {field: -getattr(good, field)}
    sums |= {f"likelihood: {kind}": {"log_likelihood": bad} for kind, bad in spoiled(1.0)}
    for kind, fields in sums.items():
        bad_sums = msgspec.structs.replace(good, **fields)
        yield kind, lambda _, bad_sums=bad_sums: bad_sums


CALLS = {
    "attribute_changes": {"before": PRIMARY, "after": AFTER, "anchors": TABLE, "level": 0.95},
    "bradley_terry": {"outcomes": WINS},
    "class_probabilities": {"votes": VOTES, "parameters": RATES},
    "cliffs": {"primary": PRIMARY, "structure_dimension": "structure", "factor": "target_model", "k": 3, "level": 0.95},
    "compare_judge_versions": {"table": TABLE, "old": "v1", "new": "v2", "level": 0.95},
    "deciding_comparisons": {"wins": WINS, "fit": FIT, "leader": "a", "follower": "b"},
    "expected_counts": {"votes": VOTES, "parameters": RATES},
    "fit_in_steps": {
        "step": step, "judges": ("a", "b"), "categories": (0, 1), "tolerance": 1e-8, "max_iterations": 50,
    },
    "group_bias": {"primary": PRIMARY, "level": 0.95},
    "halo": {"primary": PRIMARY, "level": 0.95},
    "inverse_variance_weights": {"errors": ERRORS, "prior_scores": 4.0},
    "length_bias": {"primary": PRIMARY, "level": 0.95},
    "leniency": {"primary": PRIMARY, "level": 0.95},
    "masking_flips": {"table": TABLE, "open_version": "v1", "masked_version": "v2", "level": 0.95},
    "paired_contrasts": {
        "primary": PRIMARY, "factor": "target_model", "match": ("question_id",), "structure_dimension": "structure",
        "level": 0.95,
    },
    "panel_scores": {"primary": PRIMARY},
    "panel_weights": {"primary": PRIMARY, "weights": {"oak": 0.5, "elm": 0.5}},
    "roll_up": {"tests": TESTS, "test_weights": {"form": {"a": 0.5, "b": 0.5}}, "dimension_weights": WEIGHTS},
    "score_compression": {"primary": PRIMARY},
    "score_difference": {"first": FRAME, "second": OTHER_FRAME, "keys": [["unit"]], "level": 0.95},
    "self_preference": {"primary": PRIMARY, "level": 0.95},
    "shard_votes": {
        "units": GROUPS, "judges": NAMES, "categories": BITS, "known_judges": ["a", "b"], "scale": [0, 1],
    },
    "share_difference": {"first": SHARE, "second": stats.wilson_interval(5, 9)},
    "slice_metrics": {"primary": PRIMARY, "by": ("target_model",), "level": 0.95, "structure_dimension": "structure"},
    "strength_changes": {"before": COMPARED, "after": COMPARED, "level": 0.95},
    "worst_slices": {"slices": SLICES, "k": 2, "smallest": 5},
    "z_scores": {"primary": PRIMARY},
}  # fmt: skip
BY_HAND = {
    ("cliffs", "structure_dimension"): {"strange": "x", "empty": ""},
    ("cliffs", "factor"): {"strange": "x", "empty": ""},
    ("compare_judge_versions", "new"): {"strange": "x", "the same": "v1"},
    ("deciding_comparisons", "fit"): {
        "not known": stats.bradley_terry(stats.count_wins(["a"], ["b"], [1])),
        "of other models": stats.bradley_terry(stats.count_wins(["x", "y"], ["y", "x"], [1, 1])),
    },
    ("deciding_comparisons", "leader"): {"strange": "x", "the same": "b", "behind": "c"},
    ("fit_in_steps", "step"): dict(bad_steps()),
    ("fit_in_steps", "judges"): {"nothing": (), "one less": ("a",)},
    ("fit_in_steps", "categories"): {"nothing": (), "one less": (0,)},
    ("inverse_variance_weights", "errors"): BAD_ERRORS,
    ("masking_flips", "masked_version"): {"strange": "x", "the same": "v1"},
    ("panel_weights", "weights"): {
        "nothing": {}, "one short": {"oak": 1.0}, **{k: {"oak": bad, "elm": 1.0} for k, bad in spoiled(1.0)},
    },
    ("roll_up", "tests"): dict(bad_scores_of_tests()),
    ("roll_up", "test_weights"): {kind: {"form": {"a": bad, "b": 0.5}} for kind, bad in spoiled(1.0)},
    ("roll_up", "dimension_weights"): dict(bad_weights()),
    ("slice_metrics", "by"): {"strange": ("x",), "empty": ("",)},
    ("score_difference", "keys"): {"nothing": [], "strange": [["x"]], "empty": [[]]},
    ("shard_votes", "known_judges"): {"nothing": [], "twice": ["a", "b", "a"]},
    ("shard_votes", "scale"): {"nothing": [], "twice": [0, 1, 0]},
    ("worst_slices", "slices"): {"nothing": [], "not known": stats.slice_metrics(PRIMARY, ["target_model"])},
}  # fmt: skip


def cases(name):
    for argument, value in CALLS[name].items():
        yield from ((argument, kind, bad) for kind, bad in bad_results(value))
        yield from ((argument, kind, bad) for kind, bad in BY_HAND.get((name, argument), {}).items())


def answer(name, arguments):
    """Call a function; what it found, with arrays of probabilities and counts as lists, which have no gaps."""
    found = getattr(stats, name)(**arguments)
    if isinstance(found, np.ndarray):
        return found.tolist()
    if isinstance(found, ExpectedCounts):
        return found.counts.tolist(), found.classes.tolist(), found.log_likelihood
    return found


def test_every_function_that_takes_results_is_called():
    assert {*CALLS} >= OF_RESULTS


@pytest.mark.parametrize("name", CALLS)
def test_the_call_is_good_before_it_is_spoiled(name):
    assert problem(partial(answer, name, CALLS[name])) == ""
    assert answer(name, CALLS[name])


@pytest.mark.parametrize("name", CALLS)
def test_a_bad_result_gives_a_clear_error_or_is_not_known(name):
    found = {
        f"{argument}: {kind}": problem(partial(answer, name, CALLS[name] | {argument: bad}))
        for argument, kind, bad in cases(name)
    }
    assert found
    assert {case: each for case, each in found.items() if each} == {}


REFUSED = {
    "bradley_terry": {"outcomes": "wins: negative"},
    "class_probabilities": {"parameters": "rates: all equal"},
    "cliffs": {"k": "a negative"},
    "deciding_comparisons": {"leader": "behind", "fit": "of other models"},
    "expected_counts": {"parameters": "prior: negative"},
    "fit_in_steps": {"step": "counts: negative", "max_iterations": "zero", "tolerance": "nan"},
    "inverse_variance_weights": {"errors": "variance: a negative", "prior_scores": "zero"},
    "share_difference": {"first": "above one", "second": "of another level"},
    "strength_changes": {"before": "weights: nothing"},
    "worst_slices": {"k": "a negative", "smallest": "nan"},
}
"""Bad results of which a number could be made, and must not."""


@pytest.mark.parametrize("name", REFUSED)
def test_what_could_be_counted_and_must_not_is_refused(name):
    wanted = {*REFUSED[name].items()}
    found = {(argument, kind): bad for argument, kind, bad in cases(name) if (argument, kind) in wanted}
    assert {*found} == wanted
    for (argument, _), bad in found.items():
        with pytest.raises(UsageError):
            answer(name, CALLS[name] | {argument: bad})
