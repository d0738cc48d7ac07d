"""What is watched of a judge on its anchors, and how the evidence is shared out."""

import msgspec
import pytest

from valid_replies import DRIFT_SAMPLE
from venire.domain.judgement import Judgement, Status
from venire.workflows.instruments.canary_watch import JudgeWatch, places_of

DIMENSIONS = DRIFT_SAMPLE.dimension_ids


def judged(overall, scores=None):
    return Judgement("p", "contract", "", "s", "", Status.VALID, scores or {}, overall)


def test_dimensions_have_places_on_their_own_scale():
    scores = dict(zip(DIMENSIONS, (0, 1, 2, 1), strict=True))
    assert dict(places_of(judged(4, scores=scores), DRIFT_SAMPLE)) == {
        **dict(zip(DIMENSIONS, (0.0, 0.5, 1.0, 0.5), strict=True)), "": 0.5,
    }  # fmt: skip
    assert dict(places_of(judged(None, scores={DIMENSIONS[0]: 2}), DRIFT_SAMPLE)) == {DIMENSIONS[0]: 1.0}


def watched(protocol=DRIFT_SAMPLE, *, with_labels=False, labelled=("", *DIMENSIONS)):
    watch = JudgeWatch("oak", "d", "p", protocol)
    watch.share_out(frozenset(labelled if with_labels else ()))
    return watch


def streams(watch):
    return {(each.watched, each.dimension): each for each in watch.evidence().streams}


def test_every_dimension_and_the_overall_score_is_watched_and_distances_where_there_are_labels():
    names = {"", *DIMENSIONS}
    assert {*streams(watched())} == {("change", name) for name in names}
    both = {(kind, name) for kind in ("change", "distance") for name in names}
    assert {*streams(watched(with_labels=True))} == both
    some = watched(with_labels=True, labelled=[""])
    assert {name for kind, name in streams(some) if kind == "distance"} == {""}
    assert some.e_value == pytest.approx(1)
    single = msgspec.structs.replace(DRIFT_SAMPLE, dimensions=DRIFT_SAMPLE.dimensions[:1])
    assert {*streams(watched(single))} == {("change", "")}


@pytest.mark.parametrize("with_labels", [False, True])
def test_evidence_begins_at_one_and_half_of_it_is_on_the_overall_score(with_labels):
    watch = watched(with_labels=with_labels)
    assert watch.e_value == pytest.approx(1)
    for number, run in ((1, "r1"), (1, "r1"), (2, "r2")):
        for anchor in range(30):
            overall = 0 if number == 2 and anchor < 12 else 8
            watch.take(number, run, f"a{anchor}", judged(overall, scores=dict.fromkeys(DIMENSIONS, 2)), {})
    overall = streams(watch)["change", ""].e_value
    still = streams(watch)["change", DIMENSIONS[0]].e_value
    share = 0.5 if with_labels else 1.0
    expected = share * (0.5 * overall + 0.5 * still) + (1 - share)
    assert watch.e_value == pytest.approx(expected, rel=1e-6)
    assert (watch.alarm, watch.peak >= 20) == ("r2", True)
    assert streams(watch)["change", ""].contradictions == 12
    assert [each.contradicts.get("") for each in watch.verdicts[-30:]].count(True) == 12


def test_distances_are_taken_from_the_labels_that_there_are():
    watch = watched(with_labels=True)
    for anchor in range(25):
        for _ in range(2):
            watch.take(1, "r", f"a{anchor}", judged(8), {"": 1.0} if anchor < 21 else {})
    assert streams(watch)["distance", ""].pairs == 21
    assert streams(watch)["change", ""].pairs == 25
    assert streams(watch)["change", DIMENSIONS[0]].pairs == 0
