"""A run over fake providers: everything is asked once, kept, and either answered or failed with its reason."""

import asyncio
import re
import threading
import time
from collections import Counter
from contextlib import closing

import msgspec
import pytest

from experiment import FakeProvider, contents, good_reply, make_judge, make_samples, run_fakes
from venire.domain.judgement import Method
from venire.errors import InputError, LedgerError
from venire.judges.panel import JudgeLimits, Price
from venire.judges.provider import Reply
from venire.ledger.entry import Kind
from venire.ledger.memory import MemoryLedger
from venire.protocols.catalogue import find_protocol
from venire.runner.admission import spare_places
from venire.runner.context import RunSpec
from venire.runner.events import FIRST_REPLIES, FailureCount
from venire.runner.executor import LEAST_IN_A_BATCH, LocalEngine
from venire.runner.options import Budget, RunnerOptions
from venire.runner.plan import make_plan
from venire.runner.run import run_panel
from venire.runner.stop import StopSignal
from venire.words.language import Words
from venire.words.said import as_text
from venire.workflows.audit import audit


def failing(kind="server", error="HTTP 500", **keys):
    return FakeProvider(lambda _: Reply(None, error=error, error_kind=kind, **keys))


def invalid_first(times):
    """Answer with nonsense so often for each sample, and well after that."""
    seen = Counter()

    def answer(request):
        seen[request.handle] += 1
        return good_reply(request) if seen[request.handle] > times else Reply("no", b"no", model=request.model)

    return FakeProvider(answer)


def test_every_sample_is_asked_once_of_every_judge_and_kept():
    providers = {"oak": FakeProvider(), "elm": FakeProvider()}
    result, ledger = run_fakes(providers, make_samples(20))
    assert [(counts.done, counts.valid, counts.primary, counts.calls) for counts in result.counts.values()] == [
        (20, 20, 20, 20)
    ] * 2
    assert all(len(provider.requests) == 20 for provider in providers.values())
    assert len(contents(ledger, Kind.REPLY)) == len(contents(ledger, Kind.JUDGEMENT)) == 40
    assert len(contents(ledger, Kind.SAMPLE)) == 20
    assert (result.stopped, result.failed) == ("", 0)


@pytest.mark.parametrize("is_near", [True, False])
def test_a_ledger_on_this_machine_is_asked_in_the_thread_of_the_run_and_another_one_is_not(is_near):
    asked_in = set()

    class Watched(MemoryLedger):
        def find_all(self, wanted):
            asked_in.add(threading.current_thread() is threading.main_thread())
            return super().find_all(wanted)

    Watched.is_near = is_near
    run_fakes({"oak": FakeProvider()}, make_samples(3), ledger=Watched())
    assert asked_in == {is_near}


def test_an_output_is_handed_to_the_ledger_by_one_of_its_judges():
    handed = Counter()

    class Counting(MemoryLedger):
        def stage(self, drafts):
            handed.update(draft.key for draft in drafts if draft.kind is Kind.SAMPLE)
            return super().stage(drafts)

    run_fakes({"oak": FakeProvider(), "elm": FakeProvider()}, make_samples(20), ledger=Counting())
    assert len(handed) == handed.total() == 20


@pytest.mark.parametrize("finish_reason", ["length", "max_tokens"])
def test_a_reply_that_reached_the_limit_of_tokens_is_said_to_be_cut_off(finish_reason):
    def answer(request):
        whole = good_reply(request)
        return msgspec.structs.replace(whole, text=whole.text[:-20], finish_reason=finish_reason, output_tokens=100)

    _, ledger = run_fakes({"oak": FakeProvider(answer)}, make_samples(1))
    (record,) = contents(ledger, Kind.JUDGEMENT)
    findings = [(finding["rule"], finding["found"]) for finding in record["judgement"]["findings"]]
    assert findings[0] == ("judge.cut-off", "the reply was cut off at 100 tokens")
    assert "json.syntax" in dict(findings)
    assert audit(ledger).intact


def test_a_second_run_asks_nothing_and_counts_the_same():
    _, ledger = run_fakes({"oak": FakeProvider()}, make_samples(10))
    again = FakeProvider()
    result, _ = run_fakes({"oak": again}, make_samples(12), ledger=ledger)
    assert len(again.requests) == 2
    assert (result.counts["oak"].done, result.counts["oak"].was_done, result.counts["oak"].valid) == (12, 10, 12)
    assert len(contents(ledger, Kind.JUDGEMENT)) == 12


