"""Scores of a finer rubric, mapped onto a coarser one by the table of a protocol."""

import msgspec
import pytest

from rating_rows import judgement_rows, primary
from venire.domain.protocol import CoarserRubric, RubricMapping, VerdictRule
from venire.stats.drift.slices import slice_metrics
from venire.stats.ratings.rubric_mapping import map_ratings

ONTO = CoarserRubric(
    id="two", digest="d", minimum=0, maximum=2, dimension_ids=("FORM", "MEANING"), names={}, verdict=VerdictRule(1, 3)
)
MAPPING = RubricMapping(onto=ONTO, dimensions={"FORM": ("sections", "headings"), "MEANING": ("topic",)})
FINER = {"sections": 2.0, "headings": 1.0, "topic": 2.0}


def rows(**scores):
    given = {name: score for name, score in (FINER | scores).items() if score is not None}
    return judgement_rows("u1", "j", given, target_model="m", verdict="FAIL")


def mapped(mapping=MAPPING, **scores):
    """Return the mapped scores, the sum and the verdict of one judgement."""
    frame = map_ratings(primary(rows(**scores)), mapping).table.frame
    by_name = dict(zip(frame["dimension"].cast(str), frame["score"], strict=True))
    return by_name, frame["overall"][0], frame["verdict"].cast(str)[0]


def test_a_mapped_score_is_the_lowest_of_those_that_make_it_up():
    assert mapped() == ({"FORM": 1.0, "MEANING": 2.0}, 3.0, "PASS")


def test_a_mapping_by_the_mean_gives_the_mean():
    by_mean = msgspec.structs.replace(MAPPING, rule="mean")
    assert mapped(by_mean) == ({"FORM": 1.5, "MEANING": 2.0}, 3.5, "PASS")


@pytest.mark.parametrize(("topic", "verdict"), [(0.0, "FAIL"), (1.0, "PARTIAL"), (2.0, "PASS")])
def test_the_verdict_is_that_of_the_coarser_rubric(topic, verdict):
    assert mapped(topic=topic)[2] == verdict


def test_without_one_of_its_parts_a_dimension_is_missing_and_so_are_sum_and_verdict():
    assert mapped(headings=None) == ({"FORM": None, "MEANING": 2.0}, None, None)


def test_a_coarser_rubric_without_verdicts_gives_none():
    without = msgspec.structs.replace(MAPPING, onto=msgspec.structs.replace(ONTO, verdict=None))
    assert mapped(without)[2] is None


def test_means_of_mapped_scores_come_with_their_scale():
    (metrics,) = slice_metrics(map_ratings(primary(rows()), MAPPING), ["target_model"])
    assert metrics.mean_total.value == 3.0
    assert {name: each.value for name, each in metrics.dimension_means.items()} == {"FORM": 1.0, "MEANING": 2.0}
    assert metrics.failure_rates["FORM"].value == 1.0
