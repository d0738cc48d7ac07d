"""A panel before a server that does everything wrong that servers do."""

import asyncio
import json
import time
from collections import Counter

import pytest

from experiment import QUICK, contents, make_samples, reading, served_judge, serving, settings_for
from judge_server import JudgeServer, drift_sample_reply
from venire.cli.terminal.running import failure_lines
from venire.ledger.audit import audit_chain
from venire.ledger.entry import Kind
from venire.reports.words import ReportWords
from venire.runner.stop import StopSignal
from venire.workflows.judge import judge

FAULTS = [
    {"fault": "status", "status": 429, "retry_after": "0.01"},
    {"fault": "none"},
    {"fault": "status", "status": 500},
    {"fault": "reset"},
    {"fault": "reset_in_body"},
    {"fault": "slow", "seconds": 0.05},
    {"fault": "fenced"},
    {"fault": "truncated"},
    {"fault": "malformed"},
    {"fault": "refusal"},
    {"fault": "wrong_model"},
    {"fault": "not_http"},
    {"fault": "body", "body": "<html>busy</html>"},
    {"fault": "body", "body": '{"choices": [{"message": {"content": "\\ud800"}}]}'},
    {"fault": "oversized", "bytes": 300_000},
    {"fault": "status", "status": 400},
    {"fault": "none", "times": 3},
]
RESET = "anthropic-ratelimit-requests-reset"


def run(settings):
    return asyncio.run(judge(settings))


@pytest.mark.parametrize("kind", ["openai_compatible", "anthropic_compatible"])
def test_the_run_ends_and_every_task_is_answered_or_failed_with_its_reason(kind, tmp_path):
    runner = {**QUICK, "attempts": 3, "timeout_seconds": 3, "max_reply_bytes": 100_000, "reask_share": 0.2}
    # The first call of a judge is made alone: each is known to be there when the faults of its server begin.
    script = [{"fault": "none"}, {"fault": "stall"}, *FAULTS * 10]
    with serving(script) as first, serving(script) as second:
        judges = {
            name: served_judge(server.base_url, kind, limits={"concurrency": 4}, model=name)
            for name, server in (("oak", first), ("elm", second))
        }
        settings = settings_for(tmp_path, judges, make_samples(40), runner=runner)
        result = run(settings)
        seen = first.count + second.count
    assert result.stopped == ""
    with reading(tmp_path / "ledger.sqlite") as ledger:
        assert audit_chain(ledger).intact
        attempts, replies = contents(ledger, Kind.ATTEMPT), contents(ledger, Kind.REPLY)
        judgements = contents(ledger, Kind.JUDGEMENT)
    # The last try of a task is the reply, or the reason for which there is none.
    answered = [reply["task"]["id"] for reply in replies]
    assert len(answered) == len(set(answered)) == sum(counts.done for counts in result.counts.values())
    failed = {attempt["task"] for attempt in attempts} - set(answered)
    assert len(failed) == sum(counts.failed for counts in result.counts.values())
    assert all(attempt["error"] for attempt in attempts)
    tries = Counter(attempt["task"] for attempt in attempts)
    assert all(reply["attempt"] == tries[reply["task"]["id"]] + 1 for reply in replies)
    assert sorted(judgement["task"]["id"] for judgement in judgements) == sorted(answered)
    for counts in result.counts.values():
        assert counts.done >= 30
        assert counts.valid + counts.invalid == counts.done
        assert sum(failure.tasks for failure in counts.failures.values()) == counts.failed
    assert sum(counts.calls for counts in result.counts.values()) == result.spent.calls
    asked = [attempt for attempt in attempts if attempt["outcome"] != "not_asked"]
    assert len(asked) + len(replies) == result.spent.calls
    assert seen >= result.spent.calls
    outcomes = Counter(attempt["outcome"] for attempt in asked)
    assert set(outcomes) == {"rate_limited", "server", "connection", "timeout", "malformed", "bad_request"}
    rules = {finding["rule"] for entry in judgements for finding in entry["judgement"]["findings"]}
    assert {"judge.other-model", "judge.reply-cut", "json.surrounding-text", "json.syntax"} <= rules


def one_fault(tmp_path, fault, samples=1, **runner):
    with serving([{"fault": "none"}, fault]) as server:
        keys = {"judges": {"oak": served_judge(server.base_url, limits={"concurrency": 1})}}
        settings = settings_for(
            tmp_path, keys["judges"], make_samples(samples + 1), runner={**QUICK, "timeout_seconds": 60, **runner}
        )
        result = run(settings)
    with reading(tmp_path / "ledger.sqlite") as ledger:
        return result.counts["oak"], contents(ledger, Kind.JUDGEMENT)[1]["judgement"], list(ledger.read())


