"""`venire judge` and `venire plan` from the command line: exit codes, tables, events, and going on."""

import asyncio
import json
import re
import subprocess
import sys

import pytest

from experiment import (
    QUICK,
    contents,
    make_samples,
    reading,
    served_judge,
    serving,
    settings_for,
    venire,
    write_config,
    write_samples,
)
from valid_replies import as_json, quality_reply
from venire.domain.sample import Sample
from venire.ledger.entry import Kind


@pytest.fixture
def server():
    with serving() as running:
        yield running


@pytest.fixture(autouse=True)
def width(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


def test_a_run_judges_all_ends_with_a_table_and_asks_nothing_again(tmp_path, server, capsys):
    write_samples(tmp_path, make_samples(5))
    config = write_config(tmp_path, {"oak": served_judge(server.base_url)})
    assert venire("judge", config) == 0
    shown = capsys.readouterr()
    assert shown.out.splitlines()[1].split() == ["judge", "judged", "valid", "primary", "calls"]
    assert shown.out.splitlines()[2].split() == ["oak", "5", "5", "5", "5"]
    assert f"ledger {tmp_path / 'ledger.sqlite'}" in shown.out
    assert venire("judge", config) == 0
    assert server.count == 5
    assert "5 of these were in the ledger already" in capsys.readouterr().out


def test_plan_and_judge_speak_the_language_of_the_configuration_or_the_one_asked_for(tmp_path, server, capsys):
    write_samples(tmp_path, make_samples(2))
    config = write_config(tmp_path, {"oak": served_judge(server.base_url)}, language="zh")
    assert venire("plan", config) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].startswith("各列的读法：output_id 取自 'output_id'")
    table = next(number for number, line in enumerate(shown) if line.strip() == "计划（drift-sample）")
    assert shown[table + 1].split()[:3] == ["评审", "权重", "任务"]
    assert any(line.startswith("待请求 2 个任务，费用未知：oak 没有设置") for line in shown[table:])
    assert venire("judge", config) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[1].split() == ["评审", "已评", "有效", "主统计", "请求"]
    assert shown[2].split() == ["oak", "2", "2", "2", "2"]
    assert shown[-1] == f"账本 {tmp_path / 'ledger.sqlite'}"
    assert venire("judge", config, "--lang", "en") == 0
    assert capsys.readouterr().out.startswith("Panel under drift-sample")


def test_a_budget_that_is_reached_is_told_in_chinese(tmp_path, server, capsys):
    write_samples(tmp_path, make_samples(3))
    runner = {**QUICK, "budget": {"calls": 1}}
    config = write_config(tmp_path, {"oak": served_judge(server.base_url)}, runner=runner)
    assert venire("judge", config, "--lang", "zh") == 3
    assert "已停止：已达预算上限 1（请求数），已用 1。再次运行同一条命令即可断点续跑。" in capsys.readouterr().err


def test_headings_are_whole_at_eighty_columns_even_if_everything_happens(tmp_path, capsys):
    faults = [{"fault": "fenced"}, {"fault": "status", "status": 400}]
    with serving(faults) as server:
        write_samples(tmp_path, make_samples(12, "oak-small"))
        keys = {"family": "oak", "price": {"input_per_million": 3, "output_per_million": 15}}
        judges = {"a_judge_with_a_name": served_judge(server.base_url, **keys), "elm": served_judge(server.base_url)}
        config = write_config(tmp_path, judges, runner={**QUICK, "reask_share": 0.5})
        assert venire("judge", config) == 1
    shown = capsys.readouterr().out
    heading = shown.splitlines()[1]
    columns = ["judge", "judged", "valid", "invalid", "failed", "primary", "retests", "self", "calls", "cost"]
    assert heading.split() == columns
    assert max(map(len, shown.splitlines()[:4])) <= 80
    assert "1 task failed: HTTP 400: as the script says (1 try)" in shown
    assert "left out of the primary statistics" in shown


