"""A real browser for tests of pages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

PATIENCE = 60_000
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@contextmanager
def launched_browser() -> Iterator[Browser]:
    """Open a browser until the end of the block; without one, the tests fail and say what to do.

    A Chromium without windows takes less than half the CPU time of a whole one that shows none.
    """
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.fail("the tests of pages need a browser: run .ci/install-browser", pytrace=False)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()


@contextmanager
def opened_page(browser: Browser, address: str, **options: object) -> Iterator[Page]:
    """Open an address; a script that fails, or anything that a page must not load, fails the test."""
    context = browser.new_context(**{"viewport": DESKTOP, "locale": "en-US", **options})  # type: ignore[arg-type]
    page, complaints = context.new_page(), list[str]()
    page.set_default_timeout(PATIENCE)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.goto(address)
    yield page
    assert complaints == []
    context.close()
