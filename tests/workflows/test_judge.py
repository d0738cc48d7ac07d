"""What is sent to a judge about a sample, before anything is sent."""

import pytest

from experiment import make_samples, served_judge, write_config, write_samples
from venire.config import load_settings
from venire.errors import ConfigError, InputError
from venire.workflows.judge import read_subjects, show_question


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
