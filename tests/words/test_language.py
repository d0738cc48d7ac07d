"""Words of a language: counts bring their noun, lists their comma, and the environment says who reads."""

import numpy as np
import pytest

from venire.words.language import Words, languages, preferred_language
from venire.words.said import say


@pytest.mark.parametrize(("count", "said"), [(0, "0 questions"), (1, "1 question"), (2, "2 questions")])
def test_a_count_brings_its_noun(count, said):
    assert said in Words()("compare.detectable.question", count=count, points="1")


def test_a_count_brings_its_noun_also_with_thousands_set_apart_and_when_it_is_a_text():
    words = Words()
    assert words("votes.count.votes", count=1) == "1 vote"
    assert words("votes.count.votes", count=1200) == "1,200 votes"
    assert words("votes.count.votes", count="1") == "1 vote"
    assert words("votes.count.votes", count=np.int64(1)) == "1 vote"


def test_a_count_is_written_as_its_sentence_says():
    assert Words()("votes.more_refused", count=1234) == "  and 1,234 more"
    assert "True" in Words()("error.at", where=True)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_braces_of_a_configuration_are_said_once_also_where_a_sentence_has_no_values(language):
    words = Words(language)
    assert "`canaries: {path: anchors.jsonl}`" in words("error.canaries.none.hint")
    assert "`until: {agree_with_people: {labels: labels.csv}}`" in words("error.jury.no_mode.hint")


def test_lists_and_sentences_within_a_sentence_are_said_in_its_language():
    found = say("list.of", items=(say("unknown"), "b", ["c", 2]))
    assert Words("en").of(found) == "not known, b, c, 2"
    assert Words("zh").of(found) != Words("en").of(found)
    assert Words("zh").of("plain") == "plain"


def test_codes_are_known_or_not():
    assert "unknown" in Words("zh")
    assert "no.such.code" not in Words()
    assert Words()("unknown") == "not known"


def test_english_comes_first_among_languages():
    assert languages()[0] == "en"
    assert "zh" in languages()
    assert len(set(languages())) == len(languages())


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh.UTF-8"}, "zh"),
        ({"VENIRE_LANG": "zh-Hans"}, "zh"),
        ({"LANG": "ZH"}, "zh"),
        ({"LANG": "fr_FR"}, "en"),
        ({"LANG": "", "LC_ALL": ""}, "en"),
        ({"VENIRE_LANG": "en", "LC_ALL": "zh_CN"}, "en"),
        ({"LC_ALL": "zh_CN", "LC_MESSAGES": "en_GB", "LANG": "en_GB"}, "zh"),
        ({"LC_MESSAGES": "zh_CN", "LANG": "en_GB"}, "zh"),
        ({"VENIRE_LANG": "fr", "LANG": "zh_CN"}, "en"),
    ],
)
def test_the_environment_says_who_reads(environment, language):
    assert preferred_language(environment) == language
