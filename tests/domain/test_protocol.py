"""What a protocol says about itself: its verdicts, bands, factors, and a digest that old ledgers know."""

import msgspec
import pytest

from valid_replies import DRIFT_BUNDLE, DRIFT_SAMPLE, QUALITY
from venire.domain.protocol import Scale, VerdictRule


@pytest.mark.parametrize(
    ("overall", "verdict"), [(3, "FAIL"), (3.5, "PARTIAL"), (6, "PARTIAL"), (7, "PASS"), (0, "FAIL"), (8, "PASS")]
)
def test_a_verdict_follows_from_its_thresholds(overall, verdict):
    assert VerdictRule(fail_at_most=3, pass_at_least=7).verdict(overall) == verdict


def test_a_band_ends_where_the_next_level_begins():
    scale = Scale("s", 0, 10, {"0": {}, "6": {}, "7.5": {}})
    assert [scale.band_end(level) for level in ("0", "6", "7.5")] == [6, 7.5, None]


def test_a_scale_is_found_by_its_id_and_the_first_is_the_default():
    assert QUALITY.scale() is QUALITY.scales[0]
    assert QUALITY.scale(QUALITY.scales[1].id) is QUALITY.scales[1]
    with pytest.raises(KeyError):
        QUALITY.scale("none")


def test_keys_of_later_versions_leave_the_digest_alone_until_they_say_something():
    with_bands = msgspec.structs.replace(
        DRIFT_SAMPLE, scales=tuple(msgspec.structs.replace(each, bands=True) for each in DRIFT_SAMPLE.scales)
    )
    assert with_bands.digest != DRIFT_SAMPLE.digest
    assert msgspec.structs.replace(DRIFT_SAMPLE, mapping=None).digest == DRIFT_SAMPLE.digest


def test_own_factors_are_those_of_the_design_and_the_category():
    assert QUALITY.own_factors == ("category",)
    assert DRIFT_BUNDLE.own_factors == tuple(DRIFT_BUNDLE.design.factors)
    assert DRIFT_SAMPLE.own_factors == ()


def test_a_category_is_found_by_its_id():
    first, last = QUALITY.categories[0], QUALITY.categories[-1]
    assert (QUALITY.category(first.id), QUALITY.category(last.id), QUALITY.category("none")) == (first, last, None)