def test_bad_rows_are_told_once_the_rest_is_judged_and_the_exit_code_says_so(tmp_path, server, capsys):
    path = write_samples(tmp_path, make_samples(4))
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:2], "{broken", lines[0], *lines[2:]]) + "\n")
    judges = {name: served_judge(server.base_url, model=name) for name in ("oak", "elm")}
    assert venire("judge", write_config(tmp_path, judges)) == 1
    shown = capsys.readouterr()
    assert shown.err.count("warning:") == 2
    assert f"{path}:3" in shown.err
    assert shown.err.count("was already used") == 1
    assert server.count == 8


def test_a_clean_source_after_a_bad_one_gives_exit_code_zero(tmp_path, server):
    path = write_samples(tmp_path, make_samples(2))
    good = path.read_text()
    path.write_text(good + "{broken\n")
    config = write_config(tmp_path, {"oak": served_judge(server.base_url)})
    assert venire("judge", config) == 1
    path.write_text(good)
    assert venire("judge", config) == 0


@pytest.mark.parametrize("judges", [1, 2])
def test_missing_samples_are_an_error_and_nothing_is_asked(tmp_path, server, judges, capsys):
    panel = {f"j{number}": served_judge(server.base_url) for number in range(judges)}
    config = write_config(tmp_path, panel, samples="none.jsonl")
    assert venire("judge", config, "--quiet") == 2
    assert f"{config}:2: {tmp_path / 'none.jsonl'}: there is no such file" in capsys.readouterr().err
    assert server.count == 0


def test_samples_without_a_category_are_told_and_not_paid_for(tmp_path, server, capsys):
    write_samples(tmp_path, make_samples(3))
    config = write_config(tmp_path, {"oak": served_judge(server.base_url)}, protocol="quality")
    assert venire("judge", config) == 2
    assert server.count == 0
    assert not (tmp_path / "ledger.sqlite").exists()
    assert "sample 's0' has no category" in capsys.readouterr().err


def test_every_event_goes_to_a_file_of_json_lines(tmp_path, server):
    write_samples(tmp_path, make_samples(3))
    config = write_config(tmp_path, {"oak": served_judge(server.base_url)})
    events = tmp_path / "events.jsonl"
    assert venire("judge", config, "--events", events, "--quiet") == 0
    told = [json.loads(line) for line in events.read_text().splitlines()]
    assert [event["event"] for event in told] == ["run_opened", "answered", "answered", "answered", "run_closed"]
    assert {event["sample"] for event in told[1:4]} == {"s0", "s1", "s2"}
    assert {event["status"] for event in told[1:4]} == {"valid"}
    assert told[-1]["details"]["oak"]["valid"] == 3
    assert venire("judge", config, "--events", events, "--quiet") == 0
    assert len(events.read_text().splitlines()) == 10


@pytest.mark.parametrize(
    ("budget", "name"), [({"calls": 3}, "calls"), ({"tokens": 4000}, "tokens"), ({"money": 0.004}, "money")]
)
def test_a_budget_stops_with_exit_code_three_and_the_next_run_goes_on(tmp_path, server, capsys, budget, name):
    write_samples(tmp_path, make_samples(5))
    price = {"input_per_million": 1.0, "output_per_million": 1.0}
    judge = served_judge(server.base_url, price=price, max_tokens=500)
    config = write_config(tmp_path, {"oak": judge}, runner={**QUICK, "budget": budget})
    codes = []
    while not codes or codes[-1] == 3:
        before = server.count
        codes.append(venire("judge", config, "--quiet"))
        assert server.count > before
        shown = capsys.readouterr()
        if codes[-1] == 3:
            assert f" {name} is reached" in shown.err
            assert "Run the same command again" in shown.err
    assert len(codes) > 1
    assert codes[-1] == 0
    assert server.count == 5
    with reading(tmp_path / "ledger.sqlite") as ledger:
        limit = budget[name]
        assert all(closed["spent"][name] <= limit for closed in contents(ledger, Kind.RUN_CLOSED))


