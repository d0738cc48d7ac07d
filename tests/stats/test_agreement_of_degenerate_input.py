import numpy as np
import pytest

from venire.errors import UsageError
from venire.stats.agreement.chance_corrected import percent_agreement
from venire.stats.agreement.fleiss_kappa import fleiss_kappa
from venire.stats.agreement.gwet_ac import gwet_ac
from venire.stats.agreement.icc import FORMS, icc
from venire.stats.agreement.krippendorff_alpha import krippendorff_alpha
from venire.stats.agreement.matrix import agreement_matrix

MEASURES = {
    **{
        f"alpha {metric}": lambda ratings, metric=metric: krippendorff_alpha(ratings, metric, replicates=50)
        for metric in ("nominal", "ordinal", "interval", "ratio")
    },
    **{f"fleiss {kind}": lambda r, kind=kind: fleiss_kappa(r, weights=kind) for kind in ("identity", "quadratic")},
    **{f"gwet {kind}": lambda r, kind=kind: gwet_ac(r, weights=kind) for kind in ("identity", "linear", "ordinal")},
    **{f"icc {form}": lambda r, form=form: icc(r, form) for form in FORMS},
    **{f"icc {form}, mixed": lambda r, form=form: icc(r, form, missing="mixed model") for form in FORMS},
}
TWO_RATERS = {
    name: lambda r, name=name: agreement_matrix(r, name).cells[0][1]
    for name in ("pearson", "spearman", "kendall tau-b", "cohen kappa", "quadratic kappa")
}
NAN = np.nan
EMPTY = {
    "no unit": np.empty((0, 3)),
    "no rater": np.empty((4, 0)),
    "one rater": np.array([[1.0], [2.0], [3.0]]),
    "all missing": np.full((5, 3), NAN),
    "raters that never meet": np.array([[1.0, NAN], [NAN, 2.0], [3.0, NAN]]),
}
CONSTANT = {
    "all equal": np.full((6, 3), 4.0),
    "all equal fractions": np.full((6, 3), 0.1),
    "all equal bytes": np.full((6, 3), 7, dtype=np.int8),
    "all equal with gaps": np.array([[2.0, 2.0, NAN], [2.0, NAN, 2.0], [2.0, 2.0, 2.0]]),
    "one unit, all equal": np.array([[3.0, 3.0, 3.0]]),
    "all zero": np.zeros((4, 2)),
}
ODD = {
    "one unit": np.array([[1.0, 2.0, 4.0]]),
    "two units": np.array([[1.0, 2.0], [3.0, 5.0]]),
    "perfect": np.array([[1.0, 1.0], [2.0, 2.0], [4.0, 4.0]]),
    "reversed": np.array([[1.0, 5.0], [2.0, 4.0], [4.0, 2.0], [5.0, 1.0]]),
    "units do not differ": np.array([[1.0, 5.0], [5.0, 1.0], [3.0, 3.0]]),
    "raters differ, units do not": np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]]),
    "huge": np.array([[1e308, -1e308], [-1e308, 1e308], [1e308, 1e308]]),
    "huge where no two met": np.array([[0.0, 0.0], [-5e307, NAN], [1.0, 0.0]]),
    "tiny": np.array([[1e-308, 2e-308], [3e-308, 3e-308], [2e-308, 2e-308]]),
    "one gap each": np.array([[1.0, NAN], [NAN, 2.0], [3.0, 3.0], [2.0, 2.0]]),
}


@pytest.mark.parametrize("ratings", EMPTY.values(), ids=EMPTY)
@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_without_pairs_agreement_is_not_known_and_says_why(measure, ratings):
    found = measure(ratings)
    assert found.value is None
    assert found.reason


@pytest.mark.parametrize("ratings", CONSTANT.values(), ids=CONSTANT)
@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_without_variation_agreement_beyond_chance_is_not_known(measure, ratings):
    found = measure(ratings)
    assert found.value is None
    assert found.reason


@pytest.mark.parametrize("ratings", CONSTANT.values(), ids=CONSTANT)
@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval", "ratio"])
def test_alpha_of_equal_ratings_names_the_lack_of_variation(metric, ratings):
    assert krippendorff_alpha(ratings, metric).reason == "no variation"


@pytest.mark.parametrize("ratings", CONSTANT.values(), ids=CONSTANT)
def test_percent_agreement_of_equal_ratings_is_one(ratings):
    assert percent_agreement(ratings).value == 1.0


@pytest.mark.parametrize("ratings", ODD.values(), ids=ODD)
@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_odd_input_gives_a_value_or_a_reason(measure, ratings):
    found = measure(ratings)
    assert found.known or found.reason
    assert found.value is None or found.value <= 1 + 1e-12
    assert found.low is None or found.low <= found.high


@pytest.mark.parametrize("ratings", [*CONSTANT.values(), *(r for r in ODD.values() if r.shape[1] == 2)])
@pytest.mark.parametrize("measure", TWO_RATERS.values(), ids=TWO_RATERS)
def test_odd_pairs_give_a_value_or_a_reason(measure, ratings):
    found = measure(ratings)
    assert found.known or found.reason
    assert found.value is None or -1 - 1e-12 <= found.value <= 1 + 1e-12


@pytest.mark.parametrize("level", [0, 1, 95, -0.5, NAN])
@pytest.mark.parametrize(
    "measure",
    [
        lambda r, level: krippendorff_alpha(r, replicates=10, level=level),
        lambda r, level: fleiss_kappa(r, level=level),
        lambda r, level: icc(r, level=level),
        lambda r, level: agreement_matrix(r, "pearson", level=level),
        lambda r, level: agreement_matrix(r, "cohen kappa", level=level),
    ],
)
def test_a_level_that_is_no_share_is_an_error(measure, level):
    with pytest.raises(UsageError, match="level between 0 and 1"):
        measure(ODD["reversed"], level)


@pytest.mark.parametrize("measure", ["alpha nominal", "alpha interval", "fleiss identity", "gwet identity", "icc 3,1"])
def test_perfect_agreement_is_one(measure):
    assert MEASURES[measure](ODD["perfect"]).value == pytest.approx(1.0)


@pytest.mark.parametrize("measure", ["alpha interval", "alpha ordinal", "fleiss quadratic", "icc 2,1", "icc 3,1"])
def test_reversed_agreement_is_below_zero(measure):
    assert MEASURES[measure](ODD["reversed"]).value < 0


@pytest.mark.parametrize("name", ["alpha interval", "fleiss identity", "gwet identity", "icc 2,1"])
def test_a_million_units_with_gaps_give_a_value(name):
    generator = np.random.default_rng(0)
    ratings = np.clip(np.rint(generator.normal(3, 1, (1_000_000, 1)) + generator.normal(0, 1, (1_000_000, 3))), 1, 5)
    ratings[generator.random(ratings.shape) < 0.05] = np.nan
    found = MEASURES[name](ratings)
    assert found.low < found.value < found.high
