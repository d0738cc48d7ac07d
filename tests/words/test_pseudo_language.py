"""A third language is one file: nothing that users read is left in English then, except names, commands and codes."""

from __future__ import annotations

import html
import io
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import click
import pytest
from rich.console import Console

from report_ledger import DIMENSIONS, design, labels_of, scoring, write_ledger
from venire.cli import main as command
from venire.domain.flag import Flag
from venire.domain.rule import RULES
from venire.judges.local_models import MODELS
from venire.ledger.entry import Kind
from venire.protocols.catalogue import bundled_ids, find_protocol
from venire.protocols.voter_prompts import bundled_prompt
from venire.reports.page.html_page import html_page
from venire.reports.report import Choices, Report
from venire.reports.terminal.report import print_report
from venire.workflows.analyse import analyse
from words.pseudo_language import pseudo_language

Captured = pytest.CaptureFixture[str]
EXAMPLE = Path(__file__).parents[2] / "examples" / "drift"
WORD = re.compile(r"[A-Za-z]{2,}")
RECORDED = {
    *RULES,
    *Flag,
    *Kind,
    *DIMENSIONS,
    "PASS",
    "PARTIAL",
    "FAIL",
    "nfkc",
    "contract",
    "valid",
    "retest",
    "invalid",
}
"""What records call rules, flags, entries, dimensions, verdicts, levels of evidence, profiles and statuses."""
EXPERIMENT = {
    "alder",
    "birch",
    "oak",
    "elm",
    "fir",
    "baseline",
    "conflict",
    "explicit",
    "implicit",
    "drift",
    "en",
    "zh",
}
"""The models, judges, variants and levels of the experiment."""
MACHINE = {"venire", "python", "sqlite", "ledger", "fake", "large", "max", "tokens", "trace", "REPORT", "json", "CELL"}
"""Software, models, settings, files and commands."""


