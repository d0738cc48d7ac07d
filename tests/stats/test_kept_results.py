"""What every public function says of the same eight values stays: numbers, counts, methods and reasons.

What the numbers should be is held by published values and second computations; here a change anywhere is seen.
"""

from __future__ import annotations

import inspect

import msgspec
import numpy as np
import polars as pl
import pytest

import venire.stats as stats
from golden_values import assert_as_kept
from stats.test_every_function import CALLS
from venire.errors import VenireError
from venire.words.said import Said


def short(value):
    match value:
        case Said():
            told = ", ".join(f"{name}={short(each)}" for name, each in value.values.items())
            return f"{value.code}({told})"
        case bool() | None | str():
            return str(value)
        case float() | np.floating():
            return f"{value:.5g}".replace("-0.", "-.").replace("0.", ".", 1) if abs(value) > 1e-9 else "0"
        case np.ndarray():
            return f"array{list(value.shape)}: {short(value.ravel()[:12].tolist())}"
        case pl.DataFrame():
            return short(value.head(4).to_dicts())
        case dict():
            return f"{{{', '.join(f'{short(name)}: {short(each)}' for name, each in value.items())}}}"
        case set() | frozenset():
            return short(sorted(value))
        case list() | tuple():
            return f"[{', '.join(map(short, value))}]"
        case msgspec.Struct():
            fields = {name: getattr(value, name) for name in value.__struct_fields__}
            told = (
                f"{name} {short(each)}" for name, each in fields.items() if isinstance(each, bool) or each is not None
            )
            return f"{type(value).__name__}({'; '.join(told)})"
    return str(value) if isinstance(value, (int, np.integer)) else type(value).__name__


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


TOO_FEW = {"group_bias", "halo", "judge_competence", "length_bias", "self_preference"}
"""Functions that say of so few values that nothing is known, before they come to an interval."""
WITH_LEVEL = sorted(
    name for name in CALLS.keys() - TOO_FEW if "level" in inspect.signature(getattr(stats, name)).parameters
)


@pytest.mark.parametrize("name", WITH_LEVEL)
@pytest.mark.parametrize("level", [0.0, 1.0, 1.5])
def test_a_level_is_a_share_between_nothing_and_all(name, level):
    assert said_by(name, CALLS[name] | {"level": level}) == "raises UsageError: error.stats.level"
