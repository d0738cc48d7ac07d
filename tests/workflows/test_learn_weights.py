"""Weights are learnt against people or the panel, where that can be done."""

import json

import pytest
import yaml

from report_ledger import design, rating, scoring, ten_categories, write_ledger
from venire.cli.weights import weights
from venire.errors import UsageError


def run_weights(*args):
    return weights.main([str(arg) for arg in args], standalone_mode=False)


def test_a_judge_that_errs_more_weighs_less_against_people(tmp_path):
    samples = design(questions=4)
    path = write_ledger(tmp_path / "l.sqlite", samples, {"oak": scoring(), "elm": fickle})
    labels = tmp_path / "labels.jsonl"
    rows = [{"output_id": sample.output_id, "score": int(sample.text.split("worth ")[1][0])} for sample in samples]
    labels.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert run_weights(path, "--out", tmp_path / "w.yaml", "--labels", labels) == 0
    learnt = yaml.safe_load((tmp_path / "w.yaml").read_text(encoding="utf-8"))
    assert learnt["judges"]["oak"]["weight"] > 0.7
    assert learnt["judges"]["oak"]["error_variance"] == pytest.approx(0)
    assert "against people" in learnt["method"]


def fickle(request):
    """Judge justly on even lines and three points too severely on odd ones."""
    odd = any(f"line {number}." in request.user for number in (1, 3))
    return scoring(severity=3 if odd else 0)(request)


def test_weights_are_learnt_over_categories_that_share_no_criterion(tmp_path):
    answers = {"oak": rating(), "elm": rating(), "fir": rating(lambda worth: 6 - worth)}
    path = write_ledger(tmp_path / "l.sqlite", ten_categories(), answers, protocol="quality")
    assert run_weights(path, "--out", tmp_path / "w.yaml") == 0
    learnt = yaml.safe_load((tmp_path / "w.yaml").read_text(encoding="utf-8"))
    assert learnt["judges"]["fir"]["weight"] < 0.2


def test_one_judge_alone_cannot_be_weighed(tmp_path):
    path = write_ledger(tmp_path / "l.sqlite", design(questions=2), {"oak": scoring()})
    with pytest.raises(UsageError, match="at least 2 judges"):
        run_weights(path, "--out", tmp_path / "w.yaml")


def test_labels_of_other_outputs_teach_nothing(tmp_path):
    path = write_ledger(tmp_path / "l.sqlite", design(questions=2))
    (tmp_path / "labels.csv").write_text("output_id,score\nnobody,3\n", encoding="utf-8")
    with pytest.raises(UsageError, match="expected labels"):
        run_weights(path, "--out", tmp_path / "w.yaml", "--labels", tmp_path / "labels.csv")
