"""What commands print and write of small tables stays, line by line: tables, sentences and the order of both.

What the numbers are is held by tests of their own; here a change anywhere on the way to a terminal is seen.
"""

from __future__ import annotations

import hashlib
import json
import re

import polars as pl
import pytest

from experiment import venire
from golden_values import assert_as_kept

MODELS = ("alder", "birch", "cedar")
COMMANDS = {
    "report": ("report", "scores.csv", "--scale", "0", "10", "--factor", "language"),
    "report_full": ("report", "verdicts.csv", "--full"),
    "report_pairs": ("report", "pairs.csv"),
    "compare": ("compare", "scores.csv", "--models", "alder", "birch", "--scale", "0", "10", "--difference", "0.5"),
    "compare_looked_at": ("compare", "scores.csv", "--models", "alder", "birch", "--scale", "0", "10", "--sequential"),
    "compare_pairwise": ("compare", "scores.csv", "--pairwise", "--scale", "0", "10"),
    "compare_pairs": ("compare", "pairs.csv", "--models", "alder", "birch"),
    "compare_all_pairs": ("compare", "pairs.csv", "--pairwise"),
    "rank": ("rank", "pairs.csv", "--elo"),
    "gate": ("gate", "rules.yaml", "scores.csv", "--scale", "0", "10"),
    "gate_without_a_scale": ("gate", "rules.yaml", "scores.csv"),
    "voir_dire": ("voir-dire", "gold.csv"),
}
"""Each command with its arguments, by the name of what is kept of it."""
RULES = """rules:
- {check: minimum_score, at_least: 6, confident: true}
- {check: worst_score, at_least: 1}
- {check: share_below, score: 4, at_most: 0.1}
- {check: agreement, at_least: 0.4}
"""


def chance(*parts):
    """Give a number from 0 to 1 that is the same on every machine."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:6]) / 2**48


def scores():
    for question in range(12):
        for place, model in enumerate(MODELS):
            worth = 7 - place + 3 * chance(question, model) - 2 * chance("hard", question)
            for judge in ("oak", "elm"):
                score = round(min(10, max(0, worth + chance(judge, question, model))), 1)
                yield {
                    "output_id": f"{question}-{model}", "question_id": f"q{question}", "target_model": model,
                    "judge": judge, "score": score, "language": "zh" if question % 2 else "en",
                }  # fmt: skip


def verdicts():
    for row in scores():
        yield {**{name: row[name] for name in ("output_id", "question_id", "target_model", "judge")},
               "verdict": "PASS" if row["score"] > 6.5 else "FAIL"}  # fmt: skip


def pairs():
    for question in range(10):
        for judge in ("oak", "elm"):
            for first in MODELS:
                for second in MODELS:
                    if first != second:
                        likes_first = judge == "elm" and chance(question, first, second) < 0.3
                        wins = likes_first or (chance(question, judge, *sorted((first, second))) > 0.3) == (
                            first < second
                        )
                        yield {"pair_id": f"{question}-{'-'.join(sorted((first, second)))}", "question": f"q{question}",
                               "judge": judge, "first": first, "second": second,
                               "winner": "first" if wins else "second"}  # fmt: skip


def gold():
    for item in range(60):
        for judge, right in (("oak", 0.95), ("elm", 0.6)):
            truth = "PASS" if chance("truth", item) < 0.5 else "FAIL"
            other = "FAIL" if truth == "PASS" else "PASS"
            yield {"judge": judge, "item": f"i{item}", "gold": truth,
                   "verdict": truth if chance(judge, item) < right else other}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("printed")
    for name, rows in (
        ("scores", scores()),
        ("verdicts", verdicts()),
        ("pairs", pairs()),
        ("gold", gold()),
    ):
        pl.DataFrame(list(rows)).write_csv(made / f"{name}.csv")
    (made / "rules.yaml").write_text(RULES, encoding="utf-8")
    return made


@pytest.mark.parametrize("name", COMMANDS)
def test_what_is_printed_stays(name, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "110")
    monkeypatch.setenv("VENIRE_LANG", "en")
    code = venire(*COMMANDS[name])
    printed = capsys.readouterr()
    text = "".join(f"{line.rstrip()}\n" for line in f"{printed.out}{printed.err}".splitlines())
    assert_as_kept(f"printed/{name}.txt", f"{text}exit {code}\n")


WRITING = {
    "compare": COMMANDS["compare"],
    "compare_pairwise": COMMANDS["compare_pairwise"],
    "compare_pairs": COMMANDS["compare_pairs"],
    "rank": COMMANDS["rank"],
    "gate": COMMANDS["gate"],
}
"""The commands whose results programs read."""
DIGESTS = re.compile(r"\b[0-9a-f]{32,64}\b|\b\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)")


def rounded(value):
    """Give what is the same on every machine: numbers by six digits."""
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items() if name != "software"}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


@pytest.mark.parametrize("name", WRITING)
def test_what_is_written_for_programs_stays(name, folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("VENIRE_LANG", "en")
    venire(*WRITING[name], "--json", f"{name}.json")
    written = json.loads((folder / f"{name}.json").read_text("utf-8"))
    text = json.dumps(rounded(written), ensure_ascii=False, indent=1)
    assert_as_kept(f"written/{name}.json", DIGESTS.sub("…", text) + "\n")


def places(value, above=""):
    """Give the names in a record, each with all that stand above it; lists count as one."""
    named = [("[]", each) for each in value] if isinstance(value, list) else getattr(value, "items", list)()
    for name, each in named:
        yield f"{above}/{name}"
        yield from places(each, f"{above}/{name}")


def test_the_names_in_a_report_for_programs_stay(folder, monkeypatch):
    monkeypatch.chdir(folder)
    venire("report", "scores.csv", "--scale", "0", "10", "--json", "report.json")
    written = json.loads((folder / "report.json").read_text("utf-8"))
    assert_as_kept("written/names_in_a_report.txt", "\n".join(sorted(set(places(written)))) + "\n")
