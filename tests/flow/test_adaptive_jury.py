"""An adaptive jury from the configuration to ledger, report and queue, with judges behind a real server."""

import json

import msgspec
import pytest

from asking_juries import graded_samples, uneven_reply, write_jury, write_labels
from experiment import contents, reading, serving, start_venire, venire, wait_for_requests
from venire.domain.jury import JuryChoice
from venire.ledger.entry import Kind
from venire.reports.report import Choices
from venire.workflows.analyse import analyse
from venire.workflows.jury.recorded import JuryAudit

ESTIMATE = {"until": {"half_width": 0.06}, "most": 4}
DECIDE = {"until": {"agree_with_people": {"level": 0.92, "delta": 0.2, "labels": "labels.csv"}}}


def _choices(folder):
    with reading(folder / "ledger.sqlite") as ledger:
        return [msgspec.convert(each, JuryChoice) for each in contents(ledger, Kind.CHOICE)]


def _replies(folder):
    with reading(folder / "ledger.sqlite") as ledger:
        return [each["task"]["id"] for each in contents(ledger, Kind.REPLY)]


def test_an_estimate_asks_where_it_is_uncertain_and_pays_nothing_twice(tmp_path, capsys):
    samples = graded_samples(140)
    with serving(reply_for=uneven_reply) as server:
        config = write_jury(tmp_path, server.base_url, ESTIMATE, samples)
        assert venire("plan", config) == 0
        assert "280 of these (" in capsys.readouterr().out
        assert venire("judge", config, "--quiet") == 0
        asked = server.count
        assert venire("judge", config, "--quiet") == 0
        assert server.count == asked
    rounds = _choices(tmp_path)
    assert [each.rule for each in rounds[:3]] == ["start", "pilot", "where_uncertain"]
    drawn = sum(len(each.drawn) for each in rounds)
    assert asked == 2 * len(samples) + drawn < 4 * len(samples)
    hard = {place for place, each in enumerate(samples) if " hard " in each.text}
    likely = {True: [], False: []}
    for output, _, chance, _ in rounds[2].cells:
        likely[output in hard].append(chance)
    assert sum(likely[True]) / len(likely[True]) > sum(likely[False]) / len(likely[False])
    said = capsys.readouterr().out
    assert f"{asked} requests, where asking the whole jury takes {4 * len(samples)}" in said
    assert "± 0.0" in said
    assert venire("audit", tmp_path / "ledger.sqlite") == 0


def test_the_report_tells_the_jury_from_those_who_saw_every_output(tmp_path):
    with serving(reply_for=uneven_reply) as server:
        assert venire("judge", write_jury(tmp_path, server.base_url, ESTIMATE, graded_samples(140)), "--quiet") == 0
    report = analyse(tmp_path / "ledger.sqlite", Choices())
    means = report.table("jury_means")
    assert [row.names[0] for row in means.rows] == ["alder-1", "birch-2"]
    for cell in means.column("jury_mean"):
        assert cell.high - cell.low <= 0.12 + 1e-9
        assert cell.low < cell.value < cell.high
    assert {line.rater for line in report.lines if line.counted} == {"cheap_a", "cheap_b"}
    assert "overview.jury.estimate" in [note.key for note in report.section("overview").notes]


def test_a_decision_leaves_open_what_it_is_not_sure_of_and_people_settle_it(tmp_path, capsys):
    samples = graded_samples(240, hard_share=0.7)
    with serving(reply_for=uneven_reply) as server:
        config = write_jury(tmp_path, server.base_url, DECIDE, samples)
        write_labels(tmp_path, samples[:200])
        assert venire("plan", config) == 0
        assert server.count == 0
        said = capsys.readouterr().out
        assert "each stage decides 50.0 %" in said
        assert "can only save the others" not in said
        assert venire("judge", config, "--quiet") == 0
        asked = server.count
    *_, last = rounds = _choices(tmp_path)
    assert last.rule == "end"
    assert last.open
    decided = [found.output for each in rounds for found in each.decided]
    assert len(decided) == len(set(decided)) == len(samples) - len(last.open)
    assert asked == 2 * len(samples) + sum(len(each.cells) for each in rounds)
    ledger, name = tmp_path / "ledger.sqlite", samples[last.open[0]].output_id
    assert venire("audit", ledger) == 0
    assert venire("votes", "queue", ledger, "--format", "json") == 1
    capsys.readouterr()
    assert venire("votes", "queue", ledger, "--format", "json") == 1
    waiting = json.loads(capsys.readouterr().out)
    assert [each["inference_id"] for each in waiting] == [samples[place].output_id for place in last.open]
    assert venire("votes", "decide", ledger, name, "accept", "--curator", "ann") == 0
    venire("votes", "queue", ledger, "--format", "json")
    assert f'"{name}"' not in capsys.readouterr().out