def test_a_second_process_on_the_same_ledger_gets_a_clear_error(tmp_path, server, capsys):
    from venire.ledger.sqlite.ledger import SqliteLedger

    write_samples(tmp_path, make_samples(1))
    config = write_config(tmp_path, {"oak": served_judge(server.base_url)})
    other = SqliteLedger(tmp_path / "ledger.sqlite")
    try:
        assert venire("judge", config) == 2
    finally:
        other.close()
    assert "is writing to this ledger" in capsys.readouterr().err
    assert server.count == 0


HOLDER = (
    "import sys, pathlib, time\n"
    "from venire.ledger.sqlite.ledger import SqliteLedger\n"
    "ledger = SqliteLedger(pathlib.Path(sys.argv[1]))\n"
    "print('open', flush=True)\n"
    "sys.stdin.read()\n"
)


def test_a_ledger_that_another_process_writes_to_is_waited_for_with_a_message(tmp_path, server, monkeypatch, capsys):
    import venire.cli.terminal.running as running

    write_samples(tmp_path, make_samples(2))
    config = write_config(tmp_path, {"oak": served_judge(server.base_url)})
    command = [sys.executable, "-c", HOLDER, str(tmp_path / "ledger.sqlite")]
    told = running.echo

    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"open\n"

        def echo(text, **options):
            told(text, **options)
            other.stdin.close()  # The other one ends once it was said that it is waited for.

        monkeypatch.setattr(running, "echo", echo)
        assert venire("judge", config) == 0
    shown = capsys.readouterr()
    assert f"waits, for up to ten minutes: the ledger {tmp_path}" in " ".join(shown.err.split())
    assert f"another process (pid {other.pid}) is writing to this ledger" in " ".join(shown.err.split())
    assert shown.out.splitlines()[2].split()[:3] == ["oak", "2", "2"]


def test_a_run_that_is_stopped_while_it_waits_for_a_ledger_asks_nothing(tmp_path, server):
    from venire.runner.stop import StopSignal
    from venire.workflows.judge import judge

    settings = settings_for(tmp_path, {"oak": served_judge(server.base_url)}, make_samples(2))
    command = [sys.executable, "-c", HOLDER, str(tmp_path / "ledger.sqlite")]
    stop, events = StopSignal(), []

    def hear(event):
        events.append(event.event)
        stop.request("enough")

    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"open\n"
        result = asyncio.run(judge(settings, stop=stop, on_event=hear))
    assert (events, result.stopped, server.count) == (["waiting"], "enough", 0)


def test_a_ledger_below_a_file_is_told_with_what_to_do(tmp_path, capsys):
    write_samples(tmp_path, make_samples(1))
    rules = {"type": "rules", "rules": {"dimensions": {"*": [{"check": "length", "minimum": 1}]}}}
    config = write_config(tmp_path, {"oak": rules}, ledger="outputs.jsonl/ledger.sqlite")
    assert venire("judge", config) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert f"{config}:3: the ledger {tmp_path / 'outputs.jsonl/ledger.sqlite'}: the folder" in told
    assert "outputs.jsonl cannot be made" in told
    assert "Name another place under `ledger:`" in told


def test_weights_are_rescaled_and_it_is_said(tmp_path, server, capsys):
    write_samples(tmp_path, make_samples(1))
    judges = {name: served_judge(server.base_url, weight=3) for name in ("oak", "elm")}
    config = write_config(tmp_path, judges)
    assert venire("judge", config) == 2
    assert "sum to 6" in capsys.readouterr().err
    assert venire("judge", config, "--renormalise") == 0
    assert "weights rescaled to sum to 1: oak 0.5, elm 0.5" in capsys.readouterr().err


def test_the_plan_counts_what_is_open_and_asks_nothing(tmp_path, server, capsys):
    path = write_samples(tmp_path, make_samples(6, "oak-large"))
    price = {"input_per_million": 1.0, "output_per_million": 2.0}
    config = write_config(tmp_path, {"oak": served_judge(server.base_url, price=price)})
    assert venire("plan", config) == 0
    shown = capsys.readouterr().out
    assert "6 tasks to ask" in shown
    assert any("self" in line for line in shown.splitlines() if line.startswith("judge"))
    assert server.count == 0
    assert venire("judge", config, "--quiet") == 0
    write_samples(tmp_path, make_samples(8, "oak-large"))
    with path.open("a") as file:
        file.write("{broken\n")
    capsys.readouterr()
    assert venire("plan", config) == 1
    shown = capsys.readouterr()
    assert "2 tasks to ask" in shown.out
    assert shown.err.count("warning:") == 1
    lines = shown.out.splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith("judge "))
    heading, row = lines[place : place + 2]
    cells = dict(zip(heading.replace("tokens ", "").split(), row.split(), strict=True))
    assert (cells["tasks"], cells["done"], cells["open"]) == ("8", "6", "2")


