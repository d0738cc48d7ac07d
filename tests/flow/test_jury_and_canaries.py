"""A jury whose judges are watched by anchors: each judge gets them, and the jury's choices know nothing of them."""

import json
from collections import Counter, defaultdict

import msgspec

from asking_juries import graded_samples, uneven_reply, write_jury
from experiment import contents, reading, serving, venire
from venire.domain.jury import JuryChoice
from venire.ledger.entry import Kind
from venire.runner.canaries.evidence import CanaryRecord
from venire.runner.task import is_canary

ANCHORS = 20
ESTIMATE = {"until": {"half_width": 0.06}, "most": 4}


def _write(folder, server, samples, **keys):
    folder.mkdir(exist_ok=True)
    rows = [
        {"output_id": f"anchor-{n}", "text": f"Anchor {n} is easy and of quality {n % 9}.", "task": "Say it."}
        for n in range(ANCHORS)
    ]
    (folder / "anchors.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return write_jury(folder, server.base_url, ESTIMATE, samples, canaries={"path": "anchors.jsonl"}, **keys)


def _read(folder):
    with reading(folder / "ledger.sqlite") as ledger:
        choices = [msgspec.convert(each, JuryChoice) for each in contents(ledger, Kind.CHOICE)]
        tasks = [each["task"] for each in contents(ledger, Kind.REPLY)]
        records = [msgspec.convert(each, CanaryRecord) for each in contents(ledger, Kind.CANARIES)]
    anchors: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for task in tasks:
        if is_canary(task["repeat"]):
            anchors[task["repeat"].split("-")[1]][task["judge"]] += 1
    return choices, tasks, anchors, records


def test_every_judge_of_a_jury_is_watched_and_the_choices_stay_what_they_were(tmp_path, capsys):
    samples = graded_samples(100)
    with serving(reply_for=uneven_reply) as server:
        plain = tmp_path / "plain"
        plain.mkdir()
        venire("judge", write_jury(plain, server.base_url, ESTIMATE, samples), "--quiet")
        config = _write(tmp_path / "watched", server, samples)
        before = server.count
        assert venire("plan", config) == 0
        assert venire("judge", config, "--quiet") == 0
        asked = server.count - before
        assert venire("judge", config, "--quiet") == 0
        assert server.count == before + asked
    choices, tasks, anchors, records = _read(tmp_path / "watched")
    assert choices == _read(plain)[0]
    (watched,) = anchors.values()
    assert watched == {"cheap_a": 2 * ANCHORS, "cheap_b": 2 * ANCHORS, "strong": 2 * ANCHORS}
    assert asked == len(tasks)
    assert {each.judge for each in records[-1].judges} == set(watched)
    capsys.readouterr()
    ledger = tmp_path / "watched" / "ledger.sqlite"
    assert venire("audit", ledger) == 0
    assert venire("canaries", ledger) == 0
    assert capsys.readouterr().out.count("not known yet") == 3


def test_a_jury_that_goes_on_asks_the_same_anchors_and_new_outputs_begin_a_round(tmp_path):
    samples = graded_samples(60)
    with serving(reply_for=uneven_reply) as server:
        limited = {"backoff_seconds": 0.001, "reask_share": 0, "budget": {"calls": 150}}
        config = _write(tmp_path, server, samples, runner=limited)
        assert venire("judge", config, "--quiet") == 3
        _write(tmp_path, server, samples)
        assert venire("judge", config, "--quiet") == 0
        (first,) = _read(tmp_path)[2].values()
        assert first == {"cheap_a": 2 * ANCHORS, "cheap_b": 2 * ANCHORS, "strong": 2 * ANCHORS}
        _write(tmp_path, server, graded_samples(80))
        assert venire("judge", config, "--quiet") == 0
    _, tasks, anchors, records = _read(tmp_path)
    assert len({task["id"] for task in tasks}) == len(tasks)
    assert list(anchors.values())[1:] == [{"cheap_a": 4, "cheap_b": 4, "strong": 4}]
    assert [each.round for each in records][-1] == list(anchors)[-1]
    assert venire("audit", tmp_path / "ledger.sqlite") == 0
