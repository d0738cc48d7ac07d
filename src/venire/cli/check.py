"""`venire check`: check judges' replies as they are found, or verify an archive."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from venire.cli.arguments.command import HelpedCommand
from venire.cli.arguments.judged_texts import aliases, columns, documents, judged, pdf_limits, source_names
from venire.cli.arguments.language import language, report_words, words
from venire.cli.arguments.settings import load, warn
from venire.cli.terminal.check_results import print_results
from venire.cli.terminal.printing import BAD, echo, open_console, tell
from venire.domain.judgement import EvidenceLevel
from venire.domain.rule import RULES
from venire.errors import InputError, UsageError
from venire.words.language import languages
from venire.words.said import say

if TYPE_CHECKING:
    from venire.workflows.check import Checked, CheckRun
    from venire.workflows.checking.options import CheckOptions


def _explain(ctx: click.Context, _: click.Parameter, rule_id: str | None) -> None:
    """Print a rule with its source and leave."""
    if rule_id is None:
        return
    if rule_id not in RULES:
        raise UsageError("error.cli.no_rule", rule=rule_id, rules=tuple(RULES))
    rule = RULES[rule_id]
    flag = rule.flag.value if rule.flag else say("check.rule_note")
    says = "\n  ".join(map(rule.says, languages()))
    tell("check.rule", id=rule.id, says=says, flag=flag, source=rule.source)
    ctx.exit(0)


@click.command(cls=HelpedCommand)
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH...")
@click.option("--protocol", "protocol_name", metavar="ID|FILE")
@click.option("--profile", type=click.Choice(["contract", "seed"]), default="contract", show_default=True)
@click.option(
    "--evidence", type=click.Choice(["exact", "whitespace", "nfkc", "off"]), default="nfkc", show_default=True
)
@click.option("--sources", type=click.Path(path_type=Path))
@click.option("--source-name", "source_names", multiple=True, metavar="TARGET=FOLDER")
@click.option("--require-quotes", is_flag=True)
@click.option("--column", "columns", multiple=True, metavar="FIELD=COLUMN")
@click.option("--pattern")
@click.option("--judged", type=click.Choice(["last", "each", "whole"]))
@click.option("--documents", type=click.Path(path_type=Path))
@click.option("--alias", "aliases", multiple=True, metavar="NAME=MODEL")
@click.option("--config", type=click.Path(path_type=Path))
@click.option("--pdf-limit", "pdf_limits", multiple=True, metavar="NAME=NUMBER")
@click.option("--scale")
@click.option("--category", default="")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["table", "json", "jsonl", "junit", "sarif"]),
    default="table",
    show_default=True,
)
@click.option("--archive", type=click.Path(path_type=Path))
@click.option("--explain", callback=_explain, is_eager=True, expose_value=False, metavar="RULE")
def check(paths: tuple[Path, ...], **options: Any) -> int:
    """Check judges' replies against a protocol."""
    from venire.reports.archive.manifest import is_archive

    for path in paths:
        if not path.exists():
            raise UsageError("error.cli.no_path", where=str(path))
    if len(paths) == 1 and paths[0].is_dir() and is_archive(paths[0]):
        return _verify(paths[0], options)
    return _check(paths, options)


def _check(paths: tuple[Path, ...], options: dict[str, Any]) -> int:
    from venire.protocols.catalogue import find_protocol
    from venire.reports.archive.writer import ArchiveWriter
    from venire.workflows.check import CheckRun, recognised_protocol
    from venire.workflows.checking.options import CheckOptions

    problems: list[InputError] = []
    named = options["protocol_name"]
    settings = load(options["config"], need_keys=False) if options["config"] else None
    terms = CheckOptions(
        find_protocol(named) if named else recognised_protocol(paths),
        profile=options["profile"],
        evidence=EvidenceLevel(options["evidence"]),
        scale=options["scale"],
        sources=options["sources"],
        columns=columns(options["columns"]),
        pattern=options["pattern"],
        category=options["category"],
        source_names=source_names(options, settings),
        aliases=aliases(options, settings),
        pdf_limits=pdf_limits(options, settings),
        judged=judged(options, settings),
        documents=documents(options, settings),
    )
    if options["require_quotes"]:
        _require_quotes(terms)
    run = CheckRun(terms, problems.append)
    with ExitStack() as stack:
        archive = None
        if options["archive"]:
            archive = stack.enter_context(
                ArchiveWriter(
                    options["archive"],
                    terms.protocol,
                    language=language(),
                    sources_given=terms.sources is not None,
                    aliases=terms.aliases,
                    run_log={"made_by": "venire check", "not_known": ["decoding", "tools", "prompts", "seed"]},
                    profile=terms.profile,
                    evidence=terms.evidence.value,
                )
            )
        results = _archived(run, paths, archive)
        print_results(options["output_format"], results, run, options["archive"])
    for problem in problems:
        warn(problem)
    return 0 if run.summary.all_valid and not (run.summary.total > 1 and run.missing_samples()) else 1


def _require_quotes(terms: CheckOptions) -> None:
    """Raise `UsageError` if no quote would be compared with a judged text, although that is required."""
    if terms.compares_quotes:
        return
    if not terms.protocol.asks_for_quotes:
        raise UsageError("error.cli.no_quotes_asked", protocol=terms.protocol.id)
    if terms.sources is None:
        raise UsageError("error.cli.quotes_need_sources")
    raise UsageError("error.cli.quotes_off")


def _archived(run: CheckRun, paths: tuple[Path, ...], archive: Any) -> Iterator[Checked]:
    from venire.inputs.artifacts.replies import count_bytes
    from venire.reports.archive.writer import Evaluation

    with _progress(count_bytes(paths)) as advance:
        for checked in run.check(paths, advance):
            if archive and checked.judgement is not None and checked.raw is not None:
                known = Evaluation(
                    name=checked.name,
                    judge=checked.judge,
                    target=checked.target,
                    identity=checked.identity,
                    category=run.options.category,
                    about=checked.about,
                    finish_reason=checked.finish_reason,
                    output_tokens=checked.output_tokens,
                )
                archive.add(checked.raw, checked.judgement, known)
            yield checked


@contextmanager
def _progress(total_bytes: int) -> Iterator[Callable[[int], None]]:
    """Show a progress bar on standard error for long work at a terminal."""
    if total_bytes < 4_000_000 or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    title = words()("check.progress")
    columns = (TextColumn(title), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=open_console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total_bytes)
        yield lambda count: bar.advance(task, count)


def _verify(folder: Path, options: dict[str, Any]) -> int:
    from venire.workflows.verify_archive import verify_archive

    problems: list[InputError] = []
    sources = options["sources"]
    if options["require_quotes"] and sources is None:
        raise UsageError("error.cli.quotes_need_sources")
    report = verify_archive(
        folder,
        sources=sources,
        columns=columns(options["columns"]),
        pattern=options["pattern"],
        source_names=source_names(options, None),
        pdf_limits=pdf_limits(options),
        judged=judged(options),
        documents=documents(options),
        on_problem=problems.append,
    )
    words = report_words()
    for warning in problems:
        warn(warning)
    for problem in report.problems:
        echo(BAD, f" {problem.path} {words.of(problem.problem)}")
    again, found = report.judged_again, len(report.problems)
    echo(words("verify.totals", entries=report.entries, again=again, problems=found))
    if report.not_compared:
        echo(words("verify.not_compared", count=report.not_compared))
    if again < report.entries and sources is None:
        echo(words("verify.name_sources"))
    echo(words("verify.manifest", digest=report.manifest_sha256))
    return 1 if report.problems or (options["require_quotes"] and report.not_compared) else 0
