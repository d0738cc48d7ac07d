"""A jury that cannot be asked is an error with its line, before anything is asked."""

import pytest

from experiment import write_config
from venire.config import load_settings
from venire.errors import ConfigError

RULES = {"type": "rules", "rules": {"dimensions": {"*": [{"check": "length", "minimum": 1}]}}}
HALF_WIDTH = {"half_width": 0.3}
PEOPLE = {"agree_with_people": {"labels": "labels.csv"}}


def _load(folder, jury, judges=("a", "b", "c"), **keys):
    return load_settings(write_config(folder, dict.fromkeys(judges, RULES), jury=jury, **keys))


def test_a_jury_of_known_judges_is_read(tmp_path):
    jury = _load(tmp_path, {"start": ["a", "b"], "then": ["c"], "until": HALF_WIDTH, "most": 5}).config.jury
    assert (jury.start, jury.then, jury.most, jury.until.half_width) == (("a", "b"), ("c",), 5, 0.3)


@pytest.mark.parametrize(
    ("jury", "code"),
    [
        ({"start": ["a", "b"], "then": ["d"], "until": HALF_WIDTH}, "error.jury.absent"),
        ({"start": ["a", "b"], "then": ["a", "c"], "until": HALF_WIDTH}, "error.jury.twice"),
        ({"start": ["a"], "then": ["b"], "until": HALF_WIDTH}, "error.jury.idle"),
        ({"start": [], "then": ["a", "b", "c"], "until": HALF_WIDTH}, "error.jury.no_start"),
        ({"start": ["a", "b"], "then": ["c"], "until": HALF_WIDTH, "most": 2}, "error.jury.most"),
        ({"start": ["a", "b", "c"], "until": HALF_WIDTH}, "error.jury.nothing_then"),
        ({"start": ["a", "b"], "then": ["c"], "until": {}}, "error.jury.no_mode"),
        ({"start": ["a", "b"], "then": ["c"], "until": HALF_WIDTH | PEOPLE}, "error.jury.both_modes"),
    ],
)
def test_a_jury_that_cannot_be_asked_is_refused_with_a_way_out(jury, code, tmp_path):
    with pytest.raises(ConfigError) as refused:
        _load(tmp_path, jury)
    assert refused.value.message.code == code
    assert "venire.yaml:" in refused.value.where
    assert refused.value.hint


def test_verdicts_need_a_protocol_that_has_them_and_single_outputs(tmp_path):
    with pytest.raises(ConfigError) as refused:
        _load(tmp_path, {"start": ["a", "b"], "then": ["c"], "until": PEOPLE}, protocol="quality")
    assert refused.value.message.code == "error.jury.no_verdict"
    with pytest.raises(ConfigError) as refused:
        _load(tmp_path, {"start": ["a", "b"], "then": ["c"], "until": HALF_WIDTH}, protocol="preference")
    assert refused.value.message.code == "error.jury.shape"


def test_a_recording_is_not_asked_again(tmp_path):
    recordings = {name: {"type": "replay", "options": {"path": f"{name}.jsonl"}} for name in ("b", "c")}
    jury = {"start": ["a"], "then": ["b", "c"], "until": HALF_WIDTH, "most": 5}
    with pytest.raises(ConfigError) as refused:
        load_settings(write_config(tmp_path, {"a": RULES, **recordings}, jury=jury))
    assert refused.value.message.code == "error.jury.replay"
    assert refused.value.values == {"judge": "b"}