def rules_of(judgement):
    return [(finding["rule"], finding["severity"]) for finding in judgement["findings"]]


def test_a_wrong_model_is_a_note_and_counts(tmp_path):
    counts, judgement, _ = one_fault(tmp_path, {"fault": "wrong_model", "model": "maple"})
    assert (judgement["status"], rules_of(judgement)) == ("valid", [("judge.other-model", "note")])
    assert counts.valid == 2


def test_a_refusal_is_a_judgement_that_does_not_count(tmp_path):
    counts, judgement, _ = one_fault(tmp_path, {"fault": "refusal"})
    assert judgement["status"] == "invalid"
    assert counts.invalid == 1
    assert any(finding["flag"] == "JUDGE_REFUSAL_OR_EVASION" for finding in judgement["findings"])


def test_a_reply_over_the_size_limit_is_cut_flagged_and_kept(tmp_path):
    fault = {"fault": "oversized", "bytes": 500_000}
    counts, judgement, entries = one_fault(tmp_path, fault, max_reply_bytes=50_000)
    assert ("judge.reply-cut", "violation") in rules_of(judgement)
    assert (judgement["status"], counts.invalid) == ("invalid", 1)
    reply = [entry for entry in entries if entry.kind is Kind.REPLY][1]
    assert (len(reply.content["text"]), reply.blob) == (50_000, b"")  # It is stored once.


def test_a_truncated_reply_is_kept_as_it_is_and_invalid(tmp_path):
    counts, judgement, entries = one_fault(tmp_path, {"fault": "truncated"})
    assert (judgement["status"], counts.invalid) == ("invalid", 1)
    reply = [entry.content for entry in entries if entry.kind is Kind.REPLY][1]
    assert reply["finish_reason"] == "length"
    assert reply["text"].startswith('{"meta"')
    assert not reply["text"].endswith("}")


def test_retry_after_is_waited_for_by_the_sample_that_was_refused_and_by_no_other(tmp_path):
    moments = []

    def remember(function):
        def remembering(http, seen, step):
            moments.append((json.dumps(seen["messages"]), time.monotonic()))
            return function(http, seen, step)

        return remembering

    with serving([{"fault": "none"}, {"fault": "status", "status": 429, "retry_after": "1"}]) as server:
        server.fault_status, server.fault_none = remember(server.fault_status), remember(server.fault_none)
        judges = {"oak": served_judge(server.base_url, limits={"concurrency": 1})}
        result = run(settings_for(tmp_path, judges, make_samples(5)))
    assert (result.counts["oak"].valid, len(moments)) == (5, 6)
    refused = [moment for asked, moment in moments if asked == moments[1][0]]
    assert refused[1] - refused[0] >= 1
    assert moments[-1][0] == moments[1][0]


@pytest.mark.parametrize(
    ("kind", "headers"),
    [
        ("openai_compatible", {"x-ratelimit-remaining-requests": "100", "x-ratelimit-reset-requests": "30s"}),
        ("anthropic_compatible", {"anthropic-ratelimit-requests-remaining": "100", RESET: "30"}),
    ],
)
def test_what_good_answers_say_is_left_spreads_the_requests_and_nothing_is_refused(kind, headers, tmp_path):
    moments = []

    def remembering(http, seen, step):
        moments.append(time.monotonic())
        return JudgeServer.fault_none(server, http, seen, step)

    with serving({"steps": [{"fault": "none", "headers": headers}], "repeat": True}) as server:
        server.fault_none = remembering
        judges = {"oak": served_judge(server.base_url, kind, limits={"concurrency": 8})}
        result = run(settings_for(tmp_path, judges, make_samples(6)))
    assert (result.counts["oak"].valid, result.counts["oak"].calls) == (6, 6)
    assert moments[-1] - moments[0] >= 1  # One in 0.3 s, of which a little may be made up for.


def test_retry_after_holds_back_no_other_judge(tmp_path):
    stop, told = StopSignal(), Counter()

    def hear(event):
        told[event.judge] += event.event == "answered"
        if told["elm"] == 5:
            stop.request("the other one has done its work")

    always = {"steps": [{"fault": "status", "status": 429, "retry_after": "60"}], "repeat": True}
    with serving(always) as busy, serving() as idle:
        judges = {
            "oak": served_judge(busy.base_url, limits={"concurrency": 1}),
            "elm": served_judge(idle.base_url, limits={"concurrency": 1}),
        }
        settings = settings_for(tmp_path, judges, make_samples(5))
        result = asyncio.run(judge(settings, on_event=hear, stop=stop))
        assert busy.count < 20
    assert {name: (counts.valid, counts.failed) for name, counts in result.counts.items()} == {
        "oak": (0, 0),
        "elm": (5, 0),
    }


