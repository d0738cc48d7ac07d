"""A real model on this machine through the whole of `venire judge`: the plumbing is asserted, never its scores."""

import re

import pytest

from experiment import QUICK, contents, make_samples, reading, venire, write_config, write_samples
from venire.judges.local_models import fetch
from venire.ledger.entry import Kind

MODEL = "smollm2-135m"
# As short as a protocol can be: reading the prompt is what takes a small machine long.
PROTOCOL = """
id: short
version: "1"
title: {en: Short}
source: {en: Written for this test}
shape: sample
instructions: {en: Judge the output.}
scales:
  - {id: 0-2, minimum: 0, maximum: 2, integer: true, levels: {"2": {en: good}, "1": {en: fair}, "0": {en: bad}}}
dimensions:
  - {id: CLARITY, name: {en: Clarity}, asks: {en: "Is it clear?"}}
overall: {field: overall_score, rule: sum}
evidence: {required: none}
"""


@pytest.fixture(scope="module")
def model():
    fetch(MODEL)
    return MODEL


@pytest.mark.long
def test_a_local_model_sits_on_a_panel_and_is_not_asked_twice(model, tmp_path, capsys):
    write_samples(tmp_path, make_samples(1))
    (tmp_path / "short.yaml").write_text(PROTOCOL)
    options = {"context_tokens": 2048, "threads": 2}
    judge = {"type": "local", "model": model, "max_tokens": 60, "temperature": 0, "options": options}
    config = write_config(tmp_path, {"small": judge}, protocol="short.yaml", runner={**QUICK, "timeout_seconds": 300})
    assert venire("judge", config, "--quiet") in (0, 1)
    with reading(tmp_path / "ledger.sqlite") as ledger:
        reply = contents(ledger, Kind.REPLY)[0]
        assert len(contents(ledger, Kind.JUDGEMENT)) == 1
    assert reply["model"] == model
    assert reply["output_tokens"] > 0
    assert reply["finish_reason"] in ("stop", "length")
    assert re.match(r'\s*\{\s*"meta"\s*:\s*\{', reply["text"])  # decoding is held to the protocol's schema
    assert venire("judge", config, "--quiet") in (0, 1)
    assert "1 of these were in the ledger already" in capsys.readouterr().out
    assert venire("audit", tmp_path / "ledger.sqlite") == 0
