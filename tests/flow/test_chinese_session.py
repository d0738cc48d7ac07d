"""A session in Chinese, from the first file to the audit: no command answers with an English sentence."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from venire.cli.main import main

EXAMPLES = Path(__file__).parents[2] / "examples"
ENGLISH = re.compile(r"(?:\b[a-z]{2,} ){3,}[a-z]{2,}\b")
"""Four small words one behind the other: names, codes and options do not stand so."""

VOTES = "inference_id,voter_id,vote,vote_time,voter_prompt_id\n" + "".join(
    f"out-{number},{voter},{vote},2025-01-0{number}T00:00:00Z,grand-jury\n"
    for number in (1, 2, 3)
    for voter, vote in (("ann", 0), ("bob", 1), ("cem", 0.5))
)
RULES = "rules:\n- {check: minimum_score, at_least: 9, confident: true}\n- {check: no_drop, margin: 0.5}\n"

SESSION = (
    "init mine.yaml",
    "protocol show quality",
    "local list",
    "plan examples/drift/venire.yaml --lang zh",
    "prompt q1-baseline-implicit-alder-1 --judge strict --config examples/drift/venire.yaml",
    "judge examples/drift/venire.yaml --lang zh",
    "check examples/drift/replies --protocol drift-sample --sources examples/drift/outputs.jsonl",
    "check examples/drift/replies --explain evidence.not-verbatim",
    "export demo-output/ledger.sqlite archive",
    "compare demo-output/ledger.sqlite --models alder-1 birch-2",
    "compare demo-output/ledger.sqlite --pairwise",
    "compare demo-output/ledger.sqlite",
    "gate rules.yaml demo-output/ledger.sqlite",
    "weights demo-output/ledger.sqlite --out weights.yaml",
    "audit demo-output/ledger.sqlite --checkpoint head.json",
    "audit demo-output/ledger.sqlite --against head.json",
    "ledger copy demo-output/ledger.sqlite copy.sqlite",
    "ledger export copy.sqlite parquet",
    "ledger import parquet again.sqlite",
    "votes import votes.csv votes.sqlite",
    "votes score votes.sqlite",
    "votes queue votes.sqlite --critical-variance 0.9",
    "votes trace votes.sqlite out-1",
    "votes decide votes.sqlite out-1 accept --curator cy",
    "votes agreement votes.sqlite --replicates 0 --format json",
    "votes compare votes.sqlite",
    "votes completeness votes.csv",
    "votes from-judgements demo-output/ledger.sqlite votes.sqlite --rule overall",
    "keys create --ledger votes.sqlite --role reader",
    "keys list --ledger votes.sqlite",
    "keys invite --ledger votes.sqlite --name Ann --count 2",
    "serve no.sqlite --demo",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("session")
    shutil.copytree(EXAMPLES / "drift", place / "examples/drift")
    (place / "votes.csv").write_text(VOTES)
    (place / "rules.yaml").write_text(RULES)
    return place


def test_no_command_answers_with_an_english_sentence(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("VENIRE_LANG", "zh")
    english, silent = {}, []
    for line in SESSION:
        with pytest.raises(SystemExit):
            main(line.split())
        said = "".join(capsys.readouterr())
        if line.startswith("prompt "):
            continue  # It prints what is sent, in the language of the judge.
        if found := ENGLISH.findall(_without_data(said)):
            english[line] = found
        if not re.search(r"[\u4e00-\u9fff]", said) and "json" not in line:
            silent.append((line, said))

    assert not english, english
    assert silent == []


def _without_data(said: str) -> str:
    """Leave out what the data says: quoted words, the words of voter prompts and of rules in both languages."""
    kept = (line for line in said.splitlines() if not re.match(r" {2}([A-Z]|task:|text:)|投票者提示|.*来源", line))
    return re.sub(r"'[^']*'|`[^`]*`|“[^”]*”", "", "\n".join(kept))