def test_a_jury_stops_at_its_budget_and_goes_on_where_it_was(tmp_path, capsys):
    samples = graded_samples(100)
    with serving(reply_for=uneven_reply) as server:
        budget = {"backoff_seconds": 0.001, "reask_share": 0, "budget": {"calls": 230}}
        config = write_jury(tmp_path, server.base_url, ESTIMATE, samples, runner=budget)
        assert venire("judge", config, "--quiet") == 3
        assert server.count == 230
        assert "stopped before it had judged enough" in capsys.readouterr().out
        write_jury(tmp_path, server.base_url, ESTIMATE, samples)
        assert venire("judge", config, "--quiet") == 0
        replies = _replies(tmp_path)
        assert server.count == len(replies) == len(set(replies))
    assert venire("audit", tmp_path / "ledger.sqlite") == 0


def test_a_killed_jury_draws_nothing_anew(tmp_path):
    samples = graded_samples(100)
    with serving(reply_for=uneven_reply) as server:
        config = write_jury(tmp_path, server.base_url, ESTIMATE, samples)
        with start_venire("judge", config, "--quiet") as process:
            wait_for_requests(server, 220, process)
            process.kill()
        before = _choices(tmp_path)
        assert venire("judge", config, "--quiet") == 0
        replies = _replies(tmp_path)
        assert server.count - len(replies) <= 24  # What was under way; eight of each judge.
    after = _choices(tmp_path)
    assert after[: len(before)] == before
    assert [each.number for each in after] == list(range(len(after)))
    assert venire("audit", tmp_path / "ledger.sqlite") == 0


@pytest.mark.parametrize("damage", ["probability", "drawn", "seed", "share"])
def test_an_audit_names_a_choice_that_does_not_follow(damage, tmp_path):
    with serving(reply_for=uneven_reply) as server:
        assert venire("judge", write_jury(tmp_path, server.base_url, ESTIMATE, graded_samples(90)), "--quiet") == 0
    first, pilot = _choices(tmp_path)[:2]
    output, ask, chance, expected = pilot.cells[0]
    changes = {
        "probability": (1, {"cells": ((output, ask, chance / 2, expected), *pilot.cells[1:])}),
        "drawn": (1, {"drawn": pilot.drawn[1:]}),
        "seed": (0, {"terms": msgspec.structs.replace(first.terms, seed=1)}),
        "share": (1, {"shares": (0.5, *pilot.shares[1:])}),
    }
    number, changed = changes[damage]
    problems = []
    with reading(tmp_path / "ledger.sqlite") as ledger:
        checking = JuryAudit(ledger)
        content = msgspec.json.encode(msgspec.structs.replace((first, pilot)[number], **changed))
        for entry in ledger.read():
            is_meant = entry.kind is Kind.CHOICE and entry.content["number"] == number
            seen = msgspec.structs.replace(entry, payload=content) if is_meant else entry
            problems += filter(None, [checking.problem(seen)])
    assert problems


@pytest.mark.parametrize(
    ("labels", "code"),
    [
        ("output_id,verdict\n" + "".join(f"s{n},PASS\n" for n in range(90)), "labels of one class"),
        ("output_id,verdict\ns1,PASS\ns2,FAIL\n", "labelled outputs"),
        ("output_id,verdict\nx1,PASS\nx2,FAIL\n", "none of the labels"),
        ("output_id,verdict\ns1,great\n", "expected PASS, PARTIAL or FAIL"),
        ("output_id,verdict,probability\ns1,PASS,0.5\ns2,FAIL,0.1\n", "unequal probabilities"),
    ],
)
def test_labels_that_prove_nothing_are_refused_before_anything_is_asked(labels, code, tmp_path, capsys):
    with serving(reply_for=uneven_reply) as server:
        config = write_jury(tmp_path, server.base_url, DECIDE, graded_samples(90))
        (tmp_path / "labels.csv").write_text(labels)
        assert venire("judge", config, "--quiet") == 2
        assert server.count == 0
    assert code in capsys.readouterr().err
    assert not (tmp_path / "ledger.sqlite").exists()


def test_a_jury_and_a_comparison_until_it_is_decided_exclude_each_other(tmp_path, capsys):
    config = write_jury(tmp_path, "http://127.0.0.1:9", ESTIMATE, graded_samples(10))
    assert venire("judge", config, "--until", "decided") == 2
    assert "this configuration has a jury" in capsys.readouterr().err
