"""What is sent to a judge about a sample, before anything is sent."""

import asyncio

import pytest

from experiment import make_samples, served_judge, write_config, write_samples
from venire.config import load_settings
from venire.errors import ConfigError, InputError
from venire.workflows.judge import judge, read_subjects, show_question


@pytest.fixture
def settings(tmp_path):
    write_samples(tmp_path, make_samples(3))
    return load_settings(write_config(tmp_path, {"oak": served_judge("http://127.0.0.1:9/v1")}))


def test_a_question_is_asked_about_the_sample_that_is_named(settings):
    wanted = list(read_subjects(settings))[1]
    assert wanted.text in show_question(settings, "oak", wanted.name).request.user


def test_a_judge_that_is_not_there_is_told_with_those_that_are(settings):
    with pytest.raises(ConfigError, match="elm") as told:
        show_question(settings, "elm", "any")
    assert "oak" in str(told.value) + told.value.hint


def test_a_sample_that_is_not_there_is_told_by_its_name(settings):
    with pytest.raises(InputError, match="nobody-has-this"):
        show_question(settings, "oak", "nobody-has-this")


def test_all_judges_get_the_samples_that_were_planned_though_their_file_is_gone(tmp_path):
    samples = write_samples(tmp_path, make_samples(3))
    rules = {"type": "rules", "rules": {"dimensions": {"*": [{"check": "length"}]}}, "weight": 0.5}
    settings = load_settings(write_config(tmp_path, {"oak": rules, "elm": rules}))

    def lose_the_file(event):
        if event.event == "run_opened":
            samples.unlink()

    result = asyncio.run(judge(settings, on_event=lose_the_file))
    assert [counts.done for counts in result.counts.values()] == [3, 3]