def test_the_plan_counts_what_asking_again_after_invalid_replies_may_cost(tmp_path, capsys):
    price = {"input_per_million": 0.0, "output_per_million": 1.0}
    runner = {**QUICK, "reask_invalid": 2}
    with serving([{"fault": "none"}, {"fault": "fenced"}, {"fault": "fenced"}, {"fault": "fenced"}]) as server:
        oak = served_judge(server.base_url, price=price, max_tokens=1_000_000, limits={"concurrency": 1})
        write_samples(tmp_path, make_samples(2))
        config = write_config(tmp_path, {"oak": oak}, runner=runner)
        assert venire("plan", config) == 0
        assert "2 tasks to ask and at most 4 again after invalid replies, at most 6 in" in capsys.readouterr().out
        assert venire("judge", write_config(tmp_path, {"oak": oak}), "--quiet") == 1
        capsys.readouterr()
        # The first sample has a valid reply; the second an invalid one, after which nothing was asked again.
        assert venire("plan", write_config(tmp_path, {"oak": oak}, runner=runner)) == 0
        assert "0 tasks to ask and at most 2 again after invalid replies, at most 2 in" in capsys.readouterr().out
        assert venire("judge", config, "--quiet") == 1
        assert server.count == 4
        capsys.readouterr()
        assert venire("plan", config) == 0
        assert "0 tasks to ask, at most 0 in" in capsys.readouterr().out


def test_the_archive_of_a_run_is_verified_by_check(tmp_path, capsys):
    with serving([{"fault": "none"}, {"fault": "fenced"}, {"fault": "wrong_model"}]) as server:
        write_samples(tmp_path, make_samples(4))
        config = write_config(tmp_path, {"oak": served_judge(server.base_url, limits={"concurrency": 1})})
        archive = tmp_path / "archive"
        assert venire("judge", config, "--archive", archive) == 1
    assert "archive" in capsys.readouterr().out
    assert len(list((archive / "valid_evaluations").glob("*.reply"))) == 3
    assert len(list((archive / "invalid_evaluations").glob("*.reply"))) == 1
    assert venire("check", archive, "--sources", tmp_path / "outputs.jsonl") == 0


def test_an_archive_is_not_written_where_a_file_is(tmp_path, server, capsys):
    write_samples(tmp_path, make_samples(1))
    assert venire("judge", write_config(tmp_path, {"oak": served_judge(server.base_url)})) == 0
    assert venire("export", tmp_path / "ledger.sqlite", tmp_path / "outputs.jsonl") == 2
    assert "outputs.jsonl: expected a new or empty folder, found a file" in capsys.readouterr().err


def test_the_archive_of_a_run_whose_first_reply_is_a_refusal_is_verified_too(tmp_path):
    with serving([{"fault": "refusal"}]) as server:
        write_samples(tmp_path, make_samples(2))
        oak = served_judge(server.base_url, limits={"concurrency": 1})
        assert venire("judge", write_config(tmp_path, {"oak": oak}), "--archive", tmp_path / "archive") == 1
    assert venire("check", tmp_path / "archive", "--sources", tmp_path / "outputs.jsonl") == 0