def test_a_reply_without_a_judgement_is_judged_by_the_next_run_without_asking():
    _, full = run_fakes({"oak": FakeProvider()}, make_samples(3))
    from venire.ledger.entry import Draft

    ledger = MemoryLedger()
    kept = (Kind.PROTOCOL, Kind.SAMPLE, Kind.REPLY)
    ledger.append([Draft(entry.kind, entry.content, entry.key, entry.blob) for entry in full.read(kinds=kept)])
    again = FakeProvider()
    result, _ = run_fakes({"oak": again}, make_samples(3), ledger=ledger)
    assert not again.requests
    assert result.counts["oak"].valid == len(contents(ledger, Kind.JUDGEMENT)) == 3


def test_no_more_is_under_way_than_the_judge_may_take():
    is_full = asyncio.Event()

    async def answer(request):
        if len(provider.requests) == 4:  # The first is asked alone, and three more at once.
            is_full.set()
        if len(provider.requests) > 1:
            await asyncio.wait_for(is_full.wait(), 60)
        for _ in range(20):
            await asyncio.sleep(0)
        return good_reply(request)

    provider = FakeProvider(answer)
    judge = make_judge(limits=JudgeLimits(concurrency=3))
    run_fakes({"oak": provider}, make_samples(30), judges=[judge])
    assert provider.most_at_once == 3


def test_the_sequential_mode_never_sends_two_requests_at_once():
    both = FakeProvider()
    result, _ = run_fakes({"oak": both, "elm": both}, make_samples(15), mode="sequential")
    assert both.most_at_once == 1
    assert [counts.done for counts in result.counts.values()] == [15, 15]
    judges = [request.model for request in both.requests]
    assert judges == sorted(judges, reverse=True)


def test_samples_are_read_only_as_they_are_needed():
    taken = 0
    most_ahead = 0
    provider = FakeProvider()

    def samples():
        nonlocal taken, most_ahead
        for sample in make_samples(200):
            taken += 1
            most_ahead = max(most_ahead, taken - len(provider.requests))
            yield sample

    spec = RunSpec(find_protocol("drift-sample"), (make_judge(),), samples, RunnerOptions(reask_share=0))
    with closing(make_plan(spec, StopSignal())) as plan:
        taken = most_ahead = 0
        asyncio.run(run_panel(spec, MemoryLedger(), LocalEngine({"oak": provider}), plan=plan))
    assert taken == 200
    assert most_ahead <= 2 * LEAST_IN_A_BATCH + 5


def test_samples_that_are_done_are_read_no_faster_than_they_are_counted():
    _, ledger = run_fakes({"oak": FakeProvider()}, make_samples(100))
    taken, counted, most_ahead = 0, 0, 0

    def samples():
        nonlocal taken, most_ahead
        for sample in make_samples(100):
            taken += 1
            most_ahead = max(most_ahead, taken - counted)
            yield sample

    def count(event):
        nonlocal counted
        counted += event.was_done

    spec = RunSpec(find_protocol("drift-sample"), (make_judge(),), samples, RunnerOptions(reask_share=0))
    with closing(make_plan(spec, StopSignal())) as plan:
        taken = most_ahead = 0
        asyncio.run(run_panel(spec, ledger, LocalEngine({"oak": FakeProvider()}), plan=plan, on_event=count))
    assert counted == 100
    assert most_ahead <= 2 * LEAST_IN_A_BATCH + 5


def test_a_failing_judge_rests_and_is_given_up_while_the_others_go_on():
    broken, fine = failing(), FakeProvider()
    result, ledger = run_fakes({"oak": broken, "elm": fine}, make_samples(60), attempts=1, stop_judge_after=3)
    oak, elm = result.counts["oak"], result.counts["elm"]
    assert (elm.valid, oak.failed, oak.done) == (60, 60, 0)
    assert len(broken.requests) < 20
    attempts = [entry for entry in contents(ledger, Kind.ATTEMPT) if entry["judge"] == "oak"]
    assert {entry["task"] for entry in attempts if entry["outcome"] == "server"} | {
        entry["task"] for entry in attempts if entry["outcome"] == "not_asked"
    } == {entry["task"] for entry in attempts}
    assert len({entry["task"] for entry in attempts}) == 60
    assert sum(failure.tasks for failure in oak.failures.values()) == 60
    assert any("a pause did not help" in cause for cause in oak.failures)


