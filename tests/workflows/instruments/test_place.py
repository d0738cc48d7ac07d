"""The place of a judgement on the overall scale, from 0 to 1."""

import pytest

from valid_replies import DRIFT_SAMPLE, QUALITY
from venire.domain.judgement import Judgement, Status
from venire.workflows.instruments.place import place_of


def judged(overall, status=Status.VALID, scale="", scores=None):
    return Judgement("p", "contract", "", "s", "", status, scores or {}, overall, scale=scale)


@pytest.mark.parametrize(
    ("protocol", "overall", "scale", "place"),
    [
        (DRIFT_SAMPLE, 0, "", 0.0),
        (DRIFT_SAMPLE, 6, "", 0.75),
        (DRIFT_SAMPLE, 8, "", 1.0),
        (QUALITY, 2, "1-5", 0.25),
        (QUALITY, 2, "0-10", 0.2),
    ],
)
def test_a_place_is_the_share_of_the_scale_below_it(protocol, overall, scale, place):
    assert place_of(judged(overall, scale=scale), protocol, count_recovered=False) == place


def test_what_does_not_count_has_no_place():
    assert place_of(judged(None), DRIFT_SAMPLE, count_recovered=True) is None
    assert place_of(judged(4, Status.INVALID), DRIFT_SAMPLE, count_recovered=True) is None
    assert place_of(judged(4, Status.RECOVERED), DRIFT_SAMPLE, count_recovered=False) is None
    assert place_of(judged(4, Status.RECOVERED), DRIFT_SAMPLE, count_recovered=True) == 0.5
