"""Replies on a bundle: how the form is told, recognised and composed of checks."""

import msgspec
import pytest

from valid_replies import BUNDLE, DRIFT_BUNDLE, SAMPLE, as_json, bundle_reply
from venire.domain.sample import Bundle, Source
from venire.errors import RuleError, UsageError
from venire.judges.wording import WORDS
from venire.shapes.bundle import BundleShape
from venire.shapes.check import Checker
from venire.shapes.shape import DimensionScore, Signature, Telling
from venire.words.language import Words

SHAPE = BundleShape()
TELLING = Telling(DRIFT_BUNDLE, DRIFT_BUNDLE.scale(), WORDS["en"], "a number")
SIGNED = Signature("rules", "", "2026-01-31")
NO_DESIGN = msgspec.structs.replace(DRIFT_BUNDLE, design=None)
LABELS = [sample.output_id for sample in BUNDLE.samples]


def scored(sample, dimensions):
    """Score the files of the first question 2, the others 1; quote what stands in each."""
    score = 2 if sample.output_id.startswith("q3") else 1
    return tuple(DimensionScore(each, score, "[事实快照]", "r", score == 2) for each in dimensions)


def test_only_a_list_of_files_is_of_this_form():
    assert SHAPE.is_form_of(bundle_reply())
    assert not SHAPE.is_form_of({"per_file_scores": {}})


def test_the_first_entry_tells_which_dimensions_are_scored():
    assert SHAPE.scored(bundle_reply()) == set(DRIFT_BUNDLE.dimension_ids)
    assert SHAPE.scored({"per_file_scores": []}) == set()


def test_a_judge_is_told_what_to_replace():
    words = WORDS["en"]
    assert SHAPE.placeholders(TELLING) == [words["all_means"], words["all_quotes"]]
    evidence = msgspec.structs.replace(DRIFT_BUNDLE.evidence, required="none")
    bare = msgspec.structs.replace(DRIFT_BUNDLE, evidence=evidence)
    assert SHAPE.placeholders(Telling(bare, bare.scale(), words, "")) == [words["all_means"]]


def test_a_judge_is_told_the_fields_the_number_of_files_and_the_summaries():
    told = SHAPE.fields(TELLING, None, blind=True)
    words = WORDS["en"]
    assert told[0] == words["bundle_meta"].format(names="`bundle_size`, `questions`, `versions` and `trigger_types`")
    assert told[1] == words["per_file"].format(count=16)
    assert words["file_total"].format(field="total") in told
    names = "`implicit_vs_explicit_summary` and `version_level_summary`"
    assert words["aggregates"].format(field="total", names=names) in told


def test_the_example_shows_one_file_with_the_lowest_scores_and_means_of_their_sum():
    scale = msgspec.structs.replace(DRIFT_BUNDLE.scale(), minimum=1)
    example = SHAPE.example(Telling(DRIFT_BUNDLE, scale, WORDS["en"], ""), {}, None)
    [entry] = example["per_file_scores"]
    assert (entry["file"], entry["total"], entry["notes"]) == (LABELS[0], 5, "")
    assert set(entry["scores"].values()) == {1}
    assert set(entry["evidence"].values()) == {WORDS["en"]["file_quote"]}
    assert example["aggregates"]["avg_total"] == 5.0
    assert example["aggregates"]["version_level_summary"]["weak"] == {"avg_total": 5.0, "notes": ""}
    assert example["bundle_meta"]["bundle_size"] == 16


def test_files_are_shown_by_name_except_those_that_go_along_as_documents():
    shown = SHAPE.material(WORDS["en"], BUNDLE, frozenset(LABELS[1:]))
    assert shown.judged == "judged_files"
    assert shown.texts == ((WORDS["en"]["file"].format(label=LABELS[0]), BUNDLE.samples[0].text),)


def test_checks_score_each_file_and_the_means_follow():
    reply = SHAPE.compose(BUNDLE, DRIFT_BUNDLE, scored, SIGNED)
    assert [(each["file"], each["total"]) for each in reply["per_file_scores"]] == [
        (label, 10 if label.startswith("q3") else 5) for label in LABELS
    ]
    assert reply["aggregates"]["avg_total"] == 7.5
    assert reply["aggregates"]["version_level_summary"]["weak"] == {"avg_total": 7.5, "notes": "Mean of 4 totals."}
    assert reply["per_file_scores"][0]["notes"] == "All checks passed."
    assert reply["final_notes"] == "Scored by declared checks, each file on its own."
    judgement = Checker(DRIFT_BUNDLE).check(as_json(reply), BUNDLE)
    assert (judgement.valid, judgement.overall) == (True, 7.5)


def test_checks_speak_the_language_of_the_judge():
    reply = SHAPE.compose(BUNDLE, DRIFT_BUNDLE, scored, msgspec.structs.replace(SIGNED, words=Words("zh")))
    groups = reply["aggregates"]["implicit_vs_explicit_summary"].values()
    assert {group["notes"] for group in groups} == {"8 个总分的平均值。"}


def renamed(change):
    return Bundle("b", tuple(change(position, sample) for position, sample in enumerate(BUNDLE.samples)))


def test_a_file_is_known_by_its_source_before_its_id_and_by_its_factors_where_neither_has_a_place():
    cells = DRIFT_BUNDLE.design.cells
    replace = msgspec.structs.replace
    by_source = renamed(lambda at, each: replace(each, output_id=f"o{at}", source=Source(LABELS[at], "0" * 64)))
    by_factors = renamed(lambda at, each: replace(each, output_id=f"o{at}", factors=dict(cells[at].factors)))
    for bundle in (by_source, by_factors):
        reply = SHAPE.compose(bundle, DRIFT_BUNDLE, scored, SIGNED)
        assert [each["file"] for each in reply["per_file_scores"]] == LABELS


@pytest.mark.parametrize(
    ("samples", "said"),
    [
        (BUNDLE.samples[1:], "1"),
        ((*BUNDLE.samples, BUNDLE.samples[0]), LABELS[0]),
        ((*BUNDLE.samples, SAMPLE), SAMPLE.output_id),
    ],
    ids=["one is missing", "one is there twice", "one has no place"],
)
def test_a_bundle_that_is_not_the_planned_set_is_not_scored(samples, said):
    with pytest.raises(RuleError, match=said):
        SHAPE.compose(Bundle("b", samples), DRIFT_BUNDLE, scored, SIGNED)


@pytest.mark.parametrize(("subject", "protocol"), [(SAMPLE, DRIFT_BUNDLE), (BUNDLE, NO_DESIGN)])
def test_checks_refuse_what_is_no_bundle_of_a_design(subject, protocol):
    with pytest.raises(RuleError, match="bundle"):
        SHAPE.compose(subject, protocol, scored, SIGNED)


def test_people_and_protocols_without_a_design_are_refused():
    with pytest.raises(UsageError):
        SHAPE.from_form(DRIFT_BUNDLE, None, "b", {})
    with pytest.raises(UsageError, match="drift-bundle"):
        SHAPE.fields(Telling(NO_DESIGN, NO_DESIGN.scale(), WORDS["en"], ""), None, blind=True)