@pytest.fixture(scope="module")
def language(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with pseudo_language(tmp_path_factory.mktemp("words")) as name, pytest.MonkeyPatch.context() as patch:
        for _, each in all_commands(command.cli):  # Commands that were imported before offer what there was then.
            for option in each.params:
                if option.opts == ["--lang"] and isinstance(option.type, click.Choice):
                    patch.setattr(option.type, "choices", (*option.type.choices, name))
        yield name


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    path = tmp_path_factory.mktemp("report") / "ledger.sqlite"
    answers = {"oak": scoring(), "elm": scoring(severity=1), "fir": scoring(broken_at="names line 3")}
    write_ledger(path, design(), answers, reask_share=0.5)
    return analyse(path, Choices(), labels=labels_of(design()))


def left_in_english(shown: str) -> set[str]:
    """Return the words with plain letters, but for digests and what records call things."""
    names = "|".join(map(re.escape, sorted(RECORDED, key=len, reverse=True)))
    return set(WORD.findall(re.sub(rf"\b(?:[0-9a-f]{{8,}}|{names})\b", "", shown)))


def on_page(report: Report, language: str) -> str:
    page = html_page(report, language)
    seen = re.sub(r"<(style|code|blockquote)>.*?</\1>", "", page, flags=re.DOTALL)
    hints = " ".join(re.findall(r'(?:title|aria-label)="([^"]*)"', seen))
    return html.unescape(re.sub(r"<[^>]*>", " ", seen) + hints)


def test_the_report_on_a_page_has_no_english_left(report: Report, language: str) -> None:
    assert left_in_english(on_page(report, language)) - EXPERIMENT - MACHINE == set()


def test_the_report_in_a_terminal_has_no_english_left(report: Report, language: str) -> None:
    console = Console(file=io.StringIO(), width=250)
    print_report(console, report, language, full=True)
    assert left_in_english(console.file.getvalue()) - EXPERIMENT - MACHINE == set()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example that runs offline, in a folder of its own, with a ledger, a reply and votes."""
    folder = tmp_path_factory.mktemp("project")
    shutil.copytree(EXAMPLE, folder, dirs_exist_ok=True)
    settings = (folder / "venire.yaml").read_text("utf-8").replace("../../demo-output/ledger", "project")
    (folder / "venire.yaml").write_text(settings, "utf-8")
    watched = settings.replace("project.sqlite", "watched.sqlite") + "\ncanaries: {path: anchors.csv}\n"
    (folder / "watched.yaml").write_text(watched, "utf-8")
    rows = "".join(f"zz-{number},zz {number}\n" for number in range(20))
    (folder / "anchors.csv").write_text(f"output_id,text\n{rows}", "utf-8")
    (folder / "pairs.csv").write_text(PAIRS, "utf-8")
    (folder / "reply.json").write_text('{"zz": 1}', "utf-8")
    (folder / "wrong.yaml").write_text("extends: quality\nid: zz\nscales: [{id: 1-5, minimum: 9}]", "utf-8")
    (folder / "typed.yaml").write_text("extends: quality\nid: zz\nscales: [{id: 1-5, minimum: high}]", "utf-8")
    (folder / "rules.yaml").write_text("rules: [{name: zz, check: minimum_score, at_least: 6}]", "utf-8")
    (folder / "labels.csv").write_text("output_id,score\nq0-baseline-explicit-alder-1,4\nzz,1\n", "utf-8")
    write_ledger(folder / "ledger.sqlite", design(), {"oak": scoring(), "elm": scoring(severity=1)})
    for name in ("votes.csv", "jokes.csv"):
        shutil.copy(EXAMPLE.parent / "jokes" / name, folder / name)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for each in PREPARING:
            with pytest.raises(SystemExit):
                command.main(list(each))
    return folder


REPLY = {"flags", "evidence", "notes", "null"}
"""More keys of a reply, and nothing in JSON."""
PAIRS = "question,judge,first,second,outcome\n" + "".join(
    f"q{number},oak,{'alder,birch' if number % 2 else 'birch,alder'},{'first' if number % 3 else 'tie'}\n"
    for number in range(12)
)
"""Judged pairs of two models."""
PREPARING = [
    ("report", "ledger.sqlite", "--json", "report.json"),
    ("judge", "watched.yaml", "--quiet"),
    ("votes", "import", "votes.csv", "jury.sqlite", "--prompt", "grand-jury"),
    ("votes", "decide", "jury.sqlite", "joke-07", "reject", "--curator", "zz"),
    ("keys", "create", "--role", "juror", "--name", "zz", "--ledger", "jury.sqlite"),
    ("ledger", "export", "ledger.sqlite", "exported"),
]
"""What makes the files that commands are shown with."""


PROJECT = {
    "strict",
    "balanced",
    "lenient",
    "project",
    "sample",
    "rules",
    "yaml",
    "csv",
    "zz",
    "missing",
    "reply",
    "meta",
    "scores",
    "verdict",
}
"""The judges, protocol and files of the project, and the keys of a reply."""
OPTIONS = {"question", "version", "audit", "compare", "gate", "judge", "report", "help", "lang", "nonsense", "seed"}
"""Commands, options and the fields of a file name's pattern."""
COMMANDS = [
    ("plan", "venire.yaml"),
    ("judge", "venire.yaml"),
    ("report", "ledger.sqlite"),
    ("audit", "ledger.sqlite"),
    ("compare", "ledger.sqlite", "--models", "alder-1", "birch-2"),
    ("gate", "rules.yaml", "ledger.sqlite"),
    ("check", "reply.json", "--protocol", "drift-sample"),
    ("prompt", "venire.yaml"),
    ("trace", "report.json", "leaderboard.alder-1.score", "--limit", "0"),
    ("trace", "report.json", "bias.length.oak.none.estimate", "--limit", "0"),
    ("trace", "report.json", "cost.oak.requests"),
    ("weights", "ledger.sqlite", "--out", "weights.yaml"),
    ("export", "ledger.sqlite", "archive"),
    ("check", "archive"),
    ("ledger", "export", "ledger.sqlite", "ledger.jsonl"),
    ("ledger", "copy", "ledger.sqlite", "copy.sqlite"),
    ("local", "list"),
    ("votes", "import", "votes.csv", "again.sqlite", "--prompt", "grand-jury"),
    ("votes", "decide", "jury.sqlite", "joke-08", "accept", "--curator", "zz"),
    ("protocol", "check", "wrong.yaml"),
    ("protocol", "check", "typed.yaml"),
    ("protocol", "show", "drift-simple"),
    ("init", "new"),
    ("keys", "list", "--ledger", "jury.sqlite"),
    ("keys", "create", "--role", "reader", "--name", "zz", "--ledger", "jury.sqlite"),
    ("keys", "invite", "--ledger", "jury.sqlite"),
    ("keys", "revoke", "zz", "--ledger", "jury.sqlite"),
    ("keys", "free", "zz", "--ledger", "jury.sqlite"),
    ("keys", "forget", "zz", "--ledger", "jury.sqlite"),
    ("keys", "list"),
    ("ledger", "import", "exported", "imported.sqlite"),
    ("ledger", "import", "missing", "imported.sqlite"),
    ("ledger", "init", "ledger.sqlite"),
    ("serve", "missing.sqlite"),
    ("serve", "--demo", "--read-only"),
    ("rank", "pairs.csv"),
    ("import", "reply.json", "other.sqlite"),
    ("protocol", "list"),
    ("protocol", "new", "fresh.yaml"),
    ("protocol", "schema", "missing"),
    ("local", "fetch", "missing"),
    ("view", "missing.sqlite"),
    ("voir-dire", "--nonsense"),
    ("canaries", "watched.sqlite"),
    ("canaries", "ledger.sqlite"),
    ("collect", "venire.yaml"),
    ("run", "venire.yaml"),
    ("votes", "score", "votes.csv"),
    ("votes", "score", "votes.csv", "--interval"),
    ("votes", "histogram", "votes.csv"),
    ("votes", "completeness", "votes.csv"),
    ("votes", "confidence", "votes.csv"),
    ("votes", "distribution", "votes.csv"),
    ("votes", "compare", "votes.csv"),
    ("votes", "agreement", "votes.csv"),
    ("votes", "reliability", "votes.csv"),
    ("votes", "reliability", "votes.csv", "--method", "dawid-skene"),
    ("votes", "quality", "votes.csv"),
    ("votes", "quality", "votes.csv", "--by", "voter"),
    ("votes", "suspicious", "votes.csv"),
    ("votes", "queue", "jury.sqlite"),
    ("votes", "trace", "jury.sqlite", "joke-07"),
    ("votes", "export", "jury.sqlite"),
    ("votes", "from-judgements", "ledger.sqlite", "judged.sqlite", "--rule", "overall"),
    ("votes", "open", "jokes.csv", "opened.sqlite"),
    ("labels", "import", "labels.csv", "--ledger", "ledger.sqlite", "--by-model", "zz"),
    ("labels", "next", "copy.sqlite", "--n", "4"),
    ("report", "missing.csv"),
    ("audit", "missing.sqlite"),
    ("report", "--nonsense"),
]


def titled(protocol: str) -> str:
    """Return a protocol's id and its title, which is its own."""
    return f"{protocol} {find_protocol(protocol).title['en']}"


def first_row(path: Path) -> str:
    """Return the names and values of a table's first row, which `venire plan` shows as an example."""
    row = json.loads(path.read_text(encoding="utf-8").partition("\n")[0])
    return " ".join(map(str, [*row, *row.values()]))


NAMED = {
    "init": {"anchors", "jokes", "jsonl", "outputs"},  # the tables of the project
    "compare": {"overall", "prompt", "variant", "question", "id", "language", "trigger"},
    "votes": {"joke", "juror", "grand", "jury", *WORD.findall(bundled_prompt("grand-jury").text)},
    "protocol": {"scales", "minimum", "helpful", "polite", *WORD.findall(" ".join(map(titled, bundled_ids())))},
    "keys": {"people", "juror", "http"},
    "plan": {"samples", "columns", *WORD.findall(first_row(EXAMPLE / "outputs.jsonl"))},
    "local": {*WORD.findall(" ".join(MODELS))},
}
"""Names of factors, protocols, keys of files, voters, and what these vote on: the same in every language."""


def test_every_command_is_shown_in_the_language() -> None:
    paths = [path for path, each in all_commands(command.cli) if not isinstance(each, click.Group)]
    assert [path for path in paths if not any(each[: len(path)] == path for each in COMMANDS)] == []


def test_findings_for_programs_have_no_english_left(
    project: Path, language: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    def written(*arguments: str) -> str:
        with pytest.raises(SystemExit):
            command.main([*arguments, "--lang", language])
        return capsys.readouterr().out

    monkeypatch.chdir(project)
    check = ("check", "reply.json", "--protocol", "drift-sample", "--format")
    junit = ElementTree.fromstring(written(*check, "junit"))
    written("gate", "rules.yaml", "ledger.sqlite", "--junit", "gate.xml", "--markdown", "gate.md")
    gate = ElementTree.fromstring((project / "gate.xml").read_text("utf-8"))
    said = [part for each in (*junit.iter(), *gate.iter()) for part in (each.get("message", ""), each.text or "")]
    (run,) = json.loads(written(*check, "sarif"))["runs"]
    said += [each["message"]["text"] for each in run["results"]]
    said += [each["shortDescription"]["text"] for each in run["tool"]["driver"]["rules"]]
    said.append((project / "gate.md").read_text("utf-8"))
    assert left_in_english(" ".join(said)) - PROJECT - MACHINE - REPLY == set()


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_command_has_no_english_left(
    arguments: tuple[str, ...], project: Path, language: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(project)
    monkeypatch.setenv("COLUMNS", "250")
    monkeypatch.setenv("VENIRE_LANG", language)
    with pytest.raises(SystemExit):
        command.main([*arguments, "--lang", language])
    shown = re.sub(r"\S{30,}", "", "".join(capsys.readouterr()).replace(str(project), ""))  # secrets of keys
    lower = {word for word in left_in_english(shown) if not word.isupper()}  # LEDGER, TABLE: what an argument is
    typed = set(WORD.findall(" ".join(arguments)))
    assert lower - typed - EXPERIMENT - MACHINE - PROJECT - OPTIONS - NAMED.get(arguments[0], set()) == set()


def all_commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield a group and all commands below it, each with how it is called."""
    context = click.Context(group)
    yield path, group
    for name in group.list_commands(context):
        each = group.get_command(context, name)
        if isinstance(each, click.Group):
            yield from all_commands(each, (*path, name))
        elif each is not None:
            yield (*path, name), each


def test_help_has_no_english_left(language: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setenv("VENIRE_LANG", language)
    left = set()
    for path, each in all_commands(command.cli):
        with pytest.raises(SystemExit):
            command.main([*path, "--help"])
        told = re.sub(
            r"(?m)^  venire .*", "", capsys.readouterr().out
        )  # examples, which are typed alike in all languages
        shown = re.sub(r"--?[a-z-]+|\[[^]]*\]", "", told)  # options, their choices and defaults
        words = {word for word in left_in_english(shown) if not word.isupper()}  # FILE, TEXT: what a value is
        left |= {
            (" ".join(path), word)
            for word in words - set(WORD.findall(" ".join(path))) - OPTIONS - MACHINE - called_below(each)
        }
    assert left == set()


def called_below(each: click.Command) -> set[str]:
    """Return the names of the commands of a group, or the names that options of a command offer to choose from."""
    named = each.list_commands(click.Context(each)) if isinstance(each, click.Group) else []
    offered = [str(choice) for option in each.params for choice in getattr(option.type, "choices", ())]
    given = [str(word) for option in each.params for word in (option.metavar, option.default) if word]
    return {word for name in (*named, *offered, *given) for word in WORD.findall(name)}
