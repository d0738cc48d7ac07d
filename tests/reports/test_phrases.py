"""Why a run was stopped, which stays English in the record, is shown in Chinese."""

from __future__ import annotations

import re

import pytest

from venire.reports.phrases_zh import PHRASES, in_chinese


def test_a_phrase_is_said_in_chinese_with_its_values():
    assert in_chinese("the budget of 5 calls is reached: 6 spent") == "已达预算上限 5（请求数），已用 6"


@pytest.mark.parametrize("text", ['"nothing"', "", "alder-1", "{'a': 1}"])
def test_what_is_no_phrase_stays_as_it_is(text):
    assert in_chinese(text) == text


def test_no_chinese_leaves_out_a_value():
    for phrase, chinese in PHRASES.items():
        places = range(len(re.findall("<[nqwpl]>", phrase)))
        assert all(f"{{{place}}}" in chinese for place in places), phrase
