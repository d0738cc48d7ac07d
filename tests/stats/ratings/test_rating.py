import msgspec
import pytest

from rating_rows import primary
from venire.domain.design import BundleDesign
from venire.domain.judgement import Judgement, Status
from venire.domain.protocol import Dimension, EvalProtocol, EvidencePolicy, OverallRule, Scale
from venire.domain.sample import Sample
from venire.errors import UsageError
from venire.stats.ratings.rating import Asked, ratings_of

WORDS = {"en": "x", "zh": "x"}


def protocol(**changes):
    made = EvalProtocol(
        id="p", version="1", title=WORDS, source=WORDS, shape="sample", instructions=WORDS,
        scales=(Scale("0-2", 0, 2, {}, integer=True),),
        dimensions=(Dimension("a", WORDS, WORDS), Dimension("b", WORDS, WORDS)),
        overall=OverallRule("overall_score", "sum"), evidence=EvidencePolicy("none"),
    )  # fmt: skip
    return msgspec.structs.replace(made, **changes)


def judgement(of, **changes):
    made = Judgement(
        protocol=of.digest, profile="strict", reply_sha256="r", sample="o1", sample_digest="", status=Status.VALID,
        scores={"a": 2.0, "b": 1.0}, overall=3.0, verdict="PARTIAL", scale="0-2",
    )  # fmt: skip
    return msgspec.structs.replace(made, **changes)


def test_a_judgement_becomes_a_row_for_each_dimension_with_the_factors_of_its_sample():
    rubric = protocol()
    sample = Sample(
        "o1", "four", question_id="q", prompt_variant="v", target_model="m", factors={"trigger": "implicit"}
    )
    rows = list(
        ratings_of(
            judgement(rubric, sample_digest=sample.digest), rubric, {sample.digest: sample}, Asked(rater="j", key="k")
        )
    )
    assert [(row.dimension, row.score) for row in rows] == [("a", 2.0), ("b", 1.0)]
    row = rows[0]
    assert (row.unit, row.rater, row.judgement, row.question_id) == (sample.digest, "j", "k", "q")
    assert (row.prompt_variant, row.target_model, row.length, row.factors) == ("v", "m", 4, {"trigger": "implicit"})
    assert (row.minimum, row.maximum, row.overall_minimum, row.overall_maximum) == (0, 2, 0, 4)


def test_a_weighted_overall_lies_on_the_scale_of_its_criteria():
    rubric = protocol(overall=OverallRule("overall_score", "weighted"))
    row = next(iter(ratings_of(judgement(rubric), rubric, {}, Asked(rater="j", key="k"))))
    assert (row.overall_minimum, row.overall_maximum) == (0, 2)


def test_a_judgement_without_scores_keeps_a_row_to_be_counted():
    rubric = protocol()
    silent = judgement(rubric, scores={}, overall=None, status=Status.INVALID)
    rows = list(ratings_of(silent, rubric, {}, Asked(rater="j", key="k")))
    assert [(row.dimension, row.score) for row in rows] == [("", None)]
    assert primary(rows).excluded == {"invalid": 1}


def test_a_judgement_under_another_protocol_is_refused():
    other = protocol(version="2")
    with pytest.raises(UsageError, match="found one under"):
        list(ratings_of(judgement(protocol()), other, {}, Asked(rater="j", key="k")))


def bundle(status, *entries):
    design = BundleDesign("q{q} {v}.pdf", {"q": ("3", "4"), "v": ("long",)}, "q", "v", {}, {})
    rubric = protocol(shape="bundle", design=design)
    inner = tuple(
        judgement(rubric, sample=f"q{3 + place} long.pdf", status=entry) for place, entry in enumerate(entries)
    )
    return rubric, judgement(rubric, sample="bundle", status=status, scores={}, entries=inner)


def test_entries_of_a_bundle_take_their_factors_from_the_design():
    rubric, whole = bundle(Status.VALID, Status.VALID, Status.VALID)
    rows = list(ratings_of(whole, rubric, {}, Asked(rater="j", key="k", target_model="m")))
    assert {(row.unit, row.question_id, row.prompt_variant, row.target_model) for row in rows} == {
        ("m/q3 long.pdf", "3", "long", "m"),
        ("m/q4 long.pdf", "4", "long", "m"),
    }


def test_entries_of_an_invalid_bundle_count_only_if_they_may_stand_alone():
    rubric, whole = bundle(Status.INVALID, Status.VALID, Status.INVALID)
    asked = Asked(rater="j", key="k")
    assert primary(ratings_of(whole, rubric, {}, asked)).excluded == {"invalid": 2}
    alone = primary(ratings_of(whole, rubric, {}, asked, entries_stand_alone=True))
    assert alone.excluded == {"invalid": 1}
    assert alone.table.judgement_count == 1
