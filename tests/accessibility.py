"""What axe-core finds on a page, and words in charts that are too small to read."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from playwright.sync_api import Page


def violations(page: Page, within: str = "") -> list[str]:
    """Return what axe-core finds on a page, or within one element of it, in any of its rules."""
    installed = find_spec("axe_playwright_python")
    assert installed is not None, "axe-core is not installed: install the extra `dev`"
    assert installed.origin is not None
    page.evaluate(Path(installed.origin).with_name("axe.min.js").read_text("utf-8"))
    found = page.evaluate("within => axe.run(within || document, {resultTypes: ['violations']})", within)
    return [f"{each['id']}: {node['html'][:160]}" for each in found["violations"] for node in each["nodes"]]


def shorten(page: Page) -> None:
    """Leave the first rows of a report's tables and its first judgements: the same lines make the others.

    Heat maps stay whole, whose cells differ in colour.
    """
    long = "table:not(.heat) tbody tr:nth-child(n+6), .judgement:nth-of-type(n+6)"
    page.evaluate("long => document.querySelectorAll(long).forEach(each => each.remove())", long)


def tiny_words(page: Page, least: float = 10.0) -> list[str]:
    """Return the words in charts that are shown smaller than so many pixels, as in drawings that shrink on a phone."""
    found: list[str] = page.evaluate(
        "least => Array.from(document.querySelectorAll('svg text')).filter(each => each.getClientRects().length"
        " && parseFloat(getComputedStyle(each).fontSize) * each.getScreenCTM().d < least)"
        ".map(each => each.textContent)",
        least,
    )
    return found
