"""What is recorded stays, entry by entry: programs read ledgers, and audits derive judgements from them again."""

from __future__ import annotations

import json
import re

import pytest

from experiment import reading
from golden_values import assert_as_kept
from shaped_ledgers import write_claims, write_conversation, write_judged_pairs, write_repeats, write_voted_pairs

HIDDEN = (
    (re.compile(r"\b[0-9a-f]{16,64}\b"), "…"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|\+00:00)?"), "…"),
    (re.compile(r'"(?:latency_seconds|wall_seconds|seconds|process|host|python|venire|software)": [^,}]+'), "…"),
)
"""What differs from run to run, or from machine to machine."""


def shown(entry):
    text = f"{entry.kind.value} {entry.key}: {json.dumps(entry.content, ensure_ascii=False, sort_keys=True)}"
    for pattern, instead in HIDDEN:
        text = pattern.sub(instead, text)
    return text


@pytest.mark.parametrize(
    "write", [write_claims, write_judged_pairs, write_voted_pairs, write_conversation, write_repeats]
)
def test_every_entry_of_a_run_stays(write, tmp_path):
    with reading(write(tmp_path / "ledger.sqlite")) as ledger:
        lines = sorted(map(shown, ledger.read()))
    text = "".join(f"{line}\n" for line in lines).replace(str(tmp_path), "FOLDER")
    assert_as_kept(f"records/{write.__name__.removeprefix('write_')}.txt", text)
