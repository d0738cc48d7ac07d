"""`venire check`: check judges' replies as they are found, or verify an archive."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from venire.cli.arguments.command import HelpedCommand
from venire.cli.arguments.language import language, report_words, words
from venire.cli.arguments.settings import load, warn
from venire.cli.terminal.printing import BAD, echo, open_console, tell, write
from venire.domain.judgement import EvidenceLevel, Quotes, Status
from venire.domain.rule import RULES
from venire.errors import InputError, UsageError
from venire.words.language import languages
from venire.words.said import say

if TYPE_CHECKING:
    from venire.config import Settings
    from venire.inputs.documents.pdf import PdfLimits
    from venire.reports.formats.check_record import CheckCase
    from venire.reports.words import ReportWords
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
        columns=_columns(options["columns"]),
        pattern=options["pattern"],
        category=options["category"],
        source_names=_source_names(options, settings),
        aliases=_aliases(options, settings),
        pdf_limits=_pdf_limits(options, settings),
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
        _FORMATS[options["output_format"]](results, run, options)
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


def _as_record(checked: Checked, run: CheckRun) -> dict[str, Any]:
    from venire.reports.formats.check_record import evaluation_record, unread_record

    found = {"sha256": checked.sha256, "name": checked.name, "judge": checked.judge, "target": checked.target}
    if checked.judgement is None:
        status = "unread" if checked.is_reply else "not a reply"
        return {**found, "quotes": checked.quotes.value, **unread_record(checked.problem, status)}
    return {**found, **checked.about, **evaluation_record(checked.judgement, checked.identity, run.options.protocol)}


def _print_table(results: Iterator[Checked], run: CheckRun, options: dict[str, Any]) -> None:

    from venire.reports.terminal.check_table import WorstReplies, print_rule_counts, print_worst

    worst = WorstReplies()
    for checked in results:
        if checked.is_reply:
            worst.add(checked.name, checked.judgement, checked.problem)
    console = open_console(width=None if sys.stdout.isatty() else 140, highlight=False)
    words = report_words()
    print_worst(console, worst, words)
    print_rule_counts(console, run.summary.by_rule, run.summary.replies_by_rule, words)
    totals = words("check.totals", total=run.summary.total, parts=_parts(run, words))
    console.print(f"{totals}{_not_compared(run, words)}", style="bold")
    for line in _remarks(run, words):
        console.print(line, markup=False)
    console.print(_terms(run, words), style="dim", markup=False)
    if options["archive"]:
        console.print(words("check.archive", folder=str(options["archive"])), style="dim", markup=False)


def _parts(run: CheckRun, words: ReportWords) -> str:
    """Say how many replies there are of each status."""
    counts = {status.value: run.summary.by_status[status] for status in Status} | {"unread": run.summary.unread}
    shown = {status: count for status, count in counts.items() if count or status in ("valid", "invalid")}
    parts = (words("check.part", count=count, name=words(f"check.status.{name}")) for name, count in shown.items())
    return words("comma").join(parts)


def _not_compared(run: CheckRun, words: ReportWords) -> str:
    """Say that quotes were not compared, of all replies or of how many; empty if there is nothing to say."""
    quotes = run.summary.quotes
    count = quotes[Quotes.NOT_COMPARED]
    if not count:
        return ""
    return words("check.some_not_compared", count=count) if quotes[Quotes.COMPARED] else words("check.not_compared")


def _remarks(run: CheckRun, words: ReportWords) -> Iterator[str]:
    summary = run.summary
    if summary.entries:
        yield words("check.entries", entries=summary.entries, valid=summary.valid_entries)
    if summary.self_judged:
        yield words("check.self_judged", count=summary.self_judged)
    if summary.misfiled:
        yield words("check.misfiled", count=summary.misfiled)
    if summary.not_replies:
        names = words("comma").join(summary.not_replies)
        yield words("check.not_replies", count=len(summary.not_replies), names=names)
    if missing := run.missing_samples():
        yield words("check.missing", count=len(missing), first=repr(missing[0]))


def _terms(run: CheckRun, words: ReportWords) -> str:
    """Say what the replies were held to; a result without its terms means nothing."""
    terms = run.options
    held = words("check.terms", protocol=terms.protocol.id, digest=terms.protocol.digest[:12], profile=terms.profile)
    if terms.sources is None:
        key = "check.no_sources" if terms.protocol.asks_for_quotes else "check.no_quotes_asked"
        return held + words(key)
    level = terms.evidence_used
    evidence = words("check.evidence_off") if level is EvidenceLevel.OFF else words("check.evidence", level=level.value)
    return held + evidence + words("check.sources", sources=str(terms.sources))


def _print_json(results: Iterator[Checked], run: CheckRun, options: dict[str, Any]) -> None:  # noqa: ARG001
    write('{"results": {')
    copies: Counter[bytes] = Counter()  # of digests cut short: it grows with the number of replies
    for position, checked in enumerate(results):
        comma = ",\n" if position else ""
        name = checked.sha256 if checked.judgement else checked.name
        if checked.judgement:
            digest = bytes.fromhex(checked.sha256[:24])
            copies[digest] += 1
            name += f"#{copies[digest]}" if copies[digest] > 1 else ""  # two files with the same bytes are two results
        key = json.dumps(name, ensure_ascii=False)
        write(f"{comma}{key}: {json.dumps(_as_record(checked, run), ensure_ascii=False)}", nl=False)
    write('\n}, "summary": ' + json.dumps(_summary(run), ensure_ascii=False, indent=2) + "}")


def _print_jsonl(results: Iterator[Checked], run: CheckRun, options: dict[str, Any]) -> None:  # noqa: ARG001
    for checked in results:
        write(json.dumps(_as_record(checked, run), ensure_ascii=False))


def _print_junit(results: Iterator[Checked], run: CheckRun, options: dict[str, Any]) -> None:  # noqa: ARG001
    from venire.reports.formats.junit import junit_report

    write(junit_report(f"venire.check.{run.options.protocol.id}", map(_case, results)), nl=False)


def _print_sarif(results: Iterator[Checked], run: CheckRun, options: dict[str, Any]) -> None:  # noqa: ARG001
    from venire.reports.formats.sarif import sarif_report

    write(sarif_report(map(_case, results)), nl=False)


def _case(checked: Checked) -> CheckCase:
    from venire.reports.formats.check_record import CheckCase

    return CheckCase(checked.name, checked.judgement, checked.problem, checked.quotes, checked.is_reply)


_FORMATS = {
    "table": _print_table,
    "json": _print_json,
    "jsonl": _print_jsonl,
    "junit": _print_junit,
    "sarif": _print_sarif,
}


def _summary(run: CheckRun) -> dict[str, Any]:
    summary, terms = run.summary, run.options
    return {
        "protocol": terms.protocol.id,
        "protocol_digest": terms.protocol.digest,
        "profile": terms.profile,
        "evidence": terms.evidence_used.value,
        "quotes": {state.value: count for state, count in summary.quotes.items()},
        "total": summary.total,
        "by_status": {status.value: count for status, count in summary.by_status.items()},
        "not_read": summary.unread,
        "not_replies": summary.not_replies,
        "misfiled": summary.misfiled,
        "findings_by_rule": dict(summary.by_rule),
        "samples_without_reply": run.missing_samples(),
    }


def _source_names(options: dict[str, Any], settings: Settings | None) -> dict[str, str]:
    """Return the folders of targets by name: those of the configuration, and on top of them those of the options."""
    named = settings.samples.source_names if settings else {}
    return {**named, **_pairs(options["source_names"], "TARGET=FOLDER", "gemini=google_gemini-3-pro")}


def _aliases(options: dict[str, Any], settings: Settings | None) -> tuple[tuple[str, str], ...]:
    """Return pairs of names of one model: of the configuration's judges, and of the options."""
    pairs = [
        (alias, name)
        for judge in (settings.judges if settings else ())
        for alias in judge.aliases
        for name in (judge.name, judge.model)
        if name
    ]
    return (*pairs, *_pairs(options["aliases"], "NAME=MODEL", "openai/alder-1=alder-1").items())


