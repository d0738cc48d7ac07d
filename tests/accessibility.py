"""What axe-core finds on a page."""

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