def test_a_judge_that_comes_back_after_its_rest_goes_on():
    down = 12

    def answer(request):
        nonlocal down
        down -= 1
        return Reply(None, error="HTTP 503", error_kind="server") if down >= 0 else good_reply(request)

    judge = make_judge(limits=JudgeLimits(concurrency=1))
    result, _ = run_fakes(
        {"oak": FakeProvider(answer)}, make_samples(20), judges=[judge], attempts=4, stop_judge_after=3
    )
    assert (result.counts["oak"].failed, result.counts["oak"].valid) == (0, 20)


def test_a_refused_key_gives_the_judge_up_at_once():
    locked = failing("auth", "HTTP 401")
    judge = make_judge(limits=JudgeLimits(concurrency=1))
    result, _ = run_fakes({"oak": locked}, make_samples(10), judges=[judge], attempts=5)
    assert len(locked.requests) == 1
    assert result.counts["oak"].failures == {"HTTP 401": FailureCount("HTTP 401 (1 try)", 10)}


def test_tasks_that_failed_are_asked_again_by_the_next_run():
    _, ledger = run_fakes({"oak": failing()}, make_samples(4), attempts=1)
    result, _ = run_fakes({"oak": FakeProvider()}, make_samples(4), ledger=ledger)
    assert (result.counts["oak"].valid, result.counts["oak"].failed) == (4, 0)


def test_every_try_is_in_the_ledger_with_its_outcome():
    tries = iter([Reply(None, error="HTTP 500", error_kind="server", status=500, body=b"oh"), None])
    provider = FakeProvider(lambda request: next(tries) or good_reply(request))
    result, ledger = run_fakes({"oak": provider}, make_samples(1))
    assert [(entry["attempt"], entry["outcome"]) for entry in contents(ledger, Kind.ATTEMPT)] == [(1, "server")]
    (reply,) = contents(ledger, Kind.REPLY)
    assert (reply["attempt"], reply["leaks"], reply["fence"][:8]) == (2, 0, "===DATA-")
    assert next(ledger.read(kinds=[Kind.ATTEMPT])).blob == b"oh"
    assert result.counts["oak"].calls == 2


def test_a_provider_that_raises_fails_its_task_without_repeating_its_words():
    def answer(request):
        raise RuntimeError("key sk-secret is wrong")

    result, ledger = run_fakes({"oak": FakeProvider(answer), "elm": FakeProvider()}, make_samples(3))
    assert result.counts["elm"].valid == 3
    cause = "the provider failed with RuntimeError"
    assert result.counts["oak"].failures == {cause: FailureCount(f"{cause} (1 try)", 3)}
    assert all(b"secret" not in entry.payload for entry in ledger.read())


@pytest.mark.parametrize(
    "reply",
    [
        Reply("a\ud800b"),
        Reply("{}", input_tokens=10**30, output_tokens=1),
        Reply('{"scores": {"FORMAT_COMPLIANCE": 1e999, "x": "\\ud800", "y": 123456789012345678901234567890}}'),
        Reply("[" * 100_000),
        Reply(""),
    ],
)
def test_no_reply_can_bring_a_run_down(reply):
    result, _ = run_fakes({"oak": FakeProvider(lambda _: reply)}, make_samples(2), attempts=1)
    counts = result.counts["oak"]
    assert counts.invalid + counts.failed == 2


def test_the_share_that_is_asked_twice_is_chosen_by_hash_and_stays_the_same():
    def retested():
        asked = []
        events = []
        result, _ = run_fakes({"oak": FakeProvider()}, make_samples(200), reask_share=0.25, on_event=events.append)
        asked = sorted(event.sample for event in events if event.repeat == "retest-1")
        assert len(asked) == result.counts["oak"].retests
        assert result.counts["oak"].done == 200 + len(asked)
        assert result.counts["oak"].primary == 200
        return asked

    first = retested()
    assert 25 <= len(first) <= 75
    assert retested() == first


def test_a_bigger_share_only_adds_to_a_smaller_one():
    def retested(share):
        events = []
        run_fakes({"oak": FakeProvider()}, make_samples(100), reask_share=share, on_event=events.append)
        return {event.sample for event in events if event.repeat == "retest-1"}

    assert retested(0.0) == set()
    assert retested(0.1) < retested(0.5) < retested(1.0)
    assert len(retested(1.0)) == 100


def test_invalid_replies_are_asked_again_as_often_as_told_and_all_are_kept():
    result, ledger = run_fakes({"oak": invalid_first(1)}, make_samples(5), reask_invalid=2)
    counts = result.counts["oak"]
    assert (counts.invalid, counts.valid, counts.primary, counts.calls) == (5, 5, 5, 10)
    replies = contents(ledger, Kind.REPLY)
    assert Counter((reply["task"]["repeat"], reply["text"] == "no") for reply in replies) == {
        ("0", True): 5,
        ("reask-1", False): 5,
    }