def test_refusals_cost_no_try_and_an_empty_account_pauses_the_judge_for_the_next_run(tmp_path):
    refusals = {"fault": "status", "status": 429, "times": 3, "retry_after": "0.01"}
    empty = {"fault": "status", "status": 429, "message": "insufficient_quota"}
    with serving([{"fault": "none"}, refusals, {"fault": "none", "times": 2}, empty]) as server:
        judges = {"oak": served_judge(server.base_url, limits={"concurrency": 1})}
        settings = settings_for(tmp_path, judges, make_samples(8), runner={**QUICK, "attempts": 2})
        first = run(settings)
        second = run(settings)
    assert (first.counts["oak"].valid, first.counts["oak"].failed) == (3, 0)
    assert first.stopped == "judge oak was paused: HTTP 429: insufficient_quota"
    assert (second.stopped, second.counts["oak"].valid, second.counts["oak"].failed) == ("", 8, 0)


def test_what_failed_while_a_judge_was_away_is_asked_again_at_the_end(tmp_path):
    events = []
    script = [{"fault": "none"}, {"fault": "status", "status": 503, "times": 4}]
    with serving(script) as server:
        judges = {"oak": served_judge(server.base_url, limits={"concurrency": 1})}
        settings = settings_for(tmp_path, judges, make_samples(6), runner={**QUICK, "attempts": 2})
        result = asyncio.run(judge(settings, on_event=events.append))
    assert (result.counts["oak"].valid, result.counts["oak"].failed) == (6, 0)
    postponed = [event.event for event in events].count("postponed")
    (again,) = [event for event in events if event.event == "asking_again"]
    assert again.details == {"tasks": postponed}


def test_nobody_at_the_address_is_told_after_three_requests(tmp_path):
    with serving() as server:
        base_url = server.base_url
    judges = {"oak": served_judge(base_url, limits={"concurrency": 64})}
    result = run(settings_for(tmp_path, judges, make_samples(50)))
    ((cause, failure),) = result.counts["oak"].failures.items()
    assert (result.counts["oak"].calls, failure.tasks) == (3, 50)
    assert "127.0.0.1" in cause


def test_a_key_that_was_not_set_is_named(tmp_path):
    with serving({"steps": [{"fault": "status", "status": 401}], "repeat": True}) as server:
        judges = {"oak": served_judge(server.base_url, limits={"concurrency": 8})}
        result = run(settings_for(tmp_path, judges, make_samples(5)))
        assert server.count == 1
    (cause,) = result.counts["oak"].failures
    assert "no `api_key_env` was set" in cause


def test_a_key_that_is_refused_once_after_replies_is_tried_again_and_costs_nothing(tmp_path):
    with serving([{"fault": "none", "times": 2}, {"fault": "status", "status": 401}]) as server:
        judges = {"oak": served_judge(server.base_url, limits={"concurrency": 1})}
        result = run(settings_for(tmp_path, judges, make_samples(5), runner=QUICK))
        assert server.count == 6
    assert (result.counts["oak"].valid, result.counts["oak"].failed, result.stopped) == (5, 0, "")


def test_a_model_that_the_server_does_not_have_is_told_after_one_request_with_those_it_has(tmp_path):
    with serving({"steps": [{"fault": "status", "status": 404}], "repeat": True}) as server:
        server.models = ("elm", "ash")
        judges = {"oak": served_judge(server.base_url, limits={"concurrency": 8}, model="oak-1")}
        result = run(settings_for(tmp_path, judges, make_samples(5)))
        assert server.count == 1
    ((cause, failure),) = result.counts["oak"].failures.items()
    assert "model 'oak-1' was not found at 127.0.0.1" in cause
    assert cause.endswith("the server lists: elm, ash")
    assert failure.tasks == 5


def test_bills_higher_than_expected_stop_the_run_and_every_place_says_the_same(tmp_path):
    bill = {"input": 50_000, "output": 50_000}
    with serving({"steps": [{"fault": "bill", **bill}], "repeat": True}) as server:
        price = {"input_per_million": 1, "output_per_million": 1}
        judges = {"oak": served_judge(server.base_url, limits={"concurrency": 16}, price=price, max_tokens=100)}
        settings = settings_for(tmp_path, judges, make_samples(40), runner={**QUICK, "budget": {"money": 0.55}})
        result = run(settings)
    assert result.spent.money == result.counts["oak"].cost == 0.5
    assert result.stopped == "the budget of 0.55 money is reached: 0.5 spent"
    with reading(tmp_path / "ledger.sqlite") as ledger:
        (closed,) = contents(ledger, Kind.RUN_CLOSED)
        replies = contents(ledger, Kind.REPLY)
    assert closed["spent"]["money"] == closed["counts"]["oak"]["cost"] == 0.5
    assert sum(reply["input_tokens"] + reply["output_tokens"] for reply in replies) == 500_000


