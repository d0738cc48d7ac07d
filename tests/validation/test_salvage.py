"""Scores are recovered only where a reply holds them, and never guessed or clamped."""

import pytest

from valid_replies import QUALITY
from venire.validation.salvage import salvage

DIMENSIONS, SCALE = QUALITY.dimensions[:2], QUALITY.scale()
FIRST, SECOND = (each.id for each in DIMENSIONS)


def recovered(text, value=None, found_by=None):
    return salvage(text, value, found_by, DIMENSIONS, SCALE, QUALITY.overall.field)


def test_scores_of_an_object_are_taken_as_numbers_or_inside_objects():
    found = recovered("", {"scores": {FIRST: 4, SECOND: {"score": 5}}})
    assert (found.scores, found.how) == ({FIRST: 4, SECOND: 5}, "bare-numbers")
    assert recovered("", {"scores": {FIRST: {"score": 4}}}, "fenced-json").how == "fenced-json"


def test_scores_off_the_scale_are_not_taken():
    assert recovered("", {"scores": {FIRST: SCALE.maximum + 1}}) is None


@pytest.mark.parametrize(
    ("text", "score"),
    [("{0}: 4", 4.0), ("**{0}**: 4/5", 4.0), ("{0}: 4/10", None), ("{0}: 80%", None), ("{0}: 3-4", None),
     ("{0}: -3", None), ("{0}: 3 and {0}: 4", None), ("{0}: 4,5", None), ("x{0}: 4", None)],
)  # fmt: skip
def test_a_labelled_number_counts_only_if_it_can_be_read_in_one_way(text, score):
    found = recovered(text.format(FIRST))
    assert (found.scores.get(FIRST) if found else None) == score


@pytest.mark.parametrize("end", ["4", "4.", "4.5"])
def test_a_number_at_the_end_of_cut_json_is_not_taken(end):
    assert recovered(f'{{"{FIRST}": {end}') is None