def test_asking_again_ends_when_the_judge_stays_invalid():
    result, _ = run_fakes({"oak": invalid_first(9)}, make_samples(2), reask_invalid=3)
    assert (result.counts["oak"].invalid, result.counts["oak"].calls) == (8, 8)


def test_invalid_replies_are_not_asked_again_unless_told():
    result, _ = run_fakes({"oak": invalid_first(1)}, make_samples(5))
    assert (result.counts["oak"].invalid, result.counts["oak"].calls) == (5, 5)


@pytest.mark.parametrize(
    ("budget", "spent"),
    [
        (Budget(calls=7), lambda result: result.spent.calls),
        (Budget(tokens=6000), lambda result: result.spent.tokens),
        (Budget(money=0.6), lambda result: result.spent.money),
    ],
)
def test_a_budget_stops_the_run_is_never_exceeded_and_the_next_run_goes_on(budget, spent):
    price = Price(input_per_million=100.0, output_per_million=100.0)
    judges = [make_judge("oak", price=price), make_judge("elm", price=price)]

    def costly(request):
        return msgspec.structs.replace(good_reply(request), input_tokens=600, output_tokens=100)

    ledger = MemoryLedger()
    asked = []
    for _ in range(40):
        providers = {"oak": FakeProvider(costly), "elm": FakeProvider(costly)}
        result, _ = run_fakes(providers, make_samples(10), judges=judges, ledger=ledger, budget=budget)
        limit = next(value for value in (budget.calls, budget.tokens, budget.money) if value is not None)
        assert spent(result) <= limit
        asked += [request.task_id for provider in providers.values() for request in provider.requests]
        if not result.stopped:
            break
        assert "the budget of" in result.stopped
        assert result.spent.calls > 0
    assert result.stopped == ""
    assert len(asked) == len(set(asked)) == 20


def test_a_server_that_tells_no_tokens_spends_the_budget_all_the_same():
    def silent(request):
        return msgspec.structs.replace(good_reply(request), input_tokens=None, output_tokens=None)

    result, _ = run_fakes({"oak": FakeProvider(silent)}, make_samples(50), budget=Budget(tokens=5000))
    assert "tokens is reached" in result.stopped
    assert result.spent.tokens <= 5000
    assert 1 <= result.counts["oak"].done < 10


def test_what_was_answered_before_the_budget_ended_is_counted_when_asking_again_is_not_possible():
    result, ledger = run_fakes({"oak": invalid_first(9)}, make_samples(1), reask_invalid=5, budget=Budget(calls=2))
    assert (result.counts["oak"].invalid, result.counts["oak"].calls, result.spent.calls) == (2, 2, 2)
    assert len(contents(ledger, Kind.REPLY)) == 2


def test_judges_of_the_targets_family_are_marked_and_kept_out_of_primary_numbers():
    judges = [
        make_judge("first", model="deepseek-chat", family="deepseek"),
        make_judge("second", model="deepseek-reasoner", family="deepseek"),
        make_judge("third", model="glm-4.7", family="glm"),
    ]
    others = [msgspec.structs.replace(each, output_id=f"other-{each.output_id}") for each in make_samples(3)]
    samples = [*make_samples(4, "DeepSeek-V3"), *others]
    result, ledger = run_fakes({judge.name: FakeProvider() for judge in judges}, samples, judges=judges)
    numbers = {name: (counts.valid, counts.self_judged, counts.primary) for name, counts in result.counts.items()}
    assert numbers == {"first": (7, 4, 3), "second": (7, 4, 3), "third": (7, 0, 7)}
    marked = Counter(
        (entry["task"]["judge"], entry["judgement"]["method"]) for entry in contents(ledger, Kind.JUDGEMENT)
    )
    assert marked["first", Method.SELF_JUDGE.value] == marked["second", Method.SELF_JUDGE.value] == 4
    assert marked["third", Method.SELF_JUDGE.value] == 0


def test_a_family_that_is_named_later_gives_new_judgements_of_the_same_replies():
    samples = make_samples(2, "deepseek-v3")
    _, ledger = run_fakes({"oak": FakeProvider()}, samples, judges=[make_judge()])
    again = FakeProvider()
    result, _ = run_fakes({"oak": again}, samples, judges=[make_judge(family="deepseek")], ledger=ledger)
    assert not again.requests
    assert result.counts["oak"].self_judged == 2
    methods = [entry["judgement"]["method"] for entry in contents(ledger, Kind.JUDGEMENT)]
    assert methods == ["cross_judge"] * 2 + ["self_judge"] * 2