def test_a_server_that_refuses_the_key_is_asked_once_and_the_key_is_nowhere(tmp_path, monkeypatch):
    monkeypatch.setenv("OAK_API_KEY", "sk-very-secret-0123456789")
    with serving({"steps": [{"fault": "echo_key"}], "repeat": True}) as server, serving() as other:
        judges = {
            "oak": served_judge(server.base_url, limits={"concurrency": 1}, api_key_env="OAK_API_KEY"),
            "elm": served_judge(other.base_url),
        }
        result = run(settings_for(tmp_path, judges, make_samples(6)))
        assert server.count == 1
    assert (result.counts["oak"].failed, result.counts["elm"].valid) == (6, 6)
    for file in tmp_path.iterdir():
        assert b"very-secret" not in file.read_bytes()


def test_the_same_seed_and_replies_give_the_same_payloads(tmp_path):
    def payloads(folder, server):
        folder.mkdir()
        judges = {
            "oak": served_judge(server.base_url, limits={"concurrency": 5}),
            "elm": served_judge(server.base_url, "anthropic_compatible", limits={"concurrency": 3}),
        }
        settings = settings_for(folder, judges, make_samples(30), runner={**QUICK, "reask_share": 0.3, "seed": 11})
        run(settings)
        with reading(folder / "ledger.sqlite") as ledger:
            entries = [[entry.kind, entry.key, entry.content, entry.blob] for entry in ledger.read()]
        for entry in entries:
            entry[2].pop("latency_seconds", None)
            if entry[2].pop("run", None) == entry[1]:  # A run is known by its id, which is another in every run.
                entry[1] = ""
        return Counter(map(repr, entries))

    with serving(reply_for=drift_sample_reply) as server:
        first, second = payloads(tmp_path / "a", server), payloads(tmp_path / "b", server)
    assert first == second
    assert first.total() > 3 * 60


def test_empty_answers_and_web_pages_are_counted_and_named_though_all_tasks_were_answered(tmp_path):
    page, empty = {"fault": "body", "body": "<html>busy</html>"}, {"fault": "body", "body": " "}
    with serving([{"fault": "none"}, page, {"fault": "none"}, empty, page, {"fault": "none", "times": 20}]) as server:
        judges = {"oak": served_judge(server.base_url, limits={"concurrency": 1})}
        result = run(settings_for(tmp_path, judges, make_samples(6), runner={**QUICK, "reask_share": 0.0}))
    oak = result.counts["oak"]
    assert (oak.done, oak.failed, oak.calls) == (6, 0, 9)
    assert sorted(oak.unreadable.values()) == [1, 2]
    page_line, empty_line = failure_lines("oak", oak, ReportWords("en"))
    assert page_line.startswith("oak: 2 answers could not be read: the answer is a web page, not JSON")
    assert empty_line == "oak: 1 answer could not be read: the answer is empty"
    with reading(tmp_path / "ledger.sqlite") as ledger:
        (closed,) = contents(ledger, Kind.RUN_CLOSED)
    assert sorted(closed["counts"]["oak"]["unreadable"].values()) == [1, 2]


def test_a_server_that_speaks_another_protocol_is_not_asked_on(tmp_path):
    with serving([{"fault": "body", "body": '{"answer": "fine"}', "times": 1000}]) as server:
        settings = settings_for(tmp_path, {"oak": served_judge(server.base_url)}, make_samples(12), runner=QUICK)
        result, asked = run(settings), server.count
    assert (result.failed, asked) == (12, 3)
    assert [str(cause) for cause in result.counts["oak"].failures] == ["the answer has no readable choices"]


def test_a_judge_whose_first_requests_fail_in_several_ways_is_asked_on(tmp_path):
    page = {"fault": "body", "body": "<html>busy</html>"}
    refusal = {"fault": "status", "status": 429, "retry_after": "0.01"}
    faults = [{"fault": "reset"}, {"fault": "status", "status": 500}, page, page, refusal, page, {"fault": "reset"}]
    with serving(faults) as server:
        settings = settings_for(
            tmp_path, {"oak": served_judge(server.base_url)}, make_samples(4), runner={**QUICK, "attempts": 9}
        )
        result = run(settings)
    assert (result.failed, result.counts["oak"].done) == (0, 4)