def test_the_archive_of_a_run_with_a_configured_category_is_verified_too(tmp_path, capsys):
    write_samples(tmp_path, make_samples(2))
    samples = {"path": "outputs.jsonl", "category": "qa_simple"}
    with serving(reply_for=lambda _: as_json(quality_reply()).decode()) as server:
        config = write_config(tmp_path, {"oak": served_judge(server.base_url)}, protocol="quality", samples=samples)
        assert venire("judge", config, "--archive", tmp_path / "archive") == 0
    capsys.readouterr()
    assert venire("check", tmp_path / "archive", "--sources", tmp_path / "outputs.jsonl") == 0
    assert "2 judged again" in capsys.readouterr().out


def test_a_task_that_was_judged_twice_is_exported_once(tmp_path, server):
    write_samples(tmp_path, make_samples(3))
    judges = {"oak": served_judge(server.base_url)}
    assert venire("judge", write_config(tmp_path, judges), "--quiet") == 0
    assert venire("judge", write_config(tmp_path, judges, profile="seed"), "--quiet") == 0
    with reading(tmp_path / "ledger.sqlite") as ledger:
        assert len(contents(ledger, Kind.JUDGEMENT)) == 6
    assert venire("export", tmp_path / "ledger.sqlite", tmp_path / "out") == 0
    assert len(list((tmp_path / "out").rglob("*.reply"))) == 3
    assert venire("audit", tmp_path / "ledger.sqlite") == 0


def test_a_run_in_memory_is_possible(tmp_path, server):
    write_samples(tmp_path, make_samples(2))
    config = write_config(tmp_path, {"oak": served_judge(server.base_url)}, ledger="memory:")
    assert venire("judge", config, "--quiet") == 0
    assert [file.name for file in sorted(tmp_path.iterdir())] == ["outputs.jsonl", "venire.yaml"]


def test_events_that_cannot_be_written_are_an_error_before_anything_is_asked(tmp_path, server, capsys):
    write_samples(tmp_path, make_samples(1))
    config = write_config(tmp_path, {"oak": served_judge(server.base_url)})
    assert venire("judge", config, "--events", tmp_path / "none" / "events.jsonl") == 2
    assert "events cannot be written" in capsys.readouterr().err
    assert server.count == 0


def test_overall_scores_that_do_not_follow_from_the_criteria_are_counted_for_each_judge(tmp_path, capsys):
    write_samples(tmp_path, make_samples(3))
    right, wrong = quality_reply(), {**quality_reply(), "overall_score": 3.35}
    replies = {
        "oak": {f"s{n}": as_json(right).decode() for n in range(3)},
        "elm": {"s0": as_json(right).decode(), **{f"s{n}": as_json(wrong).decode() for n in (1, 2)}},
    }
    judges = {name: {"type": "replay", "options": {"replies": given}} for name, given in replies.items()}
    samples = {"path": "outputs.jsonl", "category": "qa_simple"}
    config = write_config(tmp_path, judges, protocol="quality", samples=samples)
    assert venire("judge", config) == 0
    shown = capsys.readouterr().out
    assert "elm: in 2 of 3 judgements the stated overall score does not follow from the criteria" in shown
    assert "oak: in" not in shown
    assert venire("judge", config, "--lang", "zh") == 0
    assert "elm：3 条评判中有 2 条所写的总分与各维度分数不符" in capsys.readouterr().out


def test_a_paused_judge_is_told_with_the_rule_an_example_and_how_to_go_on(tmp_path, capsys):
    write_samples(tmp_path, make_samples(60))
    with serving(reply_for=lambda _: '{"scores": {}}') as server:
        config = write_config(tmp_path, {"oak": served_judge(server.base_url)})
        assert venire("judge", config, "--quiet") == 3
        told = capsys.readouterr()
        assert 20 <= server.count < 60
        assert "oak is paused: 2" in told.err
        assert re.search(r"Most often judge\.no-scores at /scores: expected .+, found .+ \(sample s\d+\)", told.err)
        assert "--keep-going" in told.err
        assert re.search(r"oak: \d+ replies are invalid by judge\.no-scores at /scores: expected", told.out)
        assert f"venire export {tmp_path / 'ledger.sqlite'} FOLDER" in told.out
        assert venire("judge", config, "--quiet", "--keep-going") == 1
        assert server.count == 60
        assert venire("judge", config, "--quiet", "--lang", "zh") == 1
    assert re.search(r"oak：60 条无效，judge\.no-scores", capsys.readouterr().out)