def test_another_model_than_asked_is_a_note_and_the_judgement_stands():
    other = FakeProvider(lambda request: msgspec.structs.replace(good_reply(request), model="maple-small"))
    result, ledger = run_fakes({"oak": other}, make_samples(1))
    findings = contents(ledger, Kind.JUDGEMENT)[0]["judgement"]["findings"]
    assert [(finding["rule"], finding["severity"], finding["found"]) for finding in findings] == [
        ("judge.other-model", "note", "maple-small")
    ]
    assert result.counts["oak"].valid == 1


def test_an_error_that_ends_the_run_is_raised_as_itself():
    def samples():
        yield from make_samples(2)
        raise InputError("the disk is gone")

    judges = (make_judge("oak"), make_judge("elm"))
    spec = RunSpec(find_protocol("drift-sample"), judges, samples, RunnerOptions())
    with pytest.raises(InputError, match="the disk is gone"):
        asyncio.run(run_panel(spec, MemoryLedger(), LocalEngine({"oak": FakeProvider(), "elm": FakeProvider()})))


def test_the_run_opens_with_everything_that_it_depends_on_and_closes_with_its_counts():
    judge = make_judge(options={"api_key_env": "OAK_KEY"})
    _, ledger = run_fakes({"oak": FakeProvider()}, make_samples(1), judges=[judge], seed=7)
    opened, closed = contents(ledger, Kind.RUN_OPENED)[0], contents(ledger, Kind.RUN_CLOSED)[0]
    assert opened["judges"][0]["digest"] == judge.digest
    assert opened["judges"][0]["decoding"] == {"max_tokens": 100}
    assert opened["judges"][0]["tools"] is False
    assert (opened["runner"]["seed"], opened["protocol"]) == (7, find_protocol("drift-sample").digest)
    assert set(opened["software"]) == {"venire", "python"}
    assert len(opened["templates"]) == 1
    assert (closed["stopped"], closed["counts"]["oak"]["valid"], closed["spent"]["calls"]) == ("", 1, 1)


def test_events_tell_of_every_task_and_of_the_end():
    events = []
    run_fakes(
        {"oak": FakeProvider(), "elm": failing("bad_request", "HTTP 400")}, make_samples(2), on_event=events.append
    )
    kinds = Counter(event.event for event in events)
    assert kinds == {"run_opened": 1, "answered": 2, "failed": 2, "run_closed": 1}
    failed = next(event for event in events if event.event == "failed")
    assert (failed.judge, failed.reason) == ("elm", "HTTP 400 (1 try)")


def test_reasons_beyond_the_first_many_are_counted_together():
    numbers = iter(range(1000))
    result, _ = run_fakes(
        {"oak": FakeProvider(lambda _: Reply(None, error=f"E{next(numbers)}", error_kind="bad_request"))},
        make_samples(80),
        stop_judge_after=1000,
    )
    failures = result.counts["oak"].failures
    assert sum(failure.tasks for failure in failures.values()) == 80
    assert len(failures) == 51


def test_one_commit_that_fails_ends_the_run_and_little_more_is_paid_for():
    class FailingOnce(MemoryLedger):
        failed = False

        def append(self, drafts):
            if not self.failed and len(list(self.read(kinds=[Kind.REPLY]))) >= 5:
                self.failed = True
                raise LedgerError("the disk was full")
            return super().append(drafts)

    judge = make_judge(limits=JudgeLimits(concurrency=8))
    provider = FakeProvider()
    with pytest.raises(LedgerError, match="the disk was full"):
        run_fakes({"oak": provider}, make_samples(100), judges=[judge], ledger=FailingOnce())
    assert len(provider.requests) < 60


def test_a_listener_that_raises_ends_the_run():
    def listen(event):
        if event.event == "answered":
            raise OSError("the pipe is broken")

    providers = {"oak": FakeProvider(), "elm": FakeProvider()}
    with pytest.raises(OSError, match="pipe"):
        run_fakes(providers, make_samples(200), on_event=listen)
    assert len(providers["elm"].requests) < 50


