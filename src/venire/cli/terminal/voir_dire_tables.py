"""The outcome of a voir dire at a terminal: a line that says it, and a table of families."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from venire.cli.terminal.printing import print_line
from venire.judges.probes.battery import standard_battery

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rich.console import Console
    from rich.table import Table

    from venire.judges.probes.qualification import Qualification
    from venire.reports.words import ReportWords
    from venire.workflows.instruments.from_records import RecordedVoirDire


def print_qualification(console: Console, found: Qualification, words: ReportWords) -> None:
    """Print what became of one judge, and why."""
    names = {name: family_name(found, name, words) for name in found.terms.families}
    by = words("voir_dire.by_battery", battery=found.battery)
    holds = words("voir_dire.holds", days=found.days)
    line = outcome_line(found.judge, found.outcome, found.rates, names, words, by=by, holds=holds)
    print_line(console, line)
    console.print(_rates_table(found.rates, names, words))
    for family, why in found.not_asked.items():
        reason = words(why) if why in words else why
        line = words("voir_dire.not_asked", family=family_name(found, family, words), why=reason)
        print_line(console, line)
    console.print()


def print_records(console: Console, found: RecordedVoirDire, words: ReportWords) -> None:
    """Print what records say of one judge."""
    from msgspec.structs import asdict

    rates = tuple(map(asdict, found.rates))
    names = {rate["family"]: words(f"voir_dire.records.{rate['family']}") for rate in rates}
    line = outcome_line(found.judge, found.outcome.value, rates, names, words)
    print_line(console, line)
    console.print(_rates_table(rates, names, words))
    console.print()


def outcome_line(
    judge: str,
    outcome: str,
    rates: Iterable[Mapping[str, Any]],
    names: Mapping[str, str],
    words: ReportWords,
    *,
    by: str = "",
    holds: str = "",
) -> str:
    """Say in a sentence whether a judge qualifies, and what decided it."""
    if outcome == "qualified":
        return words("voir_dire.qualified", judge=judge, by=by, holds=holds)
    if outcome == "struck":
        causes = [_cause(rate, names, words) for rate in rates if rate["standing"] == "beyond"]
        return words("voir_dire.struck", judge=judge, by=by, causes=words("comma").join(causes))
    open_ones = [_open(rate, names, words) for rate in rates if rate["standing"] == "open"]
    return words("voir_dire.undecided", judge=judge, by=by, open=words("comma").join(open_ones))


def family_name(found: Qualification, family: str, words: ReportWords) -> str:
    """Return what a family is called in the reader's language."""
    asked, known = found.terms.families.get(family), standard_battery().families.get(family)
    names = asked.name if asked else known.name if known else {}
    return names.get(words.language) or names.get("en") or family


def _rates_table(rates: Iterable[Mapping[str, Any]], names: Mapping[str, str], words: ReportWords) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column(words("voir_dire.family"), overflow="fold")
    for name in ("trials", "rate", "bounds", "limit", "standing"):
        table.add_column(words(f"voir_dire.{name}"), justify="right", no_wrap=True)
    for rate in rates:
        table.add_row(
            Text(names[rate["family"]]),
            str(rate["trials"]),
            words("unknown") if rate["rate"] is None else f"{rate['rate']:.0%}",
            "–"
            if rate["low"] is None
            else words("number.interval", low=f"{rate['low']:.0%}", high=f"{rate['high']:.0%}"),
            f"{rate['limit']:.0%}",
            words(f"voir_dire.standing.{rate['standing']}"),
        )
    return table


def _cause(rate: Mapping[str, Any], names: Mapping[str, str], words: ReportWords) -> str:
    low, limit = f"{rate['low']:.0%}", f"{rate['limit']:.0%}"
    return words("voir_dire.cause", family=names[rate["family"]], low=low, limit=limit)


def _open(rate: Mapping[str, Any], names: Mapping[str, str], words: ReportWords) -> str:
    name = names[rate["family"]]
    if rate["more"] is None:
        return words("voir_dire.at_limit", family=name)
    return words("voir_dire.more", family=name, more=rate["more"])
