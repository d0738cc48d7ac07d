"""Weights that were learnt: for this protocol, these judges and these versions of them."""

import msgspec
import pytest
import yaml

from experiment import make_judge
from venire.errors import ConfigError
from venire.judges.weights_file import JudgeWeight, WeightsFile, weigh_panel, weights_text

JUDGES = (make_judge("oak"), make_judge("elm"))
PROTOCOL = "ab" * 32
WEIGHTS = WeightsFile(
    PROTOCOL,
    "inverse variance",
    {
        judge.name: JudgeWeight(weight, judge.digest, 0.5, 12)
        for judge, weight in zip(JUDGES, (0.75, 0.25), strict=True)
    },
)


def weigh(tmp_path, weights=WEIGHTS, text=None):
    path = tmp_path / "weights.yaml"
    path.write_text(weights_text(weights, "ledger\n.sqlite") if text is None else text)
    return weigh_panel(JUDGES, PROTOCOL, path, "venire.yaml:9")


def refused(tmp_path, **options):
    with pytest.raises(ConfigError) as caught:
        weigh(tmp_path, **options)
    return caught.value


def test_a_written_file_gives_each_judge_its_weight(tmp_path):
    assert [judge.weight for judge in weigh(tmp_path)] == [0.75, 0.25]
    first, rest = (tmp_path / "weights.yaml").read_text().split("\n", 1)
    assert "from ledger .sqlite; name this file" in first
    assert yaml.safe_load(rest) == msgspec.to_builtins(WEIGHTS)
    assert list(yaml.safe_load(rest)) == ["protocol", "method", "judges"]


def test_a_file_that_is_not_there_is_told_at_the_line_that_names_it(tmp_path):
    with pytest.raises(ConfigError, match="No such file") as caught:
        weigh_panel(JUDGES, PROTOCOL, tmp_path / "none.yaml", "venire.yaml:9")
    assert caught.value.where == "venire.yaml:9"
    assert "venire weights" in caught.value.hint


def test_weights_of_another_protocol_are_refused(tmp_path):
    error = refused(tmp_path, weights=msgspec.structs.replace(WEIGHTS, protocol="cd" * 32))
    assert error.where.endswith("weights.yaml:2")
    assert "abababababab" in str(error)
    assert "cdcdcdcdcdcd" in str(error)
    assert "cd" * 7 not in str(error)


def test_a_judge_without_a_weight_is_named_with_those_that_have_one(tmp_path):
    error = refused(tmp_path, weights=msgspec.structs.replace(WEIGHTS, judges={"oak": WEIGHTS.judges["oak"]}))
    assert "elm" in str(error)
    assert "oak" in str(error)
    assert error.where.endswith("weights.yaml:5")
    assert "venire weights" in error.hint


def test_weights_of_another_version_of_a_judge_are_refused(tmp_path):
    other = {"oak": JudgeWeight(0.5, "ef" * 32), "elm": WEIGHTS.judges["elm"]}
    error = refused(tmp_path, weights=msgspec.structs.replace(WEIGHTS, judges=other))
    assert "efefefefefef" in str(error)
    assert JUDGES[0].digest[:12] in str(error)
    assert JUDGES[0].digest[:13] not in str(error)


@pytest.mark.parametrize("weight", [0, -1, 1.1])
def test_a_weight_is_a_share_above_0(tmp_path, weight):
    text = f"protocol: {PROTOCOL}\nmethod: m\njudges:\n  oak: {{weight: {weight}, digest: d}}\n"
    assert refused(tmp_path, text=text).where.endswith("weights.yaml:4")


def test_a_field_that_nobody_knows_is_refused(tmp_path):
    text = f"protocol: {PROTOCOL}\nmethod: m\njudges: {{}}\nmore: 1\n"
    assert "more" in str(refused(tmp_path, text=text))
    text = f"protocol: {PROTOCOL}\nmethod: m\njudges:\n  oak: {{weight: 1, digest: d, more: 1}}\n"
    assert "more" in str(refused(tmp_path, text=text))


def test_what_is_no_yaml_is_told_with_its_line(tmp_path):
    assert "weights.yaml:2" in refused(tmp_path, text="a: 1\nb: [").where