def test_a_second_asking_for_consistency_is_not_asked_again_when_it_is_invalid():
    result, ledger = run_fakes({"oak": invalid_first(99)}, make_samples(2), reask_share=1, reask_invalid=1)
    repeats = Counter(reply["task"]["repeat"] for reply in contents(ledger, Kind.REPLY))
    assert repeats == {"0": 2, "reask-1": 2, "retest-1": 2}
    assert result.counts["oak"].calls == 6


def nonsense(_):
    return Reply("I would rather not say.", b"I would rather not say.", 200)


class SlowLedger(MemoryLedger):
    """A ledger whose disk takes its time."""

    def stage(self, drafts):
        commit = super().stage(drafts)

        def slowly():
            time.sleep(0.02)
            return commit()

        return slowly


@pytest.mark.parametrize("ledger", [MemoryLedger, SlowLedger])
def test_a_judge_whose_replies_are_nearly_all_invalid_is_paused_while_the_others_go_on(ledger):
    events = []
    providers = {"oak": FakeProvider(nonsense), "elm": FakeProvider()}
    result, _ = run_fakes(providers, make_samples(200), on_event=events.append, ledger=ledger())
    oak, elm, places = result.counts["oak"], result.counts["elm"], JudgeLimits().concurrency
    assert (elm.valid, oak.failed) == (200, 0)
    # Each of the others who work for the judge has one more task in hand, however long commits take.
    assert FIRST_REPLIES <= oak.invalid < FIRST_REPLIES + places + spare_places(places)
    counted = re.match(r"judge oak was paused: (\d+) of (\d+) ", result.stopped)
    assert counted
    assert FIRST_REPLIES <= int(counted[1]) == int(counted[2]) <= oak.invalid
    (paused,) = [event for event in events if event.event == "paused"]
    assert paused.judge == "oak"
    assert events[-1].reason == result.stopped


def test_a_paused_judge_goes_on_in_the_next_run_with_what_is_left():
    result, ledger = run_fakes({"oak": FakeProvider(nonsense)}, make_samples(60))
    asked = result.counts["oak"].done
    result, _ = run_fakes({"oak": FakeProvider()}, make_samples(60), ledger=ledger)
    oak = result.counts["oak"]
    assert (result.stopped, oak.done, oak.was_done, oak.invalid, oak.valid) == ("", 60, asked, asked, 60 - asked)


def test_a_judge_is_not_paused_if_told_so_or_while_half_of_its_replies_may_be_valid():
    result, _ = run_fakes({"oak": FakeProvider(nonsense)}, make_samples(60), pause_invalid=False)
    assert (result.stopped, result.counts["oak"].invalid) == ("", 60)
    turns = Counter()

    def every_third(request):
        turns["asked"] += 1
        return good_reply(request) if turns["asked"] % 3 == 0 else nonsense(request)

    result, _ = run_fakes({"oak": FakeProvider(every_third)}, make_samples(24))
    assert (result.stopped, result.counts["oak"].invalid) == ("", 16)


def test_a_run_that_asked_everything_is_not_called_paused():
    result, _ = run_fakes({"oak": FakeProvider(nonsense)}, make_samples(20))
    assert (result.stopped, result.counts["oak"].invalid) == ("", 20)


def test_broken_rules_are_counted_by_reply_with_the_first_place_as_an_example():
    result, ledger = run_fakes({"oak": FakeProvider(nonsense)}, make_samples(3))
    broken = result.counts["oak"].broken
    assert {name: each.replies for name, each in broken.items()} == dict.fromkeys(broken, 3)
    assert next(iter(broken.values())).sample == "s0"
    assert contents(ledger, Kind.RUN_CLOSED)[0]["counts"]["oak"]["broken"] == msgspec.to_builtins(
        broken, enc_hook=as_text
    )


def test_why_a_run_stopped_and_why_tasks_failed_can_be_said_in_another_language():
    def refuse(request):
        return Reply(None)

    result, ledger = run_fakes({"oak": FakeProvider(refuse)}, make_samples(3), budget=Budget(calls=1))
    chinese = Words("zh")
    assert chinese.of(result.stopped) == "已达预算上限 1（请求数），已用 1"
    (failure,) = result.counts["oak"].failures.values()
    assert chinese.of(failure.reason) == "提供方既没有返回文本，也没有返回错误（尝试 1 次）"
    (closed,) = contents(ledger, Kind.RUN_CLOSED)
    assert closed["stopped"] == "the budget of 1 calls is reached: 1 spent"
    cause = "the provider gave neither a text nor an error"
    assert closed["counts"]["oak"]["failures"] == {cause: {"reason": f"{cause} (1 try)", "tasks": 1}}
