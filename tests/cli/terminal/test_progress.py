"""What a run shows while it is under way: plain lines in a log, a table at a terminal."""

import io
import os
import pty
import re
import subprocess

from rich.console import Console

from experiment import make_samples, served_judge, serving, start_venire, write_config, write_samples
from venire.cli.terminal.progress import LiveTable, PlainLines, Tallies, Tally
from venire.reports.words import ReportWords
from venire.runner.events import Event


def answered(judge="oak", status="valid", **keys):
    return Event("answered", judge=judge, status=status, calls=1, cost=0.25, **keys)


def opened(**planned):
    return Event("run_opened", details={"planned": planned})


def test_plain_lines_come_every_few_seconds_with_counts_rate_cost_and_what_is_left(capsys):
    lines = PlainLines(ReportWords("en"), Tallies({name: Tally() for name in ("oak", "elm")}))
    lines.update(opened(oak=10, elm=12), 0.0)
    for _ in range(3):
        lines.update(answered(), 1.0)
    lines.update(answered(status="invalid"), 4.9)
    assert capsys.readouterr().err == ""
    lines.update(Event("failed", judge="oak", calls=5), 10.0)
    shown = capsys.readouterr().err.splitlines()
    assert shown == [
        "10 s oak: 4/10 judged, 3 valid, 1 invalid, 1 failed, 0.9 calls/s, 1 cost, 10 s left",
        "10 s elm: 0/12 judged, 0 valid, 0 invalid, 0 failed, 0.0 calls/s, 0 cost",
    ]
    lines.update(answered(), 11.0)
    assert capsys.readouterr().err == ""


def test_plain_lines_come_in_chinese_too(capsys):
    lines = PlainLines(ReportWords("zh"), Tallies({"oak": Tally()}))
    lines.update(opened(oak=10), 0.0)
    lines.update(answered(), 5.0)
    assert capsys.readouterr().err == "5 s oak：已评 1/10，有效 1，无效 0，失败 0，请求／秒 0.2，费用 0.25，剩余 45 s\n"


def test_nothing_is_said_about_what_is_left_where_it_is_not_known():
    tallies = Tallies({"oak": Tally()}, in_rounds=True)
    tallies.add(opened(oak=10))  # That is the first round only.
    tallies.add(answered())
    cells = tallies["oak"].cells(1.0)
    assert (cells["judged"], cells["left"]) == ("1", "")


def test_a_table_is_redrawn_a_few_times_in_a_second_and_at_the_end():
    drawn = []
    table = LiveTable(drawn.append, ReportWords("en"), Tallies({"oak[/]": Tally()}))
    table.update(opened(**{"oak[/]": 4}), 0.0)
    for moment in (0.01, 0.1, 0.2, 0.3, 0.31):
        table.update(answered("oak[/]"), moment)
    assert len(drawn) == 2
    table.update(Event("run_closed"), 0.32)
    assert len(drawn) == 3
    text = io.StringIO()
    Console(file=text, width=80).print(drawn[-1])
    heading, row = text.getvalue().splitlines()
    assert heading.split() == ["judge", "judged", "valid", "invalid", "failed", "calls/s", "cost", "left"]
    assert row.split()[:3] == ["oak[/]", "5/4", "5"]


def test_a_terminal_gets_the_table_and_a_pipe_does_not(tmp_path):
    with serving() as server:
        write_samples(tmp_path, make_samples(3))
        config = write_config(tmp_path, {"oak": served_judge(server.base_url)})
        controller, terminal = pty.openpty()
        with start_venire("judge", config, stderr=terminal, stdout=subprocess.DEVNULL) as process:
            os.close(terminal)
            shown = b""
            while chunk := read_terminal(controller):
                shown += chunk
        os.close(controller)
        assert process.returncode == 0
        assert b"calls/s" in shown
        assert re.search(rb"\b(\d+)/\1\b", shown)  # At the end, as many as the run has planned.
        with start_venire("judge", config) as process:
            _, errors = process.communicate()
    assert "calls/s" not in errors


def read_terminal(controller):
    try:
        return os.read(controller, 4096)
    except OSError:  # Linux says so when the other end is closed.
        return b""