def test_the_plan_names_judges_without_a_price_instead_of_calling_them_free(tmp_path, server, capsys):
    write_samples(tmp_path, make_samples(3))
    priced = served_judge(server.base_url, price={"input_per_million": 1000, "output_per_million": 0})
    free = served_judge(server.base_url, price={"input_per_million": 0, "output_per_million": 0})
    rules = {"type": "rules", "rules": {"dimensions": {"*": [{"check": "length", "minimum": 3}]}}}
    assert venire("plan", write_config(tmp_path, {"oak": served_judge(server.base_url)})) == 0
    assert "cost not known: no `price:` is set for oak" in capsys.readouterr().out
    assert venire("plan", write_config(tmp_path, {"oak": served_judge(server.base_url), "elm": priced})) == 0
    assert re.search(r"at most \d\S* in .+; cost not known for oak", capsys.readouterr().out)
    assert venire("plan", write_config(tmp_path, {"oak": free, "length": rules})) == 0
    assert "at no cost" in capsys.readouterr().out


def test_a_wrong_column_or_encoding_is_one_error_and_nothing_is_asked_or_made(tmp_path, server, capsys):
    config = write_config(tmp_path, {"oak": served_judge(server.base_url)}, samples="table.csv")
    table = tmp_path / "table.csv"
    rows = "".join(f"这是第{number}个很好的回答\n" for number in range(30))
    for data in (b"answer,nr\n" + b"good,1\n" * 30, f"text\n{rows}".encode("gb18030")):
        table.write_bytes(data)
        assert venire("judge", config, "--quiet") == 2
        error = capsys.readouterr().err
        assert error.count("error:") == 1
        assert "warning" not in error
        assert "--id-from-row" in error or "`encoding: gb18030`" in error
    assert server.count == 0
    assert not (tmp_path / "ledger.sqlite").exists()

    samples = {"path": "table.csv", "encoding": "gb18030"}
    config = write_config(tmp_path, {"oak": served_judge(server.base_url)}, samples=samples)
    assert venire("judge", config, "--quiet", "--id-from-row") == 0
    assert server.count == 30


def crossed(*without):
    return [
        Sample(f"{question}-{variant}-{model}", f"Output to {question}.", question, variant, model)
        for question in ("q1", "q2")
        for variant in ("base", "long")
        for model in ("alder-1", "birch-2")
        if (question, variant, model) not in without
    ]


def test_plan_judge_and_report_name_combinations_without_a_sample(tmp_path, server, capsys):
    write_samples(tmp_path, crossed(("q2", "long", "birch-2")))
    config = write_config(tmp_path, {"oak": served_judge(server.base_url)})
    for command in ("plan", "judge", "report"):
        assert venire(command, config) == 0
        shown = " ".join(capsys.readouterr().out.split())
        assert "1 combination of question, variant and model has no sample: q2 · long · birch-2." in shown


def test_nothing_is_missing_from_samples_that_are_crossed_or_were_not_meant_to_be(tmp_path, server, capsys):
    config = write_config(tmp_path, {"oak": served_judge(server.base_url)})
    apart = [Sample(f"s{n}", f"Output {n}.", f"q{n}", "base", f"m{n}") for n in range(4)]
    for samples in (crossed(), apart):
        write_samples(tmp_path, samples)
        assert venire("plan", config) == 0
        assert "without a sample" not in capsys.readouterr().out


def test_the_plan_lists_its_samples_on_request(tmp_path, server, capsys):
    write_samples(tmp_path, crossed())
    config = write_config(tmp_path, {"oak": served_judge(server.base_url)})
    assert venire("plan", config) == 0
    assert "q1-base-alder-1\tq1" not in capsys.readouterr().out
    assert venire("plan", config, "--samples") == 0
    listed = capsys.readouterr().out.splitlines()[-8:]
    assert listed[0] == "q1-base-alder-1\tq1\tbase\talder-1"
    assert [line.split("\t")[0] for line in listed] == [sample.output_id for sample in crossed()]
