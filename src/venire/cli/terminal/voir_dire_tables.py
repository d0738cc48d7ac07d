"""The outcome of a voir dire at a terminal: a line that says it, and a table of families."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from venire.domain.qualification import Qualification
    from venire.reports.words import ReportWords


def print_qualification(console: Console, found: Qualification, words: ReportWords) -> None:
    """Print what became of one judge, and why."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column(words("voir_dire.family"), overflow="fold")
    for name in ("trials", "rate", "bounds", "limit", "standing"):
        table.add_column(words(f"voir_dire.{name}"), justify="right", no_wrap=True)
    for rate in found.rates:
        table.add_row(
            Text(family_name(found, rate["family"], words)),
            str(rate["trials"]),
            _share(rate["rate"], words),
            "–" if rate["low"] is None else f"{rate['low']:.0%} … {rate['high']:.0%}",
            f"{rate['limit']:.0%}",
            words(f"voir_dire.standing.{rate['standing']}"),
        )
    console.print(outcome_line(found, words), soft_wrap=True, markup=False)
    console.print(table)
    for family, why in found.not_asked.items():
        line = words("voir_dire.not_asked", family=family, why=words.of(why))
        console.print(line, soft_wrap=True, markup=False)
    console.print()


def outcome_line(found: Qualification, words: ReportWords) -> str:
    """Say in a sentence whether a judge qualifies, and what decided it."""
    named = {"judge": found.judge, "battery": found.battery, "days": found.days}
    if found.outcome == "qualified":
        return words("voir_dire.qualified", **named)
    if found.outcome == "struck":
        causes = [_cause(found, rate, words) for rate in found.rates if rate["standing"] == "beyond"]
        return words("voir_dire.struck", **named, causes=words("comma").join(causes))
    open_ones = [_open(found, rate, words) for rate in found.rates if rate["standing"] == "open"]
    return words("voir_dire.undecided", **named, open=words("comma").join(open_ones))


def family_name(found: Qualification, family: str, words: ReportWords) -> str:
    """Return what a family is called in the reader's language."""
    names = found.terms.families[family].name
    return names.get(words.language) or names.get("en") or family


def _cause(found: Qualification, rate: dict[str, Any], words: ReportWords) -> str:
    name = family_name(found, rate["family"], words)
    return words("voir_dire.cause", family=name, low=f"{rate['low']:.0%}", limit=f"{rate['limit']:.0%}")


def _open(found: Qualification, rate: dict[str, Any], words: ReportWords) -> str:
    name = family_name(found, rate["family"], words)
    if rate["more"] is None:
        return words("voir_dire.at_limit", family=name)
    return words("voir_dire.more", family=name, more=rate["more"])


def _share(value: float | None, words: ReportWords) -> str:
    return words("unknown") if value is None else f"{value:.0%}"
