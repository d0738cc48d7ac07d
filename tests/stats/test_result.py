import math

import msgspec
import pytest

from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import t_interval
from venire.words.language import Words
from venire.words.said import as_text


@pytest.mark.parametrize("field", ["value", "low", "high", "standard_error"])
@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_no_number_of_an_estimate_is_nan_or_infinite(field, number):
    with pytest.raises(ValueError, match=f"{field} is {number}"):
        Estimate(**({"value": 1.0, "method": "mean"} | {field: number}))


def test_a_value_that_is_not_known_needs_a_reason():
    with pytest.raises(ValueError, match="needs a reason"):
        Estimate(value=None, method="mean")
    assert not Estimate.unknown("mean", "no observations").known
    assert Estimate(value=0.0, method="mean").known


def test_method_and_reason_are_english_texts_that_are_said_in_chinese():
    found = t_interval([3.0])
    assert found.method == "mean; t interval, n−1 degrees of freedom"
    assert Words("zh").of(found.method) == "均值；t 置信区间，自由度 n−1"
    assert Words("zh").of(found.reason) == "只有一个观测，无法估计不确定性"


def test_an_estimate_survives_a_file_as_plain_text():
    found = t_interval([1.0, 2.0, None])
    again = msgspec.json.decode(msgspec.json.encode(found, enc_hook=as_text), type=Estimate)
    assert again == found
    assert type(again.method) is str
