"""Outputs in a real browser: filters, keys, side by side, marks, lists that grow, and whether everybody can read it.

All tests share one browser and a view that nobody marks; what a test writes, it writes into a ledger of its own.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect

from accessibility import violations
from browsing import DESKTOP, PATIENCE, PHONE, launched_browser, opened_page
from courthouse import write_judged_ledger
from report_ledger import design, write_ledger
from venire.ledger.entry import Kind
from venire.ledger.location import open_ledger
from viewing import serving_view

expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_judged_ledger(tmp_path_factory.mktemp("viewer") / "ledger.sqlite", regions=("north", "south"))


@pytest.fixture(scope="module")
def address(judged: Path) -> Iterator[str]:
    with serving_view(judged) as found:
        yield found


@pytest.fixture(scope="module")
def browser(address: str) -> Iterator[Browser]:
    with launched_browser() as opened:
        yield opened


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """The list that all tests read, just opened."""
    with opened_page(browser, address) as page:
        yield page


@pytest.fixture
def ledger(judged: Path, tmp_path: Path) -> Path:
    """A ledger of this test alone."""
    return Path(shutil.copy(judged, tmp_path / "ledger.sqlite"))


@pytest.fixture
def own_page(browser: Browser, ledger: Path) -> Iterator[Page]:
    """The list of that ledger, where ann marks."""
    with serving_view(ledger, "ann") as address, opened_page(browser, address) as page:
        yield page


def test_a_filter_applies_at_once_and_the_next_one_narrows_it(page):
    expect(page.locator("#list li")).to_have_count(22)
    page.select_option("select[name=model]", "birch-2")
    expect(page.locator("#list li")).to_have_count(8)
    assert urlsplit(page.url).query == "order=worst&model=birch-2"
    page.select_option("select[name=verdict]", "FAIL")
    expect(page.locator("#list li")).to_have_count(5)
    page.keyboard.press("/")
    page.keyboard.type("worth 1")
    page.keyboard.press("Enter")
    expect(page.locator("#list li")).to_have_count(1)
    expect(page.locator("#text")).to_contain_text("An answer of worth 1.")


def test_keys_go_through_the_list_and_to_outputs_side_by_side_and_back(page):
    first, second = (page.locator("#list a").nth(place).get_attribute("data-key") for place in (0, 1))
    page.keyboard.press("j")
    page.wait_for_url(f"**/outputs/{second}")
    expect(page.locator("#list [aria-current]")).to_have_attribute("data-key", second)
    page.keyboard.press("k")
    page.wait_for_url(f"**/outputs/{first}")
    page.keyboard.press("s")
    page.wait_for_url(f"**/outputs/{first}/beside")
    expect(page.locator(".beside section")).to_have_count(2)
    expect(page.locator(".beside section").nth(1).locator("ins")).to_have_text(["3"])
    expect(page.locator(".beside section").nth(1).locator("del")).to_have_text(["1"])
    page.keyboard.press("s")
    page.wait_for_url(f"**/outputs/{first}")


def test_quotes_are_marked_in_the_text_and_the_raw_reply_is_one_click_away(page):
    marked = page.locator("#text mark")
    expect(marked).to_have_text(["An answer of worth 1. It names line 1."])
    assert "oak · Format compliance" in marked.get_attribute("title")
    card = page.locator(".judge", has_text="oak").first
    expect(card.locator("pre")).to_be_hidden()
    card.locator(".reply summary").click()
    expect(card.locator("pre")).to_contain_text('"overall_score": 1')


def test_a_mark_is_an_entry_with_its_author_and_its_output_can_be_listed(own_page, ledger):
    page = own_page
    page.keyboard.press("j")
    page.wait_for_url("**/outputs/*")
    page.locator("#marks textarea").fill("The line is named after all.")
    page.locator("#marks button", has_text="look again").click()
    expect(page.locator("#marks li").first).to_contain_text("look again ann")
    page.locator(".mark-judgement button").first.click()
    expect(page.locator("#marks li")).to_have_count(2)
    opened = open_ledger(str(ledger), read_only=True)
    marks = [entry.content["mark"] for entry in opened.read(kinds=[Kind.NOTE])]
    opened.close()
    assert [(each["author"], each["remark"]) for each in marks] == [("ann", "look_again"), ("ann", "wrong")]
    assert marks[1]["judgement"]
    page.locator(".chip", has_text="marked").click()
    page.wait_for_url("**only=marked**")
    expect(page.locator("#list li")).to_have_count(1)
    expect(page.locator("#marks li").first).to_contain_text("ann")


def test_outputs_of_a_note_can_be_listed(page):
    page.locator("#filters .more summary").click()
    for region in ("north", "south"):
        page.select_option("select[name='f.region']", region)
        page.wait_for_url(f"**f.region={region}**")
        expect(page.locator("#list li")).to_have_count(8)


def test_a_list_grows_while_a_run_goes_on_and_the_runs_can_be_compared(own_page, ledger):
    page = own_page
    before = page.locator("#list li").count()
    anew = [msgspec.structs.replace(each, text="An answer of worth 1.") for each in design(["alder-1"], questions=1)]
    run = Thread(target=write_ledger, args=(ledger, anew))  # The browser's event loop runs in this thread.
    run.start()
    run.join()
    expect(page.locator("#list li")).to_have_count(before + 4)
    expect(page.locator("#total")).to_have_text(f"{before + 4} outputs")
    page.locator("nav a", has_text="Runs").click()
    expect(page.locator("#summary")).to_contain_text("Of 4 outputs in both runs, 4 got a lower score")
    expect(page.locator("#worse tbody tr")).to_have_count(4)
    expect(page.locator("select[name=before] option:checked")).to_contain_text("Run 1 · 20")
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    change = page.locator("#worse tbody tr").first.locator("td.down").bounding_box()
    assert change["x"] + change["width"] <= PHONE["width"]
    assert violations(page) == []
    page.locator("#worse tbody tr").first.get_by_text("side by side").click()
    expect(page.locator(".beside section").nth(1).locator("ins")).to_have_text(["1"])


@pytest.mark.parametrize(
    ("scheme", "viewport"),
    [("light", DESKTOP), pytest.param("dark", PHONE, marks=pytest.mark.long)],
    ids=["desktop", "phone"],
)
def test_everybody_can_read_the_pages_and_nothing_is_cut_off(browser, address, scheme, viewport):
    context = browser.new_context(viewport=viewport, color_scheme=scheme, locale="zh-CN")
    page = context.new_page()
    page.goto(address)
    first = page.locator("#list a").first.get_attribute("href")
    hostile = page.locator("#list a", has_text="bidi").first.get_attribute("href")
    found = {}
    for path in ("/outputs", first, hostile, f"{first}/beside", "/changes"):
        page.goto(f"http://{urlsplit(address).netloc}{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"], path
        found[path] = violations(page)
    context.close()
    assert not any(found.values()), found
