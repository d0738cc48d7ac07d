"""Weights are learnt from a ledger, read by the next run, and refused once a judge has changed."""

import pytest
import yaml

from experiment import make_samples, venire, write_config, write_samples
from venire.cli.weights import weights
from venire.config.settings import load_settings
from venire.errors import ConfigError

CHECKS = {"dimensions": {"*": [{"check": "length", "minimum": 3}]}}


FICKLE = {"dimensions": {"*": [{"check": "contains", "any_of": ["number 1", "number 3", "number 6"]}]}}


def run_weights(*args):
    return weights.main([str(arg) for arg in args], standalone_mode=False)


@pytest.fixture
def judged(tmp_path):
    """A folder with a run of two rule judges, and the weights that were learnt from it."""
    write_samples(tmp_path, make_samples(12))
    write_config(tmp_path, {"oak": {"type": "rules", "rules": CHECKS}, "elm": {"type": "rules", "rules": FICKLE}})
    assert venire("judge", tmp_path / "venire.yaml") == 0
    assert run_weights(tmp_path / "venire.yaml", "--out", tmp_path / "weights.yaml") == 0
    return tmp_path


def configure(folder, elm=FICKLE, **keys):
    judges = {"oak": {"type": "rules", "rules": CHECKS}, "elm": {"type": "rules", "rules": elm}, **keys}
    return write_config(folder, judges, weights="weights.yaml")


def test_the_next_run_reads_the_learnt_weights(judged):
    learnt = yaml.safe_load((judged / "weights.yaml").read_text(encoding="utf-8"))
    settings = load_settings(configure(judged))
    assert {judge.name: judge.weight for judge in settings.judges} == {
        name: pytest.approx(each["weight"]) for name, each in learnt["judges"].items()
    }
    assert sum(judge.weight for judge in settings.judges) == pytest.approx(1, abs=1e-9)


def test_a_judge_that_changed_since_is_an_error_that_says_so(judged):
    changed = {"dimensions": {"*": [{"check": "contains", "any_of": ["number 1"]}]}}
    with pytest.raises(ConfigError, match="judge 'elm' has changed since its weight was learnt") as caught:
        load_settings(configure(judged, elm=changed))
    assert "weights.yaml:" in caught.value.where
    assert "venire weights" in caught.value.hint


def test_a_judge_without_a_weight_is_an_error_that_names_it(judged):
    with pytest.raises(ConfigError, match="a weight for judge 'ash'"):
        load_settings(configure(judged, ash={"type": "rules", "rules": CHECKS}))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("judges: {}\n", "not a weights file"),
        ("protocol: x\nmethod: y\njudges:\n  oak: {weight: 2, digest: z}\n", "not a weights file"),
        ("protocol: x\nmethod: y\njudges: {}\n", "learnt under protocol"),
        ("a: [\n", "not YAML"),
    ],
)
def test_a_file_that_holds_no_weights_for_this_panel_is_refused(judged, text, message):
    (judged / "weights.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=message) as caught:
        load_settings(configure(judged))
    assert "weights.yaml" in caught.value.where


def test_a_weights_file_that_is_absent_is_an_error_with_a_way_out(judged):
    (judged / "weights.yaml").unlink()
    with pytest.raises(ConfigError, match="cannot be read") as caught:
        load_settings(configure(judged))
    assert "venire weights" in caught.value.hint
