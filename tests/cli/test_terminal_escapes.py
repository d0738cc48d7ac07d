"""Every command over data that is full of orders to a terminal: all are shown, none is sent."""

from __future__ import annotations

import csv
import json
import re
import unicodedata

import click
import pytest

from report_ledger import DIMENSIONS, write_ledger
from venire.cli.main import main
from venire.domain.sample import Sample
from venire.ledger.entry import Kind
from venire.ledger.location import open_ledger
from venire.server.config_file import registry_beside
from venire.server.people.person import Role
from venire.server.people.registry import CredentialKind, Registry

EVIL = "\x1b[31mX\x1b[2J\x1b]0;owned\x07\x9b1;1H\u202e\u200b\r\x08Y"
OURS = re.compile(r"\x1b\[[0-9;]*m")


def name(text: str) -> str:
    return f"{text}{EVIL}"


def samples():
    return [
        Sample(
            name(f"o{question}{variant}{model}"),
            f"An answer of worth {(question + 3 * (model == 'b')) % 9}.",
            question_id=name(f"q{question}"),
            prompt_variant=name(variant),
            target_model=name(model),
            factors={name("factor"): name("yes" if question % 2 else "no")},
        )
        for question in range(6)
        for variant in ("base", "long")
        for model in ("a", "b")
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("evil")
    kept = samples()
    write_ledger(folder / "ledger.sqlite", kept)
    write_ledger(folder / "other.sqlite", kept)
    registry = Registry(registry_beside(str(folder / "ledger.sqlite")))
    registry.issue(CredentialKind.KEY, Role.READER, name=name("Ada"))
    registry.close()
    lines = [{"output_id": each.output_id, "text": each.text, "question_id": each.question_id,
              "prompt_variant": each.prompt_variant, "target_model": each.target_model} for each in kept]  # fmt: skip
    (folder / "outputs.jsonl").write_text("\n".join(map(json.dumps, lines)))
    reply = {
        "meta": {"judge_model": name("j"), "target_model": name("a"), "output_id": kept[0].output_id, "flags": EVIL},
        "scores": dict.fromkeys(DIMENSIONS, 7) | {name("extra"): 1},
        "verdict": EVIL,
        "evidence": [{"quote": EVIL}],
    }
    (folder / "replies").mkdir()
    (folder / "replies" / f"r{EVIL.replace('/', '')}.json").write_text(json.dumps(reply))
    (folder / "replies" / "broken.json").write_text(f'{{"a": "{EVIL}')
    with (folder / "scores.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["output_id", "question_id", "target_model", "judge", name("quality"), "overall"])
        for place, each in enumerate(kept):
            for judge in ("j", "k"):
                row = [each.output_id, each.question_id, each.target_model, name(judge), place % 5 + 1, place % 5 + 1]
                table.writerow(row)
    with (folder / "votes.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["inference_id", "vote", "voter_id", "vote_time", "voter_prompt_id"])
        for place, each in enumerate(kept):
            for voter in range(4):
                moment = f"2026-01-{voter + 1:02}T10:00:00Z"
                table.writerow([each.output_id, (place + voter) % 2, name(f"v{voter}"), moment, name("p")])
    rule = {"check": "minimum_score", "name": name("good"), "at_least": 6, "where": {"target_model": name("a")}}
    (folder / "gate.yaml").write_text(json.dumps({"rules": [rule]}))
    with pytest.raises(SystemExit):
        main(["report", str(folder / "ledger.sqlite"), "--json", str(folder / "report.json")])
    (folder / "venire.yaml").write_text(
        "protocol: drift-sample\nsamples: outputs.jsonl\nledger: run.sqlite\n"
        "judges:\n  strict:\n    type: rules\n    weight: 1.0\n"
        "    rules: {dimensions: {'*': [{check: length, minimum: 1, cap: 1}]}}\n"
    )
    return folder


SIDES = [name("a"), name("b")]
SHOWING = [
    ["check", "replies", "--protocol", "drift-sample", "--sources", "outputs.jsonl"],
    ["check", "replies", "--protocol", "drift-sample", "--sources", "outputs.jsonl", "--lang", "zh"],
    ["report", "ledger.sqlite"],
    ["report", "ledger.sqlite", "--full", "--lang", "zh"],
    ["report", "scores.csv", "--scale", "1", "5"],
    ["compare", "ledger.sqlite", "--models", *SIDES],
    ["compare", "ledger.sqlite", "--pairwise"],
    ["compare", "ledger.sqlite", "--variants", name("base"), name("long")],
    ["compare", "scores.csv", "--models", *SIDES, "--scale", "1", "5"],
    ["compare", "ledger.sqlite", "--models", name("none"), name("b")],
    ["gate", "gate.yaml", "ledger.sqlite"],
    ["trace", "report.json", name("none")],
    ["keys", "list", "--ledger", "ledger.sqlite"],
    ["votes", "score", "votes.csv"],
    ["votes", "distribution", "votes.csv"],
    ["votes", "completeness", "votes.csv"],
    ["votes", "confidence", "votes.csv"],
    ["votes", "reliability", "votes.csv"],
    ["votes", "quality", "votes.csv"],
    ["votes", "suspicious", "votes.csv"],
    ["votes", "trace", "votes.csv", name("o0basea")],
    ["votes", "score", name("nothing.csv")],
    ["audit", name("nothing.sqlite")],
]
"""Commands that have a name of the data to show."""
OTHERS = [
    ["trace", "report.json"],
    ["compare", "ledger.sqlite", "other.sqlite"],
    ["weights", "ledger.sqlite", "--out", "weights.yaml"],
    ["audit", "ledger.sqlite"],
    ["plan", "venire.yaml"],
    ["judge", "venire.yaml", "--quiet"],
    ["export", "ledger.sqlite", "archive"],
    ["votes", "histogram", "votes.csv"],
    ["votes", "agreement", "votes.csv"],
    [name("nonsense")],
]


@pytest.mark.parametrize("command", [*SHOWING, *OTHERS], ids=lambda command: " ".join(command).split("\x1b")[0][:50])
def test_no_command_sends_an_order_of_the_data_to_the_terminal(command, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("FORCE_COLOR", "1")  # As on a terminal: colours of ours are printed, and nothing is stripped.
    monkeypatch.setattr(click.utils, "should_strip_ansi", lambda *_: False)

    with pytest.raises(SystemExit):
        main(command)

    out, err = capsys.readouterr()
    printed = out + err
    assert printed.strip(), "it printed nothing to look at"
    assert "\x1b[31mX" not in printed
    left = OURS.sub("", printed)
    sent = {f"U+{ord(each):04X}" for each in left if each not in "\n\t" and unicodedata.category(each) in ("Cc", "Cf")}
    assert not sent, left[:2000]
    assert "U+001B" in printed or "\\x1b" in printed or command in OTHERS, "no name of the data was shown"


def test_the_data_of_these_tests_is_recorded_as_it_is(folder):
    ledger = open_ledger(str(folder / "ledger.sqlite"), read_only=True)
    assert all(EVIL in entry.content["sample"]["output_id"] for entry in ledger.read(kinds=[Kind.SAMPLE]))
    ledger.close()