def _columns(pairs: tuple[str, ...]) -> dict[str, str]:
    return _pairs(pairs, "FIELD=COLUMN", "text=answer")


def _pairs(given: tuple[str, ...], form: str, example: str) -> dict[str, str]:
    pairs = {}
    for pair in given:
        left, equals, right = pair.partition("=")
        if not equals or not left or not right:
            raise UsageError("error.cli.pair", form=form, example=example, found=pair)
        pairs[left] = right
    return pairs


def _pdf_limits(options: dict[str, Any], settings: Settings | None = None) -> PdfLimits:
    """Return what a PDF may cost: by the configuration, and on top of it by the options."""
    import msgspec

    from venire.inputs.documents.pdf import PdfLimits

    configured = msgspec.structs.asdict(settings.samples.pdf_limits) if settings else {}
    given = {name: number for name, _, number in (pair.partition("=") for pair in options["pdf_limits"])}
    try:
        return msgspec.convert({**configured, **given}, PdfLimits, strict=False)
    except msgspec.ValidationError as error:
        raise UsageError("error.cli.pdf_limit", names=PdfLimits.__struct_fields__, problem=str(error)) from None


def _verify(folder: Path, options: dict[str, Any]) -> int:
    from venire.workflows.verify_archive import verify_archive

    problems: list[InputError] = []
    sources = options["sources"]
    if options["require_quotes"] and sources is None:
        raise UsageError("error.cli.quotes_need_sources")
    report = verify_archive(
        folder,
        sources=sources,
        columns=_columns(options["columns"]),
        pattern=options["pattern"],
        source_names=_source_names(options, None),
        pdf_limits=_pdf_limits(options),
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
