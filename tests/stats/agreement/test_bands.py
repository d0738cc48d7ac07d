import itertools

import pytest

from venire.stats.agreement.bands import CORRELATION_BANDS, RELIABILITY_BANDS, correlation_band, reliability_band
from venire.stats.result import Estimate


@pytest.mark.parametrize(
    ("value", "zh"),
    [
        (1.0, "极高信度"), (0.8, "极高信度"), (0.7999, "高信度"), (0.6, "高信度"), (0.4, "中等信度"),
        (0.2, "低信度"), (0.1999, "极低信度"), (0.0, "极低信度"), (-0.5, "极低信度"),
    ],
)  # fmt: skip
def test_a_border_of_reliability_belongs_to_the_higher_band(value, zh):
    assert reliability_band(value).zh == zh


@pytest.mark.parametrize(
    ("value", "zh"),
    [
        (1.0, "极高一致性"), (0.9, "极高一致性"), (0.8999, "高一致性"), (0.7, "高一致性"), (0.5, "中等一致性"),
        (0.3, "低一致性"), (0.2999, "极低一致性"), (0.0, "极低一致性"), (-1.0, "极低一致性"),
    ],
)  # fmt: skip
def test_a_border_of_correlation_belongs_to_the_higher_band(value, zh):
    assert correlation_band(value).zh == zh


@pytest.mark.parametrize("bands", [CORRELATION_BANDS, RELIABILITY_BANDS])
def test_bands_meet_without_gaps_in_both_languages(bands):
    assert all(lower.upper == upper.lower for lower, upper in itertools.pairwise(bands))
    assert all(band.name("en") and band.name("zh") for band in bands)


def test_what_is_not_known_has_no_band():
    assert reliability_band(None) is None
    assert reliability_band(Estimate.unknown("alpha", "no variation")) is None


def test_an_estimate_has_the_band_of_its_value():
    assert correlation_band(Estimate(value=0.72, method="pearson")).id == "high"
