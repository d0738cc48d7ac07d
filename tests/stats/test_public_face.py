"""The statistics as a library: every public name is found, whoever imported what before, and importing is quick."""

from __future__ import annotations

import importlib
import subprocess
import sys
import types

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import venire.stats
from doc_scripts import load_script

TABLE = {"a": [1, 2, 3, 4], "b": [1, 2, 3, 3], "c": [2, 2, None, 4]}
MAKES = [pl.DataFrame, pd.DataFrame, pa.table, lambda table: np.array([*table.values()], dtype=float).T]


def in_a_fresh_interpreter(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_names_are_sorted_and_each_is_there():
    names = venire.stats.__all__
    assert names == sorted(names) == dir(venire.stats)
    assert all(callable(getattr(venire.stats, name)) for name in names)


def test_importing_the_package_imports_nothing_heavy():
    code = "import sys, venire.stats; print([name for name in ('numpy', 'scipy', 'polars') if name in sys.modules])"
    assert in_a_fresh_interpreter(code) == "[]"


@pytest.mark.parametrize(
    "before", ["", "import venire.stats.agreement.krippendorff_alpha", "from venire.stats.comparison.elo import elo"]
)
def test_a_function_called_like_its_module_is_the_function_whatever_was_imported_before(before):
    code = f"{before}\nimport venire.stats as s; print(callable(s.krippendorff_alpha), callable(s.elo))"
    assert in_a_fresh_interpreter(code) == "True True"


def test_modules_stay_importable_by_their_names():
    module = importlib.import_module("venire.stats.agreement.krippendorff_alpha")
    assert isinstance(module, types.ModuleType)
    assert module.krippendorff_alpha is venire.stats.krippendorff_alpha


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="kappa_of_truth"):
        getattr(venire.stats, "kappa_of_truth")  # noqa: B009 - attribute access is the point


def test_every_public_function_is_in_the_reference():
    page = load_script("statistics_page").statistics_page()
    functions = [name for name in venire.stats.__all__ if not isinstance(getattr(venire.stats, name), type)]
    assert [name for name in functions if f"| `{name}` |" not in page] == []


@pytest.mark.parametrize("make", MAKES)
@pytest.mark.parametrize("name", ["krippendorff_alpha", "gwet_ac", "fleiss_kappa", "percent_agreement", "icc"])
def test_agreement_takes_frames_of_any_make(make, name):
    function = getattr(venire.stats, name)
    assert function(make(TABLE)).value == function(list(zip(*TABLE.values(), strict=True))).value


@pytest.mark.parametrize("make", [pl.Series, pd.Series, pa.array, np.array])
def test_votes_may_be_columns_of_any_make(make):
    units, judges = make(["u1", "u1", "u2", "u2", "u3", "u3"]), make(["a", "b"] * 3)
    found = venire.stats.dawid_skene(units, judges, make(["x", "x", "y", "y", "x", "y"]))
    assert found.judges == ("a", "b")
    assert venire.stats.clustered_mean(make([1.0, 2.0, 4.0]), make(["q", "q", "r"])).value == pytest.approx(7 / 3)
