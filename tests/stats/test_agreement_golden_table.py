import pytest

from golden_values import golden
from venire.stats.agreement.fleiss_kappa import fleiss_kappa
from venire.stats.agreement.gwet_ac import gwet_ac
from venire.stats.agreement.krippendorff_alpha import krippendorff_alpha

TABLES = golden("agreement_table")["tables"]


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval", "ratio"])
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table["name"])
def test_alpha_is_what_another_program_gives(table, metric):
    expected = table["expected"][f"krippendorff alpha, {metric}"]
    assert krippendorff_alpha(table["ratings"], metric).value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("weights", ["identity", "linear", "quadratic", "ordinal"])
@pytest.mark.parametrize(("name", "measure"), [("gwet", gwet_ac), ("fleiss", fleiss_kappa)])
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table["name"])
def test_coefficients_and_errors_are_what_another_program_gives(table, name, measure, weights):
    found = measure(table["ratings"], weights=weights)
    expected = table["expected"]
    assert found.value == pytest.approx(expected[f"{name}, {weights}"], abs=1e-11)
    assert found.standard_error == pytest.approx(expected[f"{name}, {weights}, standard error"], abs=1e-11)
