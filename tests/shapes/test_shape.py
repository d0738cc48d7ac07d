"""What all forms of a reply share: lists in sentences, scores of a person's form, and what a judge is shown."""

import pytest

from valid_replies import DRIFT_SAMPLE
from venire.domain.sample import Bundle, Sample
from venire.errors import RuleError
from venire.judges.wording import WORDS
from venire.shapes.shape import (
    DimensionScore,
    Telling,
    form_scores,
    only_sample,
    scored_keys,
    shown_sample,
    summarise,
    tidy,
)
from venire.words.language import Words

SAMPLE = Sample("o", "the text", task="the task")


@pytest.mark.parametrize(("language", "listed"), [("en", "a, b and c"), ("zh", "a、b、c")])
def test_names_are_listed_as_the_language_does(language, listed):
    telling = Telling(DRIFT_SAMPLE, DRIFT_SAMPLE.scale(), WORDS[language], "")
    assert telling.listed(["a", "b", "c"]) == listed
    assert telling.listed(["a"]) == "a"


def test_a_sample_is_shown_with_its_task_unless_it_goes_along_as_a_document():
    words = WORDS["en"]
    both = shown_sample(words, SAMPLE, frozenset())
    assert both.judged == "judged_with_task"
    assert [text for _, text in both.texts] == ["the task", "the text"]
    assert [text for _, text in shown_sample(words, SAMPLE, frozenset({"o"})).texts] == ["the task"]
    assert shown_sample(words, Sample("o", "t"), frozenset()).judged == "judged_output"


def test_only_digits_of_a_form_are_scores():
    form = {"score.a": "2", "score.b": "", "score.c": "two", "score.d": "２", "score.e": "-1"}
    assert form_scores(form, "abcde") == {"a": 2}


@pytest.mark.parametrize(("holder", "keys"), [({"scores": {"a": 1}}, {"a"}), ({"scores": 1}, set()), (None, set())])
def test_scored_dimensions_are_the_keys_of_the_scores(holder, keys):
    assert scored_keys(holder) == keys


def test_a_bundle_is_no_single_sample():
    assert only_sample(SAMPLE) is SAMPLE
    with pytest.raises(RuleError, match="found a bundle"):
        only_sample(Bundle("b", ()))


def test_a_summary_names_the_dimensions_whose_checks_failed():
    good, bad = DimensionScore("a", 2, "q", "r", True), DimensionScore("b", 0, "q", "r", False)
    assert summarise((good,), Words()) == "All checks passed."
    assert summarise((good, bad), Words()) == "Checks failed in: b."


def test_whole_numbers_are_written_without_a_fraction():
    assert [tidy(number) for number in (2.0, 0.1 + 0.2, 1.23456)] == [2, 0.3, 1.2346]
    assert isinstance(tidy(2.0), int)
