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
    "gate_of_every_kind": ("gate", "every.yaml", "scores.csv", "--scale", "0", "10", "--baseline", "earlier.csv"),
    "gate_of_verdicts": ("gate", "verdicts.yaml", "verdicts.csv"),
    "voir_dire": ("voir-dire", "gold.csv"),
    "votes_score": ("votes", "score", "votes.csv", "--interval"),
    "votes_score_ambiguous": ("votes", "score", "votes.csv", "--ambiguous", "--critical-variance", "0.1"),
    "votes_score_by": ("votes", "score", "votes.csv", "--by", "platform", "--decay", "1/day", "--batch", "3"),
    "votes_histogram": ("votes", "histogram", "votes.csv", "--bucket", "week", "--zone", "Asia/Shanghai"),
    "votes_completeness": ("votes", "completeness", "timeless.csv", "--by", "voter", "--voter", "v0", "--voter", "zoe"),
    "votes_confidence": ("votes", "confidence", "timeless.csv"),
    "votes_distribution": ("votes", "distribution", "timeless.csv"),
    "votes_compare": ("votes", "compare", "timeless.csv"),
    "votes_agreement": ("votes", "agreement", "timeless.csv", "--replicates", "50"),
    "votes_reliability": ("votes", "reliability", "timeless.csv"),
    "votes_quality": ("votes", "quality", "timeless.csv"),
    "votes_suspicious": ("votes", "suspicious", "votes.csv", "--window", "2d", "--least-ballots", "3"),
    "votes_trace": ("votes", "trace", "votes.csv", "i1", "--decay", "1/day"),
}
"""Each command with its arguments, by the name of what is kept of it."""
RULES = """rules:
- {check: minimum_score, at_least: 6, confident: true}
- {check: worst_score, at_least: 1}
- {check: share_below, score: 4, at_most: 0.1}
- {check: agreement, at_least: 0.4}
"""
EVERY = """level: 0.9
rules:
- {check: minimum_score, at_least: 7.5, where: {language: zh}, name: Chinese}
- {check: share_below, score: 6.2, at_most: 0.3, confident: true, where: {language: en}}
- {check: worst_score, at_least: 5, where: {target_model: alder}}
- {check: invalid_share, at_most: 0.02}
- {check: verdict_share, at_most: 0.1}
- {check: hard_break_rate, at_most: 0.1, when_unknown: pass}
- {check: agreement, at_least: 0.9, confident: true}
- {check: judges_unchanged}
- {check: completeness}
- {check: no_drop, margin: 0.5}
- {check: no_drop, proof: of_harm, where: {target_model: birch}}
- {check: no_drop, sequential: true, margin: 1}
- {check: non_inferiority, margin: 1.5}
- {check: equivalence, margin: 0.2}
- {check: no_drop, corrected: true}
"""
"""A rule of every kind; of those that ask for what a table does not tell, the answer is kept too."""
VERDICTS = """rules:
- {check: verdict_share, at_most: 0.4}
- {check: verdict_share, verdict: PASS, at_most: 0.9, confident: true, where: {target_model: alder}}
- {check: agreement, at_least: 0.2}
- {check: invalid_share, at_most: 0.5, confident: true}
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


def votes():
    """Five people and a judge on six inferences, over three weeks; one person copies another, one votes at random."""
    for item in range(6):
        worth = item / 5
        for voter in range(6):
            if chance("absent", item, voter) < 0.15:
                continue
            taste = chance(item, 0 if voter == 1 else voter)
            vote = round(taste if voter == 4 else 0.7 * worth + 0.3 * taste)
            day, second = 1 + int(21 * chance("day", item, voter)), int(60 * chance("second", item, voter))
            yield {"inference_id": f"i{item}", "voter_id": f"v{voter}", "vote": vote, "platform": f"p{item % 2}",
                   "voter_kind": "judge" if voter == 5 else "person",
                   "vote_time": f"2025-03-{day:02}T08:00:{second:02}Z"}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("printed")
    for name, rows in (
        ("scores", scores()),
        ("verdicts", verdicts()),
        ("pairs", pairs()),
        ("gold", gold()),
        ("votes", votes()),
        ("timeless", ({name: row[name] for name in row if name != "vote_time"} for row in votes())),
    ):
        pl.DataFrame(list(rows)).write_csv(made / f"{name}.csv")
    earlier = pl.DataFrame(list(scores())).with_columns(pl.col("score") * 0.9 + 0.5)
    earlier.write_csv(made / "earlier.csv", float_precision=1)
    for name, text in (("rules", RULES), ("every", EVERY), ("verdicts", VERDICTS)):
        (made / f"{name}.yaml").write_text(text, encoding="utf-8")
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
    "gate_of_every_kind": COMMANDS["gate_of_every_kind"],
}
"""The commands whose results programs read."""
DIGESTS = re.compile(r"\b[0-9a-f]{32,64}\b|\b\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)")


def rounded(value):
    """Give what is the same on every machine: numbers by six digits."""
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items() if name != "software"}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    if not isinstance(value, float):
        return value
    # What is left of a difference that is 0 depends on the processor.
    return float(f"{value:.6g}") if abs(value) > 1e-12 else 0.0


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
