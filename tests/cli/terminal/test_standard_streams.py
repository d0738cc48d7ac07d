"""Commands whose output nobody reads to the end, has no room, or goes to a terminal that lacks characters."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from experiment import venire
from venire.words.language import Words

FULL = Path("/dev/full")
CHECKS = {"check": "length", "minimum": 3}


def start(*arguments: object, encoding: str = "utf-8", language: str = "en", **streams):
    """Run the command in a process of its own, with pipes that a test may cut."""
    return subprocess.Popen(
        [sys.executable, "-m", "venire", *map(str, arguments)],
        env={**os.environ, "PYTHONIOENCODING": encoding, "VENIRE_LANG": language},
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams},
    )


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    tmp_path = tmp_path_factory.mktemp("judged")
    texts = ("A line of text.", "Another line of text.", "Hm")
    rows = [{"id": f"s{n}", "output": text, "model": "alder", "question": f"q{n}"} for n, text in enumerate(texts)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    config = {"samples": "rows.jsonl", "ledger": "ledger.sqlite", "judges": {}}
    config["judges"]["long"] = {"type": "rules", "rules": {"dimensions": {"*": [CHECKS]}}}
    (tmp_path / "venire.yaml").write_text(json.dumps(config))
    assert venire("judge", tmp_path / "venire.yaml", "--quiet") == 0
    return tmp_path


@pytest.mark.parametrize(("floor", "code"), [(5, 0), (8, 1)])
def test_a_gate_whose_reader_went_away_has_the_code_of_its_verdict(judged, floor, code):
    (judged / "gate.yaml").write_text(json.dumps({"rules": [{"check": "minimum_score", "at_least": floor}]}))
    reader, pipe = os.pipe()
    os.close(reader)
    begun = start("gate", judged / "gate.yaml", judged / "ledger.sqlite", stdout=pipe)
    os.close(pipe)
    _, told = begun.communicate()
    assert (begun.returncode, told) == (code, b"")


@pytest.mark.skipif(not FULL.exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("language", ["en", "zh"])
def test_output_without_room_is_one_error(judged, language):
    with FULL.open("wb") as full:
        begun = start("audit", judged / "ledger.sqlite", stdout=full, language=language)
        _, told = begun.communicate()
    assert begun.returncode == 2
    assert told.decode().splitlines()[0].endswith(Words(language)("os.enospc"))
    assert Words(language)("cli.standard_output") in told.decode()
    assert len(told.splitlines()) == 1


@pytest.mark.skipif(not FULL.exists(), reason="needs a device that is always full")
def test_warnings_without_room_change_nothing(judged):
    other = (judged / "venire.yaml").read_text().replace("rows.jsonl", "none.jsonl")
    (judged / "other.yaml").write_text(other)
    with FULL.open("wb") as full:
        begun = start("plan", judged / "other.yaml", stderr=full)
        begun.communicate()
    assert begun.returncode == 2


@pytest.mark.parametrize(
    ("encoding", "language", "begins"),
    [("latin-1", "en", "+ "), ("gbk", "zh", "+ 共 "), ("utf-8", "zh", "✓ 共 ")],
)
def test_what_an_encoding_lacks_is_written_by_a_likeness(judged, encoding, language, begins):
    begun = start("audit", judged / "ledger.sqlite", encoding=encoding, language=language)
    told, failed = begun.communicate()
    assert (begun.returncode, failed) == (0, b"")
    assert told.decode(encoding).startswith(begins)


def test_bars_and_signs_of_a_report_are_told_in_ascii(judged):
    begun = start("report", judged / "ledger.sqlite", encoding="cp1252")
    told, _ = begun.communicate()
    assert begun.returncode == 0
    assert "####" in told.decode("cp1252")


def test_what_a_program_reads_is_utf_8_in_every_terminal():
    begun = start("protocol", "show", "drift-sample", "--yaml", encoding="latin-1")
    told, _ = begun.communicate()
    assert begun.returncode == 0
    assert "结构" in told.decode("utf-8")
